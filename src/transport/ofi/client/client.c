// SPDX-License-Identifier: BSD-3-Clause
//
// The client half: opened, counted, closed.
#include "calls.h"

#include <stdlib.h>

#define MANY_NBYTES 16384u  // of a buffer for many messages
#define FILES 16u           // descriptors that a client with its first connections may take
#define ENTRIES_MIN 2048u
#define ENTRIES_MAX 16384u

/** The most other nodes that there can be. */
static uint32_t most_nodes(const cwt_client_config_t *config)
{
    int most = config->npes - (int)config->layout.nslots;
    return most > 1 ? (uint32_t)most : 1;
}

/** Receives of a connection of MSG endpoints. */
static uint32_t receives_each(const cwt_client_config_t *config)
{
    return OFI_CREDITS + (ofi_takes_notifications_of(config) ? config->notifications : 0);
}

/** How many entries the completion queue should have. */
static uint32_t entries(const cwt_client_config_t *config)
{
    uint64_t receives = ofi_choice.msg ? (uint64_t)most_nodes(config) * receives_each(config)
                                       : OFI_RECEIVES_MAX,
             wanted = OFI_OPS_MAX + OFI_BOUNCE_MAX + receives;
    return wanted < ENTRIES_MIN   ? ENTRIES_MIN
           : wanted > ENTRIES_MAX ? ENTRIES_MAX
                                  : (uint32_t)wanted;
}

/** Divides the completion queue. */
static void init_pools(cwt_client_t *client)
{
    ofi_device_t *device = &client->device;
    ofi_pool_init(&client->ops, device, 0, ofi_device_take(device, OFI_OPS_MAX, 2));
    ofi_pool_init(&client->bounce, device, OFI_BOUNCE_NBYTES,
                  ofi_device_take(device, OFI_BOUNCE_MAX, 4));
    ofi_receives_init(&client->receives, device, device->ep, &client->late, OFI_BUFFER_NBYTES);
    if (device->ep)
        (void)ofi_receives_many(&client->receives, MANY_NBYTES);
}

int ofi_client_receive(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    if (!ofi_choice.msg) {
        int rc = conn->received ? 0 : ofi_receives_add(&client->receives, OFI_CREDITS, 1);
        conn->received = true;
        return rc;
    }
    if (conn->receives.count > 0)
        return 0;
    uint32_t nodes = most_nodes(&client->config),
             others = client->open < nodes ? nodes - client->open + 1 : 1;
    ofi_receives_init(&conn->receives, &client->device, NULL, &client->late, OFI_BUFFER_NBYTES);
    conn->receives.conn = conn;
    return ofi_receives_add(&conn->receives, receives_each(&client->config), others);
}

static int open_scratch(cwt_client_t *client)
{
    client->scratch = calloc(8, sizeof *client->scratch);
    if (!client->scratch)
        return CW_ENOMEM;
    return ofi_register_buffers(&client->device, client->scratch, 8 * sizeof *client->scratch,
                                &client->scratch_mr);
}

/** A provider on sockets listens for each RDM endpoint, a client's too. */
static void watch_unauthenticated(cwt_client_t *client)
{
    uint8_t addr[128];
    size_t nbytes = sizeof addr;
    if (client->device.ep && fi_getname(&client->device.ep->fid, addr, &nbytes) == 0 &&
        nbytes <= sizeof addr)
        ofi_unauth_open(&client->unauth, addr, nbytes, sizeof(ofi_reply_header_t));
}

int ofi_client_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    int rc = ofi_load(config->one_machine);
    if (rc != 0)
        return rc;
    while (config->make_room && ofi_few_files(FILES) && config->make_room())
        ;
    cwt_client_t *client = ofi_alloc_lines(sizeof *client);
    if (!client)
        return CW_ENOMEM;
    client->config = *config;
    if (config->thread_multiple)
        ofi_load_safe();
    client->safe = config->thread_multiple && ofi_choice.safe_info;
    rc = ofi_device_open(&client->device, client->safe ? ofi_choice.safe_info : ofi_choice.info,
                         entries(config), !config->of_server && ofi_roomy(config));
    if (rc == 0) {
        watch_unauthenticated(client);
        init_pools(client);
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
        stats_p->requests += conn->token_out - conn->token_first;
    stats_p->endpoints = client->device.endpoints;
}

/** RDM: a last message, so that the server may give this client's number to another one. */
static void send_bye(cwt_conn_t *conn)
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
    // no bye to servers that may have ended: the provider would connect to them again, and again
    bool leaves = client->config.leaving && client->config.leaving();
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        conn->closing = true;
        if (!ofi_choice.msg && !conn->error && conn->ep && !leaves)
            send_bye(conn);
        if (ofi_choice.msg && conn->ep) {
            fi_shutdown(conn->ep, 0);
            fi_close(&conn->ep->fid);
            ofi_receives_stop(&conn->receives);
        }
        conn->ep = NULL;
    }
    if (client->device.cq)
        while (ofi_client_poll(client) > 0)
            ;
    if (client->device.ep) {
        fi_close(&client->device.ep->fid);
        client->device.ep = NULL;
    }
    if (client->scratch_mr)
        fi_close(&client->scratch_mr->fid);
    cwt_conn_t **lists[] = {&client->conns, &client->failed};
    for (int i = 0; i < 2; i++)
        while (*lists[i]) {
            cwt_conn_t *conn = *lists[i];
            *lists[i] = conn->next;
            ofi_conn_free(conn);
        }
    ofi_receives_close(&client->receives);
    ofi_pool_close(&client->ops);
    ofi_pool_close(&client->bounce);
    ofi_device_close(&client->device);
    ofi_unauth_close(&client->unauth);
    free(client->by_node);
    free(client->scratch);
    free(client);
}
