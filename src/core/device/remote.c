// SPDX-License-Identifier: BSD-3-Clause
//
// The wire format, the server's part, and the sender's.
#include "core/device/remote.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/bulk/stage.h"
#include "core/device/copy.h"
#include "core/device/part.h"
#include "core/path/bundle.h"
#include "core/rma/amo.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"
#include "core/server/server.h"

enum { READ, WRITE, AMO, ASK, END };  // kinds of requests

//  0 header | 24 kind | 28 slot | 32 offset | 40 stride | 48 nbytes | 52 n | 56 operand |
//  64 compare | 72 op | 76 part | 80 payload of a WRITE
// replies: READ, n * nbytes of payload; AMO, if wanted, the old value, 8 bytes; ASK, 8 bytes, not 0
// if the server reaches the part; END, 8 bytes
typedef struct request {
    cwt_header_t header;
    uint32_t kind;
    uint32_t slot;    // of the PE, in its node
    uint64_t offset;  // in its slice or part, of row 0
    int64_t stride;   // bytes from row to row
    uint32_t nbytes;  // of a row
    uint32_t n;       // rows
    uint64_t operand, compare;
    uint32_t op;    // cw_amo_op_t
    uint32_t part;  // its name; 0: the slice
} request_t;
_Static_assert(sizeof(request_t) == 80, "wire format");

enum {
    WRITE_MOST = CW_MESSAGE_MAX - sizeof(request_t),
    READ_MOST = CW_MESSAGE_MAX - sizeof(cwt_header_t),
    READS = 4  // replies under way
};

// ---------------------------------------------------------------- what a server does
/** The slice's or part's begin here. NULL: there is none. */
static char *area_of(const request_t *req, uint64_t *nbytes_p)
{
    if (req->slot >= (uint32_t)cw_world.nslots)
        return NULL;
    if (req->part)
        return cw_device_part_here(true, (int)req->slot, req->part, nbytes_p);
    *nbytes_p = cw_device_heap.stride;
    return cw_device_heap.vendor ? cw_device_slice((int)req->slot) : NULL;
}

/** Of row 0. NULL: not all rows lie in the area, or their bytes in `room`. */
static char *place_of(const request_t *req, size_t room)
{
    uint64_t most;
    char *area = area_of(req, &most);
    if (!area || req->nbytes == 0 || req->n == 0 || req->nbytes > room / req->n ||
        req->offset >= most || req->nbytes > most - req->offset || most > INT64_MAX / 2)
        return NULL;
    if (req->stride <= -(int64_t)most || req->stride >= (int64_t)most)
        return req->n == 1 ? area + req->offset : NULL;
    int64_t last;
    if (__builtin_mul_overflow(req->stride, (int64_t)(req->n - 1), &last) ||
        __builtin_add_overflow(last, (int64_t)req->offset, &last) || last < 0 ||
        (uint64_t)last > most - req->nbytes)
        return NULL;
    return area + req->offset;
}

static void write_rows(const request_t *req, char *place, const void *payload)
{
    const cw_rows_t rows = {.dest = (uintptr_t)place,
                            .src = (uintptr_t)payload,
                            .dest_stride = req->stride,
                            .src_stride = (ptrdiff_t)req->nbytes,
                            .nbytes = req->nbytes,
                            .n = req->n};
    cw_device_copy_rows(&rows);
}

static void read_rows(const request_t *req, char *place, void *payload)
{
    const cw_rows_t rows = {.dest = (uintptr_t)payload,
                            .src = (uintptr_t)place,
                            .dest_stride = (ptrdiff_t)req->nbytes,
                            .src_stride = req->stride,
                            .nbytes = req->nbytes,
                            .n = req->n};
    cw_device_copy_rows(&rows);
}

static bool execute_amo(cw_from_t *from, const request_t *req)
{
    if ((req->nbytes != 4 && req->nbytes != 8) || req->part || !place_of(req, req->nbytes) ||
        req->offset % req->nbytes || req->op >= CW_AMO_OPS)
        return false;
    uint64_t old = cw_device_amo((int)req->slot, req->offset, req->op, req->nbytes, req->operand,
                                 req->compare);
    if (from->awaits_reply)
        cw_server_reply(from, &old, sizeof old);
    return true;
}

