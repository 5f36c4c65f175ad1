// SPDX-License-Identifier: BSD-3-Clause
//
// Puts travel as records that the server executes. A get sends addresses and receives their bytes
// in one reply, scattered on arrival; staged, the server gathers them in a cell.
#include "core/bulk/pieces.h"

#include "core/path/scatter.h"
#include "core/port/ctx.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"
#include "core/route/request.h"

static const char *name_of(const cw_pieces_t *p)
{
    return p->put ? "put of pieces" : "get of pieces";
}

static void send_message(cw_pieces_t *p)
{
    cwt_header_t *header = (cwt_header_t *)(void *)p->message;
    *header = (cwt_header_t){.op = p->put ? CW_REQ_PUT_PIECES : CW_REQ_GET_PIECES};
    cw_scatter_t *reply = p->reply;
    p->reply = NULL;
    cw_ctx_must(cw_ctx_request_send(p->ctx, p->rank, p->target->conn, header, p->nbytes,
                                    reply ? &reply->reply : NULL),
                name_of(p), p->ctx, p->rank);
    cw_ctx_mark(p->ctx);
    p->nbytes = sizeof *header;
}

static void send_body(cw_pieces_t *p)
{
    cwt_header_t *header = (cwt_header_t *)(void *)p->body;
    *header = (cwt_header_t){.op = CW_REQ_PUT_PIECES};
    cw_stage_send(&p->stage, p->nbytes);
    p->nbytes = sizeof *header;
}

static void take_part(cw_pieces_t *p)
{
    cw_scatter_t *reply = p->asked[p->first];
    p->first = (p->first + 1) % CW_CELLS_MOST;
    size_t nbytes = reply->reply.capacity;
    cw_scatter_take(reply, cw_stage_take(&p->stage), nbytes);
}

/** Asks for a part of a staged get. */
static void ask(cw_pieces_t *p)
{
    cwt_header_t *header = (cwt_header_t *)(void *)p->body;
    *header = (cwt_header_t){.op = CW_REQ_GET_PIECES};
    p->asked[(p->first + p->stage.asked) % CW_CELLS_MOST] = p->reply;
    cw_stage_ask(&p->stage, header, p->nbytes, p->reply->reply.capacity);
    p->reply = NULL;
    p->nbytes = sizeof *header;
    if (p->stage.asked == p->stage.n)  // a cell for the next one
        take_part(p);
}

static void send_filled(cw_pieces_t *p)
{
    if (p->nbytes == sizeof(cwt_header_t))
        return;
    if (p->staged && !p->put)
        ask(p);
    else if (p->staged)
        send_body(p);
    else
        send_message(p);
}

size_t cw_pieces_most(bool put, size_t total)
{
    bool staged = cw_stage_pays(total) && (put || total >= CW_PIECES_GET_LEAST);
    return staged ? CW_STAGE_PIECE_MAX : CW_PIECE_MAX - 1;
}

void cw_pieces_begin(cw_pieces_t *p, cw_ctx_t *ctx, int rank, bool put, size_t total)
{
    p->ctx = ctx;
    p->rank = rank;
    p->put = put;
    p->total = total;
    p->most = cw_pieces_most(put, total);
    p->begun = false;
    p->staged = false;
    p->nbytes = sizeof(cwt_header_t);
    p->reply = NULL;
    p->first = 0;
}

void cw_pieces_end(cw_pieces_t *p)
{
    send_filled(p);
    while (p->staged && p->stage.asked > 0)
        take_part(p);
    if (p->staged)
        cw_stage_end(&p->stage);
}

/** Before the first piece: where do they go, and how do they travel? */
static CW_NOINLINE void begin(cw_pieces_t *p)
{
    const char *call = name_of(p);
    p->begun = true;
    cw_batch_pass(p->ctx, p->rank);
    p->target = cw_request_reach(p->ctx, call, p->rank, &p->delta);
    p->staged = p->target && p->most >= CW_PIECE_MAX &&
                cw_stage_begin(&p->stage, p->ctx, p->rank, p->target, p->total, call);
}

/** The word of the next record, with room behind it for *n_p bytes: some of nbytes. */
static uint64_t *next_record(cw_pieces_t *p, size_t nbytes, size_t *n_p)
{
    const size_t least = nbytes < 256 ? nbytes : 256;
    size_t room = p->staged ? p->stage.room : sizeof p->message;
    if (p->nbytes + sizeof(uint64_t) + (least + 7) / 8 * 8 > room)
        send_filled(p);
    if (p->staged && p->nbytes == sizeof(cwt_header_t))
        p->body = cw_stage_body(&p->stage);
    room = (room - p->nbytes - sizeof(uint64_t)) & ~(size_t)7;
    room = room < CW_PIECE_NBYTES_MAX ? room : CW_PIECE_NBYTES_MAX;
    *n_p = nbytes < room ? nbytes : room;
    return (p->staged ? p->body : p->message) + p->nbytes / sizeof(uint64_t);
}

