// SPDX-License-Identifier: BSD-3-Clause
//
// Connections that rest. A connection as the core knows it lasts as long as its client; its
// endpoint does not: when CAUSEWAY_MAX_CONNECTIONS or the file descriptors are used up, the one not
// used for longest is completed and its endpoint closed ("parked"), and the next operation on it
// opens it again. Target records of a parked connection lead to an inject that takes nothing, so
// scalar puts come by ofi_put too, which opens it.
//
//   new = parked --ofi_conn_open--> changing --> up --park--> changing --> parked        conn->down: all but "up"
//
// Who is used longest ago is found by a clock: operations set conn->used (scalar puts leave a mark
// in their record instead), the hand clears it as it passes, and takes the first that it finds
// clear.
//
// Threads: the client's lock is held, but given up in waits. A connection is parked only while no
// thread waits in the middle of an operation on it (conn->waiting), and who comes meanwhile waits
// until it no longer changes.
#include "ofi.h"

#include <stdlib.h>
#include <string.h>

#define FREE_WITHIN_NS 1000000000u  // for the provider to close a descriptor whose socket was shut

// ---------------------------------------------------------------- target records

/** Inject of a parked connection: the put that follows opens it. */
static ssize_t not_taken(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                         uint64_t addr, uint64_t key)
{
    (void)ep, (void)buf, (void)nbytes, (void)fabric_addr, (void)addr, (void)key;
    return CW_EAGAIN;
}

/** May scalar puts call the provider's own inject? Several threads need no lock of ours for it if
 *  the provider has its own; but then nobody knows when none of them is inside, so the connection
 *  cannot be closed before the end. */
static bool is_plain(const cwt_conn_t *conn)
{
    const cwt_client_t *client = conn->client;
    bool alone = !client->config.thread_multiple || (client->safe && cwu_env.max_connections == 0);
    return ofi_choice.ordered && conn->nkeys == 1 && alone && ofi_choice.inject_nbytes >= 16;
}

size_t ofi_inject_most(void)
{
    // the shim copies what a provider does not inject
    return ofi_choice.inject_nbytes < 8 ? 8 : ofi_choice.inject_nbytes;
}

void ofi_target_fill(cwt_target_t *record, cwt_conn_t *conn, uint64_t slice_delta)
{
    bool plain = is_plain(conn);
    record->conn = conn;
    record->offset = slice_delta;
    record->fabric_addr = conn->fi_addr;
    if (plain && !conn->parked) {
        // the provider's own function: same arguments, and nothing between it and the API
        record->inject = (ssize_t(*)(void *, const void *, size_t, uint64_t, uint64_t,
                                     uint64_t))conn->ep->rma->inject;
        record->ep = conn->ep;
        record->base = slice_delta + conn->base;
        record->key = conn->key;
        conn->pinned = conn->client->config.thread_multiple;
    } else {
        record->inject = plain ? not_taken : ofi_inject_shim;
        record->ep = record;
        record->base = slice_delta;
    }
}

static void fill_targets(cwt_conn_t *conn)
{
    for (ofi_target_t *t = conn->targets; t; t = t->next)
        ofi_target_fill(t->record, conn, t->slice_delta);
}

// ---------------------------------------------------------------- closing

/** A last message, which takes back the leave to tell us anything. When the server has answered it
 *  knows, and (RDM, where it is a good-bye) that our number and buffers are free; then nothing more
 *  comes. */
static void say_last(cwt_conn_t *conn, uint16_t op)
{
    ofi_waiter_t w = OFI_WAITER("the answer to a good-bye");
    uint64_t until = cwu_now_ns() + ofi_timeout_ns();
    ofi_conn_name(conn, false);
    int rc = ofi_request_own(conn, op, NULL, 0);
    while (rc == 0 && conn->sent != conn->acked && cwu_now_ns() < until)
        rc = ofi_wait_round(conn->client, conn, &w);
}

static void close_msg(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    if (!conn->error && (conn->id & OFI_ID_TELL))
        say_last(conn, OFI_OWN_NOP);
    conn->closing = true;
    fi_shutdown(conn->ep, 0);
    fi_close(&conn->ep->fid);
    conn->ep = NULL;
    while (ofi_client_poll(client) > 0)  // its cancelled receives
        ;
    while (ofi_client_events(client) > 0)  // another endpoint may get its address
        ;
    ofi_slots_close(&conn->slots);
    conn->closing = false;
}

/** The connection below belongs to the provider, which never gives one up by itself; where it is a
 *  socket, that can be shut. The buffers stay in the common queue. */
