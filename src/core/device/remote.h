// SPDX-License-Identifier: BSD-3-Clause
//
// Slices and parts of other nodes: requests that the node server there executes on its devices,
// with its node's copies and lock. Small ones travel as messages, large ones in cells of staged
// transfers (core/bulk/stage.h), several at a time.
//
// They execute in order with the context's other requests to that node, after earlier puts; puts
// are complete at its next quiet. Local memory is free on return.
// Threads: any. Blocking: for room to send; gets and fetches, for the reply.
#ifndef CW_CORE_DEVICE_REMOTE_H
#define CW_CORE_DEVICE_REMOTE_H

#include "core/bulk/rows.h"
#include "core/mem/foreign.h"

/** Rows between `here`, in this process, and the slice of a PE of another node, or any part
 *  (part.h). */
typedef struct cw_device_rows_there {
    uint64_t there;  // offset in it
    ptrdiff_t there_stride;
    char *here;  // not written by puts
    ptrdiff_t here_stride;
    size_t nbytes, n;
    uint32_t part;  // its name; 0: the slice
} cw_device_rows_there_t;

void cw_device_put_there(cw_ctx_t *ctx, cw_device_rows_there_t rows, int rank);
void cw_device_get_there(cw_ctx_t *ctx, cw_device_rows_there_t rows, int rank);
/** old_p: NULL: the value is not wanted. */
void cw_device_amo_there(cw_ctx_t *ctx, const cw_foreign_amo_t *amo, uint64_t offset, int rank,
                         uint64_t *old_p);

/** Does the node server of that PE, of another node, reach the part? */
bool cw_device_asks(const char *call, int pe, uint32_t part);

/** A PE ends a part that this one has asked for: its server unmaps it. [waits] */
void cw_device_ends(int pe, uint32_t part);

/** Executes such requests: before any PE sends one. */
void cw_device_serve(void);

#endif
