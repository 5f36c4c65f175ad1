// SPDX-License-Identifier: BSD-3-Clause
//
// What observers see of rows.
#include "core/bulk/rows.h"

#include "core/observe/watch.h"

/** From the first to the last byte of one side. */
typedef struct span {
    const char *begin;
    size_t nbytes;
} span_t;

static span_t span_of(uintptr_t at, ptrdiff_t stride, const cw_rows_t *r)
{
    size_t reach = (stride < 0 ? 0 - (size_t)stride : (size_t)stride) * (r->n - 1);
    return (span_t){(const char *)(stride < 0 ? at - reach : at), reach + r->nbytes};
}

cw_frame_t *cw_rows_watch(cw_ctx_t *ctx, bool put, const cw_rows_t *r, int rank)
{
    const span_t dest = span_of(r->dest, r->dest_stride, r),
                 src = span_of(r->src, r->src_stride, r);
    const span_t *symmetric = put ? &dest : &src, *local = put ? &src : &dest;
    cw_frame_t *frame =
        cw_ctx_watch_spans(ctx, put ? CW_OP_PUT_STRIDED : CW_OP_GET_STRIDED, symmetric->begin,
                           symmetric->nbytes, local->begin, local->nbytes, rank);
    if (frame)
        frame->nbytes = r->nbytes * r->n;
    return frame;
}
