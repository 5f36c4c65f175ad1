// SPDX-License-Identifier: BSD-3-Clause
//
// Scopes of the message layer: all processes of a group, those of this node, the lowest rank of
// each node. And the binary trees that programs build on them.
#include <stdlib.h>

#include "armci/group.h"
#include "base/error.h"

/** The group of this process alone, for calls that then have nothing to do. */
static cw_group_t self;

static int *list_of(const char *call, const cw_group_t *team)
{
    int *list = malloc((size_t)team->size * sizeof *list);
    if (!list)
        cwu_fatal("%s: out of memory for a list of %d processes", call, team->size);
    return list;
}

/** PEs of the team that are on a node, or the first of each node where node is -1. */
static int choose(const cw_group_t *team, int node, int *pes)
{
    int n = 0;
    for (int rank = 0; rank < team->size; rank++) {
        int pe = cw_group_pe(team, rank), at = 0;
        if (node >= 0 && cw_world.node_of_pe[pe] != node)
            continue;
        while (node < 0 && at < n && cw_world.node_of_pe[pes[at]] != cw_world.node_of_pe[pe])
            at++;
        if (node >= 0 || at == n)
            pes[n++] = pe;
    }
    return n;
}

static int place_in(const int *pes, int n, int pe)
{
    int at = 0;
    while (at < n && pes[at] != pe)
        at++;
    return at < n ? at : -1;
}

/** The processes of a scope, in order. */
static int members_of(const char *call, const cw_group_t *team, int scope, int *pes)
{
    if (scope == SCOPE_NODE)
        return choose(team, cw_world.node, pes);
    if (scope == SCOPE_MASTERS)
        return choose(team, -1, pes);
    if (scope != SCOPE_ALL)
        aci_fail(call, "scope %d is none of SCOPE_ALL, SCOPE_NODE and SCOPE_MASTERS", scope);
    for (int rank = 0; rank < team->size; rank++)
        pes[rank] = cw_group_pe(team, rank);
    return team->size;
}

static const cw_group_t *make_part(const char *call, const cw_group_t *team, int scope)
{
    int *pes = list_of(call, team), n = members_of(call, team, scope, pes),
        mine = place_in(pes, n, cw_world.pe);
    const cw_group_t *part = NULL;
    if (mine >= 0 && n == 1) {
        self = (cw_group_t){.start = cw_world.pe, .stride = 1, .size = 1};
        part = &self;
    } else if (mine >= 0) {
        part = n == team->size ? team : aci_team_make(call, pes, n, mine);
    }
    free(pes);
    return part;
}

const cw_group_t *aci_group_scope(const char *call, aci_group_t *group, int scope)
{
    if (scope == SCOPE_ALL)
        return group->team;
    const cw_group_t **part = scope == SCOPE_NODE ? &group->node : &group->masters;
    if (!*part)
        *part = make_part(call, group->team, scope);
    return *part;
}

ACI_API void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right)
{
    ACI_ENTER();
    int *pes = list_of(__func__, cw_group_world),
        n = members_of(__func__, cw_group_world, scope, pes), at = place_in(pes, n, cw_world.pe);
    *Root = pes[0];
    *Up = at > 0 ? pes[(at - 1) / 2] : -1;
    *Left = at >= 0 && 2 * at + 1 < n ? pes[2 * at + 1] : -1;
    *Right = at >= 0 && 2 * at + 2 < n ? pes[2 * at + 2] : -1;
    free(pes);
}
