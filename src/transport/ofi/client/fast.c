// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of puts, gets and requests, and their fast paths: the connection is up, one key
// serves the whole node object, nothing has to be waited for, and the provider takes the operation
// at once. Then some tens of instructions lie between the caller and the provider (ADR 21, 122).
// Everything else continues in the slow halves, rma.c and request.c, which start over: nothing has
// changed here unless the provider took the operation.
//
// conn->fast holds the most bytes of each path for a client of one thread, conn->shared the same
// for one of several; the other is all 0. An entry point compares the size with these, which needs
// no frame, and ends in a jump to the path: `alone`, or `shared`, which takes the lock first.
#include "issue.h"

#include <string.h>

/** How a write with a completion level of its own is handed over: what does not change between two
 *  writes. */
static void write_prepare(ofi_write_t *w, fi_addr_t fi_addr)
{
    w->msg = (struct fi_msg_rma){.msg_iov = &w->local,
                                 .desc = &w->desc,
                                 .iov_count = 1,
                                 .addr = fi_addr,
                                 .rma_iov = &w->remote,
                                 .rma_iov_count = 1};
}

/** Decided when the connection is opened first: from then on threads read it without the lock. */
static void limit(cwt_conn_t *conn)
{
    const ofi_choice_t *c = &ofi_choice;
    bool several = conn->client->config.thread_multiple;
    ofi_fast_t q = {0, 0, 0, 0}, none = q;
    if (conn->nkeys == 1) {
        size_t bounce = c->fragment < OFI_BOUNCE_NBYTES ? c->fragment : OFI_BOUNCE_NBYTES;
        size_t inject = c->inject_nbytes < bounce ? c->inject_nbytes : bounce;
        if (c->ordered)
            q.bounce = bounce, q.inject = inject;
        if (c->send_after_write && c->send_after_send)
            q.request = inject;
        if (!c->local_mr)
            q.get = c->fragment;
    }
    conn->fast = several ? none : q;
    conn->shared = several ? q : none;
}

void ofi_fast_allow(cwt_conn_t *conn)
{
    if (conn->opened == 0)
        limit(conn);
    conn->inject = (ssize_t(*)(void *, const void *, size_t, uint64_t))conn->ep->msg->inject;
    conn->notified = 0;
    ofi_conn_name(conn, ofi_takes_notifications(conn->client));
    conn->most = (uint32_t)conn->fast.request;
    conn->stop = conn->sent;
    write_prepare(&conn->write, conn->fi_addr);
    ofi_first_put_is_next(conn);
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
    return CW_LIKELY(conn->puts_since_quiet < conn->puts_until);
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
    if (CW_UNLIKELY(ofi_issue_write(conn, op, src, nbytes, op->desc, offset + conn->base, conn->key,
                                    proof) != 0)) {
        ofi_pool_put(op);
        return false;
    }
    return true;
}

FAST bool put_bounce(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(!(op = pop(&conn->client->bounce, conn))))
        return false;
    memcpy(op->buf, src, nbytes);
    if (!put_op(conn, op, offset, op->buf, nbytes, OFI_BY_FLUSH))
        return false;
    count_put(conn);
    return true;
}

/** The first put after a quiet, if it may be the only one, asks for its own delivery. */
FAST bool put_single(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || !ofi_may_be_single(conn) ||
        CW_UNLIKELY(!(op = pop(&conn->client->bounce, conn))))
        return false;
    if (nbytes == 8)
        memcpy(op->buf, src, 8);
    else
        memcpy(op->buf, src, nbytes);
    if (!put_op(conn, op, offset, op->buf, nbytes, OFI_BY_DELIVERY))
        return false;
    ofi_count_put(conn);
    conn->used = true;
    conn->client->stats.puts++;
    return true;
}

/** A put through a bounce buffer, if it may be copied. */
FAST bool put_copy(cwt_conn_t *conn, const ofi_fast_t *q, uint64_t offset, const void *src,
                   size_t nbytes, bool nbi)
{
    if (nbytes - 1 >= q->bounce || (nbi && nbytes > OFI_BOUNCE_NBI_NBYTES))
        return false;
    return may_put(conn) ? put_bounce(conn, offset, src, nbytes)
                         : put_single(conn, offset, src, nbytes);
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

FAST bool get_read(cwt_client_t *client, cwt_conn_t *conn, uint64_t offset, void *dst,
                   size_t nbytes, ofi_completion_t *completion)
{
    ofi_op_t *op;
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(!(op = pop(&client->ops, conn))))
        return false;
    op->completion = completion;
    if (CW_UNLIKELY(ofi_issue_read(conn, op, dst, nbytes, NULL, offset + conn->base, conn->key,
                                   OFI_READ) != 0)) {
        ofi_pool_put(op);
        return false;
    }
    conn->used = true;
    conn->moving += nbytes;
    client->stats.gets++;
    return true;
}

