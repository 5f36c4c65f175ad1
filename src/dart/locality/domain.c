// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of locality domains: making, copying, searching, filtering.
#include "dart/locality/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void *must(void *memory)
{
    if (!memory)
        cwu_fatal("out of memory for locality domains");
    return memory;
}

// ---------------------------------------------------------------- making
static void set_empty(drt_domain_t *domain)
{
    memset(domain, 0, sizeof *domain);
    domain->scope = DART_LOCALITY_SCOPE_UNDEFINED;
    domain->global_index = domain->node_id = -1;
    domain->team = DART_TEAM_NULL;
    domain->shared_mem_bytes = -1;
    domain->is_symmetric = 1;
}

drt_domain_t *drt_domain_new(void)
{
    drt_domain_t *domain = must(malloc(sizeof *domain));
    set_empty(domain);
    return domain;
}

void drt_domain_set_units(drt_domain_t *domain, const dart_global_unit_t *units, int n)
{
    dart_global_unit_t *copy = n ? must(malloc((size_t)n * sizeof *copy)) : NULL;
    if (n)
        memcpy(copy, units, (size_t)n * sizeof *copy);
    free(domain->unit_ids);
    domain->unit_ids = copy;
    domain->num_units = n;
}

void drt_domain_clear(drt_domain_t *domain)
{
    for (int i = 0; i < domain->num_domains; i++) {
        drt_domain_clear(domain->children[i]);
        free(domain->children[i]);
    }
    free(domain->children);
    free(domain->unit_ids);
    free(domain->aliases);
    set_empty(domain);
}

/** The aliases of a copy would be parts of another tree: it has none. */
void drt_domain_copy(drt_domain_t *to, const drt_domain_t *from)
{
    *to = *from;
    to->parent = NULL;
    to->aliases = NULL;
    to->num_aliases = 0;
    to->unit_ids = NULL;
    to->children = NULL;
    drt_domain_set_units(to, from->unit_ids, from->num_units);
    if (from->num_domains)
        to->children = must(malloc((size_t)from->num_domains * sizeof(drt_domain_t *)));
    for (int i = 0; i < from->num_domains; i++) {
        to->children[i] = drt_domain_new();
        drt_domain_copy(to->children[i], from->children[i]);
        to->children[i]->parent = to;
    }
}

// ---------------------------------------------------------------- places in a tree
/** As part of `parent` with that number behind the last dot. Tags that are too long end early. */
static void set_tag(drt_domain_t *domain, const drt_domain_t *parent, int number)
{
    char tag[sizeof parent->domain_tag + 16];
    snprintf(tag, sizeof tag, "%s.%d",
             strcmp(parent->domain_tag, ".") == 0 ? "" : parent->domain_tag, number);
    tag[sizeof domain->domain_tag - 1] = 0;
    memcpy(domain->domain_tag, tag, sizeof domain->domain_tag);
}

/** What is inside follows a domain that has got another tag. */
static void pass_down(drt_domain_t *domain)
{
    for (int i = 0; i < domain->num_domains; i++) {
        drt_domain_t *part = domain->children[i];
        set_tag(part, domain, i);
        part->level = domain->level + 1;
        part->relative_index = i;
        part->team = domain->team;
        pass_down(part);
    }
}

/** The number behind the last dot of its tag. */
static int number_of(const drt_domain_t *domain)
{
    const char *dot = strrchr(domain->domain_tag, '.');
    return dot ? atoi(dot + 1) : -1;
}

void drt_domain_insert(drt_domain_t *parent, drt_domain_t *domain, int at)
{
    const int n = parent->num_domains;
    int number = -1;  // larger than those of the parts: their tags stay
    for (int i = 0; i < n; i++)
        number = number_of(parent->children[i]) > number ? number_of(parent->children[i]) : number;
    at = at < 0 || at > n ? n : at;
    parent->children = must(realloc(parent->children, (size_t)(n + 1) * sizeof(drt_domain_t *)));
    memmove(&parent->children[at + 1], &parent->children[at],
            (size_t)(n - at) * sizeof(drt_domain_t *));
    parent->children[at] = domain;
    parent->num_domains = n + 1;
    for (int i = at; i <= n; i++)
        parent->children[i]->relative_index = i;
    set_tag(domain, parent, number + 1);
    domain->level = parent->level + 1;
    domain->team = parent->team;
    domain->parent = parent;
    pass_down(domain);
}

void drt_domain_append(drt_domain_t *parent, drt_domain_t *domain)
{
    drt_domain_insert(parent, domain, -1);
}

void drt_domain_detach(drt_domain_t *domain)
{
    drt_domain_t *parent = domain->parent;
    if (!parent)
        return;
    int kept = 0;
    for (int i = 0; i < parent->num_domains; i++)
        if (parent->children[i] != domain) {
            parent->children[kept] = parent->children[i];
            parent->children[kept]->relative_index = kept;
            kept++;
        }
    parent->num_domains = kept;
    if (kept == 0) {
        free(parent->children);
        parent->children = NULL;
    }
    domain->parent = NULL;
}

