// SPDX-License-Identifier: BSD-3-Clause
//
// Where the areas of collectives are.
#include "core/sync/area.h"

#include "core/mem/segment.h"
#include "core/world/world.h"

static uint64_t area_nbytes(void)
{
    return cw_coll_area_nbytes(cw_world.max_slots, cw_world.nnodes);
}

static uint64_t world_nbytes(void)
{
    return (uint64_t)CW_APART_END * area_nbytes();
}

static uint64_t steps_of_pe(void)
{
    return cw_team_steps_at(CW_TEAMS, cw_world.nnodes);
}

static uint64_t steps_nbytes(void)
{
    return (uint64_t)cw_world.max_slots * steps_of_pe();
}

cw_section_t cw_coll_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = world_nbytes};
cw_section_t cw_steps_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = steps_nbytes};

cw_coll_area_t *cw_coll_local_area(void)
{
    return (cw_coll_area_t *)(void *)(cw_segment.base + cw_coll_section.offset);
}

uint64_t cw_coll_area_offset(void)
{
    return cw_coll_section.offset;
}

uint64_t cw_team_steps_offset(int slot, int id)
{
    return cw_steps_section.offset + (uint64_t)slot * steps_of_pe() +
           cw_team_steps_at(id, cw_world.nnodes);
}

char *cw_team_steps(int slot, int id)
{
    return cw_segment.base + cw_team_steps_offset(slot, id);
}

uint64_t cw_coll_apart_offset(cw_apart_t which)
{
    return cw_coll_section.offset + (uint64_t)which * area_nbytes();
}

cw_coll_area_t *cw_coll_apart_area(cw_apart_t which)
{
    return (cw_coll_area_t *)(void *)(cw_segment.base + cw_coll_apart_offset(which));
}

_Static_assert(sizeof(cw_coll_scratch_t) <= CW_COLL_SCRATCH, "fits below the heap");

cw_coll_scratch_t *cw_coll_scratch(void)
{
    return (cw_coll_scratch_t *)(void *)cw_segment.heap;
}
