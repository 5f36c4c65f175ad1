// SPDX-License-Identifier: BSD-3-Clause
//
// Calls on locality domains. None of them communicates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dart/locality/domain.h"

DRT_API dart_ret_t dart_domain_create(dart_domain_locality_t **domain_out)
{
    DRT_WANT(domain_out);
    *domain_out = drt_domain_new();
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_clone(const dart_domain_locality_t *domain_in,
                                     dart_domain_locality_t **domain_out)
{
    DRT_WANT(domain_out);
    *domain_out = NULL;
    DRT_WANT(domain_in);
    *domain_out = drt_domain_new();
    drt_domain_copy(*domain_out, domain_in);
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_destroy(dart_domain_locality_t *domain)
{
    DRT_WANT(domain);
    drt_domain_t *parent = domain->parent;
    drt_domain_detach(domain);
    if (parent)
        drt_domain_sum(parent);
    drt_domain_clear(domain);
    free(domain);
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_assign(dart_domain_locality_t *domain_lhs,
                                      const dart_domain_locality_t *domain_rhs)
{
    DRT_WANT(domain_lhs);
    DRT_WANT(domain_rhs);
    if (domain_lhs == domain_rhs)
        return DART_OK;
    drt_domain_t copy, *parent = domain_lhs->parent;
    drt_domain_copy(&copy, domain_rhs);  // first: one may be inside of the other
    drt_domain_clear(domain_lhs);
    *domain_lhs = copy;
    domain_lhs->parent = parent;
    for (int i = 0; i < domain_lhs->num_domains; i++)
        domain_lhs->children[i]->parent = domain_lhs;
    return DART_OK;
}

static dart_ret_t refuse_tag(const char *call, const drt_domain_t *domain, const char *tag)
{
    return drt_refuse(call, DART_ERR_NOTFOUND, "domain %s has no domain %s inside",
                      domain->domain_tag, tag);
}

DRT_API dart_ret_t dart_domain_find(const dart_domain_locality_t *domain_in, const char *domain_tag,
                                    dart_domain_locality_t **subdomain_out)
{
    DRT_WANT(subdomain_out);
    *subdomain_out = NULL;
    DRT_WANT(domain_in);
    DRT_WANT(domain_tag);
    *subdomain_out = drt_domain_find(domain_in, domain_tag);
    return *subdomain_out ? DART_OK : refuse_tag(__func__, domain_in, domain_tag);
}

static dart_ret_t filter(const char *call, drt_domain_t *domain, const char *const *tags, int ntags,
                         bool drop_named)
{
    if (!domain)
        return drt_refuse_null(call, "domain_in");
    if (!tags && ntags > 0)
        return drt_refuse_null(call, "subdomain_tags");
    drt_domain_filter(domain, tags, ntags, drop_named);
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_select(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                                      const char **subdomain_tags)
{
    return filter(__func__, domain_in, subdomain_tags, num_subdomain_tags, false);
}

DRT_API dart_ret_t dart_domain_exclude(dart_domain_locality_t *domain_in, int num_subdomain_tags,
                                       const char **subdomain_tags)
{
    return filter(__func__, domain_in, subdomain_tags, num_subdomain_tags, true);
}

// ---------------------------------------------------------------- moving
static bool is_inside(const drt_domain_t *domain, const drt_domain_t *of)
{
    while (domain && domain != of)
        domain = domain->parent;
    return domain != NULL;
}

/** *domain_p becomes a part of the parent. */
static dart_ret_t put_into(const char *call, drt_domain_t *parent, drt_domain_t *domain, int at)
{
    if (!parent || !domain)
        return drt_refuse_null(call, "a domain");
    if (is_inside(parent, domain))
        return drt_refuse(call, DART_ERR_INVAL, "domain %s cannot be a part of itself",
                          domain->domain_tag);
    drt_domain_t *before = domain->parent;
    drt_domain_detach(domain);
    if (before)
        drt_domain_sum(before);
    drt_domain_insert(parent, domain, at);
    drt_domain_sum(parent);
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t *domain,
                                             dart_domain_locality_t *subdomain,
                                             int subdomain_rel_id)
{
    return put_into(__func__, domain, subdomain, subdomain_rel_id);
}

DRT_API dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t *domain,
                                              dart_domain_locality_t *new_parent_domain,
                                              int new_domain_rel_id)
{
    return put_into(__func__, new_parent_domain, domain, new_domain_rel_id);
}

// ---------------------------------------------------------------- scopes
static dart_ret_t refuse_scope(const char *call, const drt_domain_t *domain,
                               dart_locality_scope_t scope)
{
    return drt_refuse(call, DART_ERR_NOTFOUND, "domain %s has no domain of scope %d",
                      domain->domain_tag, (int)scope);
}

DRT_API dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t *domain_in,
                                             dart_locality_scope_t scope, int *num_domains_out,
                                             dart_domain_locality_t ***domains_out)
{
    DRT_WANT(num_domains_out);
    DRT_WANT(domains_out);
    *num_domains_out = 0;
    *domains_out = NULL;
    DRT_WANT(domain_in);
    *domains_out = drt_domain_list(domain_in, scope, num_domains_out);
    return *domains_out ? DART_OK : refuse_scope(__func__, domain_in, scope);
}

DRT_API dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t *domain_in,
                                          dart_locality_scope_t scope, int *num_domains_out,
                                          char ***domain_tags_out)
{
    DRT_WANT(num_domains_out);
    DRT_WANT(domain_tags_out);
    *num_domains_out = 0;
    *domain_tags_out = NULL;
    DRT_WANT(domain_in);
    int n;
    drt_domain_t **domains = drt_domain_list(domain_in, scope, &n);
    if (!domains)
        return refuse_scope(__func__, domain_in, scope);
    char **tags = malloc((size_t)n * sizeof *tags);
    for (int i = 0; tags && i < n; i++)
        if (!(tags[i] = strdup(domains[i]->domain_tag)))
            cwu_fatal("%s: out of memory", __func__);
    free(domains);
    if (!tags)
        return drt_refuse(__func__, DART_ERR_NOMEM, "there is no memory for %d tags", n);
    *num_domains_out = n;
    *domain_tags_out = tags;
    return DART_OK;
}

/** Parts of nearly one size, as many domains each; the last ones may be empty. */
DRT_API dart_ret_t dart_domain_split_scope(const dart_domain_locality_t *domain_in,
                                           dart_locality_scope_t scope, int num_parts,
                                           dart_domain_locality_t *split_domain_out)
{
    DRT_WANT(domain_in);
    DRT_WANT(split_domain_out);
    int n;
    if (num_parts < 1)
        return drt_refuse(__func__, DART_ERR_INVAL, "%d parts", num_parts);
    drt_domain_t **domains = drt_domain_list(domain_in, scope, &n);
    if (!domains)
        return refuse_scope(__func__, domain_in, scope);
    const char **tags = malloc((size_t)n * sizeof *tags);
    if (!tags)
        cwu_fatal("%s: out of memory", __func__);
    for (int i = 0; i < n; i++)
        tags[i] = domains[i]->domain_tag;
    const int each = (n + num_parts - 1) / num_parts;
    for (int part = 0, at = 0; part < num_parts; part++, at += each) {
        int own = at >= n ? 0 : n - at < each ? n - at : each;
        drt_domain_copy(&split_domain_out[part], domain_in);
        drt_domain_filter(&split_domain_out[part], own ? tags + at : NULL, own, false);
    }
    free(tags);
    free(domains);
    return DART_OK;
}

// ---------------------------------------------------------------- groups
/** The domain that all of them are inside of, as deep as can be; NULL: one does not exist, or is
 *  the top. */
static drt_domain_t *common_parent(drt_domain_t **members, int n)
{
    drt_domain_t *parent = members[0]->parent;
    for (int i = 1; i < n; i++)
        while (parent && (members[i] == parent || !is_inside(members[i], parent)))
            parent = parent->parent;
    return parent;
}

/** The part of `parent` that a domain is, or is inside of. */
static drt_domain_t *part_with(const drt_domain_t *parent, drt_domain_t *domain)
{
    while (domain->parent != parent)
        domain = domain->parent;
    return domain;
}

/** Takes the members out of that part: itself, or a copy with only them, while it keeps the others.
 */
static drt_domain_t *take_out(drt_domain_t *part, const char *const *tags, int n, bool whole)
{
    if (whole) {
        drt_domain_detach(part);
        return part;
    }
    drt_domain_t *copy = drt_domain_new();
    drt_domain_copy(copy, part);
    drt_domain_filter(copy, tags, n, false);
    drt_domain_filter(part, tags, n, true);
    return copy;
}

static void group_members(drt_domain_t *parent, drt_domain_t **members, const char *const *tags,
                          int n, char *tag_out)
{
    drt_domain_t *group = drt_domain_new();
    group->scope = DART_LOCALITY_SCOPE_GROUP;
    group->num_nodes = parent->num_nodes;
    group->node_id = parent->node_id;
    memcpy(group->host, parent->host, sizeof group->host);
    drt_domain_append(parent, group);  // its number is larger than those of the members
    for (int i = 0; i < n; i++)
        members[i] = part_with(parent, members[i]);
    for (int i = 0; i < n; i++) {
        bool seen = false, whole = false;
        for (int k = 0; k < i && !seen; k++)
            seen = members[k] == members[i];
        for (int k = 0; k < n && !seen && !whole; k++)
            whole = strcmp(members[i]->domain_tag, tags[k]) == 0;
        if (!seen)
            drt_domain_append(group, take_out(members[i], tags, n, whole));
    }
    drt_domain_sum(group);
    snprintf(tag_out, sizeof group->domain_tag, "%s", group->domain_tag);
}

DRT_API dart_ret_t dart_domain_group(dart_domain_locality_t *domain_in, int num_group_subdomains,
                                     const char **group_subdomain_tags, char *group_domain_tag_out)
{
    DRT_WANT(domain_in);
    DRT_WANT(group_subdomain_tags);
    DRT_WANT(group_domain_tag_out);
    group_domain_tag_out[0] = 0;
    const int n = num_group_subdomains;
    if (n < 1)
        return drt_refuse(__func__, DART_ERR_INVAL, "a group of %d domains", n);
    drt_domain_t **members = malloc((size_t)n * sizeof(drt_domain_t *));
    char(*tags)[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE] = malloc((size_t)n * sizeof *tags);
    const char **names = malloc((size_t)n * sizeof *names);
    if (!members || !tags || !names)
        cwu_fatal("%s: out of memory", __func__);
    dart_ret_t rc = DART_OK;
    for (int i = 0; i < n && rc == DART_OK; i++) {
        members[i] = drt_domain_find(domain_in, group_subdomain_tags[i]);
        if (!members[i])
            rc = refuse_tag(__func__, domain_in, group_subdomain_tags[i]);
        // the caller's may lie in the domains
        names[i] = strncpy(tags[i], group_subdomain_tags[i], sizeof tags[i]);
    }
    drt_domain_t *parent = rc == DART_OK ? common_parent(members, n) : NULL;
    if (parent)
        group_members(parent, members, names, n, group_domain_tag_out);
    else if (rc == DART_OK)
        rc = drt_refuse(__func__, DART_ERR_INVAL, "the top of a tree cannot be in a group");
    free(members);
    free(tags);
    free(names);
    return rc;
}
