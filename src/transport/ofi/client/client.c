// SPDX-License-Identifier: BSD-3-Clause
//
// The client half: opened, counted, closed.
#include "calls.h"

#include <stdlib.h>

static int open_scratch(cwt_client_t *client)
{
    client->scratch = calloc(8, sizeof *client->scratch);
    if (!client->scratch)
        return CW_ENOMEM;
    return ofi_register_buffers(client->device.domain, client->scratch, 8 * sizeof *client->scratch,
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
    cwt_client_t *client = ofi_alloc_lines(sizeof *client);
    if (!client)
        return CW_ENOMEM;
    client->config = *config;
    if (config->thread_multiple)
        ofi_load_safe();
    client->safe = config->thread_multiple && ofi_choice.safe_info;
    rc = ofi_device_open(&client->device, client->safe ? ofi_choice.safe_info : ofi_choice.info,
                         2048, ofi_roomy(config));
    if (rc == 0) {
        watch_unauthenticated(client);
        ofi_pool_init(&client->ops, client->device.domain, 0, OFI_OPS_MAX);
        ofi_pool_init(&client->bounce, client->device.domain, OFI_BOUNCE_NBYTES, OFI_BOUNCE_MAX);
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
    stats_p->endpoints = client->device.endpoints;
}

/** RDM: a last message, so that the server may give this client's number and buffers to another
 *  one. No loss if it does not arrive: the server may have ended. */
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
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        conn->closing = true;
        if (!ofi_choice.msg && !conn->error && conn->ep)
            send_bye(conn);
        if (ofi_choice.msg && conn->ep) {
            fi_shutdown(conn->ep, 0);
            fi_close(&conn->ep->fid);
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
    ofi_pool_close(&client->ops);
    ofi_pool_close(&client->bounce);
    ofi_device_close(&client->device);
    ofi_unauth_close(&client->unauth);
    free(client->scratch);
    free(client);
}
