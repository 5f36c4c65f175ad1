// SPDX-License-Identifier: BSD-3-Clause
//
// Strided blocks: block i of block_nbytes goes from src + i*src_stride to dest + i*dest_stride (in
// bytes). Puts are complete at the next quiet, gets on return; local memory may be used again on
// return. Threads: any. Blocking: puts for room to send, gets.
#ifndef CW_CORE_BULK_STRIDED_H
#define CW_CORE_BULK_STRIDED_H

#include "core/rma/context.h"

void cw_put_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank);
void cw_get_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank);
/** Staged (stage.h): in order with the other requests to that node, after the puts before it.
 *  False: nothing was done; it does not pay, or there are no cells. */
bool cw_strided_staged(cw_ctx_t *ctx, bool put, void *dest, const void *src, ptrdiff_t dest_stride,
                       ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank);

#endif
