// SPDX-License-Identifier: BSD-3-Clause
//
// The server half, whatever the endpoint mode: opened, named, and closed.
#include "server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/wait.h"

#define SENDS 256u   // replies that the provider has and that are not injected
#define SPARE 512u   // entries left in the completion queue before peers get fewer receives
#define CONTEXTS 2u  // clients expected of a PE
#define ENTRIES_MIN 2048u
#define ENTRIES_MAX 65536u

/** How many entries the completion queue should have. */
static uint32_t entries(const cwt_server_config_t *config)
{
    uint64_t clients = (uint64_t)(config->npes - (int)config->layout.nslots) * CONTEXTS,
             receives = ofi_choice.msg ? clients * OFI_CREDITS : OFI_RECEIVES_MAX,
             wanted = SENDS + SPARE + receives;
    return wanted < ENTRIES_MIN   ? ENTRIES_MIN
           : wanted > ENTRIES_MAX ? ENTRIES_MAX
                                  : (uint32_t)wanted;
}

static bool is_zero(const uint8_t secret[CWT_SECRET_BYTES])
{
    static const uint8_t zero[CWT_SECRET_BYTES];
    return memcmp(secret, zero, CWT_SECRET_BYTES) == 0;
}

/** Keys are derived from the secret, so the region is registered when it is known. */
int ofi_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    if (server->ready || is_zero(secret))
        return 0;
    memcpy(server->config.secret, secret, CWT_SECRET_BYTES);
    int rc = ofi_region_open(&server->region, &server->device, &server->config);
    server->ready = rc == 0;
    return rc;
}

/** One line a job where first bytes are the provider's to judge. */
static void warn_exposed(const cwt_server_t *server)
{
    char address[64];
    if (ofi_choice.msg || ofi_choice.guarded || !ofi_over_sockets(ofi_choice.info) ||
        server->config.node != 0)
        return;
    cwu_warn("rdm endpoints of %s at %s take messages of every process that reaches them, and such "
             "a process can stop or end the job: use them where all are trusted, or "
             "CAUSEWAY_ENDPOINT=msg",
             ofi_choice.info->fabric_attr->prov_name,
             ofi_address_text(server->addr, server->addr_nbytes, address, sizeof address));
}

/** Said once a job. */
static void warn_of_atomics(const cwt_server_t *server)
{
    if (server->config.node == 0 && ofi_wants_atomics() && !ofi_choice.nic_atomics)
        cwu_warn("CAUSEWAY_ATOMICS=nic: provider %s (%s) does not execute every atomic; the node "
                 "servers do",
                 ofi_choice.info->fabric_attr->prov_name, ofi_choice.msg ? "msg" : "rdm");
}

int ofi_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    cwt_server_t *server = calloc(1, sizeof *server);
    if (!server)
        return CW_ENOMEM;
    server->config = *config;
    server->wake_fd = server->life_fd = server->reach_fd = -1;
    server->birth = ofi_draw(server);
    server->taken = calloc((size_t)config->npes, sizeof *server->taken);
    int rc = server->taken ? ofi_load(config->one_machine) : CW_ENOMEM;
    if (rc == 0)
        rc = ofi_device_open(&server->device, ofi_choice.info, entries(config), false);
    if (rc == 0) {
        ofi_pool_init(&server->sends, &server->device, OFI_BUFFER_NBYTES,
                      ofi_device_take(&server->device, SENDS, 8));
        server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        rc = server->wake_fd < 0 ? CW_ESYS : 0;
        if (rc != 0 && !ofi_out_of_files())
            cwu_error("eventfd failed: %m");
    }
    if (rc == 0)
        rc = ofi_choice.msg ? ofi_server_msg_open(server) : ofi_server_rdm_open(server);
    if (rc == 0)
        ofi_unauth_open(&server->unauth, server->addr, server->addr_nbytes,
                        ofi_choice.msg ? sizeof(ofi_hello_t)
                                       : sizeof(cwt_header_t) + sizeof(ofi_first_t));
    if (rc == 0)
        ofi_life_open(server);
    if (rc == 0)
        rc = ofi_server_secret(server, config->secret);
    if (rc != 0) {
        ofi_server_close(server);
        return rc;
    }
    for (int ended = 0; ended < 2; ended++)
        server->gated[ended] = ofi_gate_refused(ended);
    warn_exposed(server);
    warn_of_atomics(server);
    *server_p = server;
    return 0;
}

