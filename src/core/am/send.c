// SPDX-License-Identifier: BSD-3-Clause
//
// Requests and replies: into the inbox of a PE of this node, else to the node's server. A request
// takes a token with a credit, then a cell, and polls while it waits for them. A reply has its room
// already.
#include <string.h>

#include "base/compiler.h"
#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/observe/watch.h"
#include "core/path/bundle.h"
#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/progress/wait.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"

// Steps of a request are inlined into each sender, where the kind is constant.

/** A message without its arguments. */
typedef struct out {
    int pe;
    uint32_t head, token;
    const uint32_t *args;
    const void *src;
    size_t nbytes;
    uint64_t dest;  // of a long: offset in the slice, or address (CW_AM_C_RAW)
    uint16_t flags;
    bool async;
} out_t;

static const char *name_of(const out_t *out)
{
    return cw_am_name(out->head, out->flags & CW_AM_C_REPLY,
                      (cw_am_kind_t)(out->flags & CW_AM_C_KIND));
}

// ---------------------------------------------------------------- observers

static CW_NOINLINE CW_COLD cw_frame_t *watch(const out_t *out)
{
    return cw_watch_message(name_of(out), out->nbytes, out->pe);
}

static CW_NOINLINE CW_COLD void notify_sent(const out_t *out)
{
    bool is_far = cw_world.node_of_pe[out->pe] != cw_world.node;
    cw_watch_message_sent(&(cw_message_t){.kind = (cw_message_kind_t)(out->flags & CW_AM_C_KIND),
                                          .is_reply = out->flags & CW_AM_C_REPLY,
                                          .is_routed = is_far && cw_routed_is_on(),
                                          .pe = out->pe,
                                          .nbytes = out->nbytes});
}

static CW_ALWAYS_INLINE void sent(const out_t *out)
{
    if (CW_UNLIKELY(!cw_world.plain))
        notify_sent(out);
}

// ---------------------------------------------------------------- wrong use

static CW_NOINLINE CW_COLD void refuse_request(const out_t *out)
{
    const char *name = name_of(out);
    if (!cw_am_is_on())
        cw_check_failed(name, "messages are not open in this PE (not attached, or detached)");
    if (out->pe < 0 || out->pe >= cw_world.npes)
        cw_check_failed(name, "there is no PE %d; this job has PEs 0 to %d", out->pe,
                        cw_world.npes - 1);
    if (cw_am_in_handler)
        cw_check_failed(name,
                        "a handler (%s of PE %d) may not send requests; let it note what is to be "
                        "sent, and send it "
                        "outside",
                        cw_am_in_handler->is_reply ? "of a reply" : "of a request",
                        cw_am_in_handler->source);
    cw_check_failed(name, "%u arguments; a message has at most %d", CW_AM_HEAD_NARGS(out->head),
                    CW_AM_MAX_ARGS);
}

static CW_NOINLINE CW_COLD void refuse_reply(const out_t *out, const cw_am_msg_t *msg)
{
    const char *name = name_of(out);
    if (msg != cw_am_in_handler)
        cw_check_failed(
            name, "the token is not that of the running handler; reply before the handler returns");
    if (msg->is_reply)
        cw_check_failed(name, "the handler of a reply (from PE %d) may not reply", msg->source);
    if (msg->replied)
        cw_check_failed(
            name, "the request of PE %d has been replied to; a handler sends at most one reply",
            msg->source);
    cw_check_failed(name, "%u arguments; a message has at most %d", CW_AM_HEAD_NARGS(out->head),
                    CW_AM_MAX_ARGS);
}

static CW_NOINLINE CW_COLD void refuse_nbytes(const out_t *out, size_t most)
{
    cw_check_failed(name_of(out), "a payload of %zu bytes to PE %d; at most %zu are possible",
                    out->nbytes, out->pe, most);
}

static noreturn CW_COLD void refuse_dest(const out_t *out, const void *dest)
{
    const char *call = name_of(out);
    cw_check_block(call, dest, out->nbytes);
    cw_check_failed(call, "%zu bytes at %s are not symmetric memory (destination at PE %d)",
                    out->nbytes, cw_at(dest, out->nbytes), out->pe);
}

