// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of the area. Those of a whole page or more give their pages back when they are freed. The
// node's units count together what they have allocated, so that a request beyond the machine's
// memory is refused instead of ending a unit.
//
// The front end's own memory, at one symmetric address:
//
//     what the node's units have allocated, a line | stages of teams, by number
#include "dart/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/machine.h"
#include "core/mem/arena.h"
#include "core/mem/area.h"
#include "core/sync/fused.h"
#include "transport/transport.h"

enum { COUNTER_NBYTES = 64 };

static cw_arena_t arena;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the arena
static _Atomic uint64_t *used;  // bytes of all units of this node, in blocks
static uint64_t most;           // of them; 0: not known
static uint64_t mine;           // of them, of this unit; guarded by the lock

void drt_memory_open(void)
{
    size_t nbytes;
    void *area = cw_area(&drt_area_request, &nbytes),
         *own = cw_area_own(&drt_area_request, &(size_t){0});
    if (cw_arena_init(&arena, area, nbytes))
        cwu_fatal("dart_init: out of memory for the table of blocks");
    most = cwu_machine_memory();
    used = cw_area_early(own, cw_world.pes_of_node[0]);
    mine = 0;
}

void drt_memory_close(void)
{
    atomic_fetch_sub_explicit(used, mine, memory_order_relaxed);
    cw_arena_finish(&arena);
}

char *drt_area(size_t *nbytes_p)
{
    return cw_area(&drt_area_request, nbytes_p);
}

/** Of all units of the node, before a block is allocated. */
static bool count(size_t nbytes)
{
    uint64_t before = atomic_fetch_add_explicit(used, nbytes, memory_order_relaxed);
    if (most == 0 || (nbytes <= most && before <= most - nbytes))
        return true;
    atomic_fetch_sub_explicit(used, nbytes, memory_order_relaxed);
    return false;
}

void *drt_alloc(size_t nbytes)
{
    if (nbytes == 0)
        nbytes = 1;
    if (!count(nbytes))
        return NULL;
    pthread_mutex_lock(&lock);
    void *block = cw_arena_malloc(&arena, 0, nbytes);
    if (block)
        mine += nbytes;
    pthread_mutex_unlock(&lock);
    if (!block)
        atomic_fetch_sub_explicit(used, nbytes, memory_order_relaxed);
    return block;
}

/** Gives the whole pages of a block back, before it can be another's. */
static void give_back(char *block, size_t nbytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block,
              begin = (at + page - 1) & ~(page - 1), end = (at + nbytes) & ~(page - 1);
    // a network that pins keeps its pages
    if (end > begin && !(cw_world.nnodes > 1 && cw_transport->needs_memory()))
        madvise((void *)begin, end - begin, MADV_REMOVE);
}

bool drt_release(void *ptr)
{
    pthread_mutex_lock(&lock);
    size_t nbytes = cw_arena_size(&arena, ptr);
    if (nbytes) {
        give_back(ptr, nbytes);
        cw_arena_free(&arena, ptr);
        mine -= nbytes;
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub_explicit(used, nbytes, memory_order_relaxed);
    return nbytes != 0;
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
    size_t at = COUNTER_NBYTES;
    if (id > 0)
        at += stage_nbytes(0) +
              (size_t)(id < CW_ROOMY_TEAMS ? id - 1 : CW_ROOMY_TEAMS - 1) * stage_nbytes(1);
    if (id >= CW_ROOMY_TEAMS)
        at += (size_t)(id - CW_ROOMY_TEAMS) * stage_nbytes(id);
    *nbytes_p = stage_nbytes(id);
    return (char *)cw_area_own(&drt_area_request, &(size_t){0}) + at;
}
