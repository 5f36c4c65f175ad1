// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of locality domains. A domain owns what is inside of it. Inner domains have the units of
// their parts, in the parts' order; those without parts have their own. Tags are paths from the
// top; when domains leave a tree, the tags of those that stay do not change.
// Threads: a tree at one time by one thread. Blocking: never. Fatal: out of memory.
#ifndef DRT_DOMAIN_H
#define DRT_DOMAIN_H

#include "dart/drt.h"

#include <dash/dart/if/dart_locality.h>

typedef dart_domain_locality_t drt_domain_t;

/** An empty one, in nothing. */
drt_domain_t *drt_domain_new(void);
/** With units that are given, which are copied. */
void drt_domain_set_units(drt_domain_t *domain, const dart_global_unit_t *units, int n);
/** As the last part; its tag and those inside of it follow. */
void drt_domain_append(drt_domain_t *parent, drt_domain_t *domain);
/** The same as part number `at`; at < 0: the last. */
void drt_domain_insert(drt_domain_t *parent, drt_domain_t *domain, int at);
/** Out of its parent, as a tree of its own. */
void drt_domain_detach(drt_domain_t *domain);
/** Units and figures of a domain from its parts, and so on upwards. */
void drt_domain_sum(drt_domain_t *domain);
/** With all that is inside, but not the memory of the domain itself. */
void drt_domain_clear(drt_domain_t *domain);
/** A copy of what `from` has into one that is empty. */
void drt_domain_copy(drt_domain_t *to, const drt_domain_t *from);
/** Inside of `domain`, or itself; NULL: there is none. */
drt_domain_t *drt_domain_find(const drt_domain_t *domain, const char *tag);
/** Drops parts: those with one of the tags, or those that neither have one, nor are inside of one,
 *  nor have one inside. */
void drt_domain_filter(drt_domain_t *domain, const char *const *tags, int ntags, bool drop_named);
/** Those of a scope, from the left; NULL and 0: there are none. The caller frees the list. */
drt_domain_t **drt_domain_list(const drt_domain_t *domain, dart_locality_scope_t scope, int *n_p);

#endif
