// SPDX-License-Identifier: BSD-3-Clause
//
// Strided blocks. On the node: plain copies. Off the node: small blocks travel packed in requests
// that the node server unpacks (one message for up to 4 KiB of payload); blocks large enough to pay
// for themselves go directly.
#include "core/observe/watch.h"
#include "core/rma/batch.h"
#include "core/rma/ctx.h"
#include "core/rma/request.h"
#include "core/rma/rma.h"

#define DIRECT_BLOCK 1024u   // bytes: from here a block is one transfer of its own
#define GETS_IN_FLIGHT 4

static void copy_blocks(char *dest, const char *src, ptrdiff_t dest_stride, ptrdiff_t src_stride,
                        size_t block_nbytes, size_t nblocks)
{
#define COPY_AS(type)                                                                   \
    for (size_t i = 0; i < nblocks; i++, dest += dest_stride, src += src_stride)        \
    memcpy(dest, src, sizeof(type))
    switch (block_nbytes) {
    case 2:
        COPY_AS(uint16_t);
        break;
    case 4:
        COPY_AS(uint32_t);
        break;
    case 8:
        COPY_AS(uint64_t);
        break;
    default:
        for (size_t i = 0; i < nblocks; i++, dest += dest_stride, src += src_stride)
            memcpy(dest, src, block_nbytes);
    }
#undef COPY_AS
}

static size_t blocks_per_message(size_t block_nbytes, size_t nblocks)
{
    size_t fit = CW_STRIDED_PAYLOAD / block_nbytes;
    return fit < nblocks ? fit : nblocks;
}

static void put_packed(cw_ctx_t *ctx, cwt_target_t *t, char *dest, const char *src,
                       ptrdiff_t dest_stride, ptrdiff_t src_stride, size_t block_nbytes,
                       size_t nblocks, int pe)
{
    union {
        cw_req_strided_t req;
        char bytes[CWT_MESSAGE_MAX];
    } m;
    while (nblocks) {
        size_t n = blocks_per_message(block_nbytes, nblocks);
        m.req = (cw_req_strided_t){.header = {.op = CW_REQ_PUT_STRIDED},
                                   .offset = (uintptr_t)dest + t->offset,
                                   .stride = dest_stride,
                                   .block_nbytes = (uint32_t)block_nbytes,
                                   .nblocks = (uint32_t)n};
        copy_blocks(m.bytes + sizeof m.req, src, (ptrdiff_t)block_nbytes, src_stride, block_nbytes,
                    n);
        cw_must(
            cw_transport->request(t->conn, &m.req.header, sizeof m.req + n * block_nbytes, NULL),
            "strided put", pe);
        dest += (ptrdiff_t)n * dest_stride;
        src += (ptrdiff_t)n * src_stride;
        nblocks -= n;
    }
    cw_ctx_mark(ctx);
}

/** One packed answer, and where its blocks go. */
typedef struct gather {
    cwt_reply_t reply;  // first: `arrived` gets its address
    char *dest;
    ptrdiff_t dest_stride;
    size_t block_nbytes, nblocks;
    int pe;
} gather_t;

static void gather_arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    gather_t *g = (gather_t *)reply;
    if (nbytes != g->block_nbytes * g->nblocks)
        cwu_fatal("strided get: %zu bytes came from PE %d instead of %zu", nbytes, g->pe,
                  g->block_nbytes * g->nblocks);
    copy_blocks(g->dest, payload, g->dest_stride, (ptrdiff_t)g->block_nbytes, g->block_nbytes,
                g->nblocks);
}

