// SPDX-License-Identifier: BSD-3-Clause
//
// In the node server: puts messages from the network into inboxes. It waits for no PE: what finds
// no room is kept, in order, as far as senders have credits, and tried again after each round of
// progress. Checks all fields before use. Threads: the one with the server's lock.
#include <stdlib.h>
#include <string.h>

#include "base/copy/rows.h"
#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/server/server.h"

/** A message without room, or without all parts. Requests and replies of a PE wait apart: replies
 *  must not wait for requests. */
typedef struct kept {
    struct kept *next;
    uint64_t missing;  // parts, as bits
    cw_req_am_t req;
} kept_t;
_Static_assert(CW_AM_PARTS_MOST < 64, "bits");

typedef struct queue {
    kept_t *first, **end;
} queue_t;

static struct {
    queue_t *queues;  // [2 * nslots], NULL until needed
    uint32_t held;
    kept_t *in_parts;  // bounded by the senders' credits
} kept;

static const void *payload_of(const cw_req_am_t *req)
{
    return (const char *)req + CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(req->head));
}

static bool has_payload(const cw_req_am_t *req)
{
    return (req->flags & CW_AM_C_KIND) == CW_AM_MEDIUM || (req->flags & CW_AM_C_RAW);
}

bool cw_am_deliver(const cw_req_am_t *req, const uint32_t *args, const void *payload)
{
    cw_am_inbox_t *inbox = cw_am_inbox(cw_world.slot_of_pe[req->target]);
    bool reply = req->flags & CW_AM_C_REPLY, loaded = has_payload(req);
    uint32_t nargs = CW_AM_HEAD_NARGS(req->head), full;
    bool inside = loaded && req->nbytes <= CW_AM_INLINE_NBYTES && nargs <= CW_AM_INLINE_ARGS;
    cw_am_cell_t *cell = reply ? cw_am_take_reply(inbox, &full) : cw_am_take_request(inbox, &full);
    if (!cell)
        return false;
    void *at = reply ? cw_am_reply_buffer(inbox, req->token) : cw_am_request_buffer(inbox, cell);
    if (inside)
        at = &cell->args[CW_AM_INLINE_ARGS];
    if (loaded)
        memcpy(at, payload, req->nbytes);
    cell->head = req->head;
    cell->source = req->source;
    cell->token = req->token;
    cell->nbytes = req->nbytes;
    cell->flags = req->flags | (inside ? CW_AM_C_INLINE : 0);
    cell->dest = req->dest;
    memcpy(cell->args, args, nargs * sizeof *args);
    cw_am_hand_over(cell, full);
    cw_local_notify(req->target);
    return true;
}

static bool deliver(const cw_req_am_t *req)
{
    return cw_am_deliver(req, req->args, payload_of(req));
}

/** For a message with its payload. */
static kept_t *make_kept(const cw_req_am_t *req)
{
    size_t nbytes =
        CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(req->head)) + (has_payload(req) ? req->nbytes : 0);
    kept_t *k = malloc(offsetof(kept_t, req) + nbytes);
    if (!k)
        cwu_fatal("node server: no memory to keep a message of %zu bytes for PE %d; lower "
                  "CAUSEWAY_AM_CREDITS",
                  nbytes, req->target);
    k->next = NULL;
    return k;
}

static void enqueue(queue_t *queue, kept_t *k)
{
    *queue->end = k;
    queue->end = &k->next;
    kept.held++;
}

static void keep(queue_t *queue, const cw_req_am_t *req)
{
    kept_t *k = make_kept(req);
    size_t nbytes =
        CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(req->head)) + (has_payload(req) ? req->nbytes : 0);
    memcpy(&k->req, req, nbytes);
    enqueue(queue, k);
}

static queue_t *queue_of(const cw_req_am_t *req)
{
    if (!kept.queues) {
        kept.queues = calloc(2 * (size_t)cw_world.nslots, sizeof *kept.queues);
        if (!kept.queues)
            cwu_fatal("node server: no memory for the queues of %d PEs", cw_world.nslots);
        for (int i = 0; i < 2 * cw_world.nslots; i++)
            kept.queues[i].end = &kept.queues[i].first;
    }
    return &kept.queues[2 * cw_world.slot_of_pe[req->target] +
                        ((req->flags & CW_AM_C_REPLY) ? 1 : 0)];
}

