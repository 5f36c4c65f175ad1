// SPDX-License-Identifier: BSD-3-Clause
//
// A socket by which other hosts see that this process lives. It listens and accepts nothing: the
// kernel completes connections to it, resets them when the process ends, however that ends, and
// refuses new ones from then on. So the process does nothing for it, also while it is stopped, and
// no byte is read. Unauthenticated connections fill the backlog at worst: then further ones are
// neither completed nor refused, which says nothing of the process.
//
// The address is the provider's, which other hosts reach.
#include "server.h"

#include <string.h>
#include <unistd.h>

#define BACKLOG 128  // one connection comes from each epoch's watching node

_Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port),
               "one place");

/** The provider's address with another port; false: it is no socket's. */
static bool name_of(const void *addr, size_t nbytes, uint16_t port, struct sockaddr_storage *name_p)
{
    if (!ofi_is_socket_name(addr, nbytes))
        return false;
    memset(name_p, 0, sizeof *name_p);
    memcpy(name_p, addr, nbytes < sizeof *name_p ? nbytes : sizeof *name_p);
    memcpy((char *)name_p + offsetof(struct sockaddr_in, sin_port), &port, sizeof port);
    return true;
}

static int listen_at(const struct sockaddr_storage *name, uint16_t *port_p)
{
    struct sockaddr_storage own;
    socklen_t nbytes = sizeof own, name_nbytes = name->ss_family == AF_INET
                                                     ? sizeof(struct sockaddr_in)
                                                     : sizeof(struct sockaddr_in6);
    int fd = socket(name->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)name, name_nbytes) == 0 &&
        listen(fd, BACKLOG) == 0 && getsockname(fd, (struct sockaddr *)&own, &nbytes) == 0) {
        *port_p = ofi_port_of(&own);
        return fd;
    }
    cwu_debug("the end of this process will not be seen by other nodes: %m");
    if (fd >= 0)
        close(fd);
    return -1;
}

void ofi_life_open(cwt_server_t *server)
{
    struct sockaddr_storage name;
    if (name_of(server->addr, server->addr_nbytes, 0, &name))
        server->life_fd = listen_at(&name, &server->life_port);
}

int ofi_life_names(const void *blob, size_t nbytes, struct sockaddr_storage *names)
{
    ofi_blob_t b;
    if (nbytes < sizeof b)
        return 0;
    memcpy(&b, blob, sizeof b);
    if (b.magic != OFI_MAGIC || b.wire != OFI_WIRE || b.addr_nbytes > sizeof b.addr ||
        b.life_port == 0 || !name_of(b.addr, b.addr_nbytes, b.life_port, &names[0]))
        return 0;
    if (!ofi_over_tcp(ofi_choice.info))
        return 1;
    names[1] = names[0];
    return name_of(b.addr, b.addr_nbytes, ofi_port_of(b.addr), &names[1]) ? 2 : 1;
}