static bool are_alike(const drt_domain_t *a, const drt_domain_t *b)
{
    return a->num_units == b->num_units && a->num_domains == b->num_domains &&
           a->num_cores == b->num_cores;
}

/** How many nodes has it parts of that are not in `has`, by their numbers? Adds these. */
static int find_nodes(const drt_domain_t *domain, bool *has)
{
    if (domain->num_units == 0)
        return 0;
    if (domain->node_id < 0 || domain->node_id >= cw_world.nnodes) {
        int n = domain->scope == DART_LOCALITY_SCOPE_NODE;  // a program has made it
        for (int i = 0; i < domain->num_domains; i++)
            n += find_nodes(domain->children[i], has);
        return n;
    }
    const int n = !has[domain->node_id];
    has[domain->node_id] = true;
    return n;
}

/** Of a domain of several nodes, of whose parts some are gone or new. */
static void count_nodes(drt_domain_t *domain)
{
    bool *has = must(calloc((size_t)cw_world.nnodes + 1, sizeof *has));
    const int n = find_nodes(domain, has);
    if (n > 0 || domain->num_domains == 0)
        domain->num_nodes = n;
    free(has);
}

/** From the parts of a domain that has or had some. */
static void sum_parts(drt_domain_t *domain)
{
    int n = 0, cores = 0;
    domain->is_symmetric = 1;
    for (int i = 0; i < domain->num_domains; i++) {
        const drt_domain_t *part = domain->children[i];
        n += part->num_units;
        cores += part->num_cores;
        domain->is_symmetric &= part->is_symmetric && are_alike(part, domain->children[0]);
    }
    dart_global_unit_t *units = n ? must(malloc((size_t)n * sizeof *units)) : NULL;
    n = 0;
    for (int i = 0; i < domain->num_domains; i++)
        for (int k = 0; k < domain->children[i]->num_units; k++)
            units[n++] = domain->children[i]->unit_ids[k];
    free(domain->unit_ids);
    domain->unit_ids = units;
    domain->num_units = n;
    domain->num_cores = cores;
    if (domain->node_id < 0 && domain->scope != DART_LOCALITY_SCOPE_NODE)
        count_nodes(domain);
}

void drt_domain_sum(drt_domain_t *domain)
{
    for (; domain; domain = domain->parent)
        sum_parts(domain);
}

// ---------------------------------------------------------------- searching
drt_domain_t *drt_domain_find(const drt_domain_t *domain, const char *tag)
{
    if (strcmp(domain->domain_tag, tag) == 0)
        return (drt_domain_t *)(uintptr_t)domain;
    for (int i = 0; i < domain->num_domains; i++) {
        drt_domain_t *found = drt_domain_find(domain->children[i], tag);
        if (found)
            return found;
    }
    return NULL;
}

static int list(const drt_domain_t *domain, dart_locality_scope_t scope, drt_domain_t **to)
{
    int n = 0;
    if (domain->scope == scope) {
        if (to)
            to[0] = (drt_domain_t *)(uintptr_t)domain;
        return 1;
    }
    for (int i = 0; i < domain->num_domains; i++)
        n += list(domain->children[i], scope, to ? to + n : NULL);
    return n;
}

drt_domain_t **drt_domain_list(const drt_domain_t *domain, dart_locality_scope_t scope, int *n_p)
{
    *n_p = list(domain, scope, NULL);
    if (*n_p == 0)
        return NULL;
    drt_domain_t **found = must(malloc((size_t)*n_p * sizeof(drt_domain_t *)));
    list(domain, scope, found);
    return found;
}

// ---------------------------------------------------------------- filtering
static bool is_named(const drt_domain_t *domain, const char *const *tags, int ntags)
{
    for (int i = 0; i < ntags; i++)
        if (strcmp(domain->domain_tag, tags[i]) == 0)
            return true;
    return false;
}

static bool has_named(const drt_domain_t *domain, const char *const *tags, int ntags)
{
    bool has = is_named(domain, tags, ntags);
    for (int i = 0; i < domain->num_domains && !has; i++)
        has = has_named(domain->children[i], tags, ntags);
    return has;
}

/** Parts first, so that their units are known. */
static void filter(drt_domain_t *domain, const char *const *tags, int ntags, bool drop_named)
{
    if (!drop_named && is_named(domain, tags, ntags))
        return;
    if (domain->num_domains == 0) {
        if (!drop_named)
            sum_parts(domain);  // nothing of it is kept
        return;
    }
    for (int i = domain->num_domains - 1; i >= 0; i--) {
        drt_domain_t *part = domain->children[i];
        if (drop_named ? is_named(part, tags, ntags) : !has_named(part, tags, ntags)) {
            drt_domain_detach(part);
            drt_domain_clear(part);
            free(part);
        } else {
            filter(part, tags, ntags, drop_named);
        }
    }
    sum_parts(domain);
}

void drt_domain_filter(drt_domain_t *domain, const char *const *tags, int ntags, bool drop_named)
{
    filter(domain, tags, ntags, drop_named);
    if (domain->parent)
        drt_domain_sum(domain->parent);
}