int ofi_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    ofi_blob_t b;
    memset(&b, 0, sizeof b);
    b.magic = OFI_MAGIC;
    b.wire = OFI_WIRE;
    b.msg = ofi_choice.msg;
    b.nic_atomics = ofi_choice.nic_atomics;
    b.long_requests = ofi_choice.long_requests;
    b.node = (uint32_t)server->config.node;
    b.birth = server->birth;
    b.life_port = server->life_port;
    b.reach_port = server->reach_port;
    if (server->addr_nbytes > sizeof b.addr || *nbytes_p < sizeof b) {
        cwu_error("libfabric (%s): an address of %zu bytes does not fit; choose another "
                  "CAUSEWAY_PROVIDER",
                  ofi_choice.info->fabric_attr->prov_name, server->addr_nbytes);
        return CW_ENOTSUP;
    }
    b.addr_nbytes = (uint8_t)server->addr_nbytes;
    memcpy(b.addr, server->addr, server->addr_nbytes);
    if (ofi_choice.ips.count > 0)
        ofi_blob_put_ips(&b, &ofi_choice.ips, ofi_port_of(server->addr));
    strncpy(b.provider, ofi_choice.info->fabric_attr->prov_name, sizeof b.provider - 1);
    memcpy(blob, &b, sizeof b);
    *nbytes_p = sizeof b;
    return 0;
}

void ofi_server_drop(cwt_server_t *server, const char *why)
{
    server->stats.refused++;
    if (!server->warned)
        cwu_warn(
            "node server: dropped an unauthenticated message or connection: %s (reported once)",
            why);
    server->warned = true;
}

void ofi_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    *stats_p = server->stats;
    stats_p->endpoints = server->device.endpoints;
}

static bool has_clients(const cwt_server_t *server)
{
    const ofi_peer_t *peer = server->peers;
    while (peer && !peer->connected)
        peer = peer->next;
    return peer;
}

/** ofi_rxm (up to libfabric 2.5 at least) closes its connections one by one and reads its queue in
 *  between: a message that came over one that is closed is taken, and its buffer given to freed
 *  memory. The last messages, the good-byes of clients, come at the end of a job, when servers
 *  close too; so they are read first. */
static void await_goodbyes(cwt_server_t *server)
{
    uint64_t end = cwu_now_ns() + CWU_WAIT_NS(SECOND);
    if (!server->device.ep || !strstr(ofi_choice.info->fabric_attr->prov_name, "ofi_rxm"))
        return;
    while (has_clients(server) && server->lost == 0 && cwu_now_ns() < end)
        if (ofi_server_progress(server) == 0)
            cwu_sleep_ns(CWU_WAIT_NS(SOON));
}

void ofi_server_close(cwt_server_t *server)
{
    await_goodbyes(server);
    for (ofi_peer_t *peer = server->peers; peer; peer = peer->next)
        if (peer->ep) {
            peer->dying = true;
            fi_close(&peer->ep->fid);
            peer->ep = NULL;
        }
    if (server->pep)
        fi_close(&server->pep->fid);
    if (server->device.ep) {
        fi_close(&server->device.ep->fid);
        server->device.ep = NULL;
    }
    while (server->peers)
        ofi_peer_destroy(server->peers);
    ofi_receives_close(&server->receives);
    ofi_pool_close(&server->sends);
    ofi_unauth_close(&server->unauth);
    ofi_region_close(&server->region);
    ofi_device_close(&server->device);
    if (server->wake_fd >= 0)
        close(server->wake_fd);
    if (server->life_fd >= 0)
        close(server->life_fd);
    if (server->reach_fd >= 0)
        close(server->reach_fd);
    free(server->by_index);
    free(server->taken);
    free(server);
}
