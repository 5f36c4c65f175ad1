// SPDX-License-Identifier: BSD-3-Clause
//
// Clients whose hosts have gone silent. A PE that waits for a client of its node may have no
// connection to it, so the node server checks the connections that came in, and counts a silent one
// as lost while PEs of the node sleep in waits (lib/keepalive.c defines silence).
#include "server.h"

#include "transport/ofi/lib/sockets.h"

#define CHECK_EVERY_NS 2000000000u
// in a row, before a server reports: PEs that wait for a connection of their own report more
#define CHECKS_IN_A_ROW 3u

/** The client that an accepted socket may belong to: one on that host which has proved that it is
 *  of the job. Unauthenticated connections end no job by going silent. */
static const ofi_peer_t *client_on_host(const cwt_server_t *server,
                                        const struct sockaddr_storage *name)
{
    const ofi_peer_t *peer = server->peers;
    while (peer &&
           !(peer->connected && !peer->dying && ofi_is_host(name, peer->host, sizeof peer->host)))
        peer = peer->next;
    return peer;
}

typedef struct sweep {
    cwt_server_t *server;
    const ofi_peer_t *silent;
    uint32_t seconds;
} sweep_t;

static bool check_socket(int fd, void *arg)
{
    sweep_t *s = arg;
    struct sockaddr_storage own, name;
    socklen_t own_nbytes = sizeof own;
    ofi_alive_t alive;
    if (getsockname(fd, (struct sockaddr *)&own, &own_nbytes) != 0 ||
        ofi_port_of(&own) != s->server->unauth.port || !ofi_alive_query(fd, &alive) ||
        (alive.asked && !alive.silent) || alive.received_nbytes < s->server->unauth.proof_nbytes ||
        !ofi_socket_peer(fd, &name))
        return true;
    const ofi_peer_t *peer = client_on_host(s->server, &name);
    if (peer && !alive.asked)
        ofi_alive_ask(fd);
    if (!peer || !alive.asked)
        return true;
    s->silent = peer;
    s->seconds = alive.quiet_s;
    return false;
}

void ofi_server_silence_check(cwt_server_t *server)
{
    uint64_t now = cwu_now_ns();
    if (now < server->check_ns || !server->unauth.port || !server->config.awaited)
        return;
    server->check_ns = now + CHECK_EVERY_NS;
    sweep_t sweep = {.server = server};
    ofi_sockets_each(check_socket, &sweep);
    server->silent = sweep.silent && server->config.awaited() ? server->silent + 1 : 0;
    if (server->silent < CHECKS_IN_A_ROW || server->lost)
        return;
    char address[64];
    ofi_address_text(sweep.silent->host, sizeof sweep.silent->host, address, sizeof address);
    cwu_error(
        "PEs of this node wait, and the host of PE %u at %s has acknowledged nothing for %u s: "
        "the network between is cut, "
        "or that host is down; CAUSEWAY_TIMEOUT waits longer",
        sweep.silent->pe, address, sweep.seconds);
    server->lost = CW_ETIMEOUT;
}
