// SPDX-License-Identifier: BSD-3-Clause
//
// Registered segments: memory that programs have, on each member of a team its own, of any size.
// What lies in the unit's slice is reached as allocated memory is; everything else is private
// memory (core/owner/private.h).
#include <stdlib.h>

#include "base/error.h"
#include "dart/memory.h"
#include "dart/segment.h"
#include "dart/transfer.h"
#include "dart/type.h"
#include "dart/windows/windows.h"

/** What a member says of its part. */
typedef struct offer {
    uint64_t addr;  // of a symmetric one: from the begin of the area
    uint64_t nbytes;
    uint64_t kind;  // one of these, or PRIVATE + number of the range
} offer_t;
enum { NOTHING, WRONG, SYMMETRIC, PRIVATE, OFFER_WORDS = sizeof(offer_t) / sizeof(uint64_t) };

static bool is_in_area(const char *addr, size_t nbytes, uint64_t *at_p)
{
    size_t area_nbytes;
    char *area = drt_area(&area_nbytes);
    *at_p = (uint64_t)(uintptr_t)addr - (uintptr_t)area;
    return *at_p < area_nbytes && nbytes <= area_nbytes - *at_p;
}

/** Shares this unit's part. A unit that has no memory for it offers nothing. */
static offer_t offer_of(char *addr, size_t nbytes, bool possible)
{
    uint64_t at;
    uint32_t range;
    offer_t offer = {.kind = nbytes && !addr ? WRONG : NOTHING};
    if (!possible || offer.kind == WRONG)
        return offer;
    if (drt_windows_on ? drt_windows_have(addr, nbytes, &at) : is_in_area(addr, nbytes, &at))
        offer = (offer_t){at, nbytes, SYMMETRIC};
    else if (cw_private_share(addr, nbytes, &range))
        offer = (offer_t){(uintptr_t)addr, nbytes, PRIVATE + range};
    return offer;
}

static void withdraw(const offer_t *offer)
{
    if (offer->kind >= PRIVATE)
        cw_private_unshare((uint32_t)(offer->kind - PRIVATE));
}

void drt_unregister(drt_segment_t *segment)
{
    const drt_part_t *own = &segment->parts[segment->rank];
    if (!own->symmetric)
        cw_private_unshare(own->range);
    free(segment->parts);
    drt_segment_drop(segment);
}

/** DART_OK, or why a member offers nothing. */
static dart_ret_t fill_in(drt_segment_t *segment, const drt_team_t *team, const offer_t *offers)
{
    char *area = drt_area(&(size_t){0});
    for (int unit = 0; unit < segment->nunits; unit++) {
        const offer_t *offer = &offers[unit];
        drt_part_t *part = &segment->parts[unit];
        if (offer->kind == NOTHING || offer->kind == WRONG)
            return offer->kind == WRONG ? DART_ERR_INVAL : DART_ERR_NOMEM;
        segment->sizes[unit] = offer->nbytes;
        *part = (drt_part_t){.symmetric = offer->kind == SYMMETRIC};
        if (part->symmetric) {
            if (drt_windows_on)
                segment->far[unit] = (char *)(uintptr_t)offer->addr;
            else
                drt_segment_place(segment, team, unit, area + offer->addr);
        } else {
            part->addr = (char *)(uintptr_t)offer->addr;
            part->range = (uint32_t)(offer->kind - PRIVATE);
        }
    }
    return DART_OK;
}

/** *segment_p: NULL if it is not DART_OK. */
static dart_ret_t enroll(drt_team_t *team, uint32_t number, char *addr, size_t nbytes,
                         drt_segment_t **segment_p)
{
    const size_t n = (size_t)team->group->size;
    offer_t *offers = malloc(n * sizeof *offers);
    drt_segment_t *segment = drt_segment_make(team, nbytes, addr);
    if (segment)
        segment->parts = calloc(n, sizeof *segment->parts);
    if (!offers)
        cwu_fatal("dart_team_memregister: out of memory for a list of %zu units", n);
    bool possible = segment && segment->parts && drt_segments_have_room(&team->registered, number);
    const offer_t mine = offer_of(addr, nbytes, possible);
    drt_exchange(team->group, &mine.addr, OFFER_WORDS, &offers->addr);
    dart_ret_t rc = possible ? fill_in(segment, team, offers) : DART_ERR_NOMEM;
    free(offers);
    *segment_p = rc == DART_OK ? segment : NULL;
    if (rc == DART_OK)
        return rc;
    withdraw(&mine);
    if (segment)
        free(segment->parts);
    drt_segment_drop(segment);
    return rc;
}

static dart_ret_t add(const char *call, drt_team_t *team, size_t nelem, dart_datatype_t type,
                      void *addr, dart_gptr_t *gptr)
{
    size_t nbytes;
    drt_segment_t *segment;
    if (!drt_nbytes(nelem, type, &nbytes))
        return drt_refuse_size(call, nelem, type);
    uint32_t number = drt_segments_next(team->registered);
    dart_ret_t rc = enroll(team, number, addr, nbytes, &segment);
    if (rc == DART_ERR_INVAL)
        return drt_refuse(call, rc, "addr is NULL on a unit of team %d", team->id);
    if (rc != DART_OK)
        return drt_refuse(call, rc, "a unit of team %d has registered %d blocks, or has no memory",
                          team->id, CW_PRIVATE_RANGES);
    drt_segments_enter(team->registered, number, segment);
    *gptr = (dart_gptr_t){.unitid = 0, .segid = (int16_t) - (int)number, .teamid = team->id};
    return DART_OK;
}

DRT_API dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(team, teamid);
    return add(__func__, team, nlelem, dtype, addr, gptr);
}

DRT_API dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem,
                                                 dart_datatype_t dtype, void *addr,
                                                 dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(team, teamid);
    return add(__func__, team, nelem, dtype, addr, gptr);
}

DRT_API dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
    if (DART_GPTR_ISNULL(gptr))
        return DART_OK;
    DRT_TEAM(team, gptr.teamid);
    if (gptr.segid >= 0 || !drt_segment_find_any(gptr))
        return drt_refuse_segment(__func__, gptr);
    drt_gets_finish();
    cw_barrier(team->group);  // no member uses it any more
    drt_unregister(drt_segments_leave(team->registered, (uint32_t)-gptr.segid));
    return DART_OK;
}