static bool execute_ask(cw_from_t *from, const request_t *req)
{
    uint64_t nbytes, reaches = req->part && area_of(req, &nbytes);
    if (!from->awaits_reply)
        return false;
    cw_server_reply(from, &reaches, sizeof reaches);
    return true;
}

static bool execute_end(cw_from_t *from, const request_t *req)
{
    const uint64_t ended = 1;
    if (!from->awaits_reply || !req->part || req->slot >= (uint32_t)cw_world.nslots)
        return false;
    cw_device_server_forget((int)req->slot, req->part);
    cw_server_reply(from, &ended, sizeof ended);
    return true;
}

static bool execute(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    request_t req;
    char *place;
    if (nbytes < sizeof req)
        return false;
    memcpy(&req, msg, sizeof req);  // of a cell, which others may write: what is checked is used
    if (req.kind == AMO)
        return execute_amo(from, &req);
    if (req.kind == ASK)
        return execute_ask(from, &req);
    if (req.kind == END)
        return execute_end(from, &req);
    if (req.kind == WRITE && !from->awaits_reply && (place = place_of(&req, nbytes - sizeof req))) {
        write_rows(&req, place, (const char *)msg + sizeof req);
        return true;
    }
    if (req.kind != READ || !from->awaits_reply)
        return false;
    if (!(place = place_of(&req, READ_MOST))) {
        cw_server_reply(from, NULL, 0);  // the sender ends the job, instead of waiting for ever
        return true;
    }
    read_rows(&req, place, cw_server_room);
    cw_server_reply(from, cw_server_room, (size_t)req.n * req.nbytes);
    return true;
}

/** Bytes of a staged get; 0: it is malformed. */
static size_t gather(const cwt_header_t *msg, size_t nbytes, char *out, size_t room)
{
    request_t req;
    char *place;
    if (nbytes != sizeof req)
        return 0;
    memcpy(&req, msg, sizeof req);
    if (req.kind != READ || !(place = place_of(&req, room)))
        return 0;
    read_rows(&req, place, out);
    return (size_t)req.n * req.nbytes;
}

void cw_device_serve(void)
{
    cw_server_handle(CW_REQ_DEVICE, "device memory", execute);
    cw_server_handle_gather(CW_REQ_DEVICE, gather);
}

// ---------------------------------------------------------------- parts
/** The first rows that fit into `room` bytes, or the begin of a longer row. */
static cw_device_rows_there_t split(cw_device_rows_there_t *b, size_t room)
{
    cw_device_rows_there_t first = *b;
    if (b->nbytes > room) {  // a row alone: put_there and get_there see to it
        first.nbytes = room;
        b->nbytes -= room;
        b->there += room;
        b->here += room;
        return first;
    }
    first.n = room / b->nbytes < b->n ? room / b->nbytes : b->n;
    b->n -= first.n;
    b->there += first.n * (uint64_t)b->there_stride;
    b->here += (ptrdiff_t)first.n * b->here_stride;
    return first;
}

static request_t request_for(uint32_t kind, const cw_device_rows_there_t *part, int slot)
{
    return (request_t){.header = {.op = CW_REQ_DEVICE},
                       .kind = kind,
                       .slot = (uint32_t)slot,
                       .offset = part->there,
                       .stride = part->there_stride,
                       .nbytes = (uint32_t)part->nbytes,
                       .n = (uint32_t)part->n,
                       .part = part->part};
}

/** Between `here` and packed host memory. */
static void pack(const cw_device_rows_there_t *part, char *packed, bool unpacks)
{
    cw_rows_t rows = {.dest = unpacks ? (uintptr_t)part->here : (uintptr_t)packed,
                      .src = unpacks ? (uintptr_t)packed : (uintptr_t)part->here,
                      .dest_stride = unpacks ? part->here_stride : (ptrdiff_t)part->nbytes,
                      .src_stride = unpacks ? (ptrdiff_t)part->nbytes : part->here_stride,
                      .nbytes = part->nbytes,
                      .n = part->n};
    cw_device_copy_rows(&rows);
}

