// SPDX-License-Identifier: BSD-3-Clause
//
// The world's group, its scratch, and the barrier.
//
// Scratch (symmetric, CW_COLL_SCRATCH bytes of each PE): 4 KiB of words, then two halves of 30 KiB.
#include "core/coll/coll.h"
#include "core/coll/fused.h"
#include "core/coll/map.h"
#include "core/coll/sync.h"
#include "core/layout.h"
#include "core/node.h"
#include "core/rma.h"

#define WORDS_NBYTES 4096
_Static_assert(WORDS_NBYTES + 2 * CW_SCRATCH_HALF == CW_COLL_SCRATCH, "words and two halves");

static cw_group_t world;
const cw_group_t *cw_group_world = &world;
static unsigned half;

void cw_coll_init(void)
{
    world = (cw_group_t){.start = 0, .stride = 1, .size = cw_world.npes, .rank = cw_world.pe};
    half = 0;
    cw_leaders_reset();
    cw_node_sync_init(&cw_coll_node, cw_coll_local_area(), cw_world.slot, cw_world.nslots, cw_world.nnodes);
}

void cw_coll_fini(void)
{
    cw_map_forget_all();
}

void cw_node_sync(void)
{
    cw_node_sync_all(&cw_coll_node);
}

void cw_sync(const cw_group_t *group)
{
    if (cw_group_is_world(group))
        cw_world_fused(NULL, 0, NULL);
    else if (group->size > 1)
        cw_set_sync(group);
}

void cw_barrier(const cw_group_t *group)
{
    cw_quiet_default();
    cw_sync(group);
}

long *cw_group_words(const cw_group_t *group)
{
    return cw_group_is_world(group) ? (long *)cw_coll_scratch() : group->psync;
}

uint64_t *cw_collect_word(void)
{
    return (uint64_t *)((char *)cw_coll_scratch() + 1024);
}

char *cw_world_scratch(void)
{
    half ^= 1;
    return (char *)cw_coll_scratch() + WORDS_NBYTES + half * CW_SCRATCH_HALF;
}
