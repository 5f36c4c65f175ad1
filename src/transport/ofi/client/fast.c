// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of puts, gets and requests, and their fast paths: the connection is up, one key
// serves the whole node object, nothing has to be waited for, and the provider takes the operation
// at once. Then some tens of instructions lie between the caller and the provider (ADR 21).
// Everything else continues in the slow halves, rma.c and request.c, which start over: nothing has
// changed here unless the provider took the operation.
//
// conn->fast holds the most bytes of each path. It is all 0 where several threads use the client:
// they take the lock first, and then the same paths by conn->shared.
#include "issue.h"

#include <string.h>

void ofi_fast_allow(cwt_conn_t *conn)
{
    const ofi_choice_t *c = &ofi_choice;
    ofi_fast_t q = {0, 0, 0, 0};
    if (conn->nkeys == 1) {
        size_t bounce = c->fragment < OFI_BOUNCE_NBYTES ? c->fragment : OFI_BOUNCE_NBYTES;
        size_t inject = c->inject_nbytes < bounce ? c->inject_nbytes : bounce;
        if (c->ordered)
            q.bounce = (uint32_t)bounce, q.inject = (uint32_t)inject;
        if (c->send_after_write && c->send_after_send)
            q.request = (uint32_t)inject;
        if (!c->local_mr)
            q.get = c->fragment;
    }
    conn->shared = q;
    conn->inject = (ssize_t(*)(void *, const void *, size_t, uint64_t))conn->ep->msg->inject;
    conn->notified = 0;
    ofi_conn_name(conn, ofi_takes_notifications(conn->client));
    conn->most = conn->client->config.thread_multiple ? 0 : q.request;
    conn->stop = conn->sent;
    conn->fast = conn->client->config.thread_multiple ? (ofi_fast_t){0, 0, 0, 0} : q;
    if (!conn->client->config.thread_multiple)
        conn->first_put = conn->puts_since_quiet == 0;
}

FAST ofi_op_t *pop(ofi_pool_t *pool, cwt_conn_t *conn)
{
    ofi_op_t *op = pool->free;
    if (CW_LIKELY(op != NULL)) {
        pool->free = op->next;
        op->conn = conn;
    }
    return op;
}

/** May a put start that a later flush proves (order.c)? Not the first one after a quiet if it may
 *  be the only one, and not more than a provider should queue. */
FAST bool may_put(const cwt_conn_t *conn)
{
    return CW_LIKELY(conn->puts_since_quiet - 1 < OFI_INJECT_MAX - 2) ||
           (conn->puts_since_quiet == 0 && !conn->lone_puts);
}

FAST void count_put(cwt_conn_t *conn)
{
    conn->puts_since_quiet++;
    conn->used = true;
    conn->client->stats.puts++;
}

FAST bool put_inject(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(!may_put(conn)) ||
        CW_UNLIKELY(ofi_issue_inject(conn, src, nbytes, offset + conn->base, conn->key) != 0))
        return false;
    count_put(conn);
    return true;
}

/** op is given back if the provider does not take it. */
FAST bool put_op(cwt_conn_t *conn, ofi_op_t *op, uint64_t offset, const void *src, size_t nbytes,
                 ofi_proof_t proof)
{
    if (CW_UNLIKELY(ofi_issue_write(conn, op, src, nbytes, &op->desc, offset + conn->base,
                                    conn->key, proof) != 0)) {
        ofi_pool_put(op);
        return false;
    }
    return true;
}

FAST bool put_bounce(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(!may_put(conn)) ||
        CW_UNLIKELY(!(op = pop(&conn->client->bounce, conn))))
        return false;
    memcpy(op->buf, src, nbytes);
    if (!put_op(conn, op, offset, op->buf, nbytes, OFI_BY_FLUSH))
        return false;
    count_put(conn);
    return true;
}

/** The first put after a quiet, if it may be the only one, asks for its own delivery. */
FAST bool put_lone(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || !ofi_may_be_lone(conn) ||
        CW_UNLIKELY(!(op = pop(&conn->client->bounce, conn))))
        return false;
    if (nbytes == 8)
        memcpy(op->buf, src, 8);
    else
        memcpy(op->buf, src, nbytes);
    if (!put_op(conn, op, offset, op->buf, nbytes, OFI_BY_DELIVERY))
        return false;
    count_put(conn);
    return true;
}

