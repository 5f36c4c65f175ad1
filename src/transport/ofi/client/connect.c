// SPDX-License-Identifier: BSD-3-Clause
//
// Connecting: what both endpoint modes share.
#include "calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool is_over(const cwt_client_t *client)
{
    return client->config.over && client->config.over();
}

int ofi_connect_failed(cwt_conn_t *conn, int code, const char *reason)
{
    if (code == CW_EFILES || ofi_no_files() || is_over(conn->client))
        return code;  // another connection may be evicted for this one, or it is not needed
    const char *remedy = "check that its processes run and that the address can be reached "
                         "(CAUSEWAY_INTERFACE chooses "
                         "another, CAUSEWAY_TIMEOUT waits longer)";
    if (code == CW_EREFUSED)
        remedy = "the other side belongs to another job or another Causeway version, or it is "
                 "another host with the same address (CAUSEWAY_INTERFACE)";
    else if (code == CW_EINVAL)
        remedy = "the provider refuses the call itself: choose another CAUSEWAY_PROVIDER "
                 "(causeway-info --libfabric)";
    else if (code == CW_ELOST)
        remedy = "its first PE has finalized or died: look for its own message";
    cwu_error("cannot connect to %s at %s over %s: %s; %s", ofi_node_name(conn->client, conn->node),
              conn->address, ofi_choice.info->fabric_attr->prov_name, reason, remedy);
    return code;
}

int ofi_connect_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w)
{
    return is_over(client) ? CW_ELOST : ofi_wait_round(client, conn, w);
}

