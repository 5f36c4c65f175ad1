// SPDX-License-Identifier: BSD-3-Clause
//
// Executes requests on the node object. The bytes come from the network: offsets, sizes and counts
// are checked against the object before anything is touched; a request that does not fit is dropped
// and said so once.
#include "core/server/request.h"

#include <string.h>

#include "core/am/am_private.h"
#include "core/mem/segment.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "core/server/server.h"

bool cw_request_in_bounds(uint64_t offset, uint64_t nbytes, uint32_t *slot_p)
{
    const cwt_layout_t *l = &cw_segment.layout;
    if (offset < l->slice_offset)
        return false;
    uint64_t slot = (offset - l->slice_offset) / l->slice_stride;
    uint64_t at = (offset - l->slice_offset) % l->slice_stride;
    if (slot >= l->nslots)
        return false;
    *slot_p = (uint32_t)slot;
    if (at < l->data_nbytes)
        return nbytes <= l->data_nbytes - at;
    return at >= l->heap_offset && at - l->heap_offset < l->heap_nbytes &&
           nbytes <= l->heap_nbytes - (at - l->heap_offset);
}

static void refuse(const char *what, const cwt_header_t *msg)
{
    static _Atomic int told;
    if (!atomic_exchange(&told, 1))
        cwu_warn("dropped a malformed %s request (op %u, %u bytes) that came over the network",
                 what, msg->op, msg->nbytes);
}

static void wake(uint32_t slot)
{
    cw_local_stored(cw_world.pes_of_node[slot]);
}

static void execute_amo(cwt_from_t *from, const cw_req_amo_t *req, size_t nbytes)
{
    uint32_t slot;
    if (nbytes != sizeof *req || (req->nbytes != 4 && req->nbytes != 8) ||
        req->offset % req->nbytes || req->op >= CW_AMO_OPS ||
        !cw_request_in_bounds(req->offset, req->nbytes, &slot)) {
        refuse("atomic", &req->header);
        return;
    }
    uint64_t old = cw_amo_local(cw_segment.base + req->offset, (cw_amo_op_t)req->op, req->nbytes,
                                req->operand, req->compare);
    if (req->header.reply_id)
        cw_transport->server_reply(from, &old, sizeof old);
    if (req->op != CW_AMO_FETCH)
        wake(slot);
}

/** Does all from the first block to the last lie in one part of one slot? */
static bool strided_fits(const cw_req_strided_t *req, uint64_t payload_limit, uint32_t *slot_p)
{
    uint64_t payload = (uint64_t)req->block_nbytes * req->nblocks;
    int64_t span;
    if (req->nblocks == 0 || req->block_nbytes == 0 || payload > payload_limit ||
        __builtin_mul_overflow(req->stride, (int64_t)req->nblocks - 1, &span))
        return false;
    uint64_t length = span < 0 ? -(uint64_t)span : (uint64_t)span;
    return length < cw_segment.nbytes && (span > 0 || req->offset >= length) &&
           cw_request_in_bounds(span < 0 ? req->offset - length : req->offset,
                                length + req->block_nbytes, slot_p);
}

static void execute_put_strided(const cw_req_strided_t *req, size_t nbytes)
{
    uint32_t slot;
    if (nbytes < sizeof *req || !strided_fits(req, nbytes - sizeof *req, &slot)) {
        refuse("strided put", &req->header);
        return;
    }
    const char *payload = (const char *)(req + 1);
    char *at = cw_segment.base + req->offset;
    for (uint32_t i = 0; i < req->nblocks; i++, at += req->stride, payload += req->block_nbytes)
        cw_copy(at, payload, req->block_nbytes);
    atomic_thread_fence(memory_order_release);  // before the puts that the provider stores next
    wake(slot);
}

static void execute_get_strided(cwt_from_t *from, const cw_req_strided_t *req, size_t nbytes)
{
    uint32_t slot;
    char payload[CW_STRIDED_PAYLOAD];
    if (nbytes != sizeof *req || req->header.reply_id == 0 ||
        !strided_fits(req, sizeof payload, &slot)) {
        refuse("strided get", &req->header);
        return;
    }
    const char *at = cw_segment.base + req->offset;
    char *out = payload;
    for (uint32_t i = 0; i < req->nblocks; i++, at += req->stride, out += req->block_nbytes)
        memcpy(out, at, req->block_nbytes);
    cw_transport->server_reply(from, payload, (size_t)(out - payload));
}

