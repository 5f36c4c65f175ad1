// SPDX-License-Identifier: BSD-3-Clause
//
// Replies over the connection of their request: notifications from the target's node server, which
// the requesting PE receives when it polls its connections. Only short and medium ones that can go
// at once; others go as requests do (ADR 28).
//
// Any thread that makes progress may receive one, where no handler may run: it goes into this PE's
// inbox, where the request's token has room. Threads: any.
#include <stdlib.h>
#include <string.h>

#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/port/ctx.h"
#include "core/progress/wait.h"
#include "core/rma/routed.h"
#include "core/server/server.h"

#define REPLIES 16  // default of CAUSEWAY_AM_REPLIES

/** Limit on a connection; 0 with fewer cores than PEs, which sleep soon and are woken by their
 *  node's server only. Routed requests have no connection. */
static uint32_t notifications(void)
{
    uint32_t n = 0;
    if (cw_world.messages && !cw_routed_is_on())
        n = cwu_env.am_replies >= 0 ? (uint32_t)cwu_env.am_replies : cw_wait_roomy ? REPLIES : 0;
    atomic_store_explicit(&cw_am.notify_room, n, memory_order_relaxed);
    return n;
}

// ---------------------------------------------------------------- at the PE that replies

typedef union notification {
    cw_notify_am_t body;
    unsigned char bytes[CW_NOTIFY_AM_NBYTES(CW_AM_MAX_ARGS)];
} notification_t;
_Static_assert(sizeof(notification_t) + CW_AM_PACKET <= CW_MESSAGE_MAX, "fits the transport");

bool cw_am_reply_back(const cw_am_msg_t *msg, cw_am_kind_t kind, uint32_t head,
                      const uint32_t *args, const void *src, size_t nbytes)
{
    notification_t n;
    uint32_t nargs = CW_AM_HEAD_NARGS(head);
    size_t total = CW_NOTIFY_AM_NBYTES(nargs);
    memset(n.bytes + total - 8, 0, 8);  // padding behind the arguments
    n.body.head = head;
    n.body.source = cw_world.pe;
    n.body.token = msg->token;
    n.body.nbytes = (uint16_t)nbytes;
    n.body.kind = (uint16_t)kind;
    for (uint32_t i = 0; i < nargs; i++)
        n.body.args[i] = args[i];
    return cw_server_notify(msg->origin, &n, total, src, nbytes);
}

// ---------------------------------------------------------------- at the PE of the request

/** A reply that waits for an unfinished cell of the last lap. */
typedef struct kept {
    struct kept *next;
    cw_req_am_t req;  // with arguments and payload
} kept_t;

static void *payload_of(kept_t *k)
{
    return (char *)&k->req + CW_REQ_AM_NBYTES(CW_AM_HEAD_NARGS(k->req.head));
}

static struct {
    cwu_lock_t lock;
    kept_t *first, **end;
} back;

static void keep(const cw_req_am_t *req, const uint32_t *args, const void *payload)
{
    uint32_t nargs = CW_AM_HEAD_NARGS(req->head);
    kept_t *k = malloc(offsetof(kept_t, req) + CW_REQ_AM_NBYTES(nargs) + req->nbytes);
    if (!k)
        cwu_fatal("no memory to keep a reply of %u bytes; lower CAUSEWAY_AM_REPLIES", req->nbytes);
    k->next = NULL;
    k->req = *req;
    memcpy(k->req.args, args, nargs * sizeof *args);
    if (req->nbytes)
        memcpy(payload_of(k), payload, req->nbytes);
    cwu_lock(&back.lock);
    *(back.first ? back.end : &back.first) = k;
    back.end = &k->next;
    atomic_fetch_add_explicit(&cw_am.kept_replies, 1, memory_order_relaxed);
    cwu_unlock(&back.lock);
}

void cw_am_back_flush(void)
{
    if (!cwu_trylock(&back.lock))
        return;
    while (back.first &&
           cw_am_deliver(&back.first->req, back.first->req.args, payload_of(back.first))) {
        kept_t *k = back.first;
        back.first = k->next;
        free(k);
        atomic_fetch_sub_explicit(&cw_am.kept_replies, 1, memory_order_relaxed);
    }
    cwu_unlock(&back.lock);
}

void cw_am_back_fini(void)
{
    while (back.first) {
        kept_t *k = back.first;
        back.first = k->next;
        free(k);
    }
    atomic_store(&cw_am.kept_replies, 0);
    atomic_store(&cw_am.reply_here, false);
    atomic_store(&cw_am.notified, 0);
    atomic_store(&cw_am.notify_room, 0);
}

static bool well_formed(const cw_notify_am_t *note, int node, size_t nbytes)
{
    if (nbytes < sizeof *note || note->source < 0 || note->source >= cw_world.npes ||
        cw_world.node_of_pe[note->source] != node || (note->token & 0xffff) >= CW_AM_TOKENS)
        return false;
    uint32_t nargs = CW_AM_HEAD_NARGS(note->head);
    if (nargs > CW_AM_MAX_ARGS || (note->kind != CW_AM_SHORT && note->kind != CW_AM_MEDIUM) ||
        note->nbytes > (note->kind == CW_AM_MEDIUM ? CW_AM_PACKET : 0))
        return false;
    return nbytes == CW_NOTIFY_AM_NBYTES(nargs) + note->nbytes;
}

void cw_am_notified(void *arg, int node, const void *bytes, size_t nbytes)
{
    static _Atomic bool warned;
    const cw_notify_am_t *note = bytes;
    (void)arg;
    if (!well_formed(note, node, nbytes)) {
        if (!atomic_exchange(&warned, true))
            cwu_warn("dropped a malformed reply (%zu bytes) that came over the network", nbytes);
        return;
    }
    cw_req_am_t req = {.head = note->head,
                       .source = note->source,
                       .target = cw_world.pe,
                       .token = note->token,
                       .nbytes = note->nbytes,
                       .flags = (uint32_t)note->kind | CW_AM_C_REPLY | CW_AM_C_NOTIFIED};
    const void *payload = (const char *)bytes + CW_NOTIFY_AM_NBYTES(CW_AM_HEAD_NARGS(note->head));
    atomic_fetch_add_explicit(&cw_am.notified, 1, memory_order_relaxed);
    atomic_store_explicit(&cw_am.reply_here, true, memory_order_relaxed);
    if (!cw_am_deliver(&req, note->args, payload))
        keep(&req, note->args, payload);
}

void cw_am_back_init(void)
{
    cw_progress_hooks.notifications = notifications;
    cw_progress_hooks.notified = cw_am_notified;
    cw_progress_hooks.notification_due = cw_am_due;
}