// ---------------------------------------------------------------- what a PE sends
static const char put_name[] = "put to device memory", get_name[] = "get of device memory";

static int slot_of(const cw_ctx_t *ctx, int rank)
{
    return cw_world.slot_of_pe[cw_ctx_pe(ctx, rank)];
}

/** Behind what is collected for that PE. */
static const cwt_target_t *reach(cw_ctx_t *ctx, const char *call, int rank)
{
    uintptr_t delta;
    cw_batch_pass(ctx, rank);
    cw_bundles_pause(CW_BUNDLE_ORDER);
    return cw_request_reach(ctx, call, rank, &delta);
}

static void send(cw_ctx_t *ctx, const char *call, int rank, const cwt_target_t *t,
                 cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    cw_ctx_must(cw_ctx_request_send(ctx, rank, t->conn, msg, nbytes, reply), call, ctx, rank);
    cw_ctx_mark(ctx);
}

/** The NIC's atomics would pass a request. */
static void order_nic(cw_ctx_t *ctx)
{
    if (cw_world.nic_atomics)
        cw_quiet(ctx);
}

static void put_part(cw_ctx_t *ctx, cw_device_rows_there_t b, int rank)
{
    struct {
        request_t req;
        char payload[WRITE_MOST];
    } message;
    cw_stage_t stage;
    const int slot = slot_of(ctx, rank);
    const cwt_target_t *t = reach(ctx, put_name, rank);
    if (cw_stage_begin(&stage, ctx, rank, t, b.nbytes * b.n, put_name)) {
        while (b.n > 0 && b.nbytes > 0) {
            char *body = cw_stage_body(&stage);
            cw_device_rows_there_t part = split(&b, stage.room - sizeof(request_t));
            request_t req = request_for(WRITE, &part, slot);
            memcpy(body, &req, sizeof req);
            pack(&part, body + sizeof req, false);
            cw_stage_send(&stage, sizeof req + part.n * part.nbytes);
        }
        cw_stage_end(&stage);
        return;
    }
    while (b.n > 0 && b.nbytes > 0) {
        cw_device_rows_there_t part = split(&b, WRITE_MOST);
        message.req = request_for(WRITE, &part, slot);
        pack(&part, message.payload, false);
        send(ctx, put_name, rank, t, &message.req.header, sizeof message.req + part.n * part.nbytes,
             NULL);
    }
}

static bool get_staged(cw_ctx_t *ctx, cw_device_rows_there_t b, int rank, const cwt_target_t *t)
{
    cw_stage_t stage;
    cw_device_rows_there_t to = b, part;
    if (!cw_stage_begin(&stage, ctx, rank, t, b.nbytes * b.n, get_name))
        return false;
    const size_t room = stage.room - sizeof(request_t);
    while (to.n > 0 && to.nbytes > 0) {
        if (b.n > 0 && b.nbytes > 0 && stage.asked < stage.n) {
            part = split(&b, room);
            request_t req = request_for(READ, &part, slot_of(ctx, rank));
            cw_stage_ask(&stage, &req.header, sizeof req, part.n * part.nbytes);
        } else {
            part = split(&to, room);
            pack(&part, (char *)(uintptr_t)cw_stage_take(&stage), true);
        }
    }
    cw_stage_end(&stage);
    return true;
}

/** A reply under way, and where its bytes go. */
typedef struct read {
    cwt_reply_t reply;
    cw_device_rows_there_t to;
    char payload[READ_MOST];
} read_t;

static void take_in(cw_ctx_t *ctx, read_t *r, int rank)
{
    cw_ctx_must(cw_request_wait(ctx, &r->reply), get_name, ctx, rank);
    if (r->reply.nbytes != r->to.n * r->to.nbytes)
        cwu_fatal("get of device memory: %zu bytes came from PE %d instead of %zu; has it given up "
                  "that memory?",
                  r->reply.nbytes, cw_ctx_pe(ctx, rank), r->to.n * r->to.nbytes);
    pack(&r->to, r->payload, true);
}

