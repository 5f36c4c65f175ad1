// SPDX-License-Identifier: BSD-3-Clause
//
// Updates of small elements: here, and as requests, which the target's node server executes.
#include "dart/update.h"

#include <string.h>

#include "core/bulk/stage.h"
#include "core/mem/segment.h"
#include "core/rma/batch.h"
#include "core/rma/send.h"
#include "core/server/server.h"
#include "dart/type.h"

//  0 header | 24 offset | 32 type | 36 op | 40 n | 44 pad | 48 values
// reply, if one is awaited, of one element: the old value, 8 bytes
typedef struct request {
    cwt_header_t header;
    uint64_t offset;  // of the first element in the target's node object
    uint32_t type, op, n, pad;
} request_t;
_Static_assert(sizeof(request_t) == 48, "wire format");

enum { VALUES_MOST = CW_MESSAGE_MAX - sizeof(request_t) };

// ---------------------------------------------------------------- mapped here
#define BY_SWAPPING(type_)                                                                     \
    static uint64_t swap_here_##type_(type_ *p, cw_reduce_fn fn, uint64_t operand)             \
    {                                                                                          \
        type_ old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                                 \
        do {                                                                                   \
            new = old;                                                                         \
            fn(&new, &operand, 1);                                                             \
        } while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_ACQ_REL,            \
                                              __ATOMIC_RELAXED));                              \
        return old;                                                                            \
    }
BY_SWAPPING(uint8_t)
BY_SWAPPING(uint16_t)
BY_SWAPPING(uint32_t)
BY_SWAPPING(uint64_t)

uint64_t drt_update_here(void *p, size_t nbytes, cw_reduce_fn fn, uint64_t operand)
{
    switch (nbytes) {
    case 1:
        return swap_here_uint8_t(p, fn, operand);
    case 2:
        return swap_here_uint16_t(p, fn, operand);
    case 4:
        return swap_here_uint32_t(p, fn, operand);
    default:
        return swap_here_uint64_t(p, fn, operand);
    }
}

/** All of them, one after the other; returns what the last one was. */
static uint64_t update_all(char *at, const char *values, size_t n, size_t each, cw_reduce_fn fn)
{
    uint64_t old = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t operand = 0;
        if (values)
            memcpy(&operand, values + i * each, each);  // little-endian
        old = drt_update_here(at + i * each, each, fn, operand);
    }
    return old;
}

// ---------------------------------------------------------------- by a node server
static bool execute(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    request_t req;
    uint32_t slot;
    if (nbytes < sizeof req)
        return false;
    memcpy(&req, msg, sizeof req);  // of a cell, which others may write: what is checked is used
    cw_reduce_fn fn = req.op == DART_OP_MINMAX ? NULL : drt_op_fn(req.type, req.op);
    const size_t each = fn ? drt_basic_nbytes[req.type] : 0;
    if (each == 0 || each > 8 || req.n == 0 || req.n > (nbytes - sizeof req) / each ||
        req.offset % each || !cw_request_in_bounds(req.offset, req.n * each, &slot) ||
        (from->awaits_reply && req.n != 1))
        return false;
    uint64_t old =
        update_all(cw_segment.base + req.offset, (const char *)msg + sizeof req, req.n, each, fn);
    if (from->awaits_reply)
        cw_server_reply(from, &old, sizeof old);
    if (req.op != DART_OP_NO_OP)
        cw_local_stored(cw_world.pes_of_node[slot]);
    return true;
}

void drt_updates_expect(void)
{
    cw_server_handle(CW_REQ_UPDATE, "update", execute);
}

// ---------------------------------------------------------------- requests to it
/** The record of the target; NULL: it is mapped here, at *delta_p (everything is observed). */
static const cwt_target_t *reach(const drt_bulk_t *b, uintptr_t *delta_p)
{
    cw_batch_pass(&cw_ctx_default, b->pe);
    return cw_request_reach(&cw_ctx_default, b->call, b->pe, delta_p);
}

static request_t request_for(const drt_bulk_t *b, const cwt_target_t *target, size_t done, size_t n)
{
    return (request_t){.header = {.op = CW_REQ_UPDATE},
                       .offset =
                           (uintptr_t)b->far + target->offset + done * drt_basic_nbytes[b->type],
                       .type = (uint32_t)b->type,
                       .op = (uint32_t)b->op,
                       .n = (uint32_t)n};
}

static void send(const drt_bulk_t *b, const cwt_target_t *target, cwt_header_t *msg, size_t nbytes,
                 cwt_reply_t *reply)
{
    cw_ctx_must(cw_request_send(cw_world.node_of_pe[b->pe], target->conn, msg, nbytes, reply),
                b->call, &cw_ctx_default, b->pe);
    cw_ctx_mark(&cw_ctx_default);
}

/** What fits behind a request: how many bytes, from element `done` on. */
static size_t fill_in(const drt_bulk_t *b, const cwt_target_t *target, size_t done, size_t room,
                      char *message)
{
    const size_t each = drt_basic_nbytes[b->type];
    size_t n = (room - sizeof(request_t)) / each;
    n = n < b->n - done ? n : b->n - done;
    request_t req = request_for(b, target, done, n);
    memcpy(message, &req, sizeof req);
    memcpy(message + sizeof req, (const char *)b->values + done * each, n * each);
    return sizeof req + n * each;
}

void drt_update_bulk(const drt_bulk_t *b)
{
    const size_t each = drt_basic_nbytes[b->type];
    uintptr_t delta;
    cw_stage_t stage;
    _Alignas(8) char message[CW_MESSAGE_MAX];
    const cwt_target_t *target = reach(b, &delta);
    if (!target) {
        update_all((char *)cw_local_address(delta, b->far), b->values, b->n, each,
                   drt_op_fn(b->type, b->op));
        cw_local_stored(b->pe);
        return;
    }
    const bool staged =
        cw_stage_begin(&stage, &cw_ctx_default, b->pe, target, b->n * each, b->call);
    for (size_t done = 0, nbytes; done < b->n; done += (nbytes - sizeof(request_t)) / each) {
        char *to = staged ? cw_stage_body(&stage) : message;
        nbytes = fill_in(b, target, done, staged ? stage.room : sizeof message, to);
        if (staged)
            cw_stage_send(&stage, nbytes);
        else
            send(b, target, (cwt_header_t *)(void *)message, nbytes, NULL);
    }
    if (staged)
        cw_stage_end(&stage);
}

uint64_t drt_update_fetching(const drt_bulk_t *b)
{
    struct {
        request_t req;
        uint64_t value;
    } message = {.value = 0};
    uint64_t old = 0;
    uintptr_t delta;
    const size_t each = drt_basic_nbytes[b->type];
    const cwt_target_t *target = reach(b, &delta);
    if (!target) {
        old = update_all((char *)cw_local_address(delta, b->far), b->values, 1, each,
                         drt_op_fn(b->type, b->op));
        cw_local_stored(b->pe);
        return old;
    }
    message.req = request_for(b, target, 0, 1);
    if (b->values)
        memcpy(&message.value, b->values, each);
    cwt_reply_t reply = {.buf = &old, .capacity = sizeof old};
    send(b, target, &message.req.header, sizeof message, &reply);
    cw_ctx_must(cw_request_wait(&cw_ctx_default, &reply), b->call, &cw_ctx_default, b->pe);
    return old;
}
