// SPDX-License-Identifier: BSD-3-Clause
//
// The ring by which kernels of this PE ask for what their device cannot do (layouts and turns:
// causeway/device-wire.h). It lies in the symmetric heap. One thread takes requests out, in the
// order of their tickets, and executes each by core's own calls on a context of its own, so a
// kernel's request travels as a processor's.
//
// What stands in a request came from a kernel: a copy of it is checked before it is used, and one
// that names memory or a PE that is not there ends the job. Blocking: for the transfers.
#ifndef CW_CORE_DEVICE_RING_H
#define CW_CORE_DEVICE_RING_H

#include "causeway/device-wire.h"
#include "core/rma/context.h"

typedef struct cw_device_ring {
    cwd_request_t *request;  // [mask + 1]
    cwd_answer_t *answer;    // [mask + 1]
    uint64_t *taken;         // of the kernels: requests below it are taken out
    uint64_t mask, next;     // places less one; the ticket to be taken out next
    cw_ctx_t *ctx;
} cw_device_ring_t;

/** Takes out and executes at most so many requests, of those that are there. Returns how many. */
unsigned cw_device_ring_serve(cw_device_ring_t *ring, unsigned most);

#endif
