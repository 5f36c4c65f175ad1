// SPDX-License-Identifier: BSD-3-Clause
//
// Rows: what strided transfers move. Addresses are numbers: after the last row they may point
// anywhere. Threads: any.
#ifndef CW_CORE_BULK_ROWS_H
#define CW_CORE_BULK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/copy/rows.h"
#include "core/port/check.h"

/** n > 0 rows of nbytes. */
typedef struct cw_rows {
    uintptr_t dest, src;
    ptrdiff_t dest_stride, src_stride;
    size_t nbytes, n;
} cw_rows_t;

static inline void cw_rows_copy(const cw_rows_t *r)
{
    cwu_copy_rows(r->dest, r->dest_stride, r->src, r->src_stride, r->nbytes, r->n);
}

/** For observers: whole spans are checked, the payload is counted. NULL: no frame. */
cw_frame_t *cw_rows_watch(cw_ctx_t *ctx, bool put, const cw_rows_t *r, int rank);

#endif
