// SPDX-License-Identifier: BSD-3-Clause
//
// The client half: open, connect (what both endpoint modes share), target records, close.
#include "ofi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static int open_scratch(cwt_client_t *client)
{
    client->scratch = calloc(8, sizeof *client->scratch);
    if (!client->scratch)
        return CW_ENOMEM;
    return ofi_register_local(client->lane.domain, client->scratch, 8 * sizeof *client->scratch,
                              &client->scratch_mr);
}

/** An RDM endpoint of a provider on sockets listens, a client's too. */
static void watch_strangers(cwt_client_t *client)
{
    uint8_t addr[128];
    size_t nbytes = sizeof addr;
    if (client->lane.ep && fi_getname(&client->lane.ep->fid, addr, &nbytes) == 0 &&
        nbytes <= sizeof addr)
        ofi_strangers_open(&client->strangers, addr, nbytes, sizeof(ofi_reply_header_t));
}

int ofi_client_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    int rc = ofi_load(config->one_machine);
    if (rc != 0)
        return rc;
    cwt_client_t *client = ofi_lines(sizeof *client);
    if (!client)
        return CW_ENOMEM;
    client->config = *config;
    if (config->thread_multiple)
        ofi_load_safe(config->one_machine);
    client->safe = config->thread_multiple && ofi_choice.safe_info;
    rc = ofi_lane_open(&client->lane, client->safe ? ofi_choice.safe_info : ofi_choice.info, 2048,
                       ofi_roomy(config));
    if (rc == 0) {
        watch_strangers(client);
        ofi_pool_init(&client->ops, client->lane.domain, 0, OFI_OPS_MAX);
        ofi_pool_init(&client->bounce, client->lane.domain, OFI_BOUNCE_NBYTES, OFI_BOUNCE_MAX);
        ofi_wait_init(client);
        rc = open_scratch(client);
    }
    if (rc != 0) {
        ofi_client_close(client);
        return rc;
    }
    *client_p = client;
    return 0;
}

void ofi_client_stats(const cwt_client_t *client, cwt_stats_t *stats_p)
{
    *stats_p = client->stats;
    for (const cwt_conn_t *conn = client->conns; conn; conn = conn->next)
        stats_p->requests += conn->messages;
    stats_p->endpoints = client->lane.endpoints;
}

// ---------------------------------------------------------------- connecting

uint64_t ofi_timeout_ns(void)
{
    return (uint64_t)(cwu_env.timeout > 0 ? cwu_env.timeout : 60) * 1000000000u;
}

int ofi_connect_failed(cwt_conn_t *conn, int code, const char *reason)
{
    if (ofi_no_files())
        return code;  // another connection may be given up for this one
    const char *remedy = "check that its processes run and that the address can be reached "
                         "(CAUSEWAY_INTERFACE chooses "
                         "another, CAUSEWAY_TIMEOUT waits longer)";
    if (code == CW_EREFUSED)
        remedy = "the other side belongs to another job or another Causeway version";
    else if (code == CW_ELOST)
        remedy = "its first PE has finalized or died: look for its own message";
    cwu_error("cannot connect to %s at %s over %s: %s; %s", ofi_node_name(conn->client, conn->node),
              conn->address, ofi_choice.info->fabric_attr->prov_name, reason, remedy);
    return code;
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
        w.round = client->spin + client->yields;  // nothing to poll for: sleep, with idle() in
                                                  // between
        int rc = ofi_wait_round(client, NULL, &w);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int ofi_conn_post_all(cwt_conn_t *conn)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < conn->slots.count; i++)
        rc = ofi_conn_post(conn, &conn->slots.ops[i]);
    return rc;
}