static void execute_get_pieces(cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const uint64_t *word = (const uint64_t *)(const void *)(msg + 1);
    size_t n = (nbytes - sizeof *msg) / sizeof *word, done = 0;
    char payload[CW_PIECES_PAYLOAD];
    uint32_t slot;
    bool good = msg->reply_id != 0 && nbytes % sizeof *word == 0 && n > 0;
    for (size_t i = 0; i < n && good; i++) {
        uint64_t offset = word[i] & CW_BATCH_OFFSET_MAX, piece = word[i] >> 48;
        good = piece > 0 && piece <= sizeof payload - done &&
               cw_request_in_bounds(offset, piece, &slot);
        if (good)
            cw_copy(payload + done, cw_segment.base + offset, piece);
        done += piece;
    }
    if (!good) {
        refuse("get", msg);
        return;
    }
    cw_transport->server_reply(from, payload, done);
}

static void execute_fill(const cw_req_fill_t *req, size_t nbytes)
{
    uint32_t slot;
    if (nbytes != sizeof *req || req->nbytes == 0 ||
        !cw_request_in_bounds(req->offset, req->nbytes, &slot)) {
        refuse("memset", &req->header);
        return;
    }
    memset(cw_segment.base + req->offset, (int)(req->value & 0xff), req->nbytes);
    atomic_thread_fence(memory_order_release);  // before the puts that the provider stores next
    wake(slot);
}

static bool batched_amo(char *at, unsigned op, size_t nbytes, const uint64_t *payload)
{
    if ((nbytes != 4 && nbytes != 8) || (uintptr_t)at % nbytes || op == CW_AMO_FETCH ||
        op > CW_AMO_XOR)
        return false;
    cw_amo_local(at, (cw_amo_op_t)op, nbytes, *payload, 0);
    return true;
}

/** Whole words of the sizes that programs wait for are stored at once. */
static void batched_put(char *at, size_t nbytes, const uint64_t *payload)
{
    if ((nbytes == 8 || nbytes == 4 || nbytes == 2 || nbytes == 1) && (uintptr_t)at % nbytes == 0)
        cw_store_bits(at, *payload, nbytes);
    else
        memcpy(at, payload, nbytes);
}

static bool batched_record(const uint64_t *record, size_t nwords)
{
    uint64_t offset = *record & CW_BATCH_OFFSET_MAX;
    unsigned kind = (unsigned)(*record >> 48) & 0xff;
    size_t nbytes = (size_t)(*record >> 56);
    uint32_t slot;
    if (nbytes == 0 || nwords < 1 + (nbytes + 7) / 8 ||
        !cw_request_in_bounds(offset, nbytes, &slot))
        return false;
    char *at = cw_segment.base + offset;
    if (kind == CW_BATCH_PUT)
        batched_put(at, nbytes, record + 1);
    else if (!batched_amo(at, kind - CW_BATCH_AMO, nbytes, record + 1))
        return false;
    wake(slot);
    return true;
}

static void execute_batch(const cw_req_batch_t *req, size_t nbytes)
{
    const uint64_t *at = (const uint64_t *)(const void *)(req + 1);
    size_t left = (nbytes - sizeof *req) / sizeof *at;
    while (left > 0) {
        if (!batched_record(at, left)) {
            refuse("batch", &req->header);
            break;
        }
        size_t words = 1 + ((*at >> 56) + 7) / 8;
        at += words;
        left -= words;
    }
    atomic_thread_fence(memory_order_release);  // before what a later message stores
}

void cw_request_execute(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    (void)arg;
    atomic_thread_fence(memory_order_release);  // behind the puts that the provider stored
    switch (msg->op) {
    case CW_REQ_AMO:
        execute_amo(from, (const cw_req_amo_t *)(const void *)msg, nbytes);
        break;
    case CW_REQ_PUT_STRIDED:
        execute_put_strided((const cw_req_strided_t *)(const void *)msg, nbytes);
        break;
    case CW_REQ_GET_STRIDED:
        execute_get_strided(from, (const cw_req_strided_t *)(const void *)msg, nbytes);
        break;
    case CW_REQ_GET_PIECES:
        execute_get_pieces(from, msg, nbytes);
        break;
    case CW_REQ_FILL:
        execute_fill((const cw_req_fill_t *)(const void *)msg, nbytes);
        break;
    case CW_REQ_BATCH:
        execute_batch((const cw_req_batch_t *)(const void *)msg, nbytes);
        break;
    case CW_REQ_AM:
    case CW_REQ_AM_SHORT:
    case CW_REQ_AM_REPLY:
    case CW_REQ_AM_DONE:
        if (!cw_am_arrived(from, msg, nbytes))
            refuse("message", msg);
        break;
    default:
        refuse("unknown", msg);
    }
}