static void get_packed(cw_ctx_t *ctx, cwt_target_t *t, char *dest, const char *src,
                       ptrdiff_t dest_stride, ptrdiff_t src_stride, size_t block_nbytes,
                       size_t nblocks, int pe)
{
    gather_t ring[GETS_IN_FLIGHT];
    size_t sent = 0, done = 0;
    while (nblocks || done < sent) {
        if (nblocks && sent - done < GETS_IN_FLIGHT) {
            gather_t *g = &ring[sent++ % GETS_IN_FLIGHT];
            size_t n = blocks_per_message(block_nbytes, nblocks);
            *g = (gather_t){.reply = {.arrived = gather_arrived},
                            .dest = dest,
                            .dest_stride = dest_stride,
                            .block_nbytes = block_nbytes,
                            .nblocks = n,
                            .pe = pe};
            cw_req_strided_t req = {.header = {.op = CW_REQ_GET_STRIDED},
                                    .offset = (uintptr_t)src + t->offset,
                                    .stride = src_stride,
                                    .block_nbytes = (uint32_t)block_nbytes,
                                    .nblocks = (uint32_t)n};
            cw_must(cw_transport->request(t->conn, &req.header, sizeof req, &g->reply),
                    "strided get", pe);
            dest += (ptrdiff_t)n * dest_stride;
            src += (ptrdiff_t)n * src_stride;
            nblocks -= n;
        } else {
            cw_must(cw_transport->wait(ctx->port->client, &ring[done++ % GETS_IN_FLIGHT].reply),
                    "strided get", pe);
        }
    }
}

static size_t extent(ptrdiff_t stride, size_t block_nbytes, size_t nblocks)
{
    return nblocks && stride > 0 ? (size_t)stride * (nblocks - 1) + block_nbytes : block_nbytes;
}

/** The whole extent is checked, the payload is counted. */
static cw_frame_t *watch(cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         ptrdiff_t stride, size_t block_nbytes, size_t nblocks, int rank)
{
    cw_frame_t *frame =
        cw_ctx_watch(ctx, op, symmetric, local, extent(stride, block_nbytes, nblocks), rank);
    if (frame)
        frame->nbytes = block_nbytes * nblocks;
    return frame;
}

void cw_put_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank)
{
    uintptr_t delta = cw_peer_word(ctx, rank);
    if (nblocks == 0 || block_nbytes == 0)
        return;
    if (cw_word_is_local(delta)) {
        copy_blocks(cw_local_address(delta, dest), src, dest_stride, src_stride, block_nbytes,
                    nblocks);
        cw_ctx_stored(ctx, rank);
        return;
    }
    CW_WATCH(watch(ctx, CW_OP_PUT_STRIDED, dest, src, dest_stride, block_nbytes, nblocks, rank));
    if (block_nbytes >= DIRECT_BLOCK) {
        for (size_t i = 0; i < nblocks; i++)
            cw_put(ctx, (char *)dest + (ptrdiff_t)i * dest_stride,
                   (const char *)src + (ptrdiff_t)i * src_stride, block_nbytes, rank);
        return;
    }
    cwt_target_t *t = cw_reach(ctx, "strided put", dest, extent(dest_stride, block_nbytes, nblocks),
                               rank, &delta);
    if (t) {
        if (cw_batch_is_on(ctx))
            cw_batch_pass(ctx, rank);
        put_packed(ctx, t, dest, src, dest_stride, src_stride, block_nbytes, nblocks,
                   cw_ctx_pe(ctx, rank));
    } else {
        copy_blocks((char *)dest + delta, src, dest_stride, src_stride, block_nbytes, nblocks);
        cw_ctx_stored(ctx, rank);
    }
}

void cw_get_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank)
{
    uintptr_t delta = cw_peer_word(ctx, rank);
    if (nblocks == 0 || block_nbytes == 0)
        return;
    if (cw_word_is_local(delta)) {
        copy_blocks(dest, cw_local_address(delta, src), dest_stride, src_stride, block_nbytes,
                    nblocks);
        cw_get_done();
        return;
    }
    CW_WATCH(watch(ctx, CW_OP_GET_STRIDED, src, dest, src_stride, block_nbytes, nblocks, rank));
    if (block_nbytes >= DIRECT_BLOCK) {
        for (size_t i = 0; i < nblocks; i++)
            cw_get(ctx, (char *)dest + (ptrdiff_t)i * dest_stride,
                   (const char *)src + (ptrdiff_t)i * src_stride, block_nbytes, rank);
        return;
    }
    cwt_target_t *t =
        cw_reach(ctx, "strided get", src, extent(src_stride, block_nbytes, nblocks), rank, &delta);
    if (t) {
        if (cw_batch_is_on(ctx))
            cw_batch_pass(ctx, rank);
        get_packed(ctx, t, dest, src, dest_stride, src_stride, block_nbytes, nblocks,
                   cw_ctx_pe(ctx, rank));
    } else {
        copy_blocks(dest, (const char *)src + delta, dest_stride, src_stride, block_nbytes,
                    nblocks);
        cw_get_done();
    }
}
