// SPDX-License-Identifier: BSD-3-Clause
//
// Requests to a node server and their replies. A connection has at most OFI_CREDITS requests under
// way; each message of the server has the number of requests that it has executed, which returns
// credits and is what quiet waits for.
#include "issue.h"

#include <string.h>

// ---------------------------------------------------------------- sending

/** Tries once; the message is the caller's again. Not 0: nothing was sent. */
static ssize_t send_once(cwt_conn_t *conn, const void *message, size_t nbytes)
{
    if (nbytes <= ofi_choice.inject_nbytes)
        return fi_inject(conn->ep, message, nbytes, conn->fi_addr);
    ofi_op_t *op = ofi_pool_get(&conn->client->bounce);
    if (!op)
        return -FI_EAGAIN;
    memcpy(op->buf, message, nbytes);
    ssize_t rc = ofi_issue_send(conn, op, nbytes);
    if (rc != 0)
        ofi_pool_put(op);
    return rc;
}

int ofi_send_message(cwt_conn_t *conn, const void *message, size_t nbytes)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a request");
    for (;;) {
        ssize_t rc = send_once(conn, message, nbytes);
        if (rc == 0)
            return 0;
        int failed =
            rc == -FI_EAGAIN ? ofi_wait_round(conn->client, conn, &w) : ofi_errno_to_cw(rc);
        if (failed) {
            if (conn->welcomed)
                ofi_conn_fail(conn, failed, "request", ofi_reason(rc));
            return failed;
        }
    }
}

/** Requests of several threads are sent one after the other, so that the count of requests is their
 *  order on the wire. */
static int wait_turn(cwt_conn_t *conn)
{
    ofi_waiter_t w = OFI_WAITER("a request of another thread to be sent");
    int rc = 0;
    while (conn->sending && rc == 0)
        rc = ofi_wait_round(conn->client, conn, &w);
    return rc;
}

