// SPDX-License-Identifier: BSD-3-Clause
//
// Two sockets that listen and accept nothing, so what is done by them is the kernel's work alone,
// also while the process is stopped, and no byte is read.
//
// By the first one other hosts see that this process lives: the kernel completes connections to it,
// resets them when the process ends, however that ends, and refuses new ones from then on.
// Unauthenticated connections fill the backlog at worst: then further ones are neither completed
// nor refused, which says nothing of the process.
//
// By the second one clients find out which of the host's addresses they reach (client/reach.c). It
// completes a connection for its client only: nothing is kept here until data come
// (TCP_DEFER_ACCEPT), and clients send none, so however many ask, it never fills.
//
// They listen where the provider does, which other hosts reach.
#include "server.h"

#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 128  // one connection comes from each epoch's watching node

/** The name of a socket of the provider's with another port; false: it is none. */
static bool name_of(const void *addr, size_t nbytes, uint16_t port, struct sockaddr_storage *name_p)
{
    ofi_ip_t ip;
    return ofi_ip_of(addr, nbytes, &ip) &&
           ofi_ip_name(&ip, port, ((const struct sockaddr *)addr)->sa_family, name_p) > 0;
}

static int listen_at(const struct sockaddr_storage *name, bool deferred, uint16_t *port_p)
{
    struct sockaddr_storage own;
    const int seconds = 1;
    socklen_t nbytes = sizeof own, name_nbytes = name->ss_family == AF_INET
                                                     ? sizeof(struct sockaddr_in)
                                                     : sizeof(struct sockaddr_in6);
    int fd = socket(name->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)name, name_nbytes) == 0 &&
        (!deferred ||
         setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) == 0) &&
        listen(fd, deferred ? SOMAXCONN : BACKLOG) == 0 &&
        getsockname(fd, (struct sockaddr *)&own, &nbytes) == 0) {
        *port_p = ofi_port_of(&own);
        return fd;
    }
    cwu_debug("%s by other nodes: %m", deferred ? "addresses of this host will not be tried"
                                                : "the end of this process will not be seen");
    if (fd >= 0)
        close(fd);
    return -1;
}

void ofi_life_open(cwt_server_t *server)
{
    struct sockaddr_storage name;
    if (!name_of(server->addr, server->addr_nbytes, 0, &name))
        return;
    if (server->config.watched)
        server->life_fd = listen_at(&name, false, &server->life_port);
    if (!server->config.one_machine && ofi_over_tcp(ofi_choice.info))
        server->reach_fd = listen_at(&name, true, &server->reach_port);
}

int ofi_life_names(const void *blob, size_t nbytes, int which, struct sockaddr_storage *names)
{
    ofi_blob_t b;
    ofi_ips_t ips;
    if (nbytes < sizeof b)
        return 0;
    memcpy(&b, blob, sizeof b);
    if (b.magic != OFI_MAGIC || b.wire != OFI_WIRE || b.addr_nbytes > sizeof b.addr ||
        b.life_port == 0 || !ofi_blob_get_ips(&b, &ips) || (uint32_t)which >= ips.count)
        return 0;
    ofi_ip_name(&ips.list[which], b.life_port, 0, &names[0]);
    if (!ofi_over_tcp(ofi_choice.info))
        return 1;
    ofi_ip_name(&ips.list[which], ofi_port_of(b.addr), 0, &names[1]);
    return 2;
}