static void add_put(cw_pieces_t *p, uint64_t offset, const char *src, size_t nbytes)
{
    for (size_t n; nbytes > 0; offset += n, src += n, nbytes -= n) {
        uint64_t *at = next_record(p, nbytes, &n);
        size_t words = 1 + (n + 7) / 8;
        at[words - 1] = 0;  // what pads the last word
        at[0] = CW_PIECE_WORD(offset, n);
        memcpy(at + 1, src, n);
        p->nbytes += words * sizeof *at;
    }
}

/** Bytes of a piece that the part or message still takes; 0: send it first. */
static size_t room_for(const cw_pieces_t *p, size_t nbytes)
{
    uint32_t most = p->staged ? CW_PIECES_OF_PART : CW_PIECES_OF_GET;
    size_t all = p->staged ? p->stage.room - p->nbytes - sizeof(uint64_t) - 64 : CW_PIECES_PAYLOAD;
    size_t done = p->reply->reply.capacity, room = done < all ? all - done : 0;
    room = room < CW_PIECE_NBYTES_MAX ? room : CW_PIECE_NBYTES_MAX;
    if (p->reply->n == most)
        return 0;
    return nbytes <= room ? nbytes : nbytes > CW_PIECES_PAYLOAD && room >= 256 ? room : 0;
}

/** False: no memory for a reply. */
static bool begin_reply(cw_pieces_t *p)
{
    uint32_t most = p->staged ? CW_PIECES_OF_PART : CW_PIECES_OF_GET;
    if (p->reply)
        return true;
    if (!(p->reply = cw_scatter_create(most, 1)))
        return false;
    if (p->staged)
        p->body = cw_stage_body(&p->stage);
    return true;
}

/** How many bytes it took; 0: no memory for a reply. */
static size_t add_get(cw_pieces_t *p, uint64_t offset, void *dest, size_t nbytes)
{
    size_t n = p->reply ? room_for(p, nbytes) : 0;
    if (n == 0) {
        send_filled(p);
        if (!begin_reply(p))
            return 0;
        n = room_for(p, nbytes);
    }
    (p->staged ? p->body : p->message)[p->nbytes / sizeof *p->message] = CW_PIECE_WORD(offset, n);
    p->nbytes += sizeof *p->message;
    cw_scatter_add(p->reply, dest, n);
    return n;
}

static void add_gets(cw_pieces_t *p, uint64_t offset, char *dest, char *symmetric, size_t nbytes)
{
    for (size_t n; nbytes > 0; offset += n, dest += n, symmetric += n, nbytes -= n)
        if ((n = add_get(p, offset, dest, nbytes)) == 0) {
            cw_get(p->ctx, dest, symmetric, nbytes, p->rank);
            return;
        }
}

/** To or from another node, beyond what a record can say. */
static CW_NOINLINE void move_alone(cw_pieces_t *p, void *dest, void *src, size_t nbytes)
{
    if (p->put)
        cw_put(p->ctx, dest, src, nbytes, p->rank);
    else
        cw_get(p->ctx, dest, src, nbytes, p->rank);
}

/** The PE is mapped here. */
static void copy_here(const cw_pieces_t *p, cw_rows_t r)
{
    *(p->put ? &r.dest : &r.src) += p->delta;
    cw_rows_copy(&r);
    if (p->put)
        cw_ctx_stored(p->ctx, p->rank);
    else
        cw_get_done();
}

void cw_pieces_add_rows(cw_pieces_t *p, const cw_rows_t *r)
{
    uintptr_t dest = r->dest, src = r->src;
    CW_WATCH(cw_rows_watch(p->ctx, p->put, r, p->rank));
    if (!p->begun)
        begin(p);
    if (!p->target) {
        copy_here(p, *r);
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        uint64_t offset = (p->put ? dest : src) + p->target->offset;
        if (CW_UNLIKELY(offset > CW_BATCH_OFFSET_MAX - r->nbytes))
            move_alone(p, (void *)dest, (void *)src, r->nbytes);
        else if (p->put)
            add_put(p, offset, (const char *)src, r->nbytes);
        else
            add_gets(p, offset, (char *)dest, (char *)src, r->nbytes);
        dest += (uintptr_t)r->dest_stride;
        src += (uintptr_t)r->src_stride;
    }
}
