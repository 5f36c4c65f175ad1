// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of the area. The front end's own memory, at one symmetric address:
//
//     what the node's units have allocated | lock of updates | stages of teams, by number |
//     what this unit has registered | where it runs
#include "dart/memory.h"

#include "base/error.h"
#include "core/mem/area.h"
#include "core/mem/blocks.h"
#include "core/sync/fused.h"

enum { LOCK_AT = 64, STAGES_AT = 128 };

static cw_blocks_t blocks;

void drt_memory_open(void)
{
    size_t nbytes;
    void *area = cw_area(&drt_area_request, &nbytes),
         *own = cw_area_own(&drt_area_request, &(size_t){0});
    if (cw_blocks_open(&blocks, area, nbytes, cw_area_early(own, cw_world.pes_of_node[0])))
        cwu_fatal("dart_init: out of memory for the table of blocks");
}

void drt_memory_close(void)
{
    cw_blocks_close(&blocks);
}

char *drt_area(size_t *nbytes_p)
{
    return cw_area(&drt_area_request, nbytes_p);
}

void *drt_alloc(size_t nbytes)
{
    return cw_blocks_alloc(&blocks, nbytes ? nbytes : 1);
}

bool drt_release(void *ptr)
{
    return cw_blocks_release(&blocks, ptr);
}

uint64_t *drt_update_lock(void)
{
    return (uint64_t *)(void *)((char *)cw_area_own(&drt_area_request, &(size_t){0}) + LOCK_AT);
}

// ---------------------------------------------------------------- stages
/** Bytes for the team with that number: the lowest numbers are used most. */
static size_t stage_nbytes(int id)
{
    return id == 0 ? 4u << 20 : id < CW_ROOMY_TEAMS ? 256u << 10 : 8u << 10;
}

char *drt_stage(const cw_group_t *group, size_t *nbytes_p)
{
    int id = group->sync->id;
    size_t at = STAGES_AT;
    if (id > 0)
        at += stage_nbytes(0) +
              (size_t)(id < CW_ROOMY_TEAMS ? id - 1 : CW_ROOMY_TEAMS - 1) * stage_nbytes(1);
    if (id >= CW_ROOMY_TEAMS)
        at += (size_t)(id - CW_ROOMY_TEAMS) * stage_nbytes(id);
    _Static_assert(STAGES_AT + (4u << 20) + (CW_ROOMY_TEAMS - 1) * (256u << 10) +
                           (CW_TEAMS - CW_ROOMY_TEAMS) * (8u << 10) <=
                       DRT_RANGES_AT,
                   "room for the stages");
    *nbytes_p = stage_nbytes(id);
    return (char *)cw_area_own(&drt_area_request, &(size_t){0}) + at;
}