static int check_blob(cwt_client_t *client, int node, const ofi_blob_t *blob, size_t nbytes)
{
    if (nbytes < sizeof *blob || blob->magic != OFI_MAGIC || blob->wire != OFI_WIRE ||
        blob->node != (uint32_t)node || blob->addr_nbytes > sizeof blob->addr ||
        !memchr(blob->provider, 0, sizeof blob->provider)) {
        cwu_error(
            "%s published an address this version cannot read; all PEs must run the same Causeway",
            ofi_node_name(client, node));
        return CW_EMISMATCH;
    }
    const char *own = ofi_choice.info->fabric_attr->prov_name;
    if (strcmp(blob->provider, own) != 0 || blob->msg != ofi_choice.msg) {
        cwu_error("%s uses provider %s (%s), this PE %s (%s); set CAUSEWAY_PROVIDER and "
                  "CAUSEWAY_ENDPOINT alike",
                  ofi_node_name(client, node), blob->provider, blob->msg ? "msg" : "rdm", own,
                  ofi_choice.msg ? "msg" : "rdm");
        return CW_EMISMATCH;
    }
    return 0;
}

static void conn_free(cwt_conn_t *conn)
{
    while (conn->targets) {
        ofi_target_t *t = conn->targets;
        conn->targets = t->next;
        free(t);
    }
    ofi_slots_close(&conn->slots);
    free(conn->keys);
    free(conn);
}

static cwt_conn_t *conn_create(cwt_client_t *client, int node, const ofi_blob_t *blob)
{
    cwt_conn_t *conn = ofi_lines(sizeof *conn);
    if (!conn) {
        cwu_error("no memory for a connection to %s", ofi_node_name(client, node));
        return NULL;
    }
    uint32_t n = (uint32_t)node;
    conn->client = client;
    conn->node = node;
    conn->blob = *blob;
    conn->lone_puts = conn->parked = conn->down = true;
    conn->free_slots = OFI_ALL_SLOTS;
    conn->generation = 1;
    conn->fi_addr = FI_ADDR_UNSPEC;
    conn->token_out = ofi_digest(client->config.secret, OFI_FOR_REQUEST, &n, sizeof n);
    conn->token_in = ofi_digest(client->config.secret, OFI_FOR_REPLY, &n, sizeof n);
    ofi_address_text(blob->addr, blob->addr_nbytes, conn->address, sizeof conn->address);
    return conn;
}

/** Several regions: their keys are read from the table the welcome names. */
static int read_keys(cwt_conn_t *conn, const ofi_welcome_t *welcome)
{
    size_t nbytes = welcome->nkeys * sizeof *conn->keys;
    conn->keys = malloc(nbytes);
    if (!conn->keys)
        return CW_ENOMEM;
    size_t step = nbytes < OFI_BOUNCE_NBYTES ? nbytes : OFI_BOUNCE_NBYTES;
    for (size_t at = 0; at < nbytes; at += step) {
        size_t n = nbytes - at < step ? nbytes - at : step;
        ofi_op_t *op = ofi_pool_get(&conn->client->bounce);
        if (!op)
            return CW_ENOMEM;
        ofi_group_t group = {.left = 2};
        op->conn = conn;
        op->group = &group;
        op->copy_to = (uint8_t *)conn->keys + at;
        op->nbytes = n;
        int rc = ofi_read_raw(conn, op, op->buf, n, op->desc, welcome->table_addr + at,
                              welcome->table_key);
        ofi_waiter_t w = OFI_WAITER("the key table");
        while (rc == 0 && group.left > 1)
            rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0) {
            ofi_group_forget(conn->client, &group);
            return rc;
        }
    }
    return 0;
}

static int take_welcome(cwt_conn_t *conn, const ofi_welcome_t *welcome, const ofi_hello_t *hello)
{
    uint64_t proof = ofi_digest(conn->client->config.secret, OFI_FOR_WELCOME, &hello->nonce,
                                sizeof hello->nonce);
    if (welcome->magic != OFI_MAGIC || welcome->wire != OFI_WIRE || welcome->proof != proof ||
        welcome->nkeys == 0 || welcome->nkeys > 1u << 24)
        return ofi_connect_failed(conn, CW_EREFUSED, "who answered does not know the job's secret");
    conn->peer = welcome->peer;
    conn->key = welcome->key;
    conn->base = welcome->base;
    conn->nkeys = welcome->nkeys;
    conn->welcomed = true;
    ofi_quick_allow(conn);
    return conn->nkeys > 1 ? read_keys(conn, welcome) : 0;
}

