// SPDX-License-Identifier: BSD-3-Clause
//
// Requests, their replies, quiet and fence. MPI orders messages and puts not at all, so a request
// behind puts waits for a flush of them; what requests have done is known by the answers.
#include "transport/mpi/client.h"

#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------- sending

mpw_slot_t *mpw_slot_for(cwt_conn_t *conn)
{
    if (conn->sent - conn->acked >= MPW_REQUESTS_MOST)
        return NULL;
    return mpw_sender_take(&conn->client->sender, MPW_SLOTS_MOST);
}

/** The whole message lies in the slot behind the head. */
static int send_as(cwt_conn_t *conn, mpw_slot_t *slot, size_t nbytes, uint32_t seq, uint8_t flags)
{
    cwt_client_t *client = conn->client;
    uint32_t room = client->config.notifications;
    mpw_ask_t head = {.seq = seq,
                      .tag = client->tag,
                      .nonce = client->nonce,
                      .notified = conn->notified,
                      .room = (uint8_t)(room < UINT8_MAX ? room : UINT8_MAX),
                      .flags = flags};
    memcpy(slot->bytes, &head, sizeof head);
    int rc =
        mpw_sender_send(&client->sender, slot, conn->rank, MPW_REQUEST_TAG, sizeof head + nbytes);
    if (rc)
        client->error = mpw_failed("sending a request", mpw_node_name(client, conn->node), rc);
    return client->error;
}

int mpw_send(cwt_conn_t *conn, mpw_slot_t *slot, size_t nbytes, uint8_t flags)
{
    uint32_t seq = conn->sent + 1;
    if (seq % MPW_ACK_EVERY == 0)
        flags |= MPW_ASK_ACK;
    int rc = send_as(conn, slot, nbytes, seq, flags);
    if (rc)
        return rc;
    conn->sent = seq;
    if (flags & MPW_ASK_ACK)
        conn->asked = seq;
    return 0;
}

int mpw_send_unnumbered(cwt_conn_t *conn, mpw_slot_t *slot, size_t nbytes, uint8_t flags)
{
    return send_as(conn, slot, nbytes, conn->sent, flags);
}

/** The answer to what is alone under way is asked for at once: a quiet behind it sends nothing. */
uint8_t mpw_single_flag(const cwt_conn_t *conn)
{
    return conn->sent == conn->acked ? MPW_ASK_ACK : 0;
}

/** [msg | payload]. Locked. */
static int send_message(cwt_conn_t *conn, mpw_slot_t *slot, cwt_header_t *msg, size_t nbytes,
                        const void *payload, size_t payload_nbytes, cwt_reply_t *reply)
{
    uint8_t *bytes = slot->bytes + sizeof(mpw_ask_t);
    msg->token = 0;
    msg->reply_id = reply ? mpw_pending_take(conn, reply) : 0;
    msg->nbytes = (uint32_t)(nbytes + payload_nbytes);
    if (reply && !msg->reply_id) {
        cwu_error("no memory for the reply of %s", mpw_node_name(conn->client, conn->node));
        return conn->client->error = CW_ENOMEM;
    }
    memcpy(bytes, msg, nbytes);
    if (payload_nbytes)
        memcpy(bytes + nbytes, payload, payload_nbytes);
    uint8_t flags = reply ? MPW_ASK_ACK | mpw_traffic_flag(conn) : mpw_single_flag(conn);
    return mpw_send(conn, slot, nbytes + payload_nbytes, flags);
}

int mpw_wait_answers(cwt_client_t *client, mpw_patience_t *patience)
{
    int events = mpw_take_answers(client);
    if (events < 0)
        return events;
    mpw_unlock(client);
    mpw_wait_round(client, patience, events);
    mpw_lock(client);
    return 0;
}

static int send_nop(cwt_conn_t *conn, mpw_slot_t *slot)
{
    memset(slot->bytes + sizeof(mpw_ask_t), 0, sizeof(cwt_header_t));
    return mpw_send(conn, slot, sizeof(cwt_header_t), MPW_ASK_ACK | MPW_ASK_NOP);
}

void mpw_look(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    if (client->config.thread_multiple && !cwu_trylock(&client->lock))
        return;
    mpw_slot_t *slot = mpw_sender_take(&client->sender, MPW_SLOTS_MOST);
    if (slot) {
        memset(slot->bytes + sizeof(mpw_ask_t), 0, sizeof(cwt_header_t));
        mpw_send_unnumbered(conn, slot, sizeof(cwt_header_t), MPW_ASK_NOP | MPW_ASK_LOOK);
    }
    mpw_unlock(client);
}

static bool is_too_long(size_t nbytes)
{
    if (nbytes <= CWT_MESSAGE_MAX)
        return false;
    cwu_error("a message of %zu bytes; at most %d are possible", nbytes, CWT_MESSAGE_MAX);
    return true;
}

/** Waits for the puts before it, a credit and a buffer. */
static int request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                   size_t payload_nbytes, cwt_reply_t *reply)
{
    cwt_client_t *client = conn->client;
    mpw_patience_t patience = {0};
    mpw_slot_t *slot = NULL;
    if (is_too_long(nbytes + payload_nbytes))
        return CW_EINVAL;
    int rc = mpw_flush(conn);
    if (rc)
        return rc;
    mpw_lock(client);
    rc = mpw_await_transfers(client, conn, true);
    while (rc == 0 && !(slot = mpw_slot_for(conn)))
        rc = mpw_wait_answers(client, &patience);
    if (rc == 0)
        rc = send_message(conn, slot, msg, nbytes, payload, payload_nbytes, reply);
    mpw_unlock(client);
    return rc;
}

