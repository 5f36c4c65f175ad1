// SPDX-License-Identifier: BSD-3-Clause
//
// Segments: memory of all members of a team under one number. A global pointer becomes an address
// by team, segment, unit, each an index into a table, and the offset:
//
//     drt_teams[team]->segments->of[segment]->near[unit] + offset      mapped here
//                                           ->far[unit]  + offset      symmetric, for core/rma
//
// Fast paths find segments by a hash of team and number (drt_index).
//
// Segments above 0 are allocated (DART_TEAM_ALL has number 0, the whole areas of all units), those
// below 0 registered. Numbers are given by collective calls, so they agree without messages.
#ifndef DRT_SEGMENT_H
#define DRT_SEGMENT_H

#include <string.h>

#include "core/owner/private.h"
#include "dart/drt.h"

/** A unit's part of a registered segment. */
typedef struct drt_part {
    char *addr;  // in the unit's process
    uint32_t range;  // of core/owner/private.h
    int pe;          // of device memory
    uint32_t device; // name of device memory (core/device/part.h); 0: it is the processors'
    bool symmetric;  // it lies in the unit's slice: there is a place, and no range
} drt_part_t;

/** What a member says of the part that it has allocated. */
typedef struct drt_extent {
    uint64_t place;  // 0: it has none
    uint64_t nbytes;
} drt_extent_t;
enum { DRT_EXTENT_WORDS = sizeof(drt_extent_t) / sizeof(uint64_t) };

typedef struct drt_segment {
    uint64_t nbytes;  // of the smallest part, if allocated: what fast paths reach
    uint64_t words, half_words;  // offsets in it at which 8 bytes and 4 bytes may begin
    uint32_t key;     // of allocated ones: as pointers have it, else DRT_NO_KEY; atomic
    int32_t nunits, rank;  // of the team, of this unit
    uint16_t flags;
    char *own;         // this unit's part
    drt_part_t *parts; // [nunits] if registered, else NULL
    struct drt_segment *spare;  // the next one
    uint64_t *sizes;  // [nunits] bytes of the parts, which may differ
    char **far;    // [nunits] symmetric addresses: the default context reaches the parts there
    char *near[];  // [nunits] where parts are mapped here; NULL: not, or everything is observed
} drt_segment_t;

/** The segments of a team. */
typedef struct drt_segments {
    uint32_t n;          // length of the table
    // of allocated ones: all members give the same numbers
    uint32_t last;       // number that was given last
    uint32_t nfree;      // numbers that were given back
    uint32_t *free;      // [n], a stack
    drt_segment_t **of;  // [n]
    struct drt_segments *older;  // shorter tables, which threads may be reading
} drt_segments_t;

/** What dart_team_memalloc_aligned does, for the call of the program that `call` names. */
dart_ret_t drt_team_alloc(const char *call, const void *caller, drt_team_t *team, size_t nbytes,
                          dart_gptr_t *gptr);

/** Allocated segments, each at its key's place or not at all. The last that wanted a place has
 *  it. */
enum { DRT_INDEX = 1024 };
extern drt_segment_t *drt_index[DRT_INDEX] CW_HIDDEN;

#define DRT_NO_KEY UINT32_MAX  // that of no pointer to an allocated segment

/** All of a pointer but its offset, in one register: 24 bits of the unit, and the key above 32. */
static CW_ALWAYS_INLINE uint64_t drt_place_bits(dart_gptr_t gptr)
{
    uint64_t bits;
    _Static_assert(offsetof(dart_gptr_t, segid) == 4 && offsetof(dart_gptr_t, teamid) == 6 &&
                       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                   "unit, flags, segment, team");
    memcpy(&bits, &gptr, sizeof bits);
    return bits;
}

/** Number of segment and team together. */
static CW_ALWAYS_INLINE uint32_t drt_key_of(dart_gptr_t gptr)
{
    return (uint32_t)(drt_place_bits(gptr) >> 32);
}

/** A negative one is larger than any. */
static CW_ALWAYS_INLINE uint32_t drt_unit_of(dart_gptr_t gptr)
{
    return drt_place_bits(gptr) & 0xffffff;
}

/** The upper bits of a product, in which each bit of the key counts. Segments of a team that follow
 *  each other have places of their own. */
static CW_ALWAYS_INLINE drt_segment_t **drt_place_in_index(uint32_t key)
{
    _Static_assert(DRT_INDEX == 1 << (32 - 22), "as many places as bits are left");
    return &drt_index[key * UINT32_C(0x9e3779b1) >> 22];
}

/** Also behind a use that did not find it there. */
void drt_index_enter(drt_segment_t *segment);

void drt_segments_open(drt_team_t *team);
void drt_segments_close(drt_team_t *team);

/** One that was allocated; NULL: there is no such team or segment, or it is registered. */
static CW_ALWAYS_INLINE drt_segment_t *drt_segment_find(dart_gptr_t gptr)
{
    const drt_team_t *team = drt_team_find(gptr.teamid);
    if (CW_UNLIKELY(!team))
        return NULL;
    const drt_segments_t *segments = __atomic_load_n(&team->segments, CW_DEPENDED_ON);
    uint32_t number = (uint32_t)(int32_t)gptr.segid;  // a negative one is larger than any
    return CW_LIKELY(number < segments->n) ? segments->of[number] : NULL;
}

/** Of either kind. */
drt_segment_t *drt_segment_find_any(dart_gptr_t gptr);

// ---- for register.c
/** Has the table room for that number? It grows by doubling. */
bool drt_segments_have_room(drt_segments_t **segments_p, uint32_t number);
/** With parts of nbytes each; NULL: no memory. */
drt_segment_t *drt_segment_make(const drt_team_t *team, uint64_t nbytes, char *own);
/** Before its pointers find it. */
void drt_segment_set_sizes(drt_segment_t *segment, const drt_extent_t *blocks);
/** It is over; its record stays one until dart_exit, since another thread that looks for a segment
 *  of its own may have found this one in the index, and reads its key. May be NULL. */
void drt_segment_drop(drt_segment_t *segment);
/** All teams are closed. */
void drt_spares_close(void);
/** Of a record that another thread may drop. */
static CW_ALWAYS_INLINE uint32_t drt_segment_key(const drt_segment_t *segment)
{
    return __atomic_load_n(&segment->key, __ATOMIC_RELAXED);
}
/** The part of `unit` has that symmetric address. */
void drt_segment_place(drt_segment_t *segment, const drt_team_t *team, int unit, char *symmetric);
/** What is left of a registered segment when its team ends. */
void drt_unregister(drt_segment_t *segment);

// ---- checking mode: where segments come from (core/observe/known.h)
/** A segment begins; private: its memory was the program's before. */
void drt_known_add(const char *call, const void *place, dart_gptr_t gptr, size_t nbytes,
                   const void *own, bool private);
void drt_known_free(dart_gptr_t gptr);
/** "; dart_team_memalloc_aligned gave its 100 bytes at main+0x10 (a.c:7)", or nothing. */
void drt_known_origin(dart_gptr_t gptr, char *text, size_t text_nbytes) CW_COLD;

/** For a pointer whose segment was not found: the code, with its message. */
dart_ret_t drt_refuse_segment(const char *call, dart_gptr_t gptr) CW_COLD;

#endif