static void get_part(cw_ctx_t *ctx, cw_device_rows_there_t b, int rank)
{
    const cwt_target_t *t = reach(ctx, get_name, rank);
    if (get_staged(ctx, b, rank, t))
        return;
    read_t *ring = malloc(READS * sizeof *ring);
    if (!ring)
        cwu_fatal("%s: out of memory for replies", get_name);
    size_t sent = 0, done = 0;
    while ((b.n > 0 && b.nbytes > 0) || done < sent) {
        if (b.n == 0 || b.nbytes == 0 || sent - done == READS) {
            take_in(ctx, &ring[done++ % READS], rank);
            continue;
        }
        read_t *r = &ring[sent++ % READS];
        r->to = split(&b, READ_MOST);
        r->reply = (cwt_reply_t){.buf = r->payload, .capacity = r->to.n * r->to.nbytes};
        request_t req = request_for(READ, &r->to, slot_of(ctx, rank));
        send(ctx, get_name, rank, t, &req.header, sizeof req, &r->reply);
    }
    free(ring);
}

/** Rows longer than a message go one by one, as parts are of one row then. */
static void in_parts(cw_ctx_t *ctx, cw_device_rows_there_t b, int rank,
                     void (*move)(cw_ctx_t *, cw_device_rows_there_t, int))
{
    const bool alone = b.n > 1 && b.nbytes > WRITE_MOST / 2;
    if (b.nbytes == 0)
        return;
    for (size_t i = 0, n = alone ? b.n : 1; i < n; i++) {
        cw_device_rows_there_t one = b;
        if (alone) {
            one.n = 1;
            one.there += i * (uint64_t)b.there_stride;
            one.here += (ptrdiff_t)i * b.here_stride;
        }
        move(ctx, one, rank);
    }
}

void cw_device_put_there(cw_ctx_t *ctx, cw_device_rows_there_t rows, int rank)
{
    in_parts(ctx, rows, rank, put_part);
    order_nic(ctx);
}

void cw_device_get_there(cw_ctx_t *ctx, cw_device_rows_there_t rows, int rank)
{
    in_parts(ctx, rows, rank, get_part);
}

void cw_device_amo_there(cw_ctx_t *ctx, const cw_foreign_amo_t *amo, uint64_t offset, int rank,
                         uint64_t *old_p)
{
    static const char call[] = "atomic on device memory";
    uint64_t old = 0;
    cwt_reply_t reply = {.buf = &old, .capacity = sizeof old};
    request_t req = {.header = {.op = CW_REQ_DEVICE},
                     .kind = AMO,
                     .slot = (uint32_t)slot_of(ctx, rank),
                     .offset = offset,
                     .nbytes = (uint32_t)amo->nbytes,
                     .n = 1,
                     .operand = amo->operand,
                     .compare = amo->compare,
                     .op = amo->op};
    const cwt_target_t *t = reach(ctx, call, rank);
    send(ctx, call, rank, t, &req.header, sizeof req, old_p ? &reply : NULL);
    if (!old_p)
        return;
    cw_ctx_must(cw_request_wait(ctx, &reply), call, ctx, rank);
    *old_p = old;
}

/** Asks a PE's server about a part, and waits for the answer. */
static uint64_t ask(uint32_t kind, const char *call, int pe, uint32_t part)
{
    uint64_t word = 0;
    cwt_reply_t reply = {.buf = &word, .capacity = sizeof word};
    request_t req = {.header = {.op = CW_REQ_DEVICE},
                     .kind = kind,
                     .slot = (uint32_t)slot_of(&cw_ctx_default, pe),
                     .part = part};
    const cwt_target_t *t = reach(&cw_ctx_default, call, pe);
    send(&cw_ctx_default, call, pe, t, &req.header, sizeof req, &reply);
    cw_ctx_must(cw_request_wait(&cw_ctx_default, &reply), call, &cw_ctx_default, pe);
    return word;
}

bool cw_device_asks(const char *call, int pe, uint32_t part)
{
    return ask(ASK, call, pe, part) != 0;
}

void cw_device_ends(int pe, uint32_t part)
{
    ask(END, "end of device memory", pe, part);
}
