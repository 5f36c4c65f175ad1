// SPDX-License-Identifier: BSD-3-Clause
//
// Allocators: a segment of a team, from whose part each unit allocates by itself. Blocks are whole
// words, so a pool holds as many of them as its bytes say: the arena, whose blocks are whole lines,
// has a line for each word of the pool, at addresses that are none.
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/symbol.h"
#include "core/mem/arena.h"
#include "dart/segment.h"
#include "dart/type.h"

struct dart_allocator_struct {
    dart_gptr_t gptr;
    char *own;             // this unit's part
    size_t nbytes;         // of it
    pthread_mutex_t lock;  // guards the arena
    cw_arena_t arena;
};

enum { WORD = 8, SCALE = CW_ARENA_LINE / WORD, ARENA_BASE = CW_ARENA_LINE * SCALE };

/** A power of two, of at least one word. */
static bool pool_nbytes(size_t wanted, size_t *nbytes_p)
{
    size_t nbytes = WORD;
    while (nbytes < wanted && nbytes <= SIZE_MAX / 2 / SCALE)
        nbytes *= 2;
    *nbytes_p = nbytes;
    return nbytes >= wanted;
}

/** Of a block: that of any type of its size, up to a line. */
static size_t alignment_of(size_t nbytes)
{
    size_t alignment = WORD;
    while (alignment < nbytes && alignment < CW_ARENA_LINE)
        alignment *= 2;
    return alignment;
}

static void *place_of(uint64_t offset)
{
    return (void *)(uintptr_t)(ARENA_BASE + offset * SCALE);
}

DRT_API dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t teamid,
                                      dart_allocator_t *new_allocator)
{
    size_t nbytes;
    dart_gptr_t gptr;
    DRT_WANT(new_allocator);
    *new_allocator = NULL;
    DRT_TEAM(team, teamid);
    if (!pool_nbytes(pool_size, &nbytes))
        return drt_refuse(__func__, DART_ERR_INVAL, "a pool of %zu bytes", pool_size);
    dart_ret_t rc = drt_team_alloc(__func__, CWU_CALLER, team, nbytes, &gptr);
    if (rc != DART_OK)
        return rc;
    dart_allocator_t made = calloc(1, sizeof *made);
    char *own = drt_segment_find(gptr)->own;
    if (!made || cw_arena_init(&made->arena, place_of(0), nbytes * SCALE))
        cwu_fatal("%s: out of memory for the table of blocks", __func__);
    made->gptr = gptr;
    made->gptr.unitid = team->group->rank & 0x7fffff;
    made->own = own;
    made->nbytes = nbytes;
    pthread_mutex_init(&made->lock, NULL);
    *new_allocator = made;
    return DART_OK;
}

static bool is_live(const dart_allocator_t allocator)
{
    const drt_segment_t *segment = allocator ? drt_segment_find(allocator->gptr) : NULL;
    return segment && segment->own == allocator->own;
}

static dart_ret_t refuse_allocator(const char *call)
{
    return drt_refuse(call, DART_ERR_INVAL, "the allocator is NULL, or its team has ended");
}

DRT_API dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr,
                                        dart_allocator_t allocator)
{
    size_t nbytes;
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    if (!is_live(allocator))
        return refuse_allocator(__func__);
    if (!drt_nbytes(nelem, dtype, &nbytes))
        return drt_refuse_size(__func__, nelem, dtype);
    void *place = NULL;
    pthread_mutex_lock(&allocator->lock);
    if (nbytes <= allocator->nbytes)
        place = cw_arena_malloc(&allocator->arena, alignment_of(nbytes) * SCALE,
                                (nbytes ? nbytes : 1) * SCALE);
    pthread_mutex_unlock(&allocator->lock);
    if (!place)
        return drt_refuse(__func__, DART_ERR_NOMEM, "the pool has no block of %zu bytes left",
                          nbytes);
    *gptr = allocator->gptr;
    gptr->addr_or_offs.offset = ((uintptr_t)place - ARENA_BASE) / SCALE;
    return DART_OK;
}

DRT_API dart_ret_t dart_allocator_free(dart_gptr_t *gptr, dart_allocator_t allocator)
{
    DRT_WANT(gptr);
    if (DART_GPTR_ISNULL(*gptr))
        return DART_OK;
    if (!is_live(allocator))
        return refuse_allocator(__func__);
    if (gptr->segid != allocator->gptr.segid || gptr->teamid != allocator->gptr.teamid ||
        gptr->unitid != allocator->gptr.unitid)
        return drt_refuse(
            __func__, DART_ERR_INVAL,
            "the memory is of unit %d, segment %d of team %d, not of this unit's pool",
            gptr->unitid, gptr->segid, gptr->teamid);
    pthread_mutex_lock(&allocator->lock);
    bool is_block = gptr->addr_or_offs.offset < allocator->nbytes &&
                    cw_arena_free(&allocator->arena, place_of(gptr->addr_or_offs.offset)) == 0;
    pthread_mutex_unlock(&allocator->lock);
    if (!is_block)
        return drt_refuse(__func__, DART_ERR_INVAL, "offset %llu is no block of the pool",
                          (unsigned long long)gptr->addr_or_offs.offset);
    *gptr = DART_GPTR_NULL;
    return DART_OK;
}

DRT_API dart_ret_t dart_allocator_destroy(dart_allocator_t *allocator)
{
    DRT_WANT(allocator);
    if (!is_live(*allocator))
        return refuse_allocator(__func__);
    dart_ret_t rc = dart_team_memfree((*allocator)->gptr);
    if (rc != DART_OK)
        return rc;
    cw_arena_finish(&(*allocator)->arena);
    pthread_mutex_destroy(&(*allocator)->lock);
    free(*allocator);
    *allocator = NULL;
    return DART_OK;
}