// ---------------------------------------------------------------- checks

static bool is_pe(int pe)
{
    return pe >= 0 && pe < cw_world.npes;
}

static bool is_here(int pe)
{
    return is_pe(pe) && cw_world.node_of_pe[pe] == cw_world.node;
}

static bool well_formed(const cw_req_am_t *req, size_t nbytes)
{
    if (nbytes < sizeof *req || !is_here(req->target) || !is_pe(req->source))
        return false;
    uint32_t nargs = CW_AM_HEAD_NARGS(req->head), kind = req->flags & CW_AM_C_KIND;
    size_t until_payload = CW_REQ_AM_NBYTES(nargs);
    bool here = req->flags & CW_AM_C_HERE, raw = req->flags & CW_AM_C_RAW,
         carries = has_payload(req) || here;
    size_t most = here ? CW_AM_PACKET : cw_am_buffers.most;
    if (nargs > CW_AM_MAX_ARGS || kind > CW_AM_LONG || (req->token & 0xffff) >= CW_AM_TOKENS ||
        nbytes < until_payload)
        return false;
    if ((req->flags & ~(uint32_t)(CW_AM_C_KIND | CW_AM_C_REPLY | CW_AM_C_RAW | CW_AM_C_HERE)) ||
        ((raw || here) && kind != CW_AM_LONG) || (raw && here))
        return false;
    return carries ? req->nbytes <= most && nbytes == until_payload + req->nbytes
                   : nbytes == until_payload;
}

/** Checks a part, as above, and its place. *at_p: its offset. */
static bool well_formed_part(const cw_req_am_t *req, size_t nbytes, uint64_t *at_p)
{
    cw_req_am_t whole = *req;
    uint32_t nargs = CW_AM_HEAD_NARGS(req->head);
    size_t until_part = CW_REQ_AM_NBYTES(nargs) + sizeof *at_p;
    whole.flags &= ~(uint32_t)CW_AM_C_PART;
    if (nargs > CW_AM_MAX_ARGS || nbytes < until_part || req->nbytes <= CW_AM_PACKET ||
        !has_payload(req) || !well_formed(&whole, CW_REQ_AM_NBYTES(nargs) + req->nbytes))
        return false;
    memcpy(at_p, payload_of(req), sizeof *at_p);
    if (*at_p >= req->nbytes || *at_p % CW_AM_PACKET)
        return false;
    size_t left = req->nbytes - (size_t)*at_p;
    return nbytes - until_part == (left < CW_AM_PACKET ? left : CW_AM_PACKET);
}

/** A long, unless raw, goes into the target's slice. */
static bool destination_exists(const cw_req_am_t *req)
{
    uint32_t slot, mine = (uint32_t)cw_world.slot_of_pe[req->target];
    if ((req->flags & CW_AM_C_KIND) != CW_AM_LONG || (req->flags & CW_AM_C_RAW) || req->nbytes == 0)
        return true;
    return req->dest < cw_segment.layout.slice_stride &&
           cw_request_in_bounds(cw_slice_offset(mine) + req->dest, req->nbytes, &slot) &&
           slot == mine;
}

/** For a reply over the connection of its request; 0: not so. Only to this PE while it polls for
 *  the server: the requesting PE may sleep if it waits long, and its own connections do not wake
 *  it. */
static uint64_t origin_of(const cw_from_t *from, const cw_req_am_t *req)
{
    bool request = !(req->flags & CW_AM_C_REPLY) && (req->flags & CW_AM_C_KIND) != CW_AM_LONG;
    return from->client && request && req->target == cw_world.pe && cw_server_is_helped()
               ? cw_transport->server_origin(from->client)
               : 0;
}

/** dest of a request is its origin. */
static bool deliver_from(const cw_from_t *from, const cw_req_am_t *req)
{
    uint64_t origin = origin_of(from, req);
    if (origin == 0)
        return deliver(req);
    cw_req_am_t known = *req;
    known.dest = origin;
    known.flags |= CW_AM_C_ORIGIN;
    return cw_am_deliver(&known, req->args, payload_of(req));
}