static void close_rdm(cwt_conn_t *conn)
{
    if (!conn->error)
        say_last(conn, OFI_OWN_BYE);
    if (conn->fi_addr != FI_ADDR_UNSPEC)
        fi_av_remove(conn->client->lane.av, &conn->fi_addr, 1, 0);
    conn->fi_addr = FI_ADDR_UNSPEC;
    conn->ep = NULL;
    ofi_socket_t below;
    if (!ofi_socket_shut(conn->blob.addr, conn->blob.addr_nbytes, &below))
        return;
    // until the provider has noticed, a message would be taken for the connection that was
    ofi_waiter_t w = OFI_WAITER("a connection to be closed");
    for (uint64_t start = cwu_now_ns();
         ofi_socket_is_open(&below) && cwu_now_ns() - start < FREE_WITHIN_NS;)
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
    conn->parked = true;
    conn->sent = conn->acked = conn->asked = conn->awaited_sent = 0;
    conn->dirty = conn->probing = false;
    conn->stuck_ns = 0;
    free(conn->keys);
    conn->keys = NULL;
    conn->client->open--;
}

static bool may_park(const cwt_conn_t *conn)
{
    return conn->ep && !conn->parked && !conn->changing && !conn->pinned && !conn->waiting &&
           !conn->sending;
}

/** Completes what is under way, then closes. False: other threads use it. */
static bool park(cwt_conn_t *conn)
{
    int rc = conn->error ? conn->error : ofi_drain(conn);
    if (!may_park(conn) ||
        (rc == 0 && (ofi_outstanding(conn) || conn->free_slots != OFI_ALL_SLOTS)))
        return false;
    conn->changing = conn->down = true;
    close_endpoint(conn);
    fill_targets(conn);
    conn->changing = false;
    cwu_debug("parked the connection to %s", ofi_node_name(conn->client, conn->node));
    return true;
}

static bool park_one(cwt_client_t *client)
{
    uint32_t looks = 0;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        for (const ofi_target_t *t = conn->targets; t && !conn->used; t = t->next)
            conn->used = ofi_is_marked(t);
        if (conn->messages != conn->messages_seen)  // short messages leave no other mark
            conn->used = true;
        conn->messages_seen = conn->messages;
        looks += 2;  // the first clears the mark, the second finds it clear
    }
    for (; looks > 0; looks--) {
        cwt_conn_t *conn = client->hand ? client->hand : client->conns;
        client->hand = conn->next;
        if (may_park(conn) && !conn->used && park(conn))
            return true;
        conn->used = false;
    }
    return false;
}

// ---------------------------------------------------------------- opening

/** RDM: buffers are in a common queue, those of a parked connection serve as well. */
static bool take_slots(cwt_conn_t *conn)
{
    cwt_conn_t *from = ofi_choice.msg ? NULL : conn->client->conns;
    while (from && !(from != conn && from->parked && !from->changing && from->slots.ops))
        from = from->next;
    if (!from)
        return false;
    conn->slots = from->slots;
    memset(&from->slots, 0, sizeof from->slots);
    for (uint32_t i = 0; i < conn->slots.count; i++)
        conn->slots.ops[i].conn = conn;
    return true;
}

static int give_slots(cwt_conn_t *conn)
{
    if (conn->slots.ops || take_slots(conn))
        return 0;
    // a common queue may run out of buffers until the next poll; an endpoint of its own may not
    uint32_t count =
        OFI_CREDITS + (ofi_choice.msg && ofi_hears(conn->client) ? conn->client->config.tells : 0);
    int rc = ofi_slots_open(&conn->slots, conn->client->lane.domain, count);
    if (rc == 0 && !ofi_choice.msg)
        rc = ofi_conn_post_all(conn);
    if (rc != 0)
        cwu_error("no memory for a connection to %s", ofi_node_name(conn->client, conn->node));
    return rc;
}

static int open_once(cwt_conn_t *conn)
{
    conn->error = 0;
    if (!ofi_choice.msg)
        conn->ep = conn->client->lane.ep;
    int rc = give_slots(conn);
    return rc ? rc : ofi_conn_introduce(conn);
}

int ofi_conn_open(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    uint64_t start = cwu_now_ns();
    long limit = cwu_env.max_connections;
    conn->changing = conn->down = true;
    while (limit > 0 && client->open >= (unsigned long)limit && park_one(client))
        ;
    client->open++;
    int rc = open_once(conn);
    while (rc != 0 && ofi_no_files() && park_one(client))
        rc = open_once(conn);
    client->stats.connect_ns += cwu_now_ns() - start;
    if (rc == 0) {
        *(conn->opened++ ? &client->stats.reconnects : &client->stats.connections) += 1;
        conn->parked = conn->down = false;
        conn->used = true;
        fill_targets(conn);
    } else {
        ofi_out_of_files();
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
    if (conn->parked)
        return ofi_conn_open(conn);
    if (conn->down)
        ofi_conn_fail(conn, CW_ELOST, what, "the peer closed it before");
    return conn->error;
}
