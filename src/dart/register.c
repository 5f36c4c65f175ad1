// SPDX-License-Identifier: BSD-3-Clause
//
// Registered segments: memory that programs have, on each member of a team its own, of any size.
// What lies in the unit's slice is reached as allocated memory is, memory of a device by devices
// (core/device/part.h); everything else is private memory (core/owner/private.h).
//
// A segment is made by all members and ended by each for itself, as in DART over MPI: programs end
// different ones, or at different times. So members may differ in the numbers that are free, and
// agree on one when they make the next segment: mostly with the exchange of what they share.
#include <stdlib.h>

#include "base/error.h"
#include "base/symbol.h"
#include "core/device/driver.h"
#include "core/device/part.h"
#include "dart/memory.h"
#include "dart/segment.h"
#include "dart/transfer.h"
#include "dart/type.h"

/** What a member says of its part. */
typedef struct offer {
    uint64_t addr;  // of a symmetric one: from the begin of the area
    uint64_t nbytes;
    // one of these, or PRIVATE + number of the range; of DEVICE, 32 bits higher, its name
    uint64_t kind;
    uint64_t number;  // the least that is free here
} offer_t;
enum {
    NOTHING,
    WRONG,
    SYMMETRIC,
    DEVICE,
    PRIVATE,
    OFFER_WORDS = sizeof(offer_t) / sizeof(uint64_t)
};

static bool is_in_area(const char *addr, size_t nbytes, uint64_t *at_p)
{
    size_t area_nbytes;
    char *area = drt_area(&area_nbytes);
    *at_p = (uint64_t)(uintptr_t)addr - (uintptr_t)area;
    return *at_p < area_nbytes && nbytes <= area_nbytes - *at_p;
}

static uint32_t name_of(const offer_t *offer)
{
    return (uint32_t)(offer->kind >> 32);
}

static uint64_t share_device(int device, char *addr, size_t nbytes)
{
    uint32_t name;
    if (cw_device_use(device) || !cw_device_is_on(device, addr, nbytes))
        return WRONG;
    return cw_device_share(device, addr, nbytes, false, &name) ? NOTHING
                                                               : DEVICE | (uint64_t)name << 32;
}

/** Shares this unit's part. A unit that has no memory for it offers nothing. */
static offer_t offer_of(char *addr, size_t nbytes, bool possible, uint32_t number)
{
    uint64_t at;
    uint32_t range;
    offer_t offer = {.kind = nbytes && !addr ? WRONG : NOTHING, .number = number};
    if (!possible || offer.kind == WRONG)
        return offer;
    const int device = nbytes ? cw_device_find(addr) : -1;
    if (device >= 0)
        offer = (offer_t){(uintptr_t)addr, nbytes, share_device(device, addr, nbytes), number};
    else if (is_in_area(addr, nbytes, &at))
        offer = (offer_t){at, nbytes, SYMMETRIC, number};
    else if (cw_private_share(addr, nbytes, &range))
        offer = (offer_t){(uintptr_t)addr, nbytes, PRIVATE + range, number};
    return offer;
}

static void withdraw(const offer_t *offer)
{
    if (name_of(offer))
        cw_device_unshare(name_of(offer));
    else if (offer->kind >= PRIVATE)
        cw_private_unshare((uint32_t)(offer->kind - PRIVATE));
}

void drt_unregister(drt_segment_t *segment)
{
    const drt_part_t *own = &segment->parts[segment->rank];
    for (int unit = 0; unit < segment->nunits; unit++)
        if (segment->parts[unit].device)
            cw_device_forget(segment->parts[unit].pe, segment->parts[unit].device);
    if (own->device)
        cw_device_unshare(own->device);
    else if (!own->symmetric)
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
            drt_segment_place(segment, team, unit, area + offer->addr);
        } else {
            part->addr = (char *)(uintptr_t)offer->addr;
            part->device = name_of(offer);
            part->pe = cw_group_pe(team->group, unit);
            part->range = part->device ? 0 : (uint32_t)(offer->kind - PRIVATE);
        }
    }
    return DART_OK;
}

// ---------------------------------------------------------------- numbers
/** The least number from `from` on that this member has free. */
static uint32_t free_from(const drt_team_t *team, uint32_t from)
{
    const drt_segments_t *registered = team->registered;
    while (from < registered->n && registered->of[from])
        from++;
    return from;
}