/** Checks a payload's size and a long's destination. */
static CW_ALWAYS_INLINE void check_payload(out_t *out, void *dest, unsigned flags)
{
    bool whole = (out->flags & CW_AM_C_KIND) == CW_AM_LONG && !(flags & CW_AM_RAW);
    size_t most = whole ? CW_AM_MAX_LONG : cw_am_buffers.most;
    if (CW_UNLIKELY(out->nbytes > most))
        refuse_nbytes(out, most);
    if (!whole) {
        out->dest = (uintptr_t)dest;
        return;
    }
    if (CW_UNLIKELY(out->nbytes > 0 && !cw_is_symmetric(dest, out->nbytes)))
        refuse_dest(out, dest);
    out->dest = (uintptr_t)dest - cw_segment.origin;
}

// ---------------------------------------------------------------- within the node

static CW_ALWAYS_INLINE void copy_args(uint32_t *to, const uint32_t *from, uint32_t head)
{
    for (uint32_t i = 0, n = CW_AM_HEAD_NARGS(head); i < n; i++)
        to[i] = from[i];
}

static CW_ALWAYS_INLINE void fill_cell(cw_am_cell_t *cell, const out_t *out)
{
    cell->head = out->head;
    cell->source = cw_world.pe;
    cell->token = out->token;
    cell->nbytes = (uint32_t)out->nbytes;
    cell->flags = out->flags;
    copy_args(cell->args, out->args, out->head);
}

typedef struct room {
    cw_am_cell_t *cell;
    uint32_t full;
} room_t;

/** False: not now. */
static CW_ALWAYS_INLINE bool take_room(cw_am_inbox_t *inbox, room_t *room)
{
    room->cell = cw_am_take_request(inbox, &room->full);
    return room->cell != NULL;
}

static CW_NOINLINE void wait_room(cw_am_inbox_t *inbox, room_t *room, const out_t *out)
{
    cw_wait_t w = CW_WAIT_INIT(name_of(out));
    if (!cw_world.plain)
        cw_watch_message_waits(true);
    atomic_fetch_add(&inbox->blocked, 1);  // before the next attempt; pairs with the target's load
                                           // after making room
    while (!take_room(inbox, room))
        cw_wait_round(&w);
    atomic_fetch_sub_explicit(&inbox->blocked, 1, memory_order_relaxed);
    cw_wait_done(&w);
}

static CW_ALWAYS_INLINE bool fits_cell(const out_t *out)
{
    return out->nbytes <= CW_AM_INLINE_NBYTES && CW_AM_HEAD_NARGS(out->head) <= CW_AM_INLINE_ARGS;
}

/** Does the payload lie beside the cell, not where a long goes? */
static CW_ALWAYS_INLINE bool has_payload(const out_t *out)
{
    return (out->flags & CW_AM_C_KIND) == CW_AM_MEDIUM || (out->flags & CW_AM_C_RAW);
}

static void store_long(const out_t *out)
{
    uint32_t slot = (uint32_t)cw_world.slot_of_pe[out->pe];
    if (out->dest < cw_segment.layout.data_nbytes)
        cw_gather();  // the PE may still have to move its static data
    if (out->nbytes)
        cw_copy(cw_segment.base + cw_slice_offset(slot) + out->dest, out->src, out->nbytes);
}

/** To where the target finds it; the caller owns the cell. */
static CW_ALWAYS_INLINE void put_payload(cw_am_inbox_t *inbox, const room_t *room, out_t *out)
{
    void *at = room->cell->args + CW_AM_INLINE_ARGS;
    if (!(out->flags & CW_AM_C_INLINE))
        at = out->flags & CW_AM_C_REPLY ? cw_am_reply_buffer(inbox, out->token)
                                        : cw_am_request_buffer(inbox, room->cell);
    if (out->nbytes)
        memcpy(at, out->src, out->nbytes);
    room->cell->dest = out->dest;
}

