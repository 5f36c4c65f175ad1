// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of combined fetch-and-adds.
#include "core/route/combine.h"

#include <stdlib.h>

void cw_combine_destroy(cw_combine_t *c)
{
    for (uint32_t i = 0; i < CW_COMBINE_GROUPS; i++)
        free(c->group[i].member);
}

cw_combine_group_t *cw_combine_begin(cw_combine_t *c, uint32_t nbytes)
{
    uint32_t i = 0;
    while (i < CW_COMBINE_GROUPS && c->group[i].count > 0)
        i++;
    if (i == CW_COMBINE_GROUPS)
        return NULL;
    cw_combine_group_t *g = &c->group[i];
    g->nbytes = nbytes;
    g->sum = 0;
    g->generation++;
    return g;
}

bool cw_combine_add(cw_combine_group_t *g, cw_combine_member_t member, uint64_t operand)
{
    if (g->count == g->room) {
        uint32_t room = g->room ? 2 * g->room : 8;
        cw_combine_member_t *list = realloc(g->member, room * sizeof *list);
        if (!list)
            return false;
        g->member = list;
        g->room = room;
    }
    member.before = g->sum;
    g->member[g->count++] = member;
    g->sum += operand;
    return true;
}

uint16_t cw_combine_slot(const cw_combine_t *c, const cw_combine_group_t *g)
{
    return (uint16_t)(CW_COMBINE_SLOT | (g - c->group));
}

cw_combine_group_t *cw_combine_find(cw_combine_t *c, uint16_t reply_slot, uint16_t generation)
{
    uint32_t i = reply_slot ^ CW_COMBINE_SLOT;
    if (i >= CW_COMBINE_GROUPS)
        return NULL;
    cw_combine_group_t *g = &c->group[i];
    return g->count > 0 && g->generation == generation ? g : NULL;
}

uint64_t cw_combine_value(const cw_combine_group_t *g, uint32_t member, uint64_t value)
{
    value += g->member[member].before;
    return g->nbytes == 4 ? (uint32_t)value : value;
}

void cw_combine_end(cw_combine_group_t *g)
{
    g->count = 0;
}
