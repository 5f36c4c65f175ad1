// SPDX-License-Identifier: BSD-3-Clause
//
// Slices and parts of other nodes: requests that the node server there executes on its devices,
// with the copies and the lock that PEs of its node use. Small ones travel as messages, large ones
// in the cells of staged transfers (core/bulk/stage.h), of which several are under way at a time.
//
// Requests execute in order with the other requests of a context to that node, after the puts
// before them; puts are complete at its next quiet. Local memory, of processors or a device, may be
// used again on return. Threads: any. Blocking: for room to send; gets and fetches, for the reply.
#ifndef CW_CORE_DEVICE_REMOTE_H
#define CW_CORE_DEVICE_REMOTE_H

#include "core/bulk/rows.h"
#include "core/mem/foreign.h"

/** Rows between memory of this process, `here`, and the slice of a PE of another node, or a part of
 *  any (part.h). */
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
/** old_p: NULL if the value is not wanted. */
void cw_device_amo_there(cw_ctx_t *ctx, const cw_foreign_amo_t *amo, uint64_t offset, int rank,
                         uint64_t *old_p);

/** Does the node server of that PE, of another node, reach the part? */
bool cw_device_asks(const char *call, int pe, uint32_t part);

/** That PE ends the part, which this one has asked for: its server unmaps it. [waits] */
void cw_device_ends(int pe, uint32_t part);

/** The server of this process executes such requests from here on: before any PE sends one. */
void cw_device_serve(void);

#endif