static CW_ALWAYS_INLINE int request_here(out_t *out, unsigned flags)
{
    cw_am_inbox_t *inbox = cw_am_inbox(cw_world.slot_of_pe[out->pe]);
    bool loaded = has_payload(out);
    room_t room = {.cell = NULL};
    if (CW_UNLIKELY(!cw_gathered()))
        cw_gather_poll();  // fast paths need the peer word, an inbox no wait
    else if (out->pe != cw_am.pe)
        atomic_store_explicit(&cw_am.near[out->pe], (uintptr_t)inbox, memory_order_relaxed);
    if (loaded && fits_cell(out))
        out->flags |= CW_AM_C_INLINE;
    if (!take_room(inbox, &room)) {
        if (flags & CW_AM_IMMEDIATE) {
            cw_am_credit_return(out->token);
            return CW_EAGAIN;
        }
        wait_room(inbox, &room, out);
    }
    if (loaded)
        put_payload(inbox, &room, out);
    else if (out->flags & CW_AM_LONG)
        store_long(out), room.cell->dest = out->dest;
    fill_cell(room.cell, out);
    cw_am_hand_over(room.cell, room.full);
    cw_local_notify(out->pe);
    sent(out);
    return CW_OK;
}

/** Waits for unfinished cells only: there are more cells than tokens. */
static cw_am_cell_t *take_reply(cw_am_inbox_t *inbox, const out_t *out, uint32_t *full_p)
{
    cw_am_cell_t *cell = cw_am_take_reply(inbox, full_p);
    if (CW_LIKELY(cell != NULL))
        return cell;
    cw_wait_t w = CW_WAIT_INIT(name_of(out));
    while (!(cell = cw_am_take_reply(inbox, full_p)))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return cell;
}

static void reply_here(out_t *out)
{
    cw_am_inbox_t *inbox = cw_am_inbox(cw_world.slot_of_pe[out->pe]);
    if (out->flags & CW_AM_LONG && !has_payload(out))
        store_long(out);
    room_t room = {.cell = NULL};
    room.cell = take_reply(inbox, out, &room.full);
    if (has_payload(out)) {
        out->flags |= fits_cell(out) ? CW_AM_C_INLINE : 0;
        put_payload(inbox, &room, out);
    }
    room.cell->dest = out->dest;
    fill_cell(room.cell, out);
    cw_am_hand_over(room.cell, room.full);
    cw_local_notify(out->pe);
    sent(out);
}

// ---------------------------------------------------------------- to other nodes

/** Of a PE of another node; connects it. */
static cwt_target_t *target_of(int pe)
{
    uintptr_t delta = 0;
    return cw_reach(&cw_ctx_default, "a message", pe, &delta);
}

void cw_am_lost(int rc, const char *name, int pe)
{
    cw_lost_grace(rc);
    cwu_fatal("%s: cannot reach the node of PE %d (%s)", name, pe, cwu_error_name(rc));
}

static int route(int pe, cwt_header_t *msg, size_t nbytes)
{
    return cw_routed_send(cw_world.node_of_pe[pe], msg, nbytes, NULL);
}

void cw_am_to_node_of(int pe, cwt_header_t *msg, size_t nbytes)
{
    int rc = cw_routed_is_on() ? route(pe, msg, nbytes)
                               : cw_transport->message(target_of(pe)->conn, msg, nbytes, NULL, 0);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, "a message", pe);
}

/** With the most arguments. */
typedef union wire {
    cw_req_am_t req;
    cw_req_am_short_t brief;
    unsigned char bytes[CW_REQ_AM_NBYTES(CW_AM_MAX_ARGS) + sizeof(uint64_t)];  // and an offset
} wire_t;
_Static_assert(sizeof(wire_t) + CW_AM_PACKET <= CW_MESSAGE_MAX, "fits the transport");

/** False: the bundles do not take it. */
static bool collect(const out_t *out)
{
    cw_record_am_t record;
    record.head = out->head;
    record.token = out->token;
    copy_args(record.args, out->args, out->head);
    uint64_t field = CW_RECORD_AM_FIELD(cw_world.pe, cw_world.slot_of_pe[out->pe]) |
                     (out->flags & CW_AM_C_REPLY ? CW_RECORD_AM_REPLY : 0);
    if (!cw_bundle_collect_message(cw_path_of_record(target_of(out->pe)), field, &record,
                                   CW_RECORD_AM_NBYTES(CW_AM_HEAD_NARGS(out->head))))
        return false;
    sent(out);
    return true;
}

