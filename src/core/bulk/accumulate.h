// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates: dest += scale * src, for arrays of numbers. Atomic for each part of a number against
// all other accumulates of that memory: PEs of the node and its server take the same locks
// (core/progress/block_lock.h). Not against single atomics and puts.
//
// Contiguous in one call, or in pieces between begin and end.
//
// The source may be used again when a call returns. On this node the accumulate is done then; off
// the node it is complete at the next quiet, in order with the other requests to that node, after
// the puts before it.
//
// dest: symmetric; dest and src: of any alignment, the same memory or disjoint. nbytes: whole
// numbers.
//
// Threads: any, each with a cw_accumulate_t of its own. Blocking: for room to send, and briefly for
// locks.
#ifndef CW_CORE_BULK_ACCUMULATE_H
#define CW_CORE_BULK_ACCUMULATE_H

#include "base/lock.h"
#include "base/numbers.h"
#include "core/bulk/stage.h"
#include "core/rma/context.h"

/** A block's lock, from piece to piece. */
typedef struct cw_accumulate_lock {
    cwu_lock_t *lock;  // NULL: none
    uint32_t left;     // pieces
} cw_accumulate_lock_t;

typedef struct cw_accumulate {
    cw_ctx_t *ctx;
    int rank;
    cwu_number_t type;
    bool scaled;  // the scale is not 1
    uint64_t scale[CW_NUMBER_MAX / sizeof(uint64_t)];
    uint64_t offset;             // symmetric address -> offset in the target's node object
    uintptr_t delta;             // symmetric address -> address, without a target
    const cwt_target_t *target;  // NULL: mapped here
    cw_accumulate_lock_t held;   // without a target
    struct cw_frame *frame;      // while observed
    size_t nbytes;               // of the message or body so far
    bool staged;
    cw_stage_t stage;
    uint64_t *body;  // staged
    uint64_t message[CW_MESSAGE_MAX / sizeof(uint64_t)];
} cw_accumulate_t;

/** *scale: of that type. total: bytes of all pieces, about. */
void cw_accumulate_begin(cw_accumulate_t *a, cw_ctx_t *ctx, cwu_number_t type, const void *scale,
                         int rank, size_t total);
void cw_accumulate_add(cw_accumulate_t *a, void *dest, const void *src, size_t nbytes);
/** n pieces of nbytes, at strides in bytes. */
void cw_accumulate_add_rows(cw_accumulate_t *a, void *dest, ptrdiff_t dest_stride, const void *src,
                            ptrdiff_t src_stride, size_t nbytes, size_t n);
void cw_accumulate_end(cw_accumulate_t *a);

void cw_accumulate(cw_ctx_t *ctx, cwu_number_t type, const void *scale, void *dest, const void *src,
                   size_t nbytes, int rank);

/** To memory mapped here at `dest`, at `offset` in the node object; for the node server, too.
 *  scale: NULL for one. */
void cw_accumulate_here(uint64_t offset, void *dest, cwu_number_t type, const void *scale,
                        const void *src, size_t nbytes);

#endif
