// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of the area. The front end's own memory, at one symmetric address:
//
//     what the node's units have allocated | lock of updates | stages of teams, by number |
//     what this unit has registered | where it runs | in checking mode its blocks
#include "dart/memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/mem/area.h"
#include "core/mem/blocks.h"
#include "core/observe/seen.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"

enum { LOCK_AT = 64, STAGES_AT = 128 };

static cw_blocks_t blocks CW_LARGE;

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

// ---------------------------------------------------------------- in checking mode
// Blocks of this unit alone, for other units: pointers lead to the whole area of each.
enum { LOCAL_BLOCKS = 1024 };

typedef struct local {
    uint64_t n;  // more than LOCAL_BLOCKS: there were too many
    struct {
        uint64_t offset, nbytes;
    } block[LOCAL_BLOCKS];
} local_t;
_Static_assert(sizeof(local_t) <= (1u << 20), "the end of the front end's own memory");

static pthread_mutex_t local_lock = PTHREAD_MUTEX_INITIALIZER;  // guards the own table

static local_t *local_table(void)
{
    return (local_t *)(void *)((char *)cw_area_own(&drt_area_request, &(size_t){0}) + DRT_LOCAL_AT);
}

/** The place of that offset among the first n, or n. */
static uint64_t place_of(const local_t *table, uint64_t n, uint64_t offset)
{
    uint64_t i = 0;
    while (i < n && table->block[i].offset != offset)
        i++;
    return i;
}

// A block keeps its place, and one that is freed leaves a hole: a unit that looks meanwhile finds
// each block that stays.
#define HOLE UINT64_MAX  // for an offset

void drt_local_add(uint64_t offset, size_t nbytes)
{
    local_t *table = local_table();
    pthread_mutex_lock(&local_lock);
    const uint64_t n = table->n, i = n <= LOCAL_BLOCKS ? place_of(table, n, HOLE) : n;
    if (i < LOCAL_BLOCKS) {
        table->block[i].offset = offset;
        table->block[i].nbytes = nbytes;
    }
    if (i == n && n <= LOCAL_BLOCKS)
        __atomic_store_n(&table->n, n + 1, __ATOMIC_RELEASE);  // pairs with drt_local_has
    pthread_mutex_unlock(&local_lock);
}

void drt_local_remove(uint64_t offset)
{
    local_t *table = local_table();
    pthread_mutex_lock(&local_lock);
    const uint64_t n = table->n, i = n <= LOCAL_BLOCKS ? place_of(table, n, offset) : n;
    if (i < n) {
        table->block[i].nbytes = 0;
        table->block[i].offset = HOLE;
    }
    pthread_mutex_unlock(&local_lock);
}

static bool has(const local_t *table, uint64_t n, uint64_t offset, size_t nbytes)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = offset - table->block[i].offset, room = table->block[i].nbytes;
        if (at <= room && nbytes <= room - at)
            return true;
    }
    return false;
}

bool drt_local_has(int pe, uint64_t offset, size_t nbytes)
{
    // a space of no block
    const cw_known_span_t span = {-1 - (int64_t)pe, offset, offset + nbytes, true};
    const unsigned changes = atomic_load(&cw_block_changes);
    if (cw_known_seen(CW_KNOWN_REMOTE, span.space, (const void *)(uintptr_t)offset, nbytes))
        return true;
    local_t *mine = local_table(), *table = cw_area_early(mine, pe);
    uint64_t n;
    bool found;
    if (table) {
        n = __atomic_load_n(&table->n, __ATOMIC_ACQUIRE);
        found = n > LOCAL_BLOCKS || has(table, n, offset, nbytes);
    } else {
        cw_get(&cw_ctx_default, &n, &mine->n, sizeof n, pe);
        found = n > LOCAL_BLOCKS || !(table = calloc(1, sizeof *table));
        if (!found && n > 0) {
            cw_get(&cw_ctx_default, table->block, mine->block, n * sizeof *table->block, pe);
            found = has(table, n, offset, nbytes);
        }
        free(table);
    }
    if (found)
        cw_known_remember(CW_KNOWN_REMOTE, changes, &span);
    return found;
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
