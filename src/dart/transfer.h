// SPDX-License-Identifier: BSD-3-Clause
//
// From a global pointer to memory. Threads: any.
#ifndef DRT_TRANSFER_H
#define DRT_TRANSFER_H

#include "core/rma/rma.h"
#include "dart/segment.h"
#include "dart/type.h"
#include "dart/windows/windows.h"

/** The segment of a pointer to a unit of its team; NULL: it is none, or is not in the index. */
static CW_ALWAYS_INLINE const drt_segment_t *drt_segment_near(dart_gptr_t gptr)
{
    const uint32_t key = drt_key_of(gptr);
    const drt_segment_t *segment = __atomic_load_n(drt_place_in_index(key), CW_DEPENDED_ON);
    if (CW_UNLIKELY(!segment) || CW_UNLIKELY(drt_segment_key(segment) != key) ||
        CW_UNLIKELY(drt_unit_of(gptr) >= (uint32_t)segment->nunits))
        return NULL;
    return segment;
}

/** Where nbytes behind a pointer are mapped here; NULL: they are not, the pointer is wrong, or the
 *  segment is not in the index. */
static CW_ALWAYS_INLINE char *drt_near(dart_gptr_t gptr, size_t nbytes)
{
    const drt_segment_t *segment = drt_segment_near(gptr);
    if (CW_UNLIKELY(!segment) || CW_UNLIKELY(nbytes > segment->nbytes))
        return NULL;
    char *near = segment->near[drt_unit_of(gptr)];
    if (CW_UNLIKELY(gptr.addr_or_offs.offset > segment->nbytes - nbytes) || CW_UNLIKELY(!near))
        return NULL;
    return near + gptr.addr_or_offs.offset;
}

/** The same of 4 or 8 bytes, a constant: one comparison says that they are in the segment. */
static CW_ALWAYS_INLINE char *drt_near_word(dart_gptr_t gptr, size_t nbytes)
{
    const drt_segment_t *segment = drt_segment_near(gptr);
    const uint64_t at = gptr.addr_or_offs.offset;
    if (CW_UNLIKELY(!segment) ||
        CW_UNLIKELY(at >= (nbytes == 8 ? segment->words : segment->half_words)))
        return NULL;
    char *near = segment->near[drt_unit_of(gptr)];
    return CW_LIKELY(near != NULL) ? near + at : NULL;
}

/** Bytes of nelem elements of one basic type, or more than there are in a segment; false: it is
 *  another type. */
static CW_ALWAYS_INLINE bool drt_plain_nbytes(size_t nelem, dart_datatype_t src_type,
                                              dart_datatype_t dst_type, size_t *nbytes_p)
{
    int64_t nbytes;
    if (CW_UNLIKELY(src_type != dst_type || !drt_is_basic(src_type)) ||
        CW_UNLIKELY(
            __builtin_mul_overflow((int64_t)nelem, (int64_t)drt_basic_nbytes[src_type], &nbytes)))
        return false;
    *nbytes_p = (size_t)nbytes;  // a negative number is more than any
    return true;
}

/** What a pointer names. */
typedef struct drt_target {
    int pe;
    bool is_private;  // then it is there, and mapped nowhere else
    char *far;        // symmetric; of private memory: in its process
    char *near;       // mapped here; NULL: use far
    cw_private_t there;
    drt_window_t window;  // if it is in one: there, and not at `far`
} drt_target_t;

/** What a transfer leaves to be done: nothing, or a flush of the window, or a quiet. */
typedef struct drt_flight {
    bool flying;
    bool in_window;  // else in the default context
    int pe;
} drt_flight_t;
void drt_land(const drt_flight_t *flight);
static inline drt_flight_t drt_flight(const drt_target_t *target, bool flying)
{
    return (drt_flight_t){flying, target->window.is_one, target->pe};
}

/** Bytes of a target, whatever it is. True: in flight. */
bool drt_read(const char *call, const drt_target_t *target, size_t at, void *dest, size_t nbytes);
bool drt_write(const char *call, const drt_target_t *target, size_t at, const void *src,
               size_t nbytes);

/** Of [gptr, +nbytes): DART_OK, or why there is none, with its message. */
dart_ret_t drt_resolve(const char *call, dart_gptr_t gptr, size_t nbytes, drt_target_t *target_p);

/** A put or a get. */
typedef struct drt_transfer {
    const char *call;
    dart_gptr_t gptr;
    void *local;
    size_t nelem;
    dart_datatype_t remote_type, local_type;
    bool put;
    bool blocking;  // a get is complete when it returns
} drt_transfer_t;

dart_ret_t drt_transfer(const drt_transfer_t *t, drt_flight_t *flight_p) CW_NOINLINE;

#endif