/** A put that is waited for: directly from the caller's memory, and not counted for quiet. op may
 *  be NULL. */
FAST bool put_awaited(cwt_conn_t *conn, ofi_op_t *op, uint64_t offset, const void *src,
                      size_t nbytes, ofi_completion_t *completion)
{
    if (CW_UNLIKELY(!op))
        return false;
    op->conn = conn;
    op->completion = completion;
    op->copy_to = NULL;
    if (!put_op(conn, op, offset, src, nbytes, OFI_BY_DELIVERY))
        return false;
    conn->used = true;
    conn->moving += nbytes;
    conn->client->stats.puts++;
    return true;
}

static CW_NOINLINE int get_done(cwt_conn_t *conn, ofi_completion_t *completion)
{
    return ofi_completion_wait(conn, completion, "a get");
}

static CW_NOINLINE int put_done(cwt_conn_t *conn, ofi_completion_t *completion)
{
    return ofi_completion_wait(conn, completion, "a put");
}

FAST bool get_read(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                   ofi_completion_t *completion)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(!(op = pop(&conn->client->ops, conn))))
        return false;
    op->completion = completion;
    op->copy_to = NULL;
    if (CW_UNLIKELY(ofi_issue_read(conn, op, dst, nbytes, NULL, offset + conn->base, conn->key,
                                   OFI_READ) != 0)) {
        ofi_pool_put(op);
        return false;
    }
    conn->used = true;
    conn->moving += nbytes;
    conn->client->stats.gets++;
    return true;
}

/** A message that fits the provider's inject, where messages stay behind all earlier operations. */
FAST bool request_inject(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(conn->sent - conn->acked >= OFI_CREDITS) ||
        (reply ? CW_UNLIKELY(conn->free_replies == 0) : CW_UNLIKELY(conn->ask_next)))
        return false;
    uint64_t id = reply ? ofi_reply_take(conn, reply) : 0;
    ofi_request_sign(conn, msg, nbytes, id);
    if (CW_UNLIKELY(conn->inject(conn->ep, msg, nbytes, conn->fi_addr) != 0)) {
        if (reply)
            ofi_reply_give(conn, id & OFI_ID_INDEX_MASK);
        return false;
    }
    ofi_request_count(conn);
    conn->used = true;
    if (id)
        conn->asked = conn->sent;
    return true;
}

// ---------------------------------------------------------------- choice of the path

/** May the put be copied? */
FAST bool may_bounce(const ofi_fast_t *q, size_t nbytes, bool nbi)
{
    return nbytes - 1 < q->bounce && (!nbi || nbytes <= OFI_BOUNCE_NBI_NBYTES);
}

FAST bool put(cwt_conn_t *conn, const ofi_fast_t *q, uint64_t offset, const void *src,
              size_t nbytes, bool nbi)
{
    if (nbytes - 1 < q->inject)
        return CW_LIKELY(put_inject(conn, offset, src, nbytes));
    return may_bounce(q, nbytes, nbi) && CW_LIKELY(put_bounce(conn, offset, src, nbytes));
}

FAST bool get(cwt_conn_t *conn, const ofi_fast_t *q, uint64_t offset, void *dst, size_t nbytes,
              ofi_completion_t *completion)
{
    return CW_LIKELY(nbytes - 1 < q->get) &&
           CW_LIKELY(get_read(conn, offset, dst, nbytes, completion));
}

/** May a put be waited for by its own delivery? If it is one fragment, from memory that need not be
 *  registered (as for gets). */
FAST bool may_await(const cwt_conn_t *conn, const ofi_fast_t *q, size_t nbytes)
{
    return CW_LIKELY(nbytes - 1 < q->get) && !CW_UNLIKELY(conn->down) &&
           CW_LIKELY(ofi_choice.delivery);
}

FAST bool request(cwt_conn_t *conn, const ofi_fast_t *q, cwt_header_t *msg, size_t nbytes,
                  cwt_reply_t *reply)
{
    return CW_LIKELY(nbytes <= q->request) && CW_LIKELY(request_inject(conn, msg, nbytes, reply));
}