static void deliver_or_keep(const cw_from_t *from, const cw_req_am_t *req)
{
    queue_t *queue = kept.held ? queue_of(req) : NULL;
    if ((queue && queue->first) || !deliver_from(from, req))
        keep(queue_of(req), req);
}

static bool is_of(const cw_req_am_t *whole, const cw_req_am_t *part)
{
    return whole->source == part->source && whole->target == part->target &&
           whole->token == part->token && !((whole->flags ^ part->flags) & CW_AM_C_REPLY);
}

/** Its message in the list; the first part makes it. */
static kept_t **find_parts(const cw_req_am_t *part)
{
    kept_t **at = &kept.in_parts;
    while (*at && !is_of(&(*at)->req, part))
        at = &(*at)->next;
    if (!*at) {
        *at = make_kept(part);
        memcpy(&(*at)->req, part, CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(part->head)));
        (*at)->req.flags &= ~(uint32_t)CW_AM_C_PART;
        (*at)->missing = (UINT64_C(1) << (part->nbytes + CW_AM_PACKET - 1) / CW_AM_PACKET) - 1;
    }
    return at;
}

static bool part(const cw_req_am_t *req, size_t nbytes)
{
    uint64_t at;
    if (!well_formed_part(req, nbytes, &at))
        return false;
    kept_t **place = find_parts(req), *k = *place;
    uint64_t bit = UINT64_C(1) << at / CW_AM_PACKET;
    if (k->req.head != req->head || k->req.nbytes != req->nbytes || !(k->missing & bit))
        return false;
    size_t until_part = CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(req->head)) + sizeof at;
    memcpy((char *)(uintptr_t)payload_of(&k->req) + at, (const char *)req + until_part,
           nbytes - until_part);
    k->missing &= ~bit;
    if (k->missing)
        return true;
    *place = k->next;
    k->next = NULL;
    queue_t *queue = queue_of(&k->req);
    if (queue->first || !deliver(&k->req))
        enqueue(queue, k);
    else
        free(k);
    return true;
}

/** A message without its payload. */
typedef union plain {
    cw_req_am_t req;
    unsigned char bytes[CW_REQ_AM_NBYTES(CW_AM_MAX_ARGS)];
} plain_t;

static bool loaded_message(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_am_t *req = (const cw_req_am_t *)(const void *)msg;
    if (nbytes >= sizeof *req && req->flags & CW_AM_C_PART)
        return part(req, nbytes);
    if (!well_formed(req, nbytes) || !destination_exists(req))
        return false;
    if (!(req->flags & CW_AM_C_HERE)) {
        deliver_or_keep(from, req);
        return true;
    }
    plain_t plain;
    char *slice = cw_segment.base + cw_slice_offset((uint32_t)cw_world.slot_of_pe[req->target]);
    if (req->nbytes)
        cwu_copy(slice + req->dest, payload_of(req), req->nbytes);
    memcpy(&plain, req, CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(req->head)));
    plain.req.flags &= ~(uint32_t)CW_AM_C_HERE;
    deliver_or_keep(from, &plain.req);
    return true;
}

static bool short_message(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_am_short_t *wire = (const cw_req_am_short_t *)(const void *)msg;
    if (nbytes < sizeof *wire || !is_here(wire->target) || !is_pe(wire->source))
        return false;
    uint32_t nargs = CW_AM_HEAD_NARGS(wire->head);
    if (nargs > CW_AM_MAX_ARGS || nbytes != sizeof *wire + nargs * sizeof *wire->args ||
        (wire->token & 0xffff) >= CW_AM_TOKENS)
        return false;
    bool is_reply = (msg->op & ~CW_REQ_ROUTED) == CW_REQ_AM_REPLY;
    plain_t plain = {.req = {.head = wire->head,
                             .source = wire->source,
                             .target = wire->target,
                             .token = wire->token,
                             .flags = CW_AM_SHORT | (is_reply ? CW_AM_C_REPLY : 0)}};
    memcpy(plain.bytes + sizeof plain.req, wire->args, nargs * sizeof *wire->args);
    deliver_or_keep(from, &plain.req);
    return true;
}

