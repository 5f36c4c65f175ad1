// SPDX-License-Identifier: BSD-3-Clause
//
// Connections to hosts that have gone silent. A PE that waits, whether for an operation of its own,
// for a reply or for what another PE is to store, checks its sockets once a second (wait.c). After
// CAUSEWAY_TIMEOUT of silence (lib/keepalive.c) the connection counts as lost.
//
// Costs one system call per descriptor and check, two per socket. Other providers than those on TCP
// find out by themselves (a reliable queue pair gives up) as soon as something is under way; for
// these see probe() in wait.c.
#include "calls.h"

#include <stdio.h>

#include "transport/ofi/lib/sockets.h"

static void lose(cwt_conn_t *conn, const ofi_alive_t *alive)
{
    char what[64];
    snprintf(what, sizeof what, "its host has acknowledged nothing for %u s", alive->quiet_s);
    ofi_conn_fail(conn, CW_ETIMEOUT, what, "the network between is cut, or that host is down");
}

static bool check_socket(int fd, void *arg)
{
    cwt_client_t *client = arg;
    ofi_alive_t alive;
    struct sockaddr_storage peer;
    if (!ofi_alive_query(fd, &alive) || (alive.asked && !alive.silent) ||
        !ofi_socket_peer(fd, &peer))
        return true;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (!conn->ep || !ofi_is_name(&peer, conn->blob.addr, conn->blob.addr_nbytes))
            continue;
        if (!alive.asked)
            ofi_alive_ask(fd);
        else
            lose(conn, &alive);
    }
    return true;
}

void ofi_silence_check(cwt_client_t *client)
{
    if (client->conns &&
        ofi_is_socket_name(client->conns->blob.addr, client->conns->blob.addr_nbytes))
        ofi_sockets_each(check_socket, client);
}