int mpw_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    return request(conn, msg, nbytes, NULL, 0, reply);
}

int mpw_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes)
{
    return request(conn, msg, nbytes, payload, payload_nbytes, NULL);
}

int mpw_try_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                    size_t payload_nbytes)
{
    cwt_client_t *client = conn->client;
    bool shared = client->config.thread_multiple;
    if (atomic_load_explicit(&conn->issued, memory_order_acquire) !=
            atomic_load_explicit(&conn->flushed, memory_order_acquire) ||
        (shared && !cwu_trylock(&client->lock)))
        return CW_EAGAIN;
    int rc = client->error;
    mpw_slot_t *slot = rc == 0 && !mpw_has_transfers(client, conn, client->begun, true)
                           ? mpw_slot_for(conn)
                           : NULL;
    if (rc == 0)
        rc =
            slot ? send_message(conn, slot, msg, nbytes, payload, payload_nbytes, NULL) : CW_EAGAIN;
    mpw_unlock(client);
    return rc;
}

int mpw_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                    cwt_header_t *msg, size_t msg_nbytes)
{
    int rc = mpw_put(conn, offset, src, nbytes, nbi);
    return rc ? rc : mpw_request(conn, msg, msg_nbytes, NULL);
}

/** Looks under the lock: another thread may be inside reply->arrived. */
int mpw_wait(cwt_client_t *client, cwt_reply_t *reply)
{
    mpw_patience_t patience = {0};
    int rc = 0;
    mpw_lock(client);
    while (!reply->done && rc == 0)
        rc = mpw_wait_answers(client, &patience);
    int done = reply->done;
    mpw_unlock(client);
    return done < 0 ? done : rc;
}

// ---------------------------------------------------------------- quiet

static void clear_marks(cwt_conn_t *conn)
{
    for (mpw_target_t *t = conn->targets; t; t = t->next)
        if (__atomic_load_n(&t->record->last, __ATOMIC_RELAXED))
            // the inject came before its mark, so the flush that follows covers it
            __atomic_exchange_n(&t->record->last, 0, __ATOMIC_ACQ_REL);
}

/** Asks for the answer that covers all requests sent; false: not now. Locked. */
static bool ask(cwt_conn_t *conn)
{
    if (conn->sent == conn->acked || conn->asked == conn->sent)
        return true;
    mpw_slot_t *slot = mpw_slot_for(conn);
    if (slot)
        send_nop(conn, slot);
    return slot != NULL;
}

int mpw_await_executed(cwt_conn_t *conn)
{
    mpw_patience_t patience = {0};
    uint32_t sent = conn->sent;
    int rc = conn->client->error;
    while (rc == 0 && (int32_t)(conn->acked - sent) < 0) {
        ask(conn);
        rc = mpw_wait_answers(conn->client, &patience);
    }
    return rc;
}

/** Behind it a flush has little to wait for. */
int mpw_await_server(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    mpw_patience_t patience = {0};
    mpw_slot_t *slot = NULL;
    mpw_lock(client);
    int rc = client->error;
    while (rc == 0 && !(slot = mpw_slot_for(conn)))
        rc = mpw_wait_answers(client, &patience);
    if (rc == 0)
        rc = send_nop(conn, slot);
    if (rc == 0)
        rc = mpw_await_executed(conn);
    mpw_unlock(client);
    return rc;
}

int mpw_quiet(cwt_client_t *client)
{
    int result = 0;
    mpw_lock(client);
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        clear_marks(conn);
        ask(conn);
    }
    cwt_conn_t *first = client->conns;
    mpw_unlock(client);
    for (cwt_conn_t *conn = first; conn; conn = conn->next) {
        int rc = mpw_flush(conn);
        result = result ? result : rc;
    }
    mpw_lock(client);
    for (cwt_conn_t *conn = first; conn; conn = conn->next) {
        int rc = mpw_await_executed(conn);
        result = result ? result : rc;
    }
    if (result == 0)
        result = mpw_await_transfers(client, NULL, false);
    result = result ? result : client->error;
    mpw_unlock(client);
    return result;
}

/** MPI completes puts by a flush only, and has none that does not wait: here, for the puts under
 *  way. */
int mpw_quiet_begin(cwt_client_t *client)
{
    int rc = 0;
    mpw_lock(client);
    cwt_conn_t *first = client->conns;
    mpw_unlock(client);
    for (cwt_conn_t *conn = first; conn && rc == 0; conn = conn->next)
        rc = mpw_flush_now(conn);
    mpw_lock(client);
    bool all = true;
    for (cwt_conn_t *conn = client->conns; conn && rc == 0; conn = conn->next) {
        clear_marks(conn);
        all = ask(conn) && all;
        conn->awaited = conn->sent;
    }
    client->awaited = client->begun;
    rc = rc ? rc : mpw_take_answers(client);
    mpw_unlock(client);
    return rc < 0 ? rc : all;
}

int mpw_quiet_test(cwt_client_t *client)
{
    mpw_lock(client);
    int rc = mpw_take_answers(client);
    bool over = !mpw_has_transfers(client, NULL, client->awaited, false);
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next)
        over = over && (int32_t)(conn->acked - conn->awaited) >= 0;
    mpw_unlock(client);
    return rc < 0 ? rc : over;
}

int mpw_poll(cwt_client_t *client)
{
    mpw_lock(client);
    int n = mpw_take_answers(client);
    mpw_unlock(client);
    return n;
}

int mpw_progress(cwt_client_t *client)
{
    int n = mpw_poll(client);
    return n < 0 ? n : 0;
}
