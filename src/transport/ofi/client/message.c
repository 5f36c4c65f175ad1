// SPDX-License-Identifier: BSD-3-Clause
//
// Messages: requests without a reply that may have a payload of their own. Small ones take the fast
// path of requests (fast.c); others are copied once, into a pooled buffer, which the completion
// returns. All other cases (no credit, threads, a connection that is not up, an order that the
// provider does not promise) are left to ofi_request.
#include "issue.h"

#include <string.h>

/** The core may send the next messages itself, as many as there are credits. */
static void allow_inject(cwt_conn_t *conn)
{
    conn->stop = conn->acked + OFI_CREDITS;
}

/** May a message be sent at once? */
static bool is_free(const cwt_conn_t *conn, size_t nbytes)
{
    return conn->fast.request > 0 && !conn->down && conn->sent - conn->acked < OFI_CREDITS &&
           nbytes <= CWT_MESSAGE_MAX;
}

/** False: nothing was sent. */
static bool send_copy(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                      size_t payload_nbytes)
{
    ofi_op_t *op = ofi_pool_get(&conn->client->bounce);
    if (!op)
        return false;
    ofi_request_sign(conn, msg, nbytes + payload_nbytes, 0);
    memcpy(op->buf, msg, nbytes);
    memcpy((uint8_t *)op->buf + nbytes, payload, payload_nbytes);
    if (ofi_issue_send(conn, op, nbytes + payload_nbytes) != 0) {
        ofi_pool_put(op);
        return false;
    }
    ofi_request_count(conn);
    return true;
}

/** Waits for what is missing, and reports errors. */
static CW_NOINLINE int send_whole(cwt_conn_t *conn, const cwt_header_t *msg, size_t nbytes,
                                  const void *payload, size_t payload_nbytes)
{
    _Alignas(8) uint8_t whole[CWT_MESSAGE_MAX];
    if (nbytes + payload_nbytes > sizeof whole) {
        cwu_error("a message of %zu bytes; at most %d are possible", nbytes + payload_nbytes,
                  CWT_MESSAGE_MAX);
        return CW_EINVAL;
    }
    memcpy(whole, msg, nbytes);
    memcpy(whole + nbytes, payload, payload_nbytes);
    return ofi_request(conn, (cwt_header_t *)(void *)whole, nbytes + payload_nbytes, NULL);
}

static CW_NOINLINE int send_alone(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes)
{
    int rc = ofi_request(conn, msg, nbytes, NULL);
    allow_inject(conn);
    return rc;
}

static CW_NOINLINE int send_loaded(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes,
                                   const void *payload, size_t payload_nbytes)
{
    size_t total = nbytes + payload_nbytes;
    if (total > conn->fast.request && is_free(conn, total) &&
        send_copy(conn, msg, nbytes, payload, payload_nbytes))
        return 0;
    return send_whole(conn, msg, nbytes, payload, payload_nbytes);
}

int ofi_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes)
{
    if (payload_nbytes != 0)
        return send_loaded(conn, msg, nbytes, payload, payload_nbytes);
    if (conn->client->config.thread_multiple)  // the core never sends for several threads
        return ofi_message_shared(conn, msg, nbytes);
    return send_alone(conn, msg, nbytes);
}
