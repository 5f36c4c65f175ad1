// SPDX-License-Identifier: BSD-3-Clause
//
// How the PEs of a node come by one file descriptor when the launcher did not give them one: the
// node's lowest PE makes a memfd and hands it to the others over an abstract Unix socket. Abstract
// names live in the network namespace and vanish with their owner, so nothing is left behind, and a
// PE that cannot connect does not share the node. Both ends check that the other runs as the same
// user.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/mem/segment.h"
#include "core/world/world.h"

static socklen_t rendezvous_name(struct sockaddr_un *un, const cwb_t *boot)
{
    memset(un, 0, sizeof *un);
    un->sun_family = AF_UNIX;
    int n = snprintf(un->sun_path + 1, sizeof un->sun_path - 1, "causeway.%u.%s.%d.%u",
                     (unsigned)getuid(), boot->job_id, cw_world.node, cw_world.epoch);
    if ((size_t)n >= sizeof un->sun_path - 1)
        n = sizeof un->sun_path - 2;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool same_user(int sock)
{
    struct ucred who;
    socklen_t len = sizeof who;
    return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == getuid();
}

static int send_fd(int sock, int fd)
{
    char byte = 'c';
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } ctl = {0};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(sock, &msg, MSG_NOSIGNAL) == 1 ? CW_OK : CW_ESYS;
}

static int receive_fd(int sock, int *fd_p)
{
    char byte;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } ctl = {0};
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl};
    if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1)
        return CW_ELOST;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (!c || c->cmsg_type != SCM_RIGHTS)
        return CW_EPROTO;
    memcpy(fd_p, CMSG_DATA(c), sizeof *fd_p);
    return CW_OK;
}

static int make_object(int *fd_p)
{
    int fd = memfd_create("causeway-node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        cwu_error("cannot create the node's shared memory object: memfd_create: %s",
                  strerror(errno));
        return CW_ESYS;
    }
    *fd_p = fd;
    return CW_OK;
}

/** The lowest PE: serves every other PE of the node once. */
static int hand_out(const cwb_t *boot, int fd)
{
    struct sockaddr_un un;
    socklen_t len = rendezvous_name(&un, boot);
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0 || bind(sock, (struct sockaddr *)&un, len) || listen(sock, cw_world.nslots)) {
        cwu_error("cannot listen for the PEs of this node: %s", strerror(errno));
        if (sock >= 0)
            close(sock);
        return CW_ESYS;
    }
    int rc = CW_OK;
    uint64_t deadline = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000000000u;
    for (int served = 1; served < cw_world.nslots && rc == CW_OK;) {
        struct pollfd p = {sock, POLLIN, 0};
        uint64_t now = cwu_now_ns();
        if (now >= deadline || poll(&p, 1, (int)((deadline - now) / 1000000u) + 1) == 0) {
            cwu_error("%d of the %d PEs of this node did not come for its shared memory within %ld "
                      "s; do they run "
                      "on another host or as another user? (CAUSEWAY_NODE names the node of a PE, "
                      "CAUSEWAY_TIMEOUT "
                      "the patience)",
                      cw_world.nslots - served, cw_world.nslots, cwu_env.timeout);
            rc = CW_ETIMEOUT;
            break;
        }
        int peer = accept4(sock, NULL, NULL, SOCK_CLOEXEC);
        if (peer < 0)
            continue;
        if (same_user(peer) && send_fd(peer, fd) == CW_OK)
            served++;
        close(peer);
    }
    close(sock);
    return rc;
}

/** Every other PE: asks until the lowest one listens. */
static int fetch(const cwb_t *boot, int *fd_p)
{
    struct sockaddr_un un;
    socklen_t len = rendezvous_name(&un, boot);
    uint64_t deadline = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000000000u;
    for (useconds_t nap = 100; cwu_now_ns() < deadline; nap = nap < 5000 ? nap * 2 : nap) {
        int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (sock < 0) {
            cwu_error("cannot open a socket: %s", strerror(errno));
            return CW_ESYS;
        }
        int rc = CW_EAGAIN;
        if (connect(sock, (struct sockaddr *)&un, len) == 0 && same_user(sock))
            rc = receive_fd(sock, fd_p);
        close(sock);
        if (rc == CW_OK)
            return CW_OK;
        usleep(nap);
    }
    cwu_error("PE %d should share this node's memory but does not reply after %ld s; does it run "
              "on another host? "
              "(CAUSEWAY_NODE names the node of a PE)",
              cw_world.leader_of_node[cw_world.node], cwu_env.timeout);
    return CW_ETIMEOUT;
}

static int kept_fd = -1;  // of the object this PE has made for its node, until it is handed out

int cw_share_hand_out(const cwb_t *boot)
{
    if (kept_fd < 0)
        return CW_OK;
    int rc = hand_out(boot, kept_fd);
    close(kept_fd);
    kept_fd = -1;
    return rc;
}

int cw_share_fd(cwb_t *boot, int *fd_p)
{
    if (boot->node_fd >= 0) {
        *fd_p = boot->node_fd;
        return CW_OK;
    }
    if (cw_world.slot != 0)
        return fetch(boot, fd_p);
    int rc = make_object(fd_p);
    if (rc || cw_world.nslots == 1)
        return rc;
    kept_fd = fcntl(*fd_p, F_DUPFD_CLOEXEC, 0);
    if (kept_fd >= 0)
        return CW_OK;
    cwu_error("cannot keep the node's shared memory object: %s", strerror(errno));
    return CW_ESYS;
}