/** Are the numbers of all the same? *most_p: the largest. */
static bool same(const uint64_t *numbers, size_t stride, int n, uint64_t *most_p)
{
    bool all = true;
    *most_p = numbers[0];
    for (int unit = 1; unit < n; unit++) {
        uint64_t number = numbers[(size_t)unit * stride];
        all = all && number == numbers[0];
        *most_p = number > *most_p ? number : *most_p;
    }
    return all;
}

/** The least number that is free on all members. Collective, where offers differ. */
static uint32_t agree(const drt_team_t *team, const offer_t *offers)
{
    const int n = team->group->size;
    uint64_t most;
    if (same(&offers->number, OFFER_WORDS, n, &most))
        return (uint32_t)most;
    uint64_t *numbers = malloc((size_t)n * sizeof *numbers);
    if (!numbers)
        cwu_fatal("dart_team_memregister: out of memory for a list of %d units", n);
    do {
        uint64_t mine = free_from(team, (uint32_t)most);
        drt_exchange(team->group, &mine, 1, numbers);
    } while (!same(numbers, 1, n, &most));
    free(numbers);
    return (uint32_t)most;
}

// ---------------------------------------------------------------- calls
/** *segment_p, *number_p: if it is DART_OK. */
static dart_ret_t enroll(drt_team_t *team, char *addr, size_t nbytes, drt_segment_t **segment_p,
                         uint32_t *number_p)
{
    const size_t n = (size_t)team->group->size;
    offer_t *offers = malloc(n * sizeof *offers);
    drt_segment_t *segment = drt_segment_make(team, nbytes, addr);
    if (segment)
        segment->parts = calloc(n, sizeof *segment->parts);
    if (!offers)
        cwu_fatal("dart_team_memregister: out of memory for a list of %zu units", n);
    bool possible = segment && segment->parts;
    const offer_t mine = offer_of(addr, nbytes, possible, free_from(team, 1));
    drt_exchange(team->group, &mine.addr, OFFER_WORDS, &offers->addr);
    dart_ret_t rc = possible ? fill_in(segment, team, offers) : DART_ERR_NOMEM;
    if (rc == DART_OK && (*number_p = agree(team, offers)) > INT16_MAX)
        rc = DART_ERR_NOMEM;
    free(offers);
    *segment_p = segment;
    if (rc == DART_OK)
        return rc;
    withdraw(&mine);
    if (segment)
        free(segment->parts);
    drt_segment_drop(segment);
    return rc;
}

static dart_ret_t add(const char *call, const void *place, drt_team_t *team, size_t nelem,
                      dart_datatype_t type, void *addr, dart_gptr_t *gptr)
{
    size_t nbytes;
    uint32_t number;
    drt_segment_t *segment;
    if (!drt_nbytes(nelem, type, &nbytes))
        return drt_refuse_size(call, nelem, type);
    drt_agree(team, call);
    dart_ret_t rc = enroll(team, addr, nbytes, &segment, &number);
    if (rc == DART_ERR_INVAL)
        return drt_refuse(call, rc,
                          "addr is NULL on a unit of team %d, or not in one allocation of a device",
                          team->id);
    if (rc != DART_OK)
        return drt_refuse(call, rc, "a unit of team %d has registered %d blocks, or has no memory",
                          team->id, CW_PRIVATE_RANGES);
    if (!drt_segments_have_room(&team->registered, number))
        cwu_fatal("%s: no memory for a table of %u segments", call, number);
    __atomic_store_n(&team->registered->of[number], segment, __ATOMIC_RELEASE);
    *gptr = (dart_gptr_t){.unitid = 0, .segid = (int16_t) - (int)number, .teamid = team->id};
    if (CW_CHECKING())
        drt_known_add(call, place, *gptr, nbytes, addr, true);
    return DART_OK;
}

DRT_API dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(team, teamid);
    return add(__func__, CWU_CALLER, team, nlelem, dtype, addr, gptr);
}

DRT_API dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem,
                                                 dart_datatype_t dtype, void *addr,
                                                 dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(team, teamid);
    return add(__func__, CWU_CALLER, team, nelem, dtype, addr, gptr);
}

DRT_API dart_ret_t dart_team_memderegister(dart_gptr_t gptr)
{
    if (DART_GPTR_ISNULL(gptr))
        return DART_OK;
    DRT_TEAM(team, gptr.teamid);
    drt_segment_t *segment = gptr.segid < 0 ? drt_segment_find_any(gptr) : NULL;
    if (!segment)
        return drt_refuse_segment(__func__, gptr);
    dart_flush_all(gptr);
    team->registered->of[-gptr.segid] = NULL;
    drt_unregister(segment);
    if (CW_CHECKING())
        drt_known_free(gptr);
    return DART_OK;
}