int ofi_connect_pause(cwt_conn_t *conn, uint64_t start_ns, uint32_t *pause_us)
{
    cwt_client_t *client = conn->client;
    if (cwu_now_ns() - start_ns > ofi_timeout_ns())
        return CW_ETIMEOUT;
    *pause_us = *pause_us == 0 ? 500 : *pause_us > 50000 ? 100000 : 2 * *pause_us;
    uint64_t until = cwu_now_ns() + (uint64_t)*pause_us * 1000;
    ofi_waiter_t w = OFI_WAITER("a connection");
    for (uint64_t now = cwu_now_ns(); now < until; now = cwu_now_ns()) {
        w.round = client->plan.polls + client->plan.yields;  // there is nothing to poll for: sleep
        int rc = ofi_connect_round(client, NULL, &w);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int check_blob(cwt_client_t *client, int node, const ofi_blob_t *blob, size_t nbytes)
{
    if (nbytes < sizeof *blob || blob->magic != OFI_MAGIC || blob->wire != OFI_WIRE ||
        blob->node != (uint32_t)node || blob->addr_nbytes > sizeof blob->addr ||
        blob->others_nbytes > sizeof blob->addr - blob->addr_nbytes ||
        !memchr(blob->provider, 0, sizeof blob->provider)) {
        cwu_error(
            "%s published an address this version cannot read; all PEs must run the same Causeway",
            ofi_node_name(client, node));
        return CW_EMISMATCH;
    }
    const char *own = ofi_choice.info->fabric_attr->prov_name;
    if (strncmp(blob->provider, own, sizeof blob->provider - 1) != 0 ||
        blob->msg != ofi_choice.msg) {
        cwu_error("%s uses provider %s (%s), this PE %s (%s); set CAUSEWAY_PROVIDER and "
                  "CAUSEWAY_ENDPOINT alike",
                  ofi_node_name(client, node), blob->provider, blob->msg ? "msg" : "rdm", own,
                  ofi_choice.msg ? "msg" : "rdm");
        return CW_EMISMATCH;
    }
    if (blob->nic_atomics != ofi_choice.nic_atomics) {
        cwu_error("%s %s its provider's atomics, this PE does not do the same; set "
                  "CAUSEWAY_ATOMICS=cpu, or the same libfabric and devices on all hosts",
                  ofi_node_name(client, node), blob->nic_atomics ? "uses" : "does not use");
        return CW_EMISMATCH;
    }
    return 0;
}

void ofi_conn_free(cwt_conn_t *conn)
{
    while (conn->targets) {
        ofi_target_t *t = conn->targets;
        conn->targets = t->next;
        free(t);
    }
    ofi_receives_close(&conn->receives);
    free(conn->keys);
    free(conn);
}

static cwt_conn_t *conn_create(cwt_client_t *client, int node, const ofi_blob_t *blob)
{
    cwt_conn_t *conn = ofi_alloc_lines(sizeof *conn);
    if (!conn) {
        cwu_error("no memory for a connection to %s", ofi_node_name(client, node));
        return NULL;
    }
    conn->client = client;
    conn->node = node;
    conn->blob = *blob;
    conn->request_most = ofi_longest_request(blob->long_requests);
    conn->single_puts = conn->evicted = conn->down = true;
    ofi_replies_init(conn);
    conn->fi_addr = FI_ADDR_UNSPEC;
    ofi_address_text(blob->addr, blob->addr_nbytes, conn->address, sizeof conn->address);
    return conn;
}

static ofi_whom_t whom_of(const cwt_conn_t *conn)
{
    return (ofi_whom_t){conn->client->config.secret, conn->blob.birth, conn->node};
}

// ---------------------------------------------------------------- numbers of attempts
#define MOST_AHEAD 32u  // of 64: threads between begin and their number come on top

static _Atomic uint32_t attempts;  // of this process
static cwu_lock_t turns_lock;      // guards turns
static ofi_turn_t *turns;          // under way

bool ofi_turn_begin(ofi_turn_t *turn)
{
    bool near = true;
    cwu_lock(&turns_lock);
    turn->from = atomic_load_explicit(&attempts, memory_order_relaxed);
    for (const ofi_turn_t *other = turns; other; other = other->next)
        near = near && turn->from - other->from < MOST_AHEAD;
    if (near) {
        turn->next = turns;
        turns = turn;
    }
    cwu_unlock(&turns_lock);
    return near;
}

void ofi_turn_end(ofi_turn_t *turn)
{
    cwu_lock(&turns_lock);
    ofi_turn_t **at = &turns;
    while (*at != turn)
        at = &(*at)->next;
    *at = turn->next;
    cwu_unlock(&turns_lock);
}

void ofi_conn_hello(cwt_conn_t *conn, ofi_hello_t *hello)
{
    ofi_whom_t whom = whom_of(conn);
    *hello = (ofi_hello_t){.pe = (uint32_t)conn->client->config.pe,
                           .number = atomic_fetch_add(&attempts, 1),
                           .nonce = ofi_draw(conn)};
    ofi_hello_sign(hello, &whom);
    conn->client->stats.requests += conn->token_out - conn->token_first;
    conn->token_first = conn->token_out = ofi_token(hello, &whom, OFI_FOR_REQUEST);
    ofi_expect(&conn->token_in, ofi_token(hello, &whom, OFI_FOR_REPLY));
}

static int take_welcome(cwt_conn_t *conn, const ofi_welcome_t *welcome, const ofi_hello_t *hello)
{
    ofi_whom_t whom = whom_of(conn);
    if (welcome->magic != OFI_MAGIC || welcome->wire != OFI_WIRE ||
        !ofi_is_same(welcome->proof, ofi_welcome_proof(welcome, hello, &whom)) ||
        welcome->nkeys == 0 || welcome->nkeys > 1u << 24)
        return ofi_connect_failed(conn, CW_EREFUSED,
                                  "the process there does not know the job's secret");
    if (conn->opened > 0 && welcome->nkeys != conn->nkeys)  // what the fast paths rely on
        return ofi_connect_failed(conn, CW_EPROTO, "its memory has another number of keys now");
    conn->peer = welcome->peer;
    conn->key = welcome->key;
    conn->base = welcome->base;
    conn->nkeys = welcome->nkeys;
    conn->welcomed = true;
    ofi_fast_allow(conn);
    return conn->nkeys > 1 ? ofi_keys_open(conn) : 0;
}

/** Where replies of that node go from now on (RDM). */
static int name_conn(cwt_client_t *client, uint32_t node, cwt_conn_t *conn)
{
    if (node >= client->by_node_count) {
        uint32_t count = 2 * client->by_node_count > node ? 2 * client->by_node_count : node + 1;
        cwt_conn_t **table = realloc(client->by_node, count * sizeof(cwt_conn_t *));
        if (!table)
            return CW_ENOMEM;
        memset(table + client->by_node_count, 0,
               (count - client->by_node_count) * sizeof(cwt_conn_t *));
        client->by_node = table;
        client->by_node_count = count;
    }
    client->by_node[node] = conn;
    return 0;
}

int ofi_conn_introduce(cwt_conn_t *conn)
{
    ofi_hello_t hello;
    ofi_welcome_t welcome;
    int rc = ofi_choice.msg ? 0 : name_conn(conn->client, (uint32_t)conn->node, conn);
    if (rc != 0)
        return rc;
    conn->client->introducing++;
    rc = ofi_choice.msg ? ofi_connect_msg(conn, &conn->blob, &hello, &welcome)
                        : ofi_connect_rdm(conn, &conn->blob, &hello, &welcome);
    conn->client->introducing--;
    return rc ? rc : take_welcome(conn, &welcome, &hello);
}

/** Removes a connection that could not be opened. RDM: operations under way may name it. */
static void remove_conn(cwt_conn_t **at)
{
    cwt_conn_t *conn = *at;
    cwt_client_t *client = conn->client;
    *at = conn->next;
    client->hand = NULL;
    conn->closing = true;
    if (ofi_choice.msg) {
        ofi_conn_free(conn);
        return;
    }
    client->by_node[conn->node] = NULL;
    conn->next = client->failed;
    client->failed = conn;
}

static int connect_locked(cwt_client_t *client, int node, const ofi_blob_t *blob,
                          cwt_conn_t **conn_p)
{
    cwt_conn_t *conn = conn_create(client, node, blob), **at = &client->conns;
    if (!conn)
        return CW_ENOMEM;
    while (*at)
        at = &(*at)->next;
    *at = conn;
    int rc = ofi_conn_open(conn);
    if (rc != 0) {
        for (at = &client->conns; *at != conn;)
            at = &(*at)->next;
        remove_conn(at);
        return rc;
    }
    *conn_p = conn;
    return 0;
}

int ofi_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                cwt_conn_t **conn_p)
{
    ofi_blob_t b;
    memset(&b, 0, sizeof b);
    memcpy(&b, blob, nbytes < sizeof b ? nbytes : sizeof b);
    int rc = check_blob(client, node, &b, nbytes);
    if (rc != 0)
        return rc;
    ofi_enter(client);
    rc = ofi_reach(client, node, &b);
    if (rc == 0)
        rc = connect_locked(client, node, &b, conn_p);
    ofi_unlock(client);
    return rc;
}
