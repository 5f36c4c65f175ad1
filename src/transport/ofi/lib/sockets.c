// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets below providers that stand on TCP. They belong to the provider, which does not show
// them, but a process can examine its own descriptors. A socket that is shut (not closed) ends like
// a connection that its peer closed: the provider notices, closes the descriptor and forgets the
// connection. This file does nothing else to a socket (keepalive.c switches keepalive on).
#include "sockets.h"

#include <ctype.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

_Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port),
               "one place");

typedef union name {
    struct sockaddr sa;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    struct sockaddr_storage room;
} name_t;

static bool same_name(const name_t *a, const name_t *b)
{
    if (a->sa.sa_family != b->sa.sa_family)
        return false;
    if (a->sa.sa_family == AF_INET)
        return a->in4.sin_port == b->in4.sin_port &&
               a->in4.sin_addr.s_addr == b->in4.sin_addr.s_addr;
    return a->sa.sa_family == AF_INET6 && a->in6.sin6_port == b->in6.sin6_port &&
           memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, sizeof a->in6.sin6_addr) == 0;
}

/** An IPv4 address in the form of an IPv6 socket. */
static void to_v4(name_t *name)
{
    struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_port = name->in6.sin6_port};
    memcpy(&in4.sin_addr, (const uint8_t *)&name->in6.sin6_addr + 12, sizeof in4.sin_addr);
    name->in4 = in4;
}

static bool to_name(const void *addr, size_t nbytes, name_t *name_p)
{
    memset(name_p, 0, sizeof *name_p);
    memcpy(name_p, addr, nbytes < sizeof *name_p ? nbytes : sizeof *name_p);
    if (name_p->sa.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&name_p->in6.sin6_addr))
        to_v4(name_p);
    return (name_p->sa.sa_family == AF_INET && nbytes >= sizeof name_p->in4) ||
           (name_p->sa.sa_family == AF_INET6 && nbytes >= sizeof name_p->in6);
}

bool ofi_is_socket_name(const void *addr, size_t nbytes)
{
    name_t name;
    return to_name(addr, nbytes, &name);
}

bool ofi_socket_peer(int fd, struct sockaddr_storage *peer_p)
{
    socklen_t n = sizeof *peer_p;
    memset(peer_p, 0, sizeof *peer_p);
    return getpeername(fd, (struct sockaddr *)peer_p, &n) == 0;
}

bool ofi_is_name(const struct sockaddr_storage *peer, const void *addr, size_t nbytes)
{
    name_t a, b;
    return to_name(peer, sizeof *peer, &a) && to_name(addr, nbytes, &b) && same_name(&a, &b);
}

bool ofi_is_host(const struct sockaddr_storage *peer, const void *addr, size_t nbytes)
{
    name_t a, b;
    if (!to_name(peer, sizeof *peer, &a) || !to_name(addr, nbytes, &b))
        return false;
    a.in4.sin_port = b.in4.sin_port = 0;  // at the same place in both families
    return same_name(&a, &b);
}

uint16_t ofi_port_of(const void *addr)
{
    struct sockaddr sa;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    memcpy(&sa, addr, sizeof sa);
    memcpy(&in4, addr, sizeof in4);
    memcpy(&in6, addr, sizeof in6);
    return sa.sa_family == AF_INET ? in4.sin_port : sa.sa_family == AF_INET6 ? in6.sin6_port : 0;
}

void ofi_sockets_each(bool (*fn)(int fd, void *arg), void *arg)
{
    DIR *dir = opendir("/proc/self/fd");
    bool more = true;
    for (struct dirent *entry; dir && more && (entry = readdir(dir));)
        if (isdigit((unsigned char)entry->d_name[0]))
            more = fn(atoi(entry->d_name), arg);
    if (dir) {
        closedir(dir);
        return;
    }
    // no descriptor is left to read the directory with, so most numbers are taken
    struct rlimit lim;
    int end =
        getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < 65536 ? (int)lim.rlim_cur : 65536;
    for (int fd = 0; fd < end && more; fd++)
        more = fn(fd, arg);
}

typedef struct wanted {
    name_t peer;
    int fd, count;
} wanted_t;

static bool match_peer(int fd, void *arg)
{
    wanted_t *w = arg;
    struct sockaddr_storage peer;
    name_t name;
    if (ofi_socket_peer(fd, &peer) && to_name(&peer, sizeof peer, &name) &&
        same_name(&name, &w->peer)) {
        w->fd = fd;
        w->count++;
    }
    return true;
}

uint64_t ofi_socket_cookie(int fd)
{
    uint64_t cookie = 0;
    socklen_t n = sizeof cookie;
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &n) == 0 ? cookie : 0;
}

bool ofi_socket_is_open(const ofi_socket_t *socket)
{
    return socket->cookie && ofi_socket_cookie(socket->fd) == socket->cookie;
}

bool ofi_socket_has_ended(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

bool ofi_socket_shut(const void *addr, size_t nbytes, ofi_socket_t *socket_p)
{
    wanted_t w = {.fd = -1};
    if (!to_name(addr, nbytes, &w.peer))
        return false;
    ofi_sockets_each(match_peer, &w);
    if (w.count != 1)
        return false;
    *socket_p = (ofi_socket_t){w.fd, ofi_socket_cookie(w.fd)};
    return shutdown(w.fd, SHUT_RDWR) == 0;
}
