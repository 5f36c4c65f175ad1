// SPDX-License-Identifier: BSD-3-Clause
//
// From a global pointer to memory. Threads: any.
#ifndef DRT_TRANSFER_H
#define DRT_TRANSFER_H

#include "core/rma/rma.h"
#include "dart/segment.h"
#include "dart/type.h"

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
    bool is_nowhere;  // the unit after the last one: there is nothing to do
    bool is_private;  // then it is there, and mapped nowhere else
    uint32_t device;  // it is device memory, of that name; else 0
    char *far;        // symmetric; of private memory: in its process
    char *near;       // mapped here; NULL: use far
    cw_private_t there;
} drt_target_t;

/** Bytes of a target, whatever it is. True: in flight. */
bool drt_read(const char *call, const drt_target_t *target, size_t at, void *dest, size_t nbytes);
bool drt_write(const char *call, const drt_target_t *target, size_t at, const void *src,
               size_t nbytes);
/** Completes what is in flight, if anything is. */
static inline void drt_land(bool flying)
{
    if (flying)
        cw_quiet_default();
}

/** Is it the unit after the last one, and does the user let that pass
 *  (CAUSEWAY_DART_UNIT_AFTER_LAST)? */
bool drt_is_ignored(const drt_team_t *team, int unit) CW_COLD;
/** Of [gptr, +nbytes): DART_OK, or why there is none, with its message. */
dart_ret_t drt_resolve(const char *call, dart_gptr_t gptr, size_t nbytes, drt_target_t *target_p);
/** In checking mode: is that memory of this unit, of a pointer or of the program's buffer? */
dart_ret_t drt_check_here(const char *call, const char *what, const void *addr,
                          size_t nbytes) CW_COLD;
/** The same in every mode. */
static inline dart_ret_t drt_check_buffer(const char *call, const char *what, const void *addr,
                                          size_t nbytes)
{
    return CW_UNLIKELY(CW_CHECKING()) ? drt_check_here(call, what, addr, nbytes) : DART_OK;
}

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

/** *flying_p: it is in flight. */
dart_ret_t drt_transfer(const drt_transfer_t *t, bool *flying_p) CW_NOINLINE;

/** In checking mode, of a put that was right: its source is in use until a flush, or until the wait
 *  for its handle. caller: of the routine. */
void drt_keep_source(const drt_transfer_t *t, void *handle, const void *caller) CW_COLD;
/** The same of a get, which a flush completes. */
void drt_keep_get(const drt_transfer_t *t, const void *caller) CW_COLD;

// ---------------------------------------------------------------- gets that land later
// Gets of words that are mapped here, one behind the other (dart_get). Each asks for its cache line
// by a prefetch and copies the word that the get DRT_GETS before it has asked for: a processor
// holds a load back when some hundred instructions behind it wait, and a prefetch never, so more
// lines are on their way. What is left is copied by the next call of another kind, at the latest by
// the flush that completes a get.
// Threads: the one of a program that called dart_init. With dart_init_thread no get is left.
enum { DRT_GETS = 32 };  // that may be under way

typedef struct drt_gets {
    bool on;
    uint64_t n;  // since the last call of another kind; those from 1 on have had a place in `of`
    struct {
        void *dest;
        const char *near;
    } of[DRT_GETS];
} drt_gets_t;
extern drt_gets_t drt_gets CW_HIDDEN;

/** Of 8 bytes. The first get copies at once, since it may be the only one. */
static CW_ALWAYS_INLINE void drt_gets_begin(void *dest, const char *near)
{
    const uint64_t n = drt_gets.n++, place = n % DRT_GETS;
    if (CW_UNLIKELY(n == 0)) {
        memcpy(dest, near, 8);
        return;
    }
    __builtin_prefetch(near);
    if (n > DRT_GETS)
        memcpy(drt_gets.of[place].dest, drt_gets.of[place].near, 8);
    drt_gets.of[place].dest = dest;
    drt_gets.of[place].near = near;
}

/** Then a fast path leaves the call to the general one, which finishes them: a fast path that
 *  calls a function saves registers. */
static CW_ALWAYS_INLINE bool drt_gets_under_way(void)
{
    return drt_gets.n != 0;
}

void drt_gets_copy(void);

/** All gets have landed. */
static CW_ALWAYS_INLINE void drt_gets_finish(void)
{
    if (CW_UNLIKELY(drt_gets_under_way()))
        drt_gets_copy();
}

#endif
