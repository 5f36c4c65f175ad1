// SPDX-License-Identifier: BSD-3-Clause
//
// Memory set to one byte: memset on this node, requests to the node server elsewhere. A request
// covers a bounded part, so that the server does not keep others waiting for long.
#include "core/rma/rma.h"

#include "core/rma/batch.h"
#include "core/rma/ctx.h"
#include "core/rma/request.h"
#include "core/rma/send.h"

#define PART (UINT64_C(4) << 20)

void cw_fill(cw_ctx_t *ctx, void *dest, uint8_t value, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_PUT, dest, dest, 0, rank));
    if (nbytes == 0)
        return;
    const cwt_target_t *t = cw_request_reach(ctx, "memset", rank, &delta);
    if (!t) {
        memset((char *)dest + delta, value, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    cw_batch_pass(ctx, rank);
    for (uint64_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        cw_req_fill_t req = {.header = {.op = CW_REQ_FILL, .nbytes = sizeof req},
                             .offset = (uintptr_t)dest + at + t->offset,
                             .nbytes = n,
                             .value = value};
        cw_must(cw_request_send(cw_ctx_node(ctx, rank), t->conn, &req.header, sizeof req, NULL),
                "memset", cw_ctx_pe(ctx, rank));
        cw_ctx_mark(ctx);
    }
}
