// SPDX-License-Identifier: BSD-3-Clause
//
// Opens and closes clients and their connections. A connection costs nothing: all PEs are in the
// window since init.
#include "transport/mpi/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "transport/mpi/server.h"

static struct {
    cwu_lock_t lock;
    uint8_t used[MPW_CLIENTS_MOST];  // tags
    uint16_t nonce;
} clients CW_LARGE;

/** 0: all are in use. */
static uint16_t take_tag(uint16_t *nonce_p)
{
    uint16_t tag = 0;
    cwu_lock(&clients.lock);
    for (int i = 0; i < MPW_CLIENTS_MOST && !tag; i++)
        if (!clients.used[i]) {
            clients.used[i] = 1;
            tag = (uint16_t)(MPW_FIRST_CLIENT_TAG + i);
        }
    *nonce_p = ++clients.nonce;
    cwu_unlock(&clients.lock);
    return tag;
}

static void give_tag(uint16_t tag)
{
    cwu_lock(&clients.lock);
    clients.used[tag - MPW_FIRST_CLIENT_TAG] = 0;
    cwu_unlock(&clients.lock);
}

int mpw_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    if (!mpw_world.joined || (config->thread_multiple && !mpw_world.facts.any_thread)) {
        cwu_error(mpw_world.joined
                      ? "CAUSEWAY_TRANSPORT=mpi: several threads use this library, and MPI was "
                        "initialised without MPI_THREAD_MULTIPLE: initialise MPI with it"
                      : "CAUSEWAY_TRANSPORT=mpi: the window of the job is not there");
        return CW_ENOTSUP;
    }
    cwt_client_t *client = calloc(1, sizeof *client);
    uint8_t *ring = malloc(MPW_RING);
    uint16_t tag = client && ring ? take_tag(&client->nonce) : 0;
    if (!tag) {
        cwu_error("no memory, or no tag of MPI, for another context");
        free(ring);
        free(client);
        return CW_ENOMEM;
    }
    client->config = *config;
    client->plan = cwu_wait_plan(CWU_WAIT_NAPS, false);
    client->tag = tag;
    client->ring = ring;
    client->free_pending = -1;
    client->end = &client->first;
    client->stats.endpoints = 1;
    *client_p = client;
    return 0;
}

const char *mpw_node_name(const cwt_client_t *client, int node)
{
    static _Thread_local char text[32];
    if (client->config.node_name)
        return client->config.node_name(node);
    snprintf(text, sizeof text, "node %d", node);
    return text;
}

int mpw_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                cwt_conn_t **conn_p)
{
    mpw_address_t address;
    if (nbytes == sizeof address)
        memcpy(&address, blob, sizeof address);
    if (nbytes != sizeof address || memcmp(address.name, MPW_ADDRESS_NAME, 4) != 0 ||
        address.rank >= (uint32_t)mpw_world.facts.size) {
        cwu_error("%s has published no address of the MPI transport: CAUSEWAY_TRANSPORT is the "
                  "same on all PEs",
                  mpw_node_name(client, node));
        return CW_EMISMATCH;
    }
    cwt_conn_t *conn = calloc(1, sizeof *conn);
    if (!conn) {
        cwu_error("no memory for a connection to %s", mpw_node_name(client, node));
        return CW_ENOMEM;
    }
    conn->client = client;
    conn->node = node;
    conn->rank = (int)address.rank;
    mpw_lock(client);
    conn->next = client->conns;
    client->conns = conn;
    client->stats.connections++;
    mpw_unlock(client);
    *conn_p = conn;
    return 0;
}

int mpw_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    mpw_target_t *known = malloc(sizeof *known);
    (void)slot;
    if (!known)
        return CW_ENOMEM;
    *target = (cwt_target_t){.inject = mpw_inject,
                             .ep = target,
                             .base = slice_delta,
                             .conn = conn,
                             .offset = slice_delta};
    mpw_lock(conn->client);
    *known = (mpw_target_t){.next = conn->targets, .record = target};
    conn->targets = known;
    mpw_unlock(conn->client);
    return 0;
}

void mpw_stats(const cwt_client_t *client, cwt_stats_t *stats_p)
{
    *stats_p = client->stats;
    for (const cwt_conn_t *conn = client->conns; conn; conn = conn->next)
        stats_p->requests += conn->sent, stats_p->puts += conn->puts, stats_p->gets += conn->gets;
}

static void free_conn(cwt_conn_t *conn)
{
    mpw_target_t *target;
    while ((target = conn->targets)) {
        conn->targets = target->next;
        free(target);
    }
    free(conn);
}

/** After a quiet; what MPI is still sending keeps its buffer until it has been sent. */
void mpw_close(cwt_client_t *client)
{
    mpw_patience_t patience = {0};
    cwt_conn_t *conn;
    while (mpw_world.joined && client->error == 0 && !mpw_sender_reap(&client->sender))
        mpw_wait_round(client, &patience, 0);
    while ((conn = client->conns)) {
        client->conns = conn->next;
        free_conn(conn);
    }
    mpw_sender_close(&client->sender);
    mpw_forget_transfers(client);
    give_tag(client->tag);
    free(client->pending);
    free(client->ring);
    free(client);
}
