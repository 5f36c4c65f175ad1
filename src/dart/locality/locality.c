// SPDX-License-Identifier: BSD-3-Clause
//
// Where the units of a team run: its tree of domains, and the description of each unit. Both are
// made when they are asked for, by each unit for itself (place.h).
//
//     .          GLOBAL   all units of the team
//     .0         NODE     in the order of the team's units
//     .0.0       MODULE   one of each node
//     .0.0.1     NUMA     and so on inwards, as the scopes of the units' hardware are
//     .0.0.1.0   CORE     has units, one or more
#include "dart/locality/locality.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dart/group.h"
#include "dart/locality/domain.h"
#include "dart/locality/place.h"

struct drt_locality {
    drt_domain_t *top;
    dart_unit_locality_t units[];  // [size of the team]
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the localities of teams

// ---------------------------------------------------------------- the tree
/** A tree that is being made. */
typedef struct builder {
    struct drt_locality *locality;
    const drt_team_t *team;
    int counts[DART_LOCALITY_SCOPE_CPU + 1];  // domains of each scope so far
} builder_t;

static const dart_hwinfo_t *info_of(const builder_t *b, int unit)
{
    return &b->locality->units[unit].hwinfo;
}

/** A part of `parent`, with units by their ranks. */
static drt_domain_t *add_part(builder_t *b, drt_domain_t *parent, dart_locality_scope_t scope,
                              const int *units, int n)
{
    drt_domain_t *part = drt_domain_new();
    part->scope = scope;
    part->global_index = b->counts[scope]++;
    part->num_nodes = 1;
    part->num_cores = parent->num_cores;
    part->node_id = parent->node_id;
    memcpy(part->host, info_of(b, units[0])->host, sizeof part->host);
    drt_domain_append(parent, part);
    dart_global_unit_t ids[n];
    for (int i = 0; i < n; i++)
        ids[i].id = cw_group_pe(b->team->group, units[i]);
    drt_domain_set_units(part, ids, n);
    return part;
}

/** The cores of the units' node, shared out among those that run there; each has at least one. */
static void end_path(builder_t *b, drt_domain_t *domain, const int *units, int n, int units_of_node)
{
    int cores = info_of(b, units[0])->num_cores / units_of_node;
    cores = cores < 1 ? 1 : cores;
    for (int i = 0; i < n; i++) {
        dart_unit_locality_t *unit = &b->locality->units[units[i]];
        memcpy(unit->domain_tag, domain->domain_tag, sizeof unit->domain_tag);
    }
    domain->num_cores = cores * n;
}

/** What is inside of a domain of these units: `level` outer scopes of their hardware are done. */
static void split(builder_t *b, drt_domain_t *domain, const int *units, int n, int level,
                  int units_of_node)
{
    const int at = info_of(b, units[0])->num_scopes - 1 - level;
    if (at < 0) {
        end_path(b, domain, units, n, units_of_node);
        return;
    }
    int part[n], last = -1;
    for (;;) {
        int next = INT_MAX, npart = 0;
        for (int i = 0; i < n; i++) {  // parts in the order of their numbers
            int index = info_of(b, units[i])->scopes[at].index;
            next = index > last && index < next ? index : next;
        }
        if (next == INT_MAX)
            break;
        for (int i = 0; i < n; i++)
            if (info_of(b, units[i])->scopes[at].index == next)
                part[npart++] = units[i];
        last = next;
        split(b, add_part(b, domain, info_of(b, part[0])->scopes[at].scope, part, npart), part,
              npart, level + 1, units_of_node);
    }
    drt_domain_sum(domain);
}

static void add_node(builder_t *b, const int *units, int n)
{
    drt_domain_t *domain = add_part(b, b->locality->top, DART_LOCALITY_SCOPE_NODE, units, n);
    domain->node_id = domain->relative_index;
    domain->shared_mem_bytes = info_of(b, units[0])->system_memory_bytes;
    drt_domain_t *module = add_part(b, domain, DART_LOCALITY_SCOPE_MODULE, units, n);
    module->shared_mem_bytes = domain->shared_mem_bytes;
    split(b, module, units, n, 0, n);
}

static void add_nodes(builder_t *b)
{
    const int n = b->team->group->size;
    int *units = malloc((size_t)n * sizeof *units);
    bool *done = calloc((size_t)cw_world.nnodes, sizeof *done);
    if (!units || !done)
        cwu_fatal("out of memory for the nodes of %d units", n);
    for (int first = 0; first < n; first++) {
        int node = cw_world.node_of_pe[cw_group_pe(b->team->group, first)], count = 0;
        if (done[node])
            continue;
        done[node] = true;
        for (int unit = first; unit < n; unit++)
            if (cw_world.node_of_pe[cw_group_pe(b->team->group, unit)] == node)
                units[count++] = unit;
        add_node(b, units, count);
    }
    free(done);
    free(units);
}

static struct drt_locality *make(const char *call, const drt_team_t *team)
{
    const int n = team->group->size;
    struct drt_locality *made = calloc(1, sizeof *made + (size_t)n * sizeof made->units[0]);
    builder_t *b = calloc(1, sizeof *b);
    if (!made || !b)
        cwu_fatal("%s: out of memory for the places of %d units", call, n);
    *b = (builder_t){.locality = made, .team = team};
    for (int unit = 0; unit < n; unit++) {
        made->units[unit].unit.id = unit;
        made->units[unit].team = team->id;
        made->units[unit].hwinfo = *drt_place_of_pe(call, cw_group_pe(team->group, unit));
    }
    made->top = drt_domain_new();
    made->top->scope = DART_LOCALITY_SCOPE_GLOBAL;
    made->top->team = team->id;
    made->top->global_index = 0;
    memcpy(made->top->domain_tag, ".", 2);
    add_nodes(b);
    made->top->num_nodes = made->top->num_domains;
    drt_domain_sum(made->top);
    for (int unit = 0; unit < n; unit++) {
        const drt_domain_t *core = drt_domain_find(made->top, made->units[unit].domain_tag);
        made->units[unit].hwinfo.num_cores = core->num_cores / core->num_units;
    }
    free(b);
    return made;
}

static struct drt_locality *locality_of(const char *call, drt_team_t *team)
{
    pthread_mutex_lock(&lock);
    if (!team->locality)
        team->locality = make(call, team);
    pthread_mutex_unlock(&lock);
    return team->locality;
}

void drt_locality_drop(drt_team_t *team)
{
    pthread_mutex_lock(&lock);
    if (team->locality) {
        drt_domain_clear(team->locality->top);
        free(team->locality->top);
        free(team->locality);
        team->locality = NULL;
    }
    pthread_mutex_unlock(&lock);
}

// ---------------------------------------------------------------- calls
DRT_API dart_ret_t dart_team_locality_init(dart_team_t teamid)
{
    DRT_TEAM(team, teamid);
    locality_of(__func__, team);
    return DART_OK;
}

/** Of a team that has ended: nothing is left to do. */
DRT_API dart_ret_t dart_team_locality_finalize(dart_team_t teamid)
{
    drt_team_t *team = drt_team_find(teamid);
    if (team)
        drt_locality_drop(team);
    return DART_OK;
}

DRT_API dart_ret_t dart_domain_team_locality(dart_team_t teamid, const char *domain_tag,
                                             dart_domain_locality_t **team_domain_out)
{
    DRT_WANT(team_domain_out);
    *team_domain_out = NULL;
    DRT_WANT(domain_tag);
    DRT_TEAM(team, teamid);
    *team_domain_out = drt_domain_find(locality_of(__func__, team)->top, domain_tag);
    if (*team_domain_out)
        return DART_OK;
    return drt_refuse(__func__, DART_ERR_NOTFOUND, "team %d has no domain %s", teamid, domain_tag);
}

DRT_API dart_ret_t dart_unit_locality(dart_team_t teamid, dart_team_unit_t unit,
                                      dart_unit_locality_t **loc)
{
    DRT_WANT(loc);
    *loc = NULL;
    DRT_TEAM(team, teamid);
    if (!drt_is_member(team, unit.id))
        return drt_refuse_unit(__func__, unit.id, team);
    *loc = &locality_of(__func__, team)->units[unit.id];
    return DART_OK;
}

// ---------------------------------------------------------------- groups by locality
/** Units of `from` that are in one of n domains. */
static dart_group_t gather(const dart_group_t from, drt_domain_t **domains, int n)
{
    dart_group_t made = drt_group_make(from->n);
    for (size_t i = 0; made && i < from->n; i++) {
        bool inside = false;
        for (int d = 0; d < n; d++)
            for (int k = 0; k < domains[d]->num_units && !inside; k++)
                inside = domains[d]->unit_ids[k].id == from->units[i];
        if (inside)
            drt_group_append(made, from->units[i]);
    }
    return made;
}

/** Domains go to the groups in order, to the first ones one more if they do not come out even. */
DRT_API dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t *domain,
                                             dart_locality_scope_t scope, size_t n, size_t *nout,
                                             dart_group_t *gout)
{
    DRT_WANT(g);
    DRT_WANT(domain);
    DRT_WANT(nout);
    DRT_WANT(gout);
    *nout = 0;
    int ndomains;
    if (n == 0)
        return drt_refuse(__func__, DART_ERR_INVAL, "0 groups");
    drt_domain_t **domains = drt_domain_list(domain, scope, &ndomains);
    if (!domains)
        return drt_refuse(__func__, DART_ERR_NOTFOUND, "domain %s has no domain of scope %d",
                          domain->domain_tag, (int)scope);
    for (size_t i = 0; i < n; i++)
        gout[i] = DART_GROUP_NULL;
    const size_t groups = n < (size_t)ndomains ? n : (size_t)ndomains;
    dart_ret_t rc = DART_OK;
    for (size_t i = 0, at = 0; i < groups && rc == DART_OK; i++) {
        size_t own = (size_t)ndomains / groups + (i < (size_t)ndomains % groups);
        gout[i] = gather(g, domains + at, (int)own);
        at += own;
        if (!gout[i])
            rc = drt_refuse(__func__, DART_ERR_NOMEM, "there is no memory for a group");
    }
    free(domains);
    *nout = rc == DART_OK ? groups : 0;
    return rc;
}