static int wait_credit(cwt_conn_t *conn)
{
    // where messages may overtake each other, one at a time
    uint32_t credits = ofi_choice.send_after_send ? OFI_CREDITS : 1;
    ofi_waiter_t w = OFI_WAITER("a request to be executed");
    while (conn->sent - conn->acked >= credits) {
        int rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/** Does a request without a reply ask for its acknowledgement? Once after a quiet, if it may be the
 *  only one (order.c). If the request is not sent then, the quiet asks, as ever. */
static bool asks(cwt_conn_t *conn, uint64_t own)
{
    bool ask = own || conn->ask_next || !ofi_choice.send_after_send;
    if (!own)
        conn->ask_next = false;
    return ask;
}

static int send_in_turn(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply,
                        uint64_t own)
{
    int rc = wait_credit(conn);
    if (rc != 0)
        return rc;
    bool ask = reply == NULL && asks(conn, own);
    uint64_t id = reply ? ofi_reply_take(conn, reply) : 0;
    ofi_request_sign(conn, msg, nbytes, own | id | (ask ? OFI_ID_ACK : 0));
    rc = ofi_send_message(conn, msg, nbytes);
    if (rc != 0) {
        if (reply)
            ofi_reply_give(conn, id & OFI_ID_INDEX_MASK);
        return rc;
    }
    ofi_request_count(conn);
    if (ask || reply)
        conn->asked = conn->sent;
    return 0;
}

/** Requests of the transport itself need not be behind the puts; waiting for puts sends some. */
static int issue(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply,
                 uint64_t own)
{
    int rc = ofi_choice.send_after_write || own ? 0 : ofi_drain_puts(conn);
    if (rc == 0)
        rc = wait_turn(conn);
    if (rc != 0)
        return rc;
    conn->sending = true;
    rc = send_in_turn(conn, msg, nbytes, reply, own);
    conn->sending = false;
    return rc;
}

size_t ofi_request_most(const cwt_conn_t *conn)
{
    return conn->request_most;
}

int ofi_request_locked(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    if (nbytes < sizeof *msg || nbytes > ofi_request_most(conn)) {
        cwu_error("a request of %zu bytes; from %zu to %zu are possible", nbytes, sizeof *msg,
                  ofi_request_most(conn));
        return CW_EINVAL;
    }
    int rc = ofi_conn_up(conn, "request");
    return rc ? rc : issue(conn, msg, nbytes, reply, 0);
}

int ofi_request_own(cwt_conn_t *conn, uint16_t op, const void *body, size_t nbytes,
                    cwt_reply_t *reply)
{
    struct {
        cwt_header_t header;
        uint8_t body[256];
    } msg;
    memset(&msg.header, 0, sizeof msg.header);
    if (nbytes > sizeof msg.body)
        return CW_EINVAL;
    msg.header.op = op;
    if (nbytes)
        memcpy(msg.body, body, nbytes);
    int rc = conn->changing ? conn->error : ofi_conn_up(conn, "request");
    if (rc == 0)
        rc = issue(conn, &msg.header, sizeof msg.header + nbytes, reply, OFI_ID_OWN);
    if (rc == 0)
        conn->sent_before++;
    return rc;
}

/** Beyond the credits, which may be what was lost; within the server's window of tokens. */
#define QUESTIONS 16u

void ofi_request_ask(cwt_conn_t *conn)
{
    cwt_header_t ask = {.op = OFI_OWN_ASK};
    if (!ofi_choice.send_after_send || conn->sent == conn->acked || conn->sending ||
        conn->sent - conn->acked >= OFI_CREDITS + QUESTIONS)
        return;
    ofi_request_sign(conn, &ask, sizeof ask, OFI_ID_OWN | OFI_ID_ACK);
    if (send_once(conn, &ask, sizeof ask) != 0)
        return;
    ofi_request_count(conn);
    conn->asked = conn->sent;
    conn->sent_before++;
}

// ---------------------------------------------------------------- receiving

static void deliver(cwt_conn_t *conn, const ofi_reply_header_t *header, const void *payload,
                    size_t nbytes)
{
    uint32_t index = (uint32_t)header->reply_id & OFI_ID_INDEX_MASK;
    cwt_reply_t *reply = index < OFI_CREDITS ? conn->replies[index].reply : NULL;
    if (!reply || (conn->replies[index].id & OFI_ID_LOW) != header->reply_id) {
        cwu_warn("%s replied to a request that was not made",
                 ofi_node_name(conn->client, conn->node));
        return;
    }
    ofi_reply_give(conn, index);
    conn->client->stats.replies++;
    reply->nbytes = nbytes;
    if (reply->arrived) {
        reply->done = 1;  // before: arrived() may free the reply
        reply->arrived(reply, payload, nbytes);
        return;
    }
    if (nbytes <= reply->capacity) {
        if (nbytes)
            memcpy(reply->buf, payload, nbytes);
        reply->done = 1;
        return;
    }
    cwu_error("a reply of %zu bytes from %s where at most %zu are due", nbytes,
              ofi_node_name(conn->client, conn->node), reply->capacity);
    reply->done = CW_EPROTO;
}

/** A notification. If the permission was withdrawn (evict.c), it is not given again. */
static void take_notification(cwt_conn_t *conn, const void *bytes, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    if (!ofi_takes_notifications(client)) {
        client->stats.refused++;
        return;
    }
    conn->notified++;
    ofi_conn_name(conn, (conn->id & OFI_ID_NOTIFY) != 0);
    client->stats.replies++;
    client->config.notified(client->config.notified_arg, conn->node, bytes, nbytes);
}

static cwt_conn_t *conn_of(cwt_client_t *client, const ofi_op_t *op,
                           const ofi_reply_header_t *header)
{
    if (ofi_choice.msg)
        return op->receives->conn;
    cwt_conn_t *conn = header->node < client->by_node_count ? client->by_node[header->node] : NULL;
    return conn && !conn->closing && conn->ep ? conn : NULL;
}

/** Nothing in the message is trusted before it passed the checks. */
static void take(cwt_client_t *client, const ofi_op_t *op, const void *bytes, size_t nbytes)
{
    const ofi_reply_header_t *header = bytes;
    if (nbytes < sizeof *header || nbytes > OFI_BUFFER_NBYTES || header->nbytes != nbytes) {
        client->stats.refused++;
        return;
    }
    cwt_conn_t *conn = conn_of(client, op, header);
    if (header->kind == OFI_REPLY_REFUSED) {  // has no proof, but only the server saw the nonce
        if (conn && conn->welcome && header->reply_id == conn->nonce)
            conn->error = CW_EREFUSED;
        else
            client->stats.refused++;
        return;
    }
    if (!conn || !ofi_token_take(&conn->token_in, header->token)) {
        client->stats.refused++;
        return;
    }
    const void *payload = header + 1;
    nbytes -= sizeof *header;
    if (header->kind == OFI_REPLY_WELCOME) {
        if (!conn->welcomed && nbytes == sizeof *conn->welcome && conn->welcome) {
            memcpy(conn->welcome, payload, nbytes);
            conn->welcomed = true;
        }
        return;
    }
    if (header->kind == OFI_REPLY_LOST) {
        ofi_conn_fail(conn, CW_ELOST, "the network broke it", "requests were lost on the way");
        return;
    }
    // counts wrap; an older count, possible where messages may overtake each other, is ignored
    if (conn->sent - header->executed < conn->sent - conn->acked)
        conn->acked = header->executed;
    if (header->kind == OFI_REPLY_NOTIFY)
        take_notification(conn, payload, nbytes);
    else if (header->reply_id)
        deliver(conn, header, payload, nbytes);
}

static void post_again(cwt_client_t *client, ofi_op_t *op)
{
    ofi_receives_t *r = op->receives;
    cwt_conn_t *conn = r->conn;
    if (conn && (conn->closing || conn->down))
        return;
    int rc = ofi_receives_again(op);
    if (rc != 0 && conn) {
        conn->down = true;
    } else if (rc != 0 && r->count == 0 && !client->error) {
        cwu_error("libfabric (%s): buffers for messages cannot be posted again: %s; set "
                  "CAUSEWAY_MULTI_RECV=0",
                  ofi_choice.info->fabric_attr->prov_name, ofi_reason(r->why));
        client->error = rc;
    }
}

void ofi_reply_arrived(cwt_client_t *client, const struct fi_cq_data_entry *entry)
{
    ofi_op_t *op = entry->op_context;
    bool many = op->kind == OFI_RECV_MANY;
    const void *bytes = many ? NULL : op->buf;
    if (many && (entry->flags & FI_RECV))  // otherwise only the end of the buffer
        bytes = ofi_receives_message(op, entry, client->message);
    if (bytes)
        take(client, op, bytes, entry->len);
    else if (entry->len > 0)
        client->stats.refused++;
    if (!many || (entry->flags & FI_MULTI_RECV))
        post_again(client, op);
}

void ofi_reply_refused(cwt_client_t *client, ofi_op_t *op, bool over)
{
    client->stats.refused++;
    if (over)
        post_again(client, op);
}

void ofi_post_late(cwt_client_t *client)
{
    if (!ofi_choice.msg) {
        (void)ofi_receives_retry(&client->receives);
        return;
    }
    for (cwt_conn_t *conn = client->conns; conn && client->late; conn = conn->next)
        if (ofi_receives_retry(&conn->receives) != 0)
            conn->down = true;
}

// ---------------------------------------------------------------- waiting

int ofi_acks_ask(cwt_conn_t *conn, uint32_t until)
{
    return ofi_is_executed(conn, until) || ofi_is_asked(conn, until)
               ? 0
               : ofi_request_own(conn, OFI_OWN_NOP, NULL, 0, NULL);
}

int ofi_acks_round(cwt_conn_t *conn, uint32_t until, ofi_waiter_t *w)
{
    int rc = ofi_acks_ask(conn, until);
    return rc ? rc : ofi_wait_round(conn->client, conn, w);
}

int ofi_wait_acks(cwt_conn_t *conn)
{
    ofi_waiter_t w = OFI_WAITER("acknowledgement of requests");
    uint32_t until = conn->sent;
    int rc = 0;
    while (rc == 0 && !ofi_is_executed(conn, until))
        rc = ofi_acks_round(conn, until, &w);
    return rc;
}

int ofi_wait(cwt_client_t *client, cwt_reply_t *reply)
{
    ofi_lock(client);
    ofi_waiter_t w = OFI_WAITER("the reply to a request");
    int rc = 0;
    while (!reply->done && rc == 0)
        rc = ofi_wait_round(client, NULL, &w);
    ofi_unlock(client);
    return reply->done ? (reply->done < 0 ? reply->done : 0) : rc;
}