/** A message that fits the provider's inject, where messages stay behind all earlier operations.
 *  asks: there is a reply. */
FAST bool request_inject(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply,
                         bool asks)
{
    if (CW_UNLIKELY(conn->down) || CW_UNLIKELY(conn->sent - conn->acked >= OFI_CREDITS) ||
        (asks ? CW_UNLIKELY(conn->free_replies == 0) : CW_UNLIKELY(conn->ask_next)))
        return false;
    uint64_t id = asks ? ofi_reply_take(conn, reply) : 0;
    ofi_request_sign(conn, msg, nbytes, id);
    if (CW_UNLIKELY(conn->inject(conn->ep, msg, nbytes, conn->fi_addr) != 0)) {
        if (asks)
            ofi_reply_give(conn, id & OFI_ID_INDEX_MASK);
        return false;
    }
    ofi_request_count(conn);
    conn->used = true;
    if (asks)
        conn->asked = conn->sent;
    return true;
}

// ---------------------------------------------------------------- puts

static CW_NOINLINE int put_general(cwt_conn_t *conn, uint64_t offset, const void *src,
                                   size_t nbytes, bool nbi)
{
    ofi_enter(conn->client);
    bool done = put_copy(conn, &conn->shared, offset, src, nbytes, nbi);
    int rc = done ? 0 : ofi_put_locked(conn, offset, src, nbytes, nbi);
    ofi_unlock(conn->client);
    return rc;
}

static CW_NOINLINE int put_copied(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                                  bool nbi)
{
    return CW_LIKELY(put_copy(conn, &conn->fast, offset, src, nbytes, nbi))
               ? 0
               : put_general(conn, offset, src, nbytes, nbi);
}

static CW_NOINLINE int put_injected(cwt_conn_t *conn, uint64_t offset, const void *src,
                                    size_t nbytes, bool nbi)
{
    return CW_LIKELY(put_inject(conn, offset, src, nbytes))
               ? 0
               : put_general(conn, offset, src, nbytes, nbi);
}

/** Lock held: what is not to be injected, or was not. */
static CW_NOINLINE int put_other_locked(cwt_conn_t *conn, uint64_t offset, const void *src,
                                        size_t nbytes, bool nbi)
{
    return put_single(conn, offset, src, nbytes) ? 0
                                                 : ofi_put_locked(conn, offset, src, nbytes, nbi);
}

static CW_NOINLINE int put_injected_shared(cwt_conn_t *conn, uint64_t offset, const void *src,
                                           size_t nbytes, bool nbi)
{
    cwt_client_t *client = conn->client;
    ofi_enter_shared(client);
    int rc = CW_LIKELY(put_inject(conn, offset, src, nbytes))
                 ? 0
                 : put_other_locked(conn, offset, src, nbytes, nbi);
    cwu_unlock(&client->lock);
    return rc;
}

int ofi_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    if (CW_LIKELY(nbytes - 1 < conn->fast.inject) && CW_LIKELY(may_put(conn)))
        return put_injected(conn, offset, src, nbytes, nbi);
    if (nbytes - 1 < conn->shared.inject)
        return put_injected_shared(conn, offset, src, nbytes, nbi);
    return put_copied(conn, offset, src, nbytes, nbi);
}

/** May a put be waited for by its own delivery? If it is one fragment, from memory that need not be
 *  registered (as for gets). */
FAST bool may_await(const cwt_conn_t *conn, const ofi_fast_t *q, size_t nbytes)
{
    return CW_LIKELY(nbytes - 1 < q->get) && !CW_UNLIKELY(conn->down) &&
           CW_LIKELY(ofi_choice.delivery);
}

/** A put that has no completion of its own: waits for all puts on this connection. */
static CW_NOINLINE int put_complete_general(cwt_conn_t *conn, uint64_t offset, const void *src,
                                            size_t nbytes)
{
    ofi_completion_t completion;
    ofi_completion_of_one(&completion);
    ofi_enter(conn->client);
    bool done =
        (may_await(conn, &conn->fast, nbytes) || may_await(conn, &conn->shared, nbytes)) &&
        put_awaited(conn, ofi_pool_get(&conn->client->ops), offset, src, nbytes, &completion);
    int rc = done ? put_done(conn, &completion) : ofi_put_locked(conn, offset, src, nbytes, false);
    if (rc == 0 && !done)
        rc = ofi_drain_puts(conn);
    ofi_unlock(conn->client);
    return rc;
}

