// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of contiguous bytes, in the order of the program.
//
// Statements of an image take effect one behind the other: x[2] = 1 and x[2] = 2 in this order, and
// x[2] then gives 2. Within the node that is the processor's order. To another node puts are under
// way when they return, and neither two of them nor a put and a get behind it have an order of
// their own. So the range of what was put to each PE since the last fence, and since the last
// quiet, is kept: a put into the first is preceded by a fence, which costs nothing where the
// network keeps the order of puts, and a get from the second by a quiet. Gets are complete when
// they return.
#ifndef CAF_TRANSFER_H
#define CAF_TRANSFER_H

#include "caf/caf.h"

void caf_put_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word);
void caf_get_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word);
/** Before bytes of a PE of another node are written, or read, by other means than these two. */
void caf_before_write(int pe, uintptr_t begin, uintptr_t end);
void caf_before_read(int pe, uintptr_t begin, uintptr_t end);
void caf_complete_cold(void) CW_COLD;
/** Completes what this image wrote in others, for what it stores next: the image that acquires that
 *  sees it. [waits] */
static CW_ALWAYS_INLINE void caf_complete_before(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        caf_complete_cold();
    atomic_thread_fence(memory_order_release);
}
/** The same, for whatever follows: its loads, too. [waits] */
static CW_ALWAYS_INLINE void caf_complete(void)
{
    caf_complete_before();
    atomic_thread_fence(memory_order_seq_cst);
}
/** The fence of caf_complete before an atomic of this image in its node, which on x86 is one. */
static CW_ALWAYS_INLINE void caf_fence_by_amo(void)
{
#if defined(__x86_64__)
    atomic_thread_fence(memory_order_release);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}
/** As caf_complete, before such an atomic. [waits] */
static CW_ALWAYS_INLINE void caf_complete_by_amo(void)
{
    caf_complete_before();
    caf_fence_by_amo();
}
/** What is put from here on takes effect behind what was put before. */
void caf_order(void);
void caf_order_close(void);

/** Bytes may overlap where the PE is this image itself. */
static CW_ALWAYS_INLINE void caf_put(void *dest, const void *src, size_t nbytes, int pe)
{
    cw_put_by(dest, src, nbytes, pe, &cw_ctx_default, caf_put_out);
}

static CW_ALWAYS_INLINE void caf_get(void *dest, const void *src, size_t nbytes, int pe)
{
    cw_get_by(dest, src, nbytes, pe, &cw_ctx_default, caf_get_out);
}

/** Where a PE's memory is mapped here, or NULL. */
static inline char *caf_mapped(void *symmetric, int pe)
{
    uintptr_t word;
    if (!cw_peer_is_here(&cw_ctx_default, pe, &word)) {
        if (cw_world.node_of_pe[pe] != cw_world.node)
            return NULL;
        return cw_ptr(symmetric, pe);  // the node's PEs may not have come yet
    }
    return cw_local_address(word, symmetric);
}

#endif
