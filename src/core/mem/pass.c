// SPDX-License-Identifier: BSD-3-Clause
//
// Passing descriptors, singly and among all PEs of a node.
//
// In round k a PE sends to the k-th slot behind its own, then takes one descriptor from any. A PE
// in the least round has a sender that has sent, so the exchange goes on; no PE is a round ahead of
// what it took, so few descriptors, which the kernel limits, are under way.
#include "core/mem/pass.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/machine.h"
#include "core/world/world.h"

typedef union control {
    struct cmsghdr align;
    char space[CMSG_SPACE(sizeof(int))];
} control_t;

bool cw_same_user(int sock)
{
    struct ucred who;
    socklen_t len = sizeof who;
    return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == getuid();
}

int cw_send_fd(int sock, int fd, uint32_t tag)
{
    struct iovec iov = {&tag, sizeof tag};
    control_t ctl = {0};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(sock, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof tag ? CW_OK : CW_ESYS;
}

int cw_receive_fd(int sock, int *fd_p, uint32_t *tag_p)
{
    struct iovec iov = {tag_p, sizeof *tag_p};
    control_t ctl = {0};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl};
    if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *tag_p)
        return CW_ELOST;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (!c)
        return msg.msg_flags & MSG_CTRUNC ? CW_EFILES : CW_EPROTO;  // the kernel had no room for it
    if (c->cmsg_type != SCM_RIGHTS)
        return CW_EPROTO;
    memcpy(fd_p, CMSG_DATA(c), sizeof *fd_p);
    return CW_OK;
}

// ---------------------------------------------------------------- among all PEs of a node
// The kernel chooses an unused name of NAME_NBYTES hexadecimal digits.
#define NAME_NBYTES 5u
#define SPARE 16  // descriptors for other threads and libraries
_Static_assert(NAME_NBYTES < sizeof(uint64_t), "cw_pass_t.name");

static struct sockaddr_un address_of(uint64_t name, socklen_t *nbytes_p)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    memcpy(un.sun_path + 1, &name, NAME_NBYTES);
    *nbytes_p = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + NAME_NBYTES);
    return un;
}

/** Before any PE counts on this one. */
static int check_room(void)
{
    long needed = cw_world.nslots + SPARE, room = cwu_free_files();
    if (room >= needed)
        return CW_OK;
    cwu_error(
        "out of file descriptors: one for each PE of this node, and some to spare, are %ld, and "
        "%ld are free; raise the limit (ulimit -n)",
        needed, room);
    return CW_EFILES;
}

int cw_pass_open(cw_pass_t *pass)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    socklen_t nbytes = sizeof un;
    *pass = (cw_pass_t){.sock = -1};
    int rc = check_room();
    if (rc != CW_OK)
        return rc;
    pass->sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (pass->sock >= 0 &&
        bind(pass->sock, (const struct sockaddr *)&un, sizeof(sa_family_t)) == 0 &&
        getsockname(pass->sock, (struct sockaddr *)&un, &nbytes) == 0 &&
        nbytes == offsetof(struct sockaddr_un, sun_path) + 1 + NAME_NBYTES &&
        listen(pass->sock, cw_world.nslots) == 0) {
        memcpy(&pass->name, un.sun_path + 1, NAME_NBYTES);
        return CW_OK;
    }
    cwu_error("cannot listen for descriptors of this node's PEs: %s", strerror(errno));
    cw_pass_close(pass);
    return CW_ESYS;
}

void cw_pass_close(cw_pass_t *pass)
{
    if (pass->sock >= 0)
        close(pass->sock);
    pass->sock = -1;
}

static int send_to(uint64_t name, int fd)
{
    socklen_t nbytes;
    struct sockaddr_un un = address_of(name, &nbytes);
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool sent = sock >= 0 && connect(sock, (const struct sockaddr *)&un, nbytes) == 0 &&
                cw_same_user(sock) && cw_send_fd(sock, fd, (uint32_t)cw_world.slot) == CW_OK;
    if (!sent)
        cwu_error("cannot pass a descriptor to another PE of this node: %s", strerror(errno));
    if (sock >= 0)
        close(sock);
    return sent ? CW_OK : CW_ESYS;
}

static int no_files(int error)
{
    cwu_error("cannot take a descriptor of a PE of this node: %s", strerror(error));
    return CW_EFILES;
}

static bool is_ready_by(int sock, uint64_t deadline)
{
    struct pollfd p = {sock, POLLIN, 0};
    uint64_t now = cwu_now_ns();
    return now < deadline && poll(&p, 1, (int)((deadline - now) / 1000000u) + 1) > 0;
}

/** -1: none before the deadline. */
static int accept_by(int sock, uint64_t deadline)
{
    errno = 0;
    return is_ready_by(sock, deadline) ? accept4(sock, NULL, NULL, SOCK_CLOEXEC) : -1;
}

/** Of a PE that has given none yet; drops other processes'. */
static int receive_one(int sock, int *fds)
{
    uint64_t deadline = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000000000u;
    while (cwu_now_ns() < deadline) {
        int fd = -1, peer = accept_by(sock, deadline);
        if (peer < 0 && (errno == EMFILE || errno == ENFILE))
            return no_files(errno);
        uint32_t slot;
        int rc = peer >= 0 && cw_same_user(peer) && is_ready_by(peer, deadline)
                     ? cw_receive_fd(peer, &fd, &slot)
                     : CW_EAGAIN;
        if (peer >= 0)
            close(peer);
        if (rc == CW_EFILES)
            return no_files(EMFILE);
        if (rc == CW_OK && slot < (uint32_t)cw_world.nslots && slot != (uint32_t)cw_world.slot &&
            fds[slot] < 0) {
            fds[slot] = fd;
            return CW_OK;
        }
        if (fd >= 0)
            close(fd);
    }
    cwu_error("a PE of this node did not pass its descriptor within %ld s (CAUSEWAY_TIMEOUT)",
              cwu_env.timeout);
    return CW_ETIMEOUT;
}

int cw_pass_all(const cw_pass_t *pass, const uint64_t *names, int fd, int *fds)
{
    const int n = cw_world.nslots;
    int rc = CW_OK;
    for (int slot = 0; slot < n; slot++)
        fds[slot] = -1;
    for (int k = 1; rc == CW_OK && k < n; k++)
        if ((rc = send_to(names[(cw_world.slot + k) % n], fd)) == CW_OK)
            rc = receive_one(pass->sock, fds);
    return rc;
}