static void send_short(const out_t *out)
{
    wire_t wire;
    cw_req_am_short_t *req = &wire.brief;
    req->header.op = out->flags & CW_AM_C_REPLY ? CW_REQ_AM_REPLY : CW_REQ_AM_SHORT;
    req->header.slot = 0;
    req->head = out->head;
    req->source = cw_world.pe;
    req->target = out->pe;
    req->token = out->token;
    copy_args(req->args, out->args, out->head);
    size_t nbytes = sizeof *req + CW_AM_HEAD_NARGS(out->head) * sizeof *req->args;
    int rc = cw_routed_is_on()
                 ? route(out->pe, &req->header, nbytes)
                 : cw_transport->request(target_of(out->pe)->conn, &req->header, nbytes, NULL);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, name_of(out), out->pe);
    sent(out);
}

static CW_ALWAYS_INLINE size_t fill_wire(wire_t *wire, const out_t *out)
{
    cw_req_am_t *req = &wire->req;
    size_t nbytes = CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(out->head));
    memset(wire->bytes + nbytes - 8, 0, 8);  // padding behind the arguments
    req->header.op = CW_REQ_AM;
    req->header.slot = 0;
    req->head = out->head;
    req->source = cw_world.pe;
    req->target = out->pe;
    req->token = out->token;
    req->nbytes = (uint32_t)out->nbytes;
    req->dest = out->dest;
    req->flags = out->flags;
    copy_args(req->args, out->args, out->head);
    return nbytes;
}

/** Routes a message with its payload. */
static CW_NOINLINE int route_loaded(const out_t *out, const wire_t *wire, size_t nbytes,
                                    const void *src, size_t src_nbytes)
{
    _Alignas(8) char whole[sizeof *wire + CW_AM_PACKET];
    memcpy(whole, wire, nbytes);
    if (src_nbytes)
        memcpy(whole + nbytes, src, src_nbytes);
    return route(out->pe, (cwt_header_t *)(void *)whole, nbytes + src_nbytes);
}

/** Puts a long beyond a packet before the message, which may take another way (ADR 52). */
static CW_NOINLINE void send_routed(const out_t *out, const wire_t *wire, size_t nbytes)
{
    size_t inside = out->nbytes;
    int rc = CW_OK;
    if (inside > CW_AM_PACKET) {
        const cwt_target_t *t = target_of(out->pe);
        rc = cw_transport->put_complete(t->conn, cw_segment.origin + out->dest + t->offset,
                                        out->src, out->nbytes);
        inside = 0;
    }
    if (CW_LIKELY(rc == CW_OK))
        rc = route_loaded(out, wire, nbytes, out->src, inside);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, name_of(out), out->pe);
    sent(out);
}

/** Sends the part of a payload at `at`. */
static int send_part(out_t *out, uint64_t at)
{
    wire_t wire;
    size_t left = out->nbytes - at, n = left < CW_AM_PACKET ? left : CW_AM_PACKET;
    out->flags |= CW_AM_C_PART;
    size_t nbytes = fill_wire(&wire, out);
    memcpy(wire.bytes + nbytes, &at, sizeof at);
    nbytes += sizeof at;
    const char *src = (const char *)out->src + at;
    return cw_routed_is_on()
               ? route_loaded(out, &wire, nbytes, src, n)
               : cw_transport->message(target_of(out->pe)->conn, &wire.req.header, nbytes, src, n);
}

/** Beyond a packet: in one message if this transport can, else in parts. */
static CW_NOINLINE void send_large(out_t *out)
{
    wire_t wire;
    int rc = CW_OK;
    size_t nbytes = fill_wire(&wire, out);
    if (!cw_routed_is_on() &&
        nbytes + out->nbytes <= cw_transport->request_most(target_of(out->pe)->conn))
        rc = cw_transport->message(target_of(out->pe)->conn, &wire.req.header, nbytes, out->src,
                                   out->nbytes);
    else
        for (uint64_t at = 0; rc == CW_OK && at < out->nbytes; at += CW_AM_PACKET)
            rc = send_part(out, at);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, name_of(out), out->pe);
    sent(out);
}

/** A long within a packet travels in its message, for the server to copy; a larger one is put
 *  before. */