int ofi_conn_introduce(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    ofi_hello_t hello = {.pe = (uint32_t)client->config.pe, .node = (uint32_t)conn->node};
    if (getrandom(&hello.nonce, sizeof hello.nonce, GRND_NONBLOCK) != (ssize_t)sizeof hello.nonce)
        hello.nonce = cwu_now_ns() ^ (uintptr_t)conn;
    ofi_hello_sign(&hello, client->config.secret);
    ofi_welcome_t welcome;
    int rc = ofi_choice.msg ? ofi_connect_msg(conn, &conn->blob, &hello, &welcome)
                            : ofi_connect_rdm(conn, &conn->blob, &hello, &welcome);
    return rc ? rc : take_welcome(conn, &welcome, &hello);
}

/** A connection that never came about. RDM: its buffers are in the common queue. */
static void give_up(cwt_conn_t **at)
{
    cwt_conn_t *conn = *at;
    cwt_client_t *client = conn->client;
    *at = conn->next;
    client->hand = NULL;
    conn->closing = true;
    if (ofi_choice.msg || !conn->slots.ops) {
        conn_free(conn);
        return;
    }
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
        give_up(at);
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
    rc = connect_locked(client, node, &b, conn_p);
    ofi_unlock(client);
    return rc;
}

// ---------------------------------------------------------------- target records

int ofi_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    (void)slot;
    ofi_target_t *known = malloc(sizeof *known);
    if (!known)
        return CW_ENOMEM;
    ofi_lock(conn->client);
    *target = (cwt_target_t){.inject = NULL};
    ofi_target_fill(target, conn, slice_delta);
    known->slice_delta = slice_delta;
    known->record = target;
    known->next = conn->targets;
    conn->targets = known;
    ofi_unlock(conn->client);
    return 0;
}

// ---------------------------------------------------------------- closing

/** RDM: tells the server that our number and buffers are free. A courtesy: it may be gone, and that
 *  is all right. */
static void say_bye(cwt_conn_t *conn)
{
    cwt_header_t bye = {.token = conn->token_out,
                        .op = OFI_OWN_BYE,
                        .nbytes = sizeof bye,
                        .reply_id = OFI_ID_OWN | (uint64_t)conn->peer << OFI_ID_PEER_SHIFT};
    if (sizeof bye > ofi_choice.inject_nbytes)
        return;
    ssize_t rc = -FI_EAGAIN;
    for (int i = 0; i < 100 && rc == -FI_EAGAIN; i++) {
        rc = fi_inject(conn->ep, &bye, sizeof bye, conn->fi_addr);
        ofi_client_poll(conn->client);
    }
}

void ofi_client_close(cwt_client_t *client)
{
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        conn->closing = true;
        if (!ofi_choice.msg && !conn->error && conn->ep)
            say_bye(conn);
        if (ofi_choice.msg && conn->ep) {
            fi_shutdown(conn->ep, 0);
            fi_close(&conn->ep->fid);
        }
        conn->ep = NULL;
    }
    if (client->lane.cq)
        while (ofi_client_poll(client) > 0)
            ;
    if (client->lane.ep) {
        fi_close(&client->lane.ep->fid);
        client->lane.ep = NULL;
    }
    if (client->scratch_mr)
        fi_close(&client->scratch_mr->fid);
    cwt_conn_t **lists[] = {&client->conns, &client->failed};
    for (int i = 0; i < 2; i++)
        while (*lists[i]) {
            cwt_conn_t *conn = *lists[i];
            *lists[i] = conn->next;
            conn_free(conn);
        }
    ofi_pool_close(&client->ops);
    ofi_pool_close(&client->bounce);
    ofi_lane_close(&client->lane);
    ofi_strangers_close(&client->strangers);
    free(client->scratch);
    free(client);
}
