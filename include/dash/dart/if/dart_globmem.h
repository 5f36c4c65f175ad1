// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: global pointers, global memory, allocators.
#ifndef DART_GLOBMEM_H_INCLUDED
#define DART_GLOBMEM_H_INCLUDED

#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- global pointers
/** A place in global memory:
 *
 *      0             24     32            48            64 bits
 *      | unit        | flags | segment    | team        |
 *      | offset in the unit's part of the segment       |
 *
 *  Segments above 0 are of dart_team_memalloc_aligned, below 0 of dart_team_memregister, and
 *  segment 0 is what units allocate by themselves (dart_memalloc). */
typedef struct {
    dart_unit_t unitid : 24;  // in the team
    unsigned int flags : 8;
    int16_t segid;
    int16_t teamid;
    union {
        uint64_t offset;
        void *addr;
    } addr_or_offs;
} dart_gptr_t;

#define DART_SEGMENT_LOCAL ((int16_t)0)

#ifdef __cplusplus
#define DART_GPTR_NULL (dart_gptr_t{-1, 0, 0, DART_TEAM_NULL, {0}})
#else
#define DART_GPTR_NULL                            \
    (dart_gptr_t)                                 \
    {                                             \
        .unitid = -1, .flags = 0, .segid = 0,     \
        .teamid = DART_TEAM_NULL,                 \
        .addr_or_offs.offset = 0                  \
    }
#endif

#define DART_GPTR_ISNULL(gptr_)                                                             \
    ((gptr_).unitid < 0 && (gptr_).segid == 0 && (gptr_).teamid == DART_TEAM_NULL &&        \
     (gptr_).addr_or_offs.addr == 0)

#define DART_GPTR_EQUAL(gptr1_, gptr2_)                                                     \
    (((gptr1_).unitid == (gptr2_).unitid) && ((gptr1_).segid == (gptr2_).segid) &&          \
     ((gptr1_).teamid == (gptr2_).teamid) &&                                                \
     ((gptr1_).addr_or_offs.offset == (gptr2_).addr_or_offs.offset))

/** *addr: the address if it is this unit's memory, else NULL. */
dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void **addr) DART_NOTHROW;
/** Lets the pointer name that address of this unit, in the segment that it names. */
dart_ret_t dart_gptr_setaddr(dart_gptr_t *gptr, void *addr) DART_NOTHROW;

DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_incaddr(dart_gptr_t *gptr, int64_t offs)
{
    gptr->addr_or_offs.offset += (uint64_t)offs;
    return DART_OK;
}

DART_INLINE DART_NOTHROW dart_ret_t dart_gptr_setunit(dart_gptr_t *gptr, dart_team_unit_t unit)
{
    gptr->unitid = unit.id;
    return DART_OK;
}

/** 16 bits that this unit keeps with a segment; the pointer has the low 8 of them. */
dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t *flags) DART_NOTHROW;
dart_ret_t dart_gptr_setflags(dart_gptr_t *gptr, uint16_t flags) DART_NOTHROW;

// ---------------------------------------------------------------- memory
/** Memory of this unit, for all units. */
dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr) DART_NOTHROW;
dart_ret_t dart_memfree(dart_gptr_t gptr) DART_NOTHROW;

/** A segment with nelem elements on this unit, where the others may have other numbers of them;
 *  gptr: its begin on unit 0. Collective over the team. */
dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t *gptr) DART_NOTHROW;
/** Collective over the team. DART_GPTR_NULL: nothing happens. */
dart_ret_t dart_team_memfree(dart_gptr_t gptr) DART_NOTHROW;

/** A segment of memory that the program has: nelem elements at addr, on each unit its own. The
 *  first form wants the same nelem on all units. Collective over the team. */
dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                         void *addr, dart_gptr_t *gptr) DART_NOTHROW;
dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype,
                                 void *addr, dart_gptr_t *gptr) DART_NOTHROW;
/** This unit's part ends; its own transfers are complete. Waits for no unit: the others must be
 *  done with the part (dart_barrier), and end theirs when they like. DART_GPTR_NULL: nothing
 *  happens. */
dart_ret_t dart_team_memderegister(dart_gptr_t gptr) DART_NOTHROW;

// ---------------------------------------------------------------- allocators
/** A pool of memory on each unit of a team, from which the unit allocates by itself. */
typedef struct dart_allocator_struct *dart_allocator_t;

/** pool_size: bytes on each unit, rounded up to a power of two. Collective over the team. */
dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team, dart_allocator_t *new_allocator);
/** DART_ERR_NOMEM: the pool has no such block left. */
dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr,
                                dart_allocator_t allocator);
/** By the unit that has allocated it. Sets *gptr to DART_GPTR_NULL. */
dart_ret_t dart_allocator_free(dart_gptr_t *gptr, dart_allocator_t allocator);
/** Collective over the team. */
dart_ret_t dart_allocator_destroy(dart_allocator_t *allocator);

#ifdef __cplusplus
}
#endif

#endif