static CW_ALWAYS_INLINE void send_loaded(out_t *out)
{
    bool separate = out->nbytes > CW_AM_PACKET;
    if (CW_UNLIKELY(separate) && has_payload(out)) {
        send_large(out);
        return;
    }
    if (!separate && !has_payload(out))
        out->flags |= CW_AM_C_HERE;
    wire_t wire;
    size_t nbytes = fill_wire(&wire, out);
    if (cw_routed_is_on()) {
        send_routed(out, &wire, nbytes);
        return;
    }
    cwt_target_t *target = target_of(out->pe);
    int rc;
    if (separate)
        rc = cw_transport->put_message(target->conn, cw_segment.origin + out->dest + target->offset,
                                       out->src, out->nbytes, out->async, &wire.req.header, nbytes);
    else
        rc = cw_transport->message(target->conn, &wire.req.header, nbytes, out->src, out->nbytes);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, name_of(out), out->pe);
    if (separate && out->async)
        cw_ctx_mark(&cw_ctx_default);
    sent(out);
}

// ---------------------------------------------------------------- requests

static int64_t take_credit(const out_t *out)
{
    return cw_am_credit_take(out->pe, out->flags & CW_AM_C_COLLECTED);
}

/** -1 only with CW_AM_IMMEDIATE. */
static CW_NOINLINE int64_t wait_credit(const out_t *out, unsigned flags)
{
    int64_t token = -1;
    if (flags & CW_AM_IMMEDIATE)
        return cw_am_poll_waiting(true) > 0 ? take_credit(out) : -1;
    cw_wait_t w = CW_WAIT_INIT(name_of(out));
    if (!cw_world.plain)
        cw_watch_message_waits(false);
    while ((token = take_credit(out)) < 0)
        cw_wait_round(&w);
    cw_wait_done(&w);
    return token;
}

/** Begins every request: a poll, checks, a token. False: no credit now. */
static CW_ALWAYS_INLINE bool begin(out_t *out, unsigned flags)
{
    if (!(flags & CW_AM_NO_POLL))
        cw_am_poll();
    if (CW_UNLIKELY((unsigned)out->pe >= (unsigned)cw_am.npes || cw_am_in_handler ||
                    CW_AM_HEAD_NARGS(out->head) > CW_AM_MAX_ARGS))
        refuse_request(out);
    int64_t token = cw_am_credit_is_plain() ? CW_AM_FROM_TOKEN(cw_am_credit_take_plain(out->pe))
                                            : take_credit(out);
    if (CW_UNLIKELY(token < 0) && (token = wait_credit(out, flags)) < 0)
        return false;
    out->token = (uint32_t)token;
    return true;
}

static CW_NOINLINE int send_somewhere(out_t *out, unsigned flags)
{
    if (cw_world.node_of_pe[out->pe] == cw_world.node)
        return request_here(out, flags);
    if (!(out->flags & CW_AM_C_COLLECTED) || !collect(out))
        send_short(out);
    return CW_OK;
}

/** pe may not exist. */
static bool is_of_flood(int pe)
{
    return CW_UNLIKELY(cw_am_may_flood()) && (unsigned)pe < (unsigned)cw_am.npes &&
           cw_world.node_of_pe[pe] != cw_world.node && cw_am_credit_flood();
}

/** Collected requests are no idle polls, which would send what was collected. */
static void poll_in_flood(void)
{
    if (cw_am_gate_is_open(&cw_am_gates.reply) || cw_am_gate_is_open(&cw_am_gates.request))
        cw_am_poll_full();
}

int cw_am_short_general(int pe, uint32_t head, const uint32_t *args, unsigned flags)
{
    out_t out = {.pe = pe, .head = head, .args = args, .flags = CW_AM_SHORT};
    if (is_of_flood(pe)) {
        out.flags |= CW_AM_C_COLLECTED;
        flags |= CW_AM_NO_POLL;
        poll_in_flood();
    }
    CW_WATCH(watch(&out));
    return begin(&out, flags) ? send_somewhere(&out, flags) : CW_EAGAIN;
}

int cw_am_short_resume(int pe, uint32_t head, const uint32_t *args, uint32_t token)
{
    out_t out = {.pe = pe, .head = head, .args = args, .token = token, .flags = CW_AM_SHORT};
    return send_somewhere(&out, 0);
}

