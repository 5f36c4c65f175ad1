// SPDX-License-Identifier: BSD-3-Clause
//
// Messages: requests without a reply that may have a payload of their own. Small ones take the fast
// path of requests (fast.c); others are copied once, into a pooled buffer, which the completion
// returns. All other cases (no credit, threads, a connection that is not up, an order that the
// provider does not promise) are left to ofi_request; or, where the caller must not wait, to it.
#include "issue.h"

#include <stdlib.h>
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
           nbytes <= ofi_request_most(conn);
}

static bool is_too_long(size_t nbytes, size_t most)
{
    if (nbytes <= most)
        return false;
    cwu_error("a message of %zu bytes; at most %zu are possible", nbytes, most);
    return true;
}

/** The bytes of [msg | payload], one behind the other. */
static void join(void *whole, const cwt_header_t *msg, size_t nbytes, const void *payload,
                 size_t payload_nbytes)
{
    memcpy(whole, msg, nbytes);
    if (payload_nbytes)
        memcpy((uint8_t *)whole + nbytes, payload, payload_nbytes);
}

/** Not 0: nothing was sent. */
static ssize_t send_copy(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                         size_t payload_nbytes, uint64_t flags)
{
    ofi_op_t *op = ofi_pool_get(&conn->client->bounce);
    if (!op)
        return -FI_EAGAIN;
    ofi_request_sign(conn, msg, nbytes + payload_nbytes, flags);
    join(op->buf, msg, nbytes, payload, payload_nbytes);
    ssize_t rc = ofi_issue_send(conn, op, nbytes + payload_nbytes);
    if (rc != 0) {
        ofi_pool_put(op);
        return rc;
    }
    ofi_request_count(conn);
    return 0;
}

/** Waits for what is missing, and reports errors. */
static CW_NOINLINE int send_whole(cwt_conn_t *conn, const cwt_header_t *msg, size_t nbytes,
                                  const void *payload, size_t payload_nbytes)
{
    if (is_too_long(nbytes + payload_nbytes, ofi_request_most(conn)))
        return CW_EINVAL;
    cwt_header_t *whole = malloc(nbytes + payload_nbytes);  // the caller's stack may be small
    if (!whole) {
        cwu_error("no memory for a message of %zu bytes", nbytes + payload_nbytes);
        return CW_ENOMEM;
    }
    join(whole, msg, nbytes, payload, payload_nbytes);
    int rc = ofi_request(conn, whole, nbytes + payload_nbytes, NULL);
    free(whole);
    return rc;
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
        send_copy(conn, msg, nbytes, payload, payload_nbytes, 0) == 0)
        return 0;
    return send_whole(conn, msg, nbytes, payload, payload_nbytes);
}

int ofi_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes)
{
    if (payload_nbytes != 0)
        return send_loaded(conn, msg, nbytes, payload, payload_nbytes);
    if (CW_LIKELY(nbytes <= conn->shared.request))  // the core never sends for several threads
        return ofi_post_shared(conn, msg, nbytes);
    if (conn->client->config.thread_multiple)
        return ofi_request(conn, msg, nbytes, NULL);
    return send_alone(conn, msg, nbytes);
}

// ---------------------------------------------------------------- messages that never wait

/** Could a message be sent now, behind all that was issued on the connection? */
static bool may_try(const cwt_conn_t *conn)
{
    uint32_t credits = ofi_choice.send_after_send ? OFI_CREDITS : 1;
    return !conn->client->exclusive && !conn->changing && !conn->evicted && !conn->sending &&
           conn->sent - conn->acked < credits &&
           (ofi_choice.send_after_write || !ofi_puts_outstanding(conn));
}

/** One that the provider takes from the stack. */
static ssize_t send_inject(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                           size_t payload_nbytes, uint64_t flags)
{
    _Alignas(8) uint8_t whole[CWT_MESSAGE_MAX];
    ofi_request_sign(conn, msg, nbytes + payload_nbytes, flags);
    join(whole, msg, nbytes, payload, payload_nbytes);
    ssize_t rc = fi_inject(conn->ep, whole, nbytes + payload_nbytes, conn->fi_addr);
    if (rc == 0)
        ofi_request_count(conn);
    return rc;
}

static int try_locked(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                      size_t payload_nbytes)
{
    if (conn->error || !may_try(conn))
        return conn->error ? conn->error : CW_EAGAIN;
    if (conn->down)  // lost: reports it
        return ofi_conn_down(conn, "request");
    // where messages may overtake each other, one at a time: the next waits for its acknowledgement
    uint64_t flags = ofi_choice.send_after_send ? 0 : OFI_ID_ACK;
    ssize_t rc = nbytes + payload_nbytes <= ofi_choice.inject_nbytes
                     ? send_inject(conn, msg, nbytes, payload, payload_nbytes, flags)
                     : send_copy(conn, msg, nbytes, payload, payload_nbytes, flags);
    if (rc == -FI_EAGAIN)
        return CW_EAGAIN;
    if (rc != 0) {
        ofi_conn_fail(conn, ofi_errno_to_cw(rc), "request", ofi_reason(rc));
        return conn->error;
    }
    conn->used = true;
    if (flags)
        conn->asked = conn->sent;
    return 0;
}

int ofi_try_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                    size_t payload_nbytes)
{
    if (is_too_long(nbytes + payload_nbytes, CWT_MESSAGE_MAX))
        return CW_EINVAL;
    ofi_lock(conn->client);
    if (CW_UNLIKELY(conn->client->config.of_server))
        atomic_fetch_add(&conn->client->tries, 1);  // before `apart` is read
    int rc = try_locked(conn, msg, nbytes, payload, payload_nbytes);
    ofi_unlock(conn->client);
    if (CW_UNLIKELY(conn->client->config.of_server))
        ofi_attached_tried(conn->client);
    return rc;
}
