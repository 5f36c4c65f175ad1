// SPDX-License-Identifier: BSD-3-Clause
//
// What servers send to a client: replies, acknowledgements, notifications.
#include "transport/mpi/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

uint64_t mpw_pending_take(cwt_conn_t *conn, cwt_reply_t *reply)
{
    cwt_client_t *client = conn->client;
    if (client->free_pending < 0) {
        int32_t n = client->npending ? 2 * client->npending : 64;
        mpw_pending_t *more = realloc(client->pending, (size_t)n * sizeof *more);
        if (!more)
            return 0;
        client->pending = more;
        for (int32_t i = n; i-- > client->npending;) {
            more[i] = (mpw_pending_t){.next = client->free_pending};
            client->free_pending = i;
        }
        client->npending = n;
    }
    int32_t index = client->free_pending;
    mpw_pending_t *p = &client->pending[index];
    client->free_pending = p->next;
    p->reply = reply;
    p->conn = conn;
    p->use++;
    reply->done = 0;
    return (uint64_t)p->use << 32 | (uint32_t)(index + 1);
}

static int garbled(const cwt_conn_t *conn)
{
    cwu_error("a message of the server of %s follows no rule of the protocol",
              mpw_node_name(conn->client, conn->node));
    conn->client->error = CW_EPROTO;
    return CW_EPROTO;
}

static int take_reply(cwt_conn_t *conn, uint64_t id, const void *payload, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    uint32_t index = (uint32_t)id - 1;
    if (index >= (uint32_t)client->npending)
        return garbled(conn);
    mpw_pending_t *p = &client->pending[index];
    cwt_reply_t *reply = p->reply;
    if (!reply || p->use != id >> 32 || p->conn != conn ||
        (!reply->arrived && nbytes > reply->capacity))
        return garbled(conn);
    p->reply = NULL;
    p->next = client->free_pending;
    client->free_pending = (int32_t)index;
    reply->nbytes = nbytes;
    if (!reply->arrived && nbytes)
        memcpy(reply->buf, payload, nbytes);
    reply->done = 1;
    if (reply->arrived)
        reply->arrived(reply, payload, nbytes);
    client->stats.replies++;
    return 0;
}

static cwt_conn_t *find_conn(const cwt_client_t *client, int rank)
{
    cwt_conn_t *conn = client->conns;
    while (conn && conn->rank != rank)
        conn = conn->next;
    return conn;
}

static int take(cwt_client_t *client, int rank, size_t nbytes)
{
    mpw_answer_t head;
    cwt_conn_t *conn = find_conn(client, rank);
    memcpy(&head, client->message, sizeof head < nbytes ? sizeof head : nbytes);
    if (nbytes < sizeof head || !conn) {
        cwu_error("rank %d of MPI_COMM_WORLD has sent %zu bytes that belong to no node", rank,
                  nbytes);
        return client->error = CW_EPROTO;
    }
    if (head.nonce != client->nonce)
        return 0;  // for the client that had the tag before
    const uint8_t *payload = client->message + sizeof head;
    nbytes -= sizeof head;
    if ((int32_t)(head.seq - conn->acked) > 0) {
        if ((int32_t)(head.seq - conn->sent) > 0)
            return garbled(conn);
        conn->acked = head.seq;
    }
    switch (head.kind) {
    case MPW_ACK:
        return 0;
    case MPW_REPLY:
        return take_reply(conn, head.reply_id, payload, nbytes);
    case MPW_NOTIFICATION:
        conn->notified++;
        if (client->config.notified)
            client->config.notified(client->config.notified_arg, conn->node, payload, nbytes);
        return 0;
    default:
        return garbled(conn);
    }
}

int mpw_take_answers(cwt_client_t *client)
{
    for (int events = 0;; events++) {
        int rank = 0, nbytes = -1;
        if (client->error)
            return client->error;
        int rc = mpw_world.plugin->receive(client->tag, client->message, sizeof client->message,
                                           &rank, &nbytes);
        if (rc)
            return client->error = mpw_failed("receiving an answer", NULL, rc);
        if (nbytes < 0) {
            int ended = client->first ? mpw_reap_transfers(client) : 0;
            return ended < 0 ? ended : events + ended;
        }
        if ((rc = take(client, rank, (size_t)nbytes)))
            return rc;
    }
}
