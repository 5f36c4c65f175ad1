// SPDX-License-Identifier: BSD-3-Clause
//
// The gate of a job on one machine (ADR 40): its ports are those of the loopback interface, which
// every user of the machine reaches, and what a provider does with the first bytes of a connection
// is beyond proofs. So libfabric's calls of accept() lead here, where the kernel is asked who owns
// the other end. What is not this user's is closed; the provider never sees it, and its next accept
// finds the next connection.
//
// Only listeners at the job's own address are guarded: an MPI in this process may listen elsewhere,
// with the same libfabric.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "divert.h"
#include "lib.h"
#include "sockets.h"

#define AT_ONCE 16  // refused in one call; other work waits meanwhile

typedef int accept_fn(int fd, struct sockaddr *name, socklen_t *name_nbytes);
typedef int accept4_fn(int fd, struct sockaddr *name, socklen_t *name_nbytes, int flags);

// Set under loaded.c's lock before anything listens.
static struct {
    ofi_diverted_t accept, accept4;
    uint8_t host[sizeof(struct sockaddr_in6)];  // the job's address, whatever the port
    atomic_uint refused[2];                     // alive, ended
    atomic_bool blind;  // the kernel does not tell: reported
} gate;

/** Is the other end this user's? Where the kernel does not say, proofs decide alone with MSG
 *  endpoints; RDM endpoints ask too late for them. What cannot be asked for want of a descriptor is
 *  closed, too: its client connects again. */
static bool may_enter(int listener, int fd)
{
    struct stat own;
    uid_t uid = 0;
    int rc = ofi_socket_user(fd, false, &uid);
    if (rc == 0 && fstat(listener, &own) == 0 && (uid == own.st_uid || uid == geteuid()))
        return true;  // geteuid: the program may have changed its user
    if (rc != CW_ENOTSUP) {
        if (rc != CW_EAGAIN)
            atomic_fetch_add_explicit(&gate.refused[ofi_socket_has_ended(fd)], 1,
                                      memory_order_relaxed);
        return false;
    }
    if (!ofi_choice.msg && !atomic_exchange(&gate.blind, true))
        cwu_error("connections of other nodes are refused: neither sock_diag nor /proc/net/tcp "
                  "shows which user makes them; use CAUSEWAY_ENDPOINT=msg");
    return ofi_choice.msg;
}

static bool is_guarded(int listener)
{
    struct sockaddr_storage name;
    socklen_t nbytes = sizeof name;
    memset(&name, 0, sizeof name);
    return getsockname(listener, (struct sockaddr *)&name, &nbytes) == 0 &&
           ofi_is_host(&name, gate.host, sizeof gate.host);
}

/** With a reset: nothing of the connection stays behind here. */
static void turn_away(int fd)
{
    struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

static int accept_any(int listener, struct sockaddr *name, socklen_t *name_nbytes, const int *flags)
{
    return flags ? ((accept4_fn *)gate.accept4.old)(listener, name, name_nbytes, *flags)
                 : ((accept_fn *)gate.accept.old)(listener, name, name_nbytes);
}

/** flags: of accept4; NULL: it is accept. */
static int accept_own(int listener, struct sockaddr *name, socklen_t *name_nbytes, const int *flags)
{
    bool guarded = is_guarded(listener), blocks = !(fcntl(listener, F_GETFL) & O_NONBLOCK);
    socklen_t room = name_nbytes ? *name_nbytes : 0;
    for (int i = 0; i < AT_ONCE; i++) {
        if (name_nbytes)
            *name_nbytes = room;
        int fd = accept_any(listener, name, name_nbytes, flags);
        if (fd < 0 || !guarded || may_enter(listener, fd))
            return fd;
        turn_away(fd);
        if (blocks)
            break;
    }
    errno = EAGAIN;
    return -1;
}

static int guarded_accept(int listener, struct sockaddr *name, socklen_t *name_nbytes)
{
    return accept_own(listener, name, name_nbytes, NULL);
}

static int guarded_accept4(int listener, struct sockaddr *name, socklen_t *name_nbytes, int flags)
{
    return accept_own(listener, name, name_nbytes, &flags);
}

void ofi_gate_open(bool one_machine)
{
    const struct fi_info *info = ofi_choice.info;
    struct sockaddr_storage any;
    memset(&any, 0, sizeof any);
    any.ss_family = AF_INET;
    if (!one_machine || !ofi_over_sockets(info) || strstr(info->fabric_attr->prov_name, "udp") ||
        !info->src_addr || !ofi_is_socket_name(info->src_addr, info->src_addrlen) ||
        ofi_is_host(&any, info->src_addr, info->src_addrlen))
        return;
    memcpy(gate.host, info->src_addr,
           info->src_addrlen < sizeof gate.host ? info->src_addrlen : sizeof gate.host);
    bool one = ofi_divert(&gate.accept, ofi_lib.handle, "accept", (ofi_fn_t *)guarded_accept),
         other = ofi_divert(&gate.accept4, ofi_lib.handle, "accept4", (ofi_fn_t *)guarded_accept4);
    ofi_choice.guarded = one || other;
    cwu_debug("connections of other users are %s",
              ofi_choice.guarded
                  ? "closed before the provider sees them"
                  : "not refused: libfabric calls accept where it cannot be changed");
}

uint32_t ofi_gate_refused(bool ended)
{
    return atomic_load_explicit(&gate.refused[ended], memory_order_relaxed);
}
