// SPDX-License-Identifier: BSD-3-Clause
//
// Eviction of connections. A connection as the core knows it lasts as long as its client; its
// endpoint does not: when CAUSEWAY_MAX_CONNECTIONS or the file descriptors are used up, the least
// recently used connection is completed and its endpoint closed, and the next operation on it opens
// it again. Target records of an evicted connection lead to an inject that takes nothing, so scalar
// puts come by ofi_put too, which opens it.
//
//   new = evicted --ofi_conn_open--> changing --> up --evict--> changing --> evicted
//
// conn->down is set in all states but "up".
//
// The least recently used connection is found by a clock: operations set conn->used (scalar puts
// leave a mark in their record instead), the hand clears it as it passes, and takes the first that
// it finds clear.
//
// Threads: the client's lock is held, but given up in waits. A connection is evicted only while no
// thread waits in the middle of an operation on it (conn->waiting), and a thread that needs it
// meanwhile waits until it no longer changes.
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/** Sends a last message, which withdraws the permission to notify this client, and waits for its
 *  acknowledgement: then nothing more comes. RDM: the message is a good-bye, after which the server
 *  may give this client's number to another one. */
static void send_last(cwt_conn_t *conn, uint16_t op)
{
    ofi_waiter_t w = OFI_WAITER("the acknowledgement of a good-bye");
    uint64_t until = cwu_now_ns() + ofi_timeout_ns();
    ofi_conn_name(conn, false);
    int rc = ofi_request_own(conn, op, NULL, 0, NULL);
    while (rc == 0 && !ofi_is_executed(conn, conn->sent) && cwu_now_ns() < until)
        rc = ofi_acks_round(conn, conn->sent, &w);
}

static void close_msg(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    if (!conn->error && (conn->id & OFI_ID_NOTIFY))
        send_last(conn, OFI_OWN_NOP);
    conn->closing = true;
    fi_shutdown(conn->ep, 0);
    fi_close(&conn->ep->fid);
    conn->ep = NULL;
    ofi_receives_stop(&conn->receives);
    while (ofi_client_poll(client) > 0)  // takes in its cancelled receives
        ;
    while (ofi_client_events(client) > 0)  // another endpoint may get its address
        ;
    ofi_receives_close(&conn->receives);
    conn->closing = false;
}

/** The connection below is the provider's, which never closes one by itself; where it is a socket,
 *  it can be shut. */
static void close_rdm(cwt_conn_t *conn)
{
    if (!conn->error)
        send_last(conn, OFI_OWN_BYE);
    if (conn->fi_addr != FI_ADDR_UNSPEC)
        fi_av_remove(conn->client->device.av, &conn->fi_addr, 1, 0);
    conn->fi_addr = FI_ADDR_UNSPEC;
    conn->ep = NULL;
    ofi_socket_t below;
    if (!ofi_socket_shut(conn->blob.addr, conn->blob.addr_nbytes, &below))
        return;
    // until the provider has noticed, it would send messages on the old connection
    ofi_waiter_t w = OFI_WAITER("a connection to be closed");
    for (uint64_t start = cwu_now_ns();
         ofi_socket_is_open(&below) && cwu_now_ns() - start < CWU_WAIT_NS(SECOND);)
        if (ofi_wait_round(conn->client, NULL, &w) != 0)
            return;
}

static void close_endpoint(cwt_conn_t *conn)
{
    conn->welcomed = false;
    if (conn->ep && ofi_choice.msg)
        close_msg(conn);
    else if (conn->ep)
        close_rdm(conn);
    conn->evicted = true;
    conn->sent = conn->acked = conn->asked = conn->awaited_sent = 0;
    conn->dirty = conn->probing = false;
    conn->stuck_ns = 0;
    free(conn->keys);
    conn->keys = NULL;
    conn->client->open--;
}

static bool may_evict(const cwt_conn_t *conn)
{
    return conn->ep && !conn->evicted && !conn->changing && !conn->pinned && !conn->waiting &&
           !conn->sending && !conn->client->config.of_server;
}

