// SPDX-License-Identifier: BSD-3-Clause
//
// Messages: requests without a reply, on the shortest way to the wire. What is out of the ordinary (no credit, threads, a
// connection that is not up, an order that the provider does not promise) is left to the general way of request.c.
#include "ofi.h"

#include <string.h>

_Static_assert((OFI_ACK_EVERY & (OFI_ACK_EVERY - 1)) == 0, "a mask");

/** Fills in what is the transport's. */
static inline __attribute__((always_inline)) void sign(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes)
{
    uint64_t ask = ((conn->sent + 1) & (OFI_ACK_EVERY - 1)) == 0 ? OFI_ID_ACK : 0;
    msg->token = conn->token_out;
    msg->nbytes = (uint32_t)nbytes;
    msg->reply_id = (uint64_t)conn->peer << OFI_ID_PEER_SHIFT | ask;
    conn->ack_asked = ask != 0;
}

static inline __attribute__((always_inline)) void count(cwt_conn_t *conn)
{
    conn->sent++;
    conn->client->stats.requests++;
}

/** Through a pooled buffer, which the completion gives back. Not 0: not sent. */
static ssize_t send_copy(cwt_conn_t *conn, const cwt_header_t *msg, size_t nbytes, const void *payload,
                         size_t payload_nbytes)
{
    ofi_op_t *op = ofi_pool_get(&conn->client->bounce);
    if (!op)
        return -FI_EAGAIN;
    op->conn = conn;
    op->kind = OFI_SEND;
    memcpy(op->buf, msg, nbytes);
    if (payload_nbytes)
        memcpy((uint8_t *)op->buf + nbytes, payload, payload_nbytes);
    ssize_t rc = fi_send(conn->ep, op->buf, nbytes + payload_nbytes, op->desc, conn->fi_addr, &op->context);
    if (rc != 0)
        ofi_pool_put(op);
    return rc;
}

/** The general way, which waits for all that is missing and reports what goes wrong. */
static int __attribute__((noinline))
the_long_way(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload, size_t payload_nbytes)
{
    if (payload_nbytes == 0)
        return ofi_request(conn, msg, nbytes, NULL);
    _Alignas(8) uint8_t whole[CWT_MESSAGE_MAX];
    if (nbytes + payload_nbytes > sizeof whole)
        return ofi_request(conn, msg, nbytes + payload_nbytes, NULL);  // which refuses it
    memcpy(whole, msg, nbytes);
    memcpy(whole + nbytes, payload, payload_nbytes);
    return ofi_request(conn, (cwt_header_t *)(void *)whole, nbytes + payload_nbytes, NULL);
}

int ofi_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload, size_t payload_nbytes)
{
    bool up = !conn->error && !conn->down && !conn->sending;
    if (__builtin_expect(conn->straight && up && conn->sent - conn->acked < OFI_CREDITS &&
                             nbytes + payload_nbytes <= CWT_MESSAGE_MAX,
                         1)) {
        sign(conn, msg, nbytes + payload_nbytes);
        ssize_t rc = payload_nbytes == 0 && nbytes <= ofi_choice.inject_nbytes
                         ? fi_inject(conn->ep, msg, nbytes, conn->fi_addr)
                         : send_copy(conn, msg, nbytes, payload, payload_nbytes);
        if (__builtin_expect(rc == 0, 1)) {
            count(conn);
            return 0;
        }
    }
    return the_long_way(conn, msg, nbytes, payload, payload_nbytes);
}
