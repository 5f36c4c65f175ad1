// SPDX-License-Identifier: BSD-3-Clause
//
// Which user is at the other end of a connection within this machine: asked of sock_diag, of the
// tables in /proc, and of a kernel without tcp_diag, which knows of no socket. Processes of another
// user are tried as root only.
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "frame/check.h"
#include "transport/ofi/lib/sockets.h"

enum { OTHER_USER = 65534 };

static bool no_tcp_diag;  // sock_diag finds no socket
static int answers;       // so often it was asked meanwhile

/** The C library's, but for what a kernel without tcp_diag says to sock_diag. */
ssize_t recvfrom(int fd, void *to, size_t nbytes, int flags, struct sockaddr *from,
                 socklen_t *from_nbytes)
{
    ssize_t n = syscall(SYS_recvfrom, fd, to, nbytes, flags, from, from_nbytes);
    int protocol = 0;
    socklen_t int_nbytes = sizeof protocol;
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
    } no = {{.nlmsg_len = sizeof no, .nlmsg_type = NLMSG_ERROR}, {.error = -ENOENT}};
    if (!no_tcp_diag || n < 0 || nbytes < sizeof no ||
        getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &int_nbytes) != 0 ||
        protocol != NETLINK_SOCK_DIAG)
        return n;
    answers++;
    memcpy(to, &no, sizeof no);
    return sizeof no;
}

static int listen_at(const char *address, struct sockaddr_in6 *name_p, socklen_t *nbytes_p)
{
    bool six = strchr(address, ':') != NULL;
    struct sockaddr_in *in4 = (void *)name_p;
    memset(name_p, 0, sizeof *name_p);
    name_p->sin6_family = six ? AF_INET6 : AF_INET;
    inet_pton(name_p->sin6_family, address, six ? (void *)&name_p->sin6_addr : &in4->sin_addr);
    int fd = socket(name_p->sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *nbytes_p = six ? sizeof *name_p : sizeof *in4;
    if (fd < 0 || bind(fd, (void *)name_p, *nbytes_p) != 0 || listen(fd, 8) != 0 ||
        getsockname(fd, (void *)name_p, nbytes_p) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/** Both ways of asking find the same. */
static int user_of(int fd, uid_t *uid_p)
{
    uid_t second = 0;
    int rc = ofi_socket_user(fd, false, uid_p), again = ofi_socket_user(fd, true, &second);
    CHECK(rc == again && (rc != 0 || *uid_p == second), "%d uid %u, %d uid %u", rc, *uid_p, again,
          second);
    return rc;
}

static void users_at(const char *address)
{
    struct sockaddr_in6 name;
    socklen_t nbytes;
    uid_t uid = 0;
    int listener = listen_at(address, &name, &nbytes);
    if (listener < 0) {
        printf("%s: no such address here\n", address);
        return;
    }
    int fd = socket(name.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(connect(fd, (void *)&name, nbytes) == 0);
    int end = accept(listener, NULL, NULL);
    CHECK(user_of(end, &uid) == 0 && uid == getuid());
    CHECK(user_of(fd, &uid) == 0 && uid == getuid());
    close(fd);  // its kernel socket lives on without an owner
    CHECK(user_of(end, &uid) == CW_ENOENT);
    close(end);
    pid_t other = geteuid() == 0 ? fork() : -1;
    if (other == 0) {
        fd = setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0
                 ? socket(name.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0)
                 : -1;
        connect(fd, (void *)&name, nbytes);
        pause();
    }
    if (other > 0) {
        end = accept(listener, NULL, NULL);
        CHECK(user_of(end, &uid) == 0 && uid == OTHER_USER);
        kill(other, SIGKILL);
        waitpid(other, NULL, 0);
        close(end);
    }
    close(listener);
}

int main(void)
{
    alarm(60);
    for (int i = 0; i < 2; i++) {
        no_tcp_diag = i > 0;
        users_at("127.0.0.1");
        users_at("::1");
        users_at("::ffff:127.0.0.1");
    }
    CHECK(answers > 0);
    return check_result();
}
