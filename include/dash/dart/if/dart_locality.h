// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: where units run. The units of a team lie in a tree of domains: all, nodes, modules,
// NUMA domains, units. dart.h does not include this header.
#ifndef DART__LOCALITY_H_
#define DART__LOCALITY_H_

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- of a team
/** Finds out where the team's units run. Collective over the team. */
dart_ret_t dart_team_locality_init(dart_team_t team) DART_NOTHROW;
dart_ret_t dart_team_locality_finalize(dart_team_t team) DART_NOTHROW;
/** The domain with that tag; it stays the library's. */
dart_ret_t dart_domain_team_locality(dart_team_t team, const char *domain_tag,
                                     dart_domain_locality_t **team_domain_out) DART_NOTHROW;
/** Where a unit runs; the description stays the library's. */
dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit,
                              dart_unit_locality_t **loc) DART_NOTHROW;

// ---------------------------------------------------------------- domains
/** An empty one. */
dart_ret_t dart_domain_create(dart_domain_locality_t **domain_out) DART_NOTHROW;
/** With all that is inside of it. */
dart_ret_t dart_domain_clone(const dart_domain_locality_t *domain_in,
                             dart_domain_locality_t **domain_out) DART_NOTHROW;
dart_ret_t dart_domain_destroy(dart_domain_locality_t *domain) DART_NOTHROW;
dart_ret_t dart_domain_assign(dart_domain_locality_t *domain_lhs,
                              const dart_domain_locality_t *domain_rhs) DART_NOTHROW;
/** The domain with that tag inside of domain_in. */
dart_ret_t dart_domain_find(const dart_domain_locality_t *domain_in, const char *domain_tag,
                            dart_domain_locality_t **subdomain_out) DART_NOTHROW;
/** Keeps the named ones, what is inside of them and what they are inside of. */
dart_ret_t dart_domain_select(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                              const char **subdomain_tags) DART_NOTHROW;
/** Removes the named ones. */
dart_ret_t dart_domain_exclude(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                               const char **subdomain_tags) DART_NOTHROW;
/** Puts a domain into another one as its part number subdomain_rel_id. */
dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t *domain,
                                     dart_domain_locality_t *subdomain,
                                     int subdomain_rel_id) DART_NOTHROW;
dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t *domain,
                                      dart_domain_locality_t *new_parent_domain,
                                      int new_domain_rel_id) DART_NOTHROW;
/** The domains of that scope, put together to num_parts groups; split_domain_out [num_parts]. */
dart_ret_t dart_domain_split_scope(const dart_domain_locality_t *domain_in,
                                   dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t *split_domain_out) DART_NOTHROW;
/** Tags of the domains of that scope; the caller frees the array. */
dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t *domain_in,
                                  dart_locality_scope_t scope, int *num_domains_out,
                                  char ***domain_tags_out) DART_NOTHROW;
/** The domains themselves; the caller frees the array. */
dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t *domain_in,
                                     dart_locality_scope_t scope, int *num_domains_out,
                                     dart_domain_locality_t ***domains_out) DART_NOTHROW;
/** Puts the named domains into a group of their own, and gives its tag. */
dart_ret_t dart_domain_group(dart_domain_locality_t *domain_in, int num_group_subdomains,
                             const char **group_subdomain_tags,
                             char *group_domain_tag_out) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