static CW_ALWAYS_INLINE int request_loaded(out_t *out, void *dest, unsigned flags)
{
    CW_WATCH(watch(out));
    if (!begin(out, flags))
        return CW_EAGAIN;
    check_payload(out, dest, flags);
    if (cw_world.node_of_pe[out->pe] == cw_world.node)
        return request_here(out, flags);
    send_loaded(out);
    return CW_OK;
}

int cw_am_request_medium(int pe, uint32_t head, const uint32_t *args, const void *src,
                         size_t nbytes, unsigned flags)
{
    out_t out = {
        .pe = pe, .head = head, .args = args, .src = src, .nbytes = nbytes, .flags = CW_AM_MEDIUM};
    return request_loaded(&out, NULL, flags);
}

int cw_am_request_long(int pe, uint32_t head, const uint32_t *args, const void *src, size_t nbytes,
                       void *dest, unsigned flags)
{
    out_t out = {.pe = pe,
                 .head = head,
                 .args = args,
                 .src = src,
                 .nbytes = nbytes,
                 .async = flags & CW_AM_ASYNC};
    out.flags = flags & CW_AM_RAW ? CW_AM_LONG | CW_AM_C_RAW : CW_AM_LONG;
    return request_loaded(&out, dest, flags);
}

// ---------------------------------------------------------------- replies

static CW_ALWAYS_INLINE void begin_reply(out_t *out, cw_am_msg_t *msg)
{
    if (CW_UNLIKELY(msg != cw_am_in_handler || msg->is_reply || msg->replied ||
                    CW_AM_HEAD_NARGS(out->head) > CW_AM_MAX_ARGS))
        refuse_reply(out, msg);
    msg->replied = true;
    out->pe = msg->source;
    out->token = msg->token;
}

/** Over the connection of its request, if it may (back.c). */
static CW_ALWAYS_INLINE bool reply_back(const out_t *out, const cw_am_msg_t *msg)
{
    cw_am_kind_t kind = (cw_am_kind_t)(out->flags & CW_AM_C_KIND);
    if (msg->origin == 0 || kind == CW_AM_LONG || out->nbytes > CW_AM_PACKET ||
        !cw_am_reply_back(msg, kind, out->head, out->args, out->src, out->nbytes))
        return false;
    sent(out);
    return true;
}

static CW_ALWAYS_INLINE bool reply_collected(const out_t *out, const cw_am_msg_t *msg)
{
    return CW_UNLIKELY(msg->collected) && cw_bundles_take(&cw_bundles.atomics) && !cw_am.locked &&
           collect(out);
}

void cw_am_reply_short(cw_am_msg_t *msg, uint32_t head, const uint32_t *args)
{
    out_t out = {.head = head, .args = args, .flags = CW_AM_SHORT | CW_AM_C_REPLY};
    begin_reply(&out, msg);
    if (cw_world.node_of_pe[out.pe] == cw_world.node)
        reply_here(&out);
    else if (!reply_collected(&out, msg) && !reply_back(&out, msg))
        send_short(&out);
}

static void reply_loaded(out_t *out, cw_am_msg_t *msg, void *dest, unsigned flags)
{
    begin_reply(out, msg);
    check_payload(out, dest, flags);
    if (cw_world.node_of_pe[out->pe] == cw_world.node)
        reply_here(out);
    else if (!reply_back(out, msg))
        send_loaded(out);
}

void cw_am_reply_medium(cw_am_msg_t *msg, uint32_t head, const uint32_t *args, const void *src,
                        size_t nbytes)
{
    out_t out = {.head = head,
                 .args = args,
                 .src = src,
                 .nbytes = nbytes,
                 .flags = CW_AM_MEDIUM | CW_AM_C_REPLY};
    reply_loaded(&out, msg, NULL, 0);
}

void cw_am_reply_long(cw_am_msg_t *msg, uint32_t head, const uint32_t *args, const void *src,
                      size_t nbytes, void *dest, unsigned flags)
{
    out_t out = {
        .head = head, .args = args, .src = src, .nbytes = nbytes, .async = flags & CW_AM_ASYNC};
    out.flags = CW_AM_LONG | CW_AM_C_REPLY | (flags & CW_AM_RAW ? CW_AM_C_RAW : 0);
    reply_loaded(&out, msg, dest, flags);
}
