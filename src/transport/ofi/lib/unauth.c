// SPDX-License-Identifier: BSD-3-Clause
//
// Unauthenticated connections. Any process that reaches a listening port can connect to it and send
// nothing, or not enough. Providers on TCP (libfabric 1.17: tcp, net, and rxm over them) accept
// such a connection and wait for ever, with a descriptor each. So the listening process checks its
// own sockets now and then: a socket that came in on the port and has received fewer bytes than a
// proof of the job's secret has is shut after some seconds, sooner if few descriptors are left. The
// provider then drops it. A client of the job that was only slow connects again.
//
// The providers read the first message of a connection with a blocking call: its head without the
// rest would stop the server until more comes. A time-out for reading, set on the listening socket
// and inherited by the sockets that it accepts, ends that call.
//
// Costs a few system calls per socket every other second; nothing where addresses are not those of
// sockets.
#include "sockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/wait.h"
#include "device.h"

#define FEW_FILES 64u
#define READ_TIMEOUT_US 1000
#define STATE_LISTEN 10  // named in a header that conflicts with linux/tcp.h

/** A connection that has not proved anything yet. */
typedef struct ofi_unauth_socket {
    int fd;
    uint32_t checks_since_shut;
    uint64_t cookie, since_ns;
} unauth_socket_t;

/** The listener on the port: what it accepts inherits the time-out. */
static bool limit_reads(int fd, void *arg)
{
    const ofi_unauth_t *s = arg;
    struct sockaddr_storage name;
    struct timeval limit = {.tv_usec = READ_TIMEOUT_US};
    int listens = 0;
    socklen_t n = sizeof listens, name_nbytes = sizeof name;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) != 0 || !listens ||
        getsockname(fd, (struct sockaddr *)&name, &name_nbytes) != 0 ||
        ofi_port_of(&name) != s->port)
        return true;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
        cwu_debug("a listening socket takes no time-out: %m");
    return false;
}

void ofi_unauth_open(ofi_unauth_t *s, const void *addr, size_t nbytes, uint32_t proof_nbytes)
{
    uint8_t room[sizeof(struct sockaddr_in6)] = {0};
    memset(s, 0, sizeof *s);
    memcpy(room, addr, nbytes < sizeof room ? nbytes : sizeof room);
    s->port = ofi_port_of(room);
    s->proof_nbytes = proof_nbytes;
    s->sweep_ns = cwu_now_ns() + CWU_WAIT_NS(SECOND);
    if (s->port)
        ofi_sockets_each(limit_reads, s);
}

void ofi_unauth_close(ofi_unauth_t *s)
{
    free(s->list);
    memset(s, 0, sizeof *s);
}

typedef struct sweep {
    ofi_unauth_t *s;
    unauth_socket_t *found;  // becomes the list
    uint32_t count, room, old, shut;
    uint64_t now, patience_ns;
} sweep_t;

/** Is this a connection that came in on the port and has sent too little? */
static bool is_unauthenticated(int fd, const ofi_unauth_t *s)
{
    struct sockaddr_storage name;
    struct tcp_info info;
    socklen_t n = sizeof name, info_nbytes = sizeof info;
    if (getsockname(fd, (struct sockaddr *)&name, &n) != 0 || ofi_port_of(&name) != s->port)
        return false;
    memset(&info, 0, sizeof info);
    // a kernel or an emulator that does not count bytes returns less: then all sockets pass
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_nbytes) == 0 &&
           info_nbytes >=
               offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received &&
           info.tcpi_state != STATE_LISTEN && info.tcpi_bytes_received < s->proof_nbytes;
}

static unauth_socket_t *known(sweep_t *l, int fd, uint64_t cookie)
{
    ofi_unauth_t *s = l->s;
    while (l->old < s->count && s->list[l->old].fd < fd)
        l->old++;
    return l->old < s->count && s->list[l->old].fd == fd && s->list[l->old].cookie == cookie
               ? &s->list[l->old]
               : NULL;
}

/** If a connection ends, or stops in the middle of its first message, after a read that found
 *  nothing, net of libfabric 1.17 forgets it and leaves the descriptor open: then it is closed
 *  here. A connection that the provider still knows is gone long before, since checks are made
 *  between rounds of progress. */
static bool is_forgotten(const unauth_socket_t *s)
{
    return s->checks_since_shut >= 3 && strcmp(ofi_choice.info->fabric_attr->prov_name, "net") == 0;
}

static bool check_socket(int fd, void *arg)
{
    sweep_t *l = arg;
    if (!is_unauthenticated(fd, l->s))
        return true;
    unauth_socket_t *before = known(l, fd, ofi_socket_cookie(fd)),
                    now = {fd, 0, ofi_socket_cookie(fd), l->now};
    if (before)
        now = *before;
    if (now.checks_since_shut > 0) {
        now.checks_since_shut++;
    } else if (l->now - now.since_ns >= l->patience_ns) {
        l->shut += !ofi_socket_has_ended(fd);
        shutdown(fd, SHUT_RDWR);  // fails if the other end has closed it
        now.checks_since_shut = 1;
    }
    if (is_forgotten(&now)) {
        close(fd);
        return true;
    }
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 64;
        unauth_socket_t *found = realloc(l->found, room * sizeof *found);
        if (!found)
            return false;
        l->found = found;
        l->room = room;
    }
    l->found[l->count++] = now;
    return true;
}

uint32_t ofi_unauth_check(ofi_unauth_t *s)
{
    uint64_t now = s->port ? cwu_now_ns() : 0;
    if (now < s->files_ns)
        return 0;
    s->files_ns = now + CWU_WAIT_NS(SAFEGUARD);
    bool few = s->port && ofi_few_files(FEW_FILES);
    if (!s->port || (now < s->sweep_ns && !few))
        return 0;
    sweep_t sweep = {
        .s = s, .now = now, .patience_ns = few ? CWU_WAIT_NS(SAFEGUARD) : CWU_WAIT_NS(GIVE_UP)};
    ofi_sockets_each(check_socket, &sweep);
    free(s->list);
    s->list = sweep.found;
    s->count = sweep.count;
    s->sweep_ns = now + CWU_WAIT_NS(SECOND);
    return sweep.shut;
}