static CW_NOINLINE int put_general(cwt_conn_t *conn, uint64_t offset, const void *src,
                                   size_t nbytes, bool nbi)
{
    ofi_enter(conn->client);
    bool done = put(conn, &conn->shared, offset, src, nbytes, nbi) ||
                (may_bounce(&conn->shared, nbytes, nbi) && put_lone(conn, offset, src, nbytes));
    int rc = done ? 0 : ofi_put_locked(conn, offset, src, nbytes, nbi);
    ofi_unlock(conn->client);
    return rc;
}

/** The first put since a quiet. */
static CW_NOINLINE int put_first(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                                 bool nbi)
{
    conn->first_put = false;
    if (conn->lone_puts && may_bounce(&conn->fast, nbytes, nbi) &&
        CW_LIKELY(put_lone(conn, offset, src, nbytes)))
        return 0;
    return CW_LIKELY(put(conn, &conn->fast, offset, src, nbytes, nbi))
               ? 0
               : put_general(conn, offset, src, nbytes, nbi);
}

/** A put that has no completion of its own: waits for all puts on this connection. */
static CW_NOINLINE int put_complete_general(cwt_conn_t *conn, uint64_t offset, const void *src,
                                            size_t nbytes)
{
    ofi_completion_t completion = {.left = 2};
    ofi_enter(conn->client);
    bool done =
        may_await(conn, &conn->shared, nbytes) &&
        put_awaited(conn, ofi_pool_get(&conn->client->ops), offset, src, nbytes, &completion);
    int rc = done ? put_done(conn, &completion) : ofi_put_locked(conn, offset, src, nbytes, false);
    if (rc == 0 && !done)
        rc = ofi_drain_puts(conn);
    ofi_unlock(conn->client);
    return rc;
}

static CW_NOINLINE int get_general(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                                   bool nbi)
{
    ofi_completion_t completion = {.left = 2};
    ofi_enter(conn->client);
    bool done = get(conn, &conn->shared, offset, dst, nbytes, nbi ? NULL : &completion);
    int rc = !done ? ofi_get_locked(conn, offset, dst, nbytes, nbi)
             : nbi ? 0
                   : get_done(conn, &completion);
    ofi_unlock(conn->client);
    return rc;
}

int ofi_request_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    ofi_enter(conn->client);
    bool done = !conn->sending && request(conn, &conn->shared, msg, nbytes, reply);
    int rc = done ? 0 : ofi_request_locked(conn, msg, nbytes, reply);
    ofi_unlock(conn->client);
    return rc;
}

/** A request without a reply: several threads use its fast path under the lock. */
int ofi_message_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    cwu_lock(&client->lock);
    bool done = CW_LIKELY(!client->exclusive) && CW_LIKELY(!conn->sending) &&
                CW_LIKELY(nbytes <= conn->shared.request) &&
                CW_LIKELY(request_inject(conn, msg, nbytes, NULL));
    cwu_unlock(&client->lock);
    return CW_LIKELY(done) ? 0 : ofi_request_shared(conn, msg, nbytes, NULL);
}

// ---------------------------------------------------------------- entry points

int ofi_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    if (conn->first_put)
        return put_first(conn, offset, src, nbytes, nbi);
    return CW_LIKELY(put(conn, &conn->fast, offset, src, nbytes, nbi))
               ? 0
               : put_general(conn, offset, src, nbytes, nbi);
}

int ofi_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_completion_t completion = {.left = 2};
    if (may_await(conn, &conn->fast, nbytes) &&
        CW_LIKELY(
            put_awaited(conn, pop(&conn->client->ops, conn), offset, src, nbytes, &completion)))
        return put_done(conn, &completion);
    return put_complete_general(conn, offset, src, nbytes);
}

int ofi_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    ofi_completion_t completion = {.left = 2};
    if (CW_LIKELY(get(conn, &conn->fast, offset, dst, nbytes, nbi ? NULL : &completion)))
        return nbi ? 0 : get_done(conn, &completion);
    return get_general(conn, offset, dst, nbytes, nbi);
}

int ofi_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    return CW_LIKELY(request(conn, &conn->fast, msg, nbytes, reply))
               ? 0
               : ofi_request_shared(conn, msg, nbytes, reply);
}
