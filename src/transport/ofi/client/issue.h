// SPDX-License-Identifier: BSD-3-Clause
//
// The provider's calls that start an operation, one of each. They try once and count what the
// provider took; they return 0 or the provider's error, after which nothing has changed. The fast
// paths (fast.c) leave at the first refusal; their slow halves (rma.c, request.c) wait and try
// again.
#ifndef CWT_OFI_ISSUE_H
#define CWT_OFI_ISSUE_H

#include "calls.h"

#define FAST static CW_ALWAYS_INLINE

/** How a write's completion is proved: by a flush behind it, or by its own delivery. */
typedef enum ofi_proof { OFI_BY_FLUSH, OFI_BY_DELIVERY } ofi_proof_t;

/** A put through a bounce buffer, for both of which it waits (rma.c); lock held. */
int ofi_bounce_waiting(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src,
                       size_t nbytes, ofi_proof_t proof);

/**
 * Where the provider promises no order every put is proved by its delivery. Where it does, a flush
 * at quiet proves them all for one round trip, but a put all alone between two quiets is cheaper by
 * its own delivery: one message instead of two. So the first put after a quiet goes that way if
 * there was only one before that quiet.
 */
FAST bool ofi_may_be_single(const cwt_conn_t *conn)
{
    return conn->puts_since_quiet == 0 && conn->single_puts && ofi_choice.delivery;
}

/** The next put is the first one after a quiet; the fast paths leave it alone if it may be the only
 *  one. */
static inline void ofi_first_put_is_next(cwt_conn_t *conn)
{
    conn->puts_until = conn->single_puts && conn->puts_since_quiet == 0 ? 0 : OFI_INJECT_MAX - 1;
}

/** A put that may have been the first one. */
static inline void ofi_count_put(cwt_conn_t *conn)
{
    conn->puts_since_quiet++;
    conn->puts_until = OFI_INJECT_MAX - 1;
}

FAST ssize_t ofi_issue_inject(cwt_conn_t *conn, const void *src, size_t nbytes, uint64_t addr,
                              uint64_t key)
{
    ssize_t rc = fi_inject_write(conn->ep, src, nbytes, conn->fi_addr, addr, key);
    if (CW_UNLIKELY(rc != 0))
        return rc;
    conn->injected++;
    conn->client->stats.injects++;
    conn->dirty = true;
    return 0;
}

/** BY_DELIVERY: the completion comes when the bytes are in the target's memory. desc describes
 *  src. */
FAST ssize_t ofi_issue_write(cwt_conn_t *conn, ofi_op_t *op, const void *src, size_t nbytes,
                             void *desc, uint64_t addr, uint64_t key, ofi_proof_t proof)
{
    ssize_t rc;
    if (proof == OFI_BY_FLUSH) {
        rc = fi_write(conn->ep, src, nbytes, desc, conn->fi_addr, addr, key, &op->context);
    } else {
        ofi_write_t *w = &conn->write;
        w->local = (struct iovec){.iov_base = (void *)(uintptr_t)src, .iov_len = nbytes};
        w->remote = (struct fi_rma_iov){.addr = addr, .len = nbytes, .key = key};
        w->desc = desc;
        w->msg.context = &op->context;
        rc = fi_writemsg(conn->ep, &w->msg, FI_DELIVERY_COMPLETE | FI_COMPLETION);
    }
    if (CW_UNLIKELY(rc != 0))
        return rc;
    op->kind = OFI_WRITE;
    conn->writes++;
    if (proof == OFI_BY_FLUSH)
        conn->dirty = true;
    return 0;
}

/** kind: OFI_READ, or OFI_FLUSH for a small read that proves the writes before it. */
FAST ssize_t ofi_issue_read(cwt_conn_t *conn, ofi_op_t *op, void *dst, size_t nbytes, void *desc,
                            uint64_t addr, uint64_t key, ofi_kind_t kind)
{
    ssize_t rc = fi_read(conn->ep, dst, nbytes, desc, conn->fi_addr, addr, key, &op->context);
    if (CW_UNLIKELY(rc != 0))
        return rc;
    op->kind = kind;
    conn->reads++;
    return 0;
}

/** Sends the message that lies in op's buffer. */
FAST ssize_t ofi_issue_send(cwt_conn_t *conn, ofi_op_t *op, size_t nbytes)
{
    ssize_t rc = fi_send(conn->ep, op->buf, nbytes, op->desc, conn->fi_addr, &op->context);
    if (CW_UNLIKELY(rc != 0))
        return rc;
    op->conn = conn;
    op->kind = OFI_SEND;
    return 0;
}

/** Fills in what the transport adds to a request; flags: OFI_ID_…, the id of a reply, or 0. No
 *  other request is sent on the connection until this one is counted. */
FAST void ofi_request_sign(const cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, uint64_t flags)
{
    msg->token = conn->token_out;
    msg->nbytes = (uint32_t)nbytes;
    msg->reply_id = flags | conn->id;
}

/** The provider took a request. */
FAST void ofi_request_count(cwt_conn_t *conn)
{
    conn->sent++;
    conn->token_out++;
}

#endif