int ofi_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    ofi_completion_t completion;
    ofi_completion_of_one(&completion);
    if (may_await(conn, &conn->fast, nbytes) &&
        CW_LIKELY(
            put_awaited(conn, pop(&conn->client->ops, conn), offset, src, nbytes, &completion)))
        return put_done(conn, &completion);
    return put_complete_general(conn, offset, src, nbytes);
}

// ---------------------------------------------------------------- gets

static CW_NOINLINE int get_general(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                                   bool nbi)
{
    ofi_enter(conn->client);
    int rc = ofi_get_locked(conn, offset, dst, nbytes, nbi);
    ofi_unlock(conn->client);
    return rc;
}

static CW_NOINLINE int get_alone(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    ofi_completion_t completion;
    ofi_completion_of_one(&completion);
    return CW_LIKELY(get_read(conn->client, conn, offset, dst, nbytes, &completion))
               ? get_done(conn, &completion)
               : get_general(conn, offset, dst, nbytes, false);
}

static CW_NOINLINE int get_nbi_alone(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    return CW_LIKELY(get_read(conn->client, conn, offset, dst, nbytes, NULL))
               ? 0
               : get_general(conn, offset, dst, nbytes, true);
}

static CW_NOINLINE int get_shared(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    ofi_completion_t completion;
    ofi_completion_of_one(&completion);
    ofi_enter_shared(client);
    int rc = CW_LIKELY(get_read(client, conn, offset, dst, nbytes, &completion))
                 ? get_done(conn, &completion)
                 : ofi_get_locked(conn, offset, dst, nbytes, false);
    cwu_unlock(&client->lock);
    return rc;
}

static CW_NOINLINE int get_nbi_shared(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    ofi_enter_shared(client);
    int rc = CW_LIKELY(get_read(client, conn, offset, dst, nbytes, NULL))
                 ? 0
                 : ofi_get_locked(conn, offset, dst, nbytes, true);
    cwu_unlock(&client->lock);
    return rc;
}

int ofi_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    if (CW_LIKELY(nbytes - 1 < conn->fast.get))
        return nbi ? get_nbi_alone(conn, offset, dst, nbytes)
                   : get_alone(conn, offset, dst, nbytes);
    if (CW_LIKELY(nbytes - 1 < conn->shared.get))
        return nbi ? get_nbi_shared(conn, offset, dst, nbytes)
                   : get_shared(conn, offset, dst, nbytes);
    return get_general(conn, offset, dst, nbytes, nbi);
}

// ---------------------------------------------------------------- requests

static CW_NOINLINE int request_general(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes,
                                       cwt_reply_t *reply)
{
    ofi_enter(conn->client);
    int rc = ofi_request_locked(conn, msg, nbytes, reply);
    ofi_unlock(conn->client);
    return rc;
}

/** With a reply. */
static CW_NOINLINE int ask_alone(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes,
                                 cwt_reply_t *reply)
{
    return CW_LIKELY(request_inject(conn, msg, nbytes, reply, true))
               ? 0
               : request_general(conn, msg, nbytes, reply);
}

/** Without. */
static CW_NOINLINE int post_alone(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes)
{
    return CW_LIKELY(request_inject(conn, msg, nbytes, NULL, false))
               ? 0
               : request_general(conn, msg, nbytes, NULL);
}

static CW_NOINLINE int ask_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes,
                                  cwt_reply_t *reply)
{
    cwt_client_t *client = conn->client;
    ofi_enter_shared(client);
    int rc = CW_LIKELY(!conn->sending) && CW_LIKELY(request_inject(conn, msg, nbytes, reply, true))
                 ? 0
                 : ofi_request_locked(conn, msg, nbytes, reply);
    cwu_unlock(&client->lock);
    return rc;
}

int ofi_post_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    ofi_enter_shared(client);
    int rc = CW_LIKELY(!conn->sending) && CW_LIKELY(request_inject(conn, msg, nbytes, NULL, false))
                 ? 0
                 : ofi_request_locked(conn, msg, nbytes, NULL);
    cwu_unlock(&client->lock);
    return rc;
}

int ofi_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    if (CW_LIKELY(nbytes <= conn->fast.request))
        return reply ? ask_alone(conn, msg, nbytes, reply) : post_alone(conn, msg, nbytes);
    if (CW_LIKELY(nbytes <= conn->shared.request))
        return reply ? ask_shared(conn, msg, nbytes, reply) : ofi_post_shared(conn, msg, nbytes);
    return request_general(conn, msg, nbytes, reply);
}