static bool done(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const cw_req_am_done_t *req = (const cw_req_am_done_t *)(const void *)msg;
    (void)from;
    if (nbytes < sizeof *req || !is_here(req->target) || req->words >> (CW_AM_TOKENS / 64) ||
        nbytes != sizeof *req + (size_t)__builtin_popcount(req->words) * sizeof *req->bits)
        return false;
    cw_am_inbox_t *inbox = cw_am_inbox(cw_world.slot_of_pe[req->target]);
    const uint64_t *bits = req->bits;
    for (uint32_t left = req->words; left; left &= left - 1)
        atomic_fetch_or_explicit(&inbox->done[__builtin_ctz(left)], *bits++, memory_order_release);
    cw_local_stored(req->target);
    return true;
}

_Static_assert(CW_AM_TOKENS / 64 < 32, "a bit for each word");

/** Of a flood. A request has no origin: the flusher's connection may have brought it. */
static bool collected(uint64_t field, const uint64_t *record, size_t nbytes)
{
    cw_record_am_t am;
    bool is_reply = field & CW_RECORD_AM_REPLY;
    uint32_t slot = (uint32_t)((field & ~CW_RECORD_AM_REPLY) >> 32), nargs;
    int32_t source = (int32_t)field;
    if (slot >= (uint32_t)cw_world.nslots || !is_pe(source) || nbytes < CW_RECORD_AM_NBYTES(0) ||
        nbytes > sizeof am)
        return false;
    memcpy(&am, record, nbytes);
    nargs = CW_AM_HEAD_NARGS(am.head);
    if (nbytes != CW_RECORD_AM_NBYTES(nargs) || (am.token & 0xffff) >= CW_AM_TOKENS)
        return false;
    plain_t plain = {
        .req = {.head = am.head,
                .source = source,
                .target = cw_world.pes_of_node[slot],
                .token = am.token,
                .flags = CW_AM_SHORT | CW_AM_C_COLLECTED | (is_reply ? CW_AM_C_REPLY : 0)}};
    memcpy(plain.bytes + sizeof plain.req, am.args, nargs * sizeof *am.args);
    queue_t *queue = kept.held ? queue_of(&plain.req) : NULL;
    if ((queue && queue->first) || !deliver(&plain.req))
        keep(queue_of(&plain.req), &plain.req);
    return true;
}

// ---------------------------------------------------------------- messages that found no room

static int flush(void)
{
    int n = 0;
    for (int i = 0; kept.held && i < 2 * cw_world.nslots; i++) {
        queue_t *queue = &kept.queues[i];
        while (queue->first && deliver(&queue->first->req)) {
            kept_t *k = queue->first;
            queue->first = k->next;
            if (!queue->first)
                queue->end = &queue->first;
            free(k);
            kept.held--;
            n++;
        }
    }
    return n;
}

static bool holds(void)
{
    return kept.held > 0;
}

void cw_am_server_fini(void)
{
    for (int i = 0; kept.queues && i < 2 * cw_world.nslots; i++)
        while (kept.queues[i].first) {
            kept_t *k = kept.queues[i].first;
            kept.queues[i].first = k->next;
            free(k);
        }
    for (kept_t *k; (k = kept.in_parts);) {
        kept.in_parts = k->next;
        free(k);
    }
    free(kept.queues);
    kept.queues = NULL;
    kept.held = 0;
}

void cw_am_server_init(void)
{
    static const cw_server_hooks_t hooks = {
        .flush = flush, .holds = holds, .fini = cw_am_server_fini};
    cw_server_handle(CW_REQ_AM, "message", loaded_message);
    cw_server_handle(CW_REQ_AM_SHORT, "message", short_message);
    cw_server_handle(CW_REQ_AM_REPLY, "message", short_message);
    cw_server_handle(CW_REQ_AM_DONE, "message", done);
    cw_server_handle_messages(collected);
    cw_server_hook(&hooks);
}