/** Completes the operations under way, then closes. False: other threads use the connection. */
static bool evict(cwt_conn_t *conn)
{
    int rc = conn->error ? conn->error : ofi_drain(conn);
    if (!may_evict(conn) ||
        (rc == 0 && (ofi_outstanding(conn) || conn->free_replies != OFI_ALL_REPLIES)))
        return false;
    conn->changing = conn->down = true;
    close_endpoint(conn);
    ofi_targets_refill(conn);
    conn->changing = false;
    cwu_debug("evicted the connection to %s", ofi_node_name(conn->client, conn->node));
    return true;
}

static bool evict_one(cwt_client_t *client)
{
    uint32_t steps = 0;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        for (const ofi_target_t *t = conn->targets; t && !conn->used; t = t->next)
            conn->used = ofi_is_marked(t);
        if (conn->token_out != conn->token_seen)  // short messages set no other mark
            conn->used = true;
        conn->token_seen = conn->token_out;
        steps += 2;  // the first clears the mark, the second finds it clear
    }
    for (; steps > 0; steps--) {
        cwt_conn_t *conn = client->hand ? client->hand : client->conns;
        client->hand = conn->next;
        if (may_evict(conn) && !conn->used && evict(conn))
            return true;
        conn->used = false;
    }
    return false;
}

/** At the cost of clients that no context uses. */
static bool make_room(const cwt_client_t *client)
{
    return client->config.make_room && client->config.make_room();
}

static int open_once(cwt_conn_t *conn)
{
    conn->error = 0;
    if (!ofi_choice.msg)
        conn->ep = conn->client->device.ep;
    int rc = ofi_client_receive(conn);
    if (rc != 0)
        cwu_error("no memory or completion queue entries for a connection to %s",
                  ofi_node_name(conn->client, conn->node));
    return rc ? rc : ofi_conn_introduce(conn);
}

static bool lacked_files(int rc)
{
    return rc == CW_EFILES || (rc != 0 && ofi_no_files());
}

/** Where descriptors run out, others of this process are given up for it. With none left to give,
 *  the node server has them all, for connections of other PEs: these come and go, so that is waited
 *  for. 0 or CW_E…, reported. */
static int open_with_room(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    uint64_t until = 0;
    uint32_t pause_us = 0;
    int rc;
    while (lacked_files(rc = open_once(conn))) {
        if (make_room(client) || evict_one(client))
            continue;
        uint64_t now = cwu_now_ns();
        until = until ? until : now + CWU_WAIT_NS(GIVE_UP);
        if (now >= until || (rc != CW_EFILES && rc != CW_ESYS)) {
            ofi_report_files();
            return rc;
        }
        rc = ofi_connect_pause(conn, now, &pause_us);
        if (rc != 0)
            return rc;  // the job ends, or the client is lost
    }
    return rc;
}

int ofi_conn_open(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    uint64_t start = cwu_now_ns();
    long limit = client->config.of_server ? 0 : cwu_env.max_connections;
    conn->changing = conn->down = true;
    while (limit > 0 && client->open >= (unsigned long)limit && evict_one(client))
        ;
    client->open++;
    int rc = open_with_room(conn);
    client->stats.connect_ns += cwu_now_ns() - start;
    if (rc == 0) {
        *(conn->opened++ ? &client->stats.reconnects : &client->stats.connections) += 1;
        conn->evicted = conn->down = false;
        conn->used = true;
        ofi_targets_refill(conn);
    } else {
        conn->error = rc;
        close_endpoint(conn);
    }
    conn->changing = false;
    return rc;
}

int ofi_conn_down(cwt_conn_t *conn, const char *what)
{
    ofi_waiter_t w = OFI_WAITER("a connection that another thread opens or closes");
    while (conn->changing && !conn->error) {
        int rc = ofi_wait_round(conn->client, NULL, &w);
        if (rc != 0)
            return rc;
    }
    if (conn->error)
        return conn->error;
    if (conn->evicted)
        return ofi_conn_open(conn);
    if (conn->down)
        ofi_conn_fail(conn, CW_ELOST, what,
                      conn->receives.why ? ofi_reason(conn->receives.why)
                                         : "the peer closed it before");
    return conn->error;
}
