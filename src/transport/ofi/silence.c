// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts that have gone silent. When the network between two hosts is cut, or a host is switched
// off, no message says so: TCP tries again for a quarter of an hour with data under way, and
// without any it never notices. A PE that waits would wait as long, whether for an operation of its
// own, for a reply or for what another PE is to store.
//
// So who waits looks at its sockets once a second (wait.c): the kernel knows when the other host
// last acknowledged anything, and how often it was asked in vain since. That it is asked although
// nothing is under way is what keepalive is for, switched on at the first look. After
// CAUSEWAY_TIMEOUT of silence the connection counts as lost. Kernels answer each other: a process
// that is stopped, swapped out or in a debugger is not silent, however long it takes.
//
// A PE that waits for a client of its node may have no connection to it. So the node server looks
// at those that came in, too, and counts a silent one as lost while PEs of the node sleep in waits.
//
// Costs one system call per descriptor and look, two per socket. Other providers than those on TCP
// find out by themselves (a reliable queue pair gives up) as soon as something is under way; for
// these see probe() in wait.c.
#include "ofi.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#define LOOK_IN_EVERY_NS 2000000000u
// in a row, before a server speaks: PEs that wait for a connection of their own say more
#define LOOKS 3u
#define ATTEMPTS 3u  // in vain, at least: a clock that jumped makes no silence

static int timeout_s(void)
{
    return (int)(ofi_timeout_ns() / 1000000000u);
}

/** Has the host on the other side answered nothing for too long? */
static bool is_silent(const struct tcp_info *info)
{
    return info->tcpi_last_ack_recv / 1000 >= (uint32_t)timeout_s() &&
           info->tcpi_retransmits + info->tcpi_probes >= ATTEMPTS;
}

static void keep_asking(int fd)
{
    // Several questions in the time that silence may last, and none of them the last: who gives up
    // is us.
    int on = 1, every = timeout_s() / 8 + 1, most = 127;
    if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof every) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof most) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) != 0)
        cwu_debug("a socket takes no keepalive: %m");
}

static void lose(cwt_conn_t *conn, const struct tcp_info *info)
{
    char what[64];
    snprintf(what, sizeof what, "its host has answered nothing for %u s",
             info->tcpi_last_ack_recv / 1000);
    ofi_conn_fail(conn, CW_ETIMEOUT, what, "the network between is cut, or that host is down");
}

static bool look_at(int fd, void *arg)
{
    cwt_client_t *client = arg;
    struct tcp_info info = {0};
    struct sockaddr_storage peer;
    socklen_t info_nbytes = sizeof info, n = sizeof(int);
    int asks = 0;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_nbytes) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &asks, &n) != 0 || (asks && !is_silent(&info)) ||
        !ofi_socket_peer(fd, &peer))
        return true;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (!conn->ep || !ofi_is_name(&peer, conn->blob.addr, conn->blob.addr_nbytes))
            continue;
        if (!asks)
            keep_asking(fd);
        else
            lose(conn, &info);
    }
    return true;
}

void ofi_silence_look(cwt_client_t *client)
{
    if (client->conns &&
        ofi_is_socket_name(client->conns->blob.addr, client->conns->blob.addr_nbytes))
        ofi_sockets_each(look_at, client);
}

// -------------------------------------------------------------- clients, as their server sees them

/** Whom an accepted socket may belong to: a client on that host has proved who it is. Strangers end
 *  no job by going silent. */
static const ofi_peer_t *client_there(const cwt_server_t *server,
                                      const struct sockaddr_storage *name)
{
    const ofi_peer_t *peer = server->peers;
    while (peer &&
           !(peer->connected && !peer->dying && ofi_is_host(name, peer->host, sizeof peer->host)))
        peer = peer->next;
    return peer;
}

typedef struct look_in {
    cwt_server_t *server;
    const ofi_peer_t *silent;
    uint32_t seconds;
} look_in_t;

static bool look_in_at(int fd, void *arg)
{
    look_in_t *l = arg;
    struct sockaddr_storage own, name;
    struct tcp_info info = {0};
    socklen_t own_nbytes = sizeof own, info_nbytes = sizeof info, n = sizeof(int);
    int asks = 0;
    if (getsockname(fd, (struct sockaddr *)&own, &own_nbytes) != 0 ||
        ofi_port_of(&own) != l->server->strangers.port ||
        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_nbytes) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &asks, &n) != 0 || (asks && !is_silent(&info)) ||
        info.tcpi_bytes_received < l->server->strangers.proof_nbytes || !ofi_socket_peer(fd, &name))
        return true;
    const ofi_peer_t *peer = client_there(l->server, &name);
    if (peer && !asks)
        keep_asking(fd);
    if (!peer || !asks)
        return true;
    l->silent = peer;
    l->seconds = info.tcpi_last_ack_recv / 1000;
    return false;
}

void ofi_silence_look_in(cwt_server_t *server)
{
    uint64_t now = cwu_now_ns();
    if (now < server->look_ns || !server->strangers.port || !server->config.awaited)
        return;
    server->look_ns = now + LOOK_IN_EVERY_NS;
    look_in_t look = {.server = server};
    ofi_sockets_each(look_in_at, &look);
    server->silent = look.silent && server->config.awaited() ? server->silent + 1 : 0;
    if (server->silent < LOOKS || server->lost)
        return;
    char address[64];
    ofi_address_text(look.silent->host, sizeof look.silent->host, address, sizeof address);
    cwu_error("PEs of this node wait, and the host of PE %u at %s has answered nothing for %u s: "
              "the network between is cut, "
              "or that host is down; CAUSEWAY_TIMEOUT waits longer",
              look.silent->pe, address, look.seconds);
    server->lost = CW_ETIMEOUT;
}
