// SPDX-License-Identifier: BSD-3-Clause
//
// The ring by which kernels of this PE ask for what their device cannot do (layouts and turns:
// causeway/device-wire.h). It lies in the symmetric heap. One thread takes requests in the order of
// their tickets, and executes each by core's own calls on a private context.
//
// Requests are copied, then checked: one that names memory or a PE that is not there ends the job.
// Blocking: for the transfers.
#ifndef CW_CORE_DEVICE_RING_H
#define CW_CORE_DEVICE_RING_H

#include "causeway/device-wire.h"
#include "core/rma/context.h"

typedef struct cw_device_ring {
    cwd_request_t *request;  // [mask + 1]
    cwd_answer_t *answer;    // [mask + 1]
    uint64_t *taken;         // of the kernels: lower requests are taken out
    uint64_t mask, next;     // places less one; the next ticket
    cw_ctx_t *ctx;
} cw_device_ring_t;

/** Executes up to `most` waiting requests; returns their number. */
unsigned cw_device_ring_serve(cw_device_ring_t *ring, unsigned most);

#endif
