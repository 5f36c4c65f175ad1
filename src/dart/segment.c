// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of segments: allocation and release by all members of a team.
#include "dart/segment.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/symbol.h"
#include "core/mem/area.h"
#include "dart/memory.h"
#include "dart/transfer.h"
#include "dart/type.h"

enum { NUMBERS = INT16_MAX + 1 };

drt_segment_t *drt_index[DRT_INDEX] CW_LARGE;

void drt_index_enter(drt_segment_t *segment)
{
    // pairs with drt_near
    __atomic_store_n(drt_place_in_index(segment->key), segment, __ATOMIC_RELEASE);
}

static void leave_index(const drt_segment_t *segment)
{
    drt_segment_t **place = drt_place_in_index(segment->key);
    if (__atomic_load_n(place, __ATOMIC_RELAXED) == segment)
        __atomic_store_n(place, NULL, __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------- tables
static drt_segments_t none;

static void drop_tables(drt_segments_t *segments)
{
    for (drt_segments_t *older; segments && segments != &none; segments = older) {
        older = segments->older;
        free(segments->of);
        free(segments->free);
        free(segments);
    }
}

bool drt_segments_have_room(drt_segments_t **segments_p, uint32_t number)
{
    drt_segments_t *old = *segments_p;
    uint32_t n = old->n ? old->n * 2 : 8;
    if (number < old->n)
        return true;
    if (number >= NUMBERS)
        return false;
    drt_segments_t *segments = malloc(sizeof *segments);
    if (!segments)
        return false;
    *segments = *old;
    segments->n = n;
    segments->older = NULL;
    segments->of = calloc(n, sizeof *segments->of);
    segments->free = calloc(n, sizeof *segments->free);
    if (!segments->of || !segments->free) {
        drop_tables(segments);
        return false;
    }
    if (old->n) {
        memcpy(segments->of, old->of, old->n * sizeof *old->of);
        memcpy(segments->free, old->free, old->n * sizeof *old->free);
    }
    segments->older = old;
    __atomic_store_n(segments_p, segments, __ATOMIC_RELEASE);  // pairs with drt_segment_find
    return true;
}

static uint32_t next_number(const drt_segments_t *segments)
{
    return segments->nfree ? segments->free[segments->nfree - 1] : segments->last + 1;
}

static void enter(drt_segments_t *segments, uint32_t number, drt_segment_t *segment)
{
    if (segments->nfree)
        segments->nfree--;
    else
        segments->last = number;
    __atomic_store_n(&segments->of[number], segment, __ATOMIC_RELEASE);
}

static drt_segment_t *leave(drt_segments_t *segments, uint32_t number)
{
    drt_segment_t *segment = segments->of[number];
    segments->of[number] = NULL;
    segments->free[segments->nfree++] = number;
    return segment;
}

// ---------------------------------------------------------------- segments
// Records that are over, of any number of units: as many as there were at a time.
static struct {
    pthread_mutex_t lock;
    drt_segment_t *first;
} spares = {.lock = PTHREAD_MUTEX_INITIALIZER};

static drt_segment_t *take_spare(int nunits)
{
    pthread_mutex_lock(&spares.lock);
    drt_segment_t **at = &spares.first;
    while (*at && (*at)->nunits != nunits)
        at = &(*at)->spare;
    drt_segment_t *segment = *at;
    if (segment)
        *at = segment->spare;
    pthread_mutex_unlock(&spares.lock);
    return segment;
}

void drt_segment_drop(drt_segment_t *segment)
{
    if (!segment)
        return;
    __atomic_store_n(&segment->key, DRT_NO_KEY, __ATOMIC_RELAXED);
    pthread_mutex_lock(&spares.lock);
    segment->spare = spares.first;
    spares.first = segment;
    pthread_mutex_unlock(&spares.lock);
}

void drt_spares_close(void)
{
    while (spares.first) {
        drt_segment_t *segment = spares.first;
        spares.first = segment->spare;
        free(segment);
    }
}

static void set_reach(drt_segment_t *segment, uint64_t nbytes)
{
    segment->nbytes = nbytes;
    segment->words = nbytes < 8 ? 0 : nbytes - 7;
    segment->half_words = nbytes < 4 ? 0 : nbytes - 3;
}

drt_segment_t *drt_segment_make(const drt_team_t *team, uint64_t nbytes, char *own)
{
    const int n = team->group->size;
    drt_segment_t *segment = take_spare(n);
    const size_t nbytes_of_places = 2 * (size_t)n * sizeof segment->near[0];
    const size_t nbytes_of_sizes = (size_t)n * sizeof segment->sizes[0];
    if (!segment && !(segment = malloc(sizeof *segment + nbytes_of_places + nbytes_of_sizes)))
        return NULL;
    __atomic_store_n(&segment->key, DRT_NO_KEY, __ATOMIC_RELAXED);
    segment->nunits = n;
    segment->rank = team->group->rank;
    segment->flags = 0;
    segment->own = own;
    segment->parts = NULL;
    segment->far = segment->near + n;
    memset(segment->near, 0, nbytes_of_places);
    segment->sizes = (uint64_t *)(segment->far + n);
    for (int unit = 0; unit < n; unit++)
        segment->sizes[unit] = nbytes;
    set_reach(segment, nbytes);
    return segment;
}

void drt_segment_set_sizes(drt_segment_t *segment, const drt_extent_t *blocks)
{
    uint64_t least = UINT64_MAX;
    for (int unit = 0; unit < segment->nunits; unit++) {
        segment->sizes[unit] = blocks[unit].nbytes;
        least = blocks[unit].nbytes < least ? blocks[unit].nbytes : least;
    }
    set_reach(segment, least);
}

/** Its pointers find it from now on. */
static void publish(drt_segment_t *segment, dart_gptr_t gptr)
{
    __atomic_store_n(&segment->key, drt_key_of(gptr), __ATOMIC_RELAXED);
    drt_index_enter(segment);
}

void drt_segment_place(drt_segment_t *segment, const drt_team_t *team, int unit, char *symmetric)
{
    int pe = cw_group_pe(team->group, unit);
    segment->far[unit] = symmetric;
    if (cw_world.plain && cw_world.node_of_pe[pe] == cw_world.node)
        segment->near[unit] = pe == cw_world.pe ? symmetric : cw_area_early(symmetric, pe);
}

/** Segment 0 of all units: their whole areas. */
static void add_areas(drt_team_t *team)
{
    size_t nbytes;
    char *area = drt_area(&nbytes);
    drt_segment_t *segment = drt_segment_make(team, nbytes, area);
    if (!segment || !drt_segments_have_room(&team->segments, 0))
        cwu_fatal("dart_init: out of memory for the table of %d units", team->group->size);
    for (int unit = 0; unit < team->group->size; unit++)
        drt_segment_place(segment, team, unit, area);
    team->segments->of[0] = segment;
    publish(segment, (dart_gptr_t){.teamid = DART_TEAM_ALL});
}

void drt_segments_open(drt_team_t *team)
{
    team->segments = team->registered = &none;
    if (team->id == DART_TEAM_ALL)
        add_areas(team);
}

static void release(drt_segment_t *segment, uint32_t number)
{
    if (number > 0) {
        if (CW_CHECKING())  // before another thread gets the memory
            cw_known_free(cw_world.pe, (uintptr_t)segment->own);
        drt_release(segment->own);
    }
    drt_segment_drop(segment);
}

void drt_segments_close(drt_team_t *team)
{
    for (uint32_t number = 0; number < team->segments->n; number++) {
        drt_segment_t *segment = team->segments->of[number];
        if (!segment)
            continue;
        leave_index(segment);
        release(segment, number);
    }
    for (uint32_t number = 0; number < team->registered->n; number++)
        if (team->registered->of[number])
            drt_unregister(team->registered->of[number]);
    drop_tables(team->segments);
    drop_tables(team->registered);
    team->segments = team->registered = &none;
}

drt_segment_t *drt_segment_find_any(dart_gptr_t gptr)
{
    const drt_team_t *team = drt_team_find(gptr.teamid);
    if (gptr.segid >= 0 || !team)
        return drt_segment_find(gptr);
    const drt_segments_t *registered = __atomic_load_n(&team->registered, CW_DEPENDED_ON);
    uint32_t number = (uint32_t)-gptr.segid;
    return number < registered->n ? registered->of[number] : NULL;
}

dart_ret_t drt_refuse_segment(const char *call, dart_gptr_t gptr)
{
    if (DART_GPTR_ISNULL(gptr) && dart_initialized())
        return drt_refuse(call, DART_ERR_INVAL, "the global pointer is DART_GPTR_NULL");
    if (!drt_team_find(gptr.teamid))
        return drt_refuse_team(call, gptr.teamid);
    char origin[CW_KNOWN_TEXT];
    drt_known_origin(gptr, origin, sizeof origin);
    return drt_refuse(call, DART_ERR_INVAL, "team %d has no segment %d%s", gptr.teamid, gptr.segid,
                      origin);
}

// ---------------------------------------------------------------- calls
/** A block on each member, and its segment; NULL: a member has got none. */
static drt_segment_t *allocate(drt_team_t *team, uint32_t number, size_t nbytes)
{
    const size_t n = (size_t)team->group->size;
    drt_extent_t *blocks = malloc(n * sizeof *blocks);
    char *area = drt_area(&(size_t){0});
    char *block =
        blocks && drt_segments_have_room(&team->segments, number) ? drt_alloc(nbytes) : NULL;
    drt_segment_t *segment = block ? drt_segment_make(team, nbytes, block) : NULL;
    if (!blocks)
        cwu_fatal("dart_team_memalloc_aligned: out of memory for a list of %zu units", n);
    const drt_extent_t mine = {segment ? (uint64_t)(block - area) + 1 : 0, nbytes};
    drt_exchange(team->group, &mine.place, DRT_EXTENT_WORDS, &blocks->place);
    bool all = segment != NULL;
    for (size_t unit = 0; unit < n; unit++) {
        if (all && blocks[unit].place)
            drt_segment_place(segment, team, (int)unit, area + blocks[unit].place - 1);
        all = all && blocks[unit].place;
    }
    if (all)
        drt_segment_set_sizes(segment, blocks);
    free(blocks);
    if (all)
        return segment;
    if (block)
        drt_release(block);
    drt_segment_drop(segment);
    return NULL;
}

dart_ret_t drt_team_alloc(const char *call, const void *caller, drt_team_t *team, size_t nbytes,
                          dart_gptr_t *gptr)
{
    const dart_team_t teamid = team->id;
    drt_agree(team, call);
    uint32_t number = next_number(team->segments);
    drt_segment_t *segment = allocate(team, number, nbytes);
    if (!segment)
        return drt_refuse(call, DART_ERR_NOMEM,
                          "a unit of team %d has no memory for %zu bytes more, or no number for a "
                          "segment, or has made another collective call (CAUSEWAY_CHECK=1 says so)",
                          teamid, nbytes);
    *gptr = (dart_gptr_t){.unitid = 0, .segid = (int16_t)number, .teamid = teamid};
    enter(team->segments, number, segment);
    publish(segment, *gptr);
    if (CW_CHECKING())
        drt_known_add(call, caller, *gptr, nbytes, segment->own, false);
    return DART_OK;
}

DRT_API dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem,
                                              dart_datatype_t dtype, dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(team, teamid);
    size_t nbytes;
    if (!drt_nbytes(nelem, dtype, &nbytes))
        return drt_refuse_size(__func__, nelem, dtype);
    return drt_team_alloc(__func__, CWU_CALLER, team, nbytes, gptr);
}

DRT_API dart_ret_t dart_team_memfree(dart_gptr_t gptr)
{
    if (DART_GPTR_ISNULL(gptr))
        return DART_OK;
    DRT_TEAM(team, gptr.teamid);
    if (gptr.segid < 0 && drt_segment_find_any(gptr))
        return drt_refuse(__func__, DART_ERR_INVAL,
                          "segment %d of team %d is registered: dart_team_memderegister ends it",
                          gptr.segid, gptr.teamid);
    if (gptr.segid <= 0 || !drt_segment_find(gptr))
        return drt_refuse_segment(__func__, gptr);
    drt_gets_finish();
    drt_check_flushed(__func__);
    if (CW_CHECKING())
        cw_coll_agree_on(team->group, __func__, CW_CLAIM_NONE, CW_CLAIM_NONE, CW_CLAIM_NONE,
                         (uint64_t)gptr.segid, NULL);
    cw_barrier(team->group);  // no member uses it any more
    drt_segment_t *segment = leave(team->segments, (uint32_t)gptr.segid);
    leave_index(segment);
    release(segment, (uint32_t)gptr.segid);
    if (CW_CHECKING())
        drt_known_free(gptr);
    return DART_OK;
}
