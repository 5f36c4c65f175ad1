// SPDX-License-Identifier: BSD-3-Clause
//
// Which user is at the other end of a TCP connection within this machine. The kernel knows the
// owner of each socket: sock_diag finds one by its addresses; where that is not offered, the tables
// /proc/self/net/tcp and tcp6 are read. A socket whose descriptors are all closed has no owner any
// more (its entry may name user 0), so it counts as absent.
#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "sockets.h"

/** Both ends of a connection, as the peer's socket has them. IPv4 addresses in IPv6 form are
 *  IPv4. */
typedef struct ends {
    uint32_t words;  // of an address: 1 or 4
    uint32_t local[4], remote[4];
    uint16_t local_port, remote_port;  // network byte order
} ends_t;

static bool read_address(const struct sockaddr_storage *from, uint32_t address[4], uint16_t *port_p,
                         uint32_t *words_p)
{
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    memset(address, 0, 4 * sizeof *address);
    memcpy(&in4, from, sizeof in4);
    memcpy(&in6, from, sizeof in6);
    *words_p = from->ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) ? 4 : 1;
    *port_p = in4.sin_port;  // at the same place in both families
    if (from->ss_family == AF_INET)
        memcpy(address, &in4.sin_addr, sizeof in4.sin_addr);
    else if (*words_p == 1)
        memcpy(address, (const uint8_t *)&in6.sin6_addr + 12, sizeof *address);
    else
        memcpy(address, &in6.sin6_addr, sizeof in6.sin6_addr);
    return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

static bool read_ends(int fd, ends_t *ends_p)
{
    struct sockaddr_storage own, peer;
    socklen_t own_nbytes = sizeof own;
    uint32_t own_words;
    memset(&own, 0, sizeof own);
    return getsockname(fd, (struct sockaddr *)&own, &own_nbytes) == 0 &&
           ofi_socket_peer(fd, &peer) &&
           read_address(&peer, ends_p->local, &ends_p->local_port, &ends_p->words) &&
           read_address(&own, ends_p->remote, &ends_p->remote_port, &own_words) &&
           own_words == ends_p->words;
}

// ---------------------------------------------------------------- sock_diag

typedef struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} question_t;

static void fill_question(question_t *q, const ends_t *ends)
{
    struct inet_diag_sockid *id = &q->body.id;
    memset(q, 0, sizeof *q);
    q->head = (struct nlmsghdr){
        .nlmsg_len = sizeof *q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST};
    q->body.sdiag_family = ends->words == 1 ? AF_INET : AF_INET6;
    q->body.sdiag_protocol = IPPROTO_TCP;
    q->body.idiag_states = UINT32_MAX;
    id->idiag_sport = ends->local_port;
    id->idiag_dport = ends->remote_port;
    memcpy(id->idiag_src, ends->local, ends->words * sizeof *ends->local);
    memcpy(id->idiag_dst, ends->remote, ends->words * sizeof *ends->remote);
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
}

/** The kernel may also find a socket that only listens at that address. */
static bool is_asked_for(const struct inet_diag_msg *found, const ends_t *ends)
{
    return found->idiag_inode != 0 && found->id.idiag_sport == ends->local_port &&
           found->id.idiag_dport == ends->remote_port &&
           (ends->words == 4 ||
            (found->idiag_family == AF_INET && found->id.idiag_dst[0] == ends->remote[0]) ||
            (found->idiag_family == AF_INET6 && found->id.idiag_dst[3] == ends->remote[0])) &&
           (ends->words == 1 ||
            memcmp(found->id.idiag_dst, ends->remote, sizeof ends->remote) == 0);
}

/** The owner of the socket at ends->local. */
static int look_up(const ends_t *ends, uid_t *uid_p)
{
    question_t question;
    union {
        struct nlmsghdr head;
        uint8_t room[1024];
    } reply;
    struct sockaddr_nl from;
    socklen_t from_nbytes = sizeof from;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return errno == EMFILE || errno == ENFILE ? CW_EAGAIN : CW_ENOTSUP;
    fill_question(&question, ends);
    ssize_t n = send(fd, &question, sizeof question, 0);
    if (n == (ssize_t)sizeof question)  // the kernel has replied before send returns
        n = recvfrom(fd, &reply, sizeof reply, MSG_DONTWAIT, (struct sockaddr *)&from,
                     &from_nbytes);
    close(fd);
    if (n < (ssize_t)NLMSG_LENGTH(sizeof(int)) || from.nl_pid != 0)
        return CW_ENOTSUP;
    if (reply.head.nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(&reply.head);
        return error->error == -ENOENT ? CW_ENOENT : CW_ENOTSUP;
    }
    const struct inet_diag_msg *found = NLMSG_DATA(&reply.head);
    if (reply.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || n < (ssize_t)NLMSG_LENGTH(sizeof *found))
        return CW_ENOTSUP;
    if (!is_asked_for(found, ends))
        return CW_ENOENT;
    *uid_p = found->idiag_uid;
    return 0;
}

/** A kernel without tcp_diag, as one that loads no modules, finds no socket at all: not even the
 *  one at this end, which exists. */
static int ask_kernel(const ends_t *ends, uid_t *uid_p)
{
    int rc = look_up(ends, uid_p);
    if (rc != CW_ENOENT)
        return rc;
    ends_t own = {
        .words = ends->words, .local_port = ends->remote_port, .remote_port = ends->local_port};
    uid_t own_uid;
    memcpy(own.local, ends->remote, sizeof own.local);
    memcpy(own.remote, ends->local, sizeof own.remote);
    rc = look_up(&own, &own_uid);
    return rc == 0 ? CW_ENOENT : rc == CW_ENOENT ? CW_ENOTSUP : rc;
}

// ---------------------------------------------------------------- tables

/** One address of a table's line, words as the kernel has them; its digits, or 0. */
static int scan_address(const char *text, uint32_t words, uint32_t address[4], uint16_t *port_p)
{
    int at = 0, n = 0;
    unsigned port = 0;
    for (uint32_t i = 0; i < words; i++, at += n)
        if (sscanf(text + at, "%8" SCNx32 "%n", &address[i], &n) != 1 || n != 8)
            return 0;
    if (sscanf(text + at, ":%4X%n", &port, &n) != 1)
        return 0;
    *port_p = htons((uint16_t)port);
    return at + n;
}

/** Does the line describe the socket? IPv4 addresses stand in tcp6 as the last of four words. */
static bool scan_line(const char *line, uint32_t words, const ends_t *ends, uid_t *uid_p)
{
    uint32_t local[4] = {0}, remote[4] = {0};
    uint16_t local_port, remote_port;
    unsigned uid;
    unsigned long inode;
    const char *at = strchr(line, ':');
    int n = at ? scan_address(at + 2, words, local, &local_port) : 0;
    if (n == 0)
        return false;
    at += 2 + n + 1;
    n = scan_address(at, words, remote, &remote_port);
    if (n == 0 || sscanf(at + n, " %*x %*x:%*x %*x:%*x %*x %u %*d %lu", &uid, &inode) != 2)
        return false;
    uint32_t skip = words - ends->words;
    if (inode == 0 || local_port != ends->local_port || remote_port != ends->remote_port ||
        memcmp(local + skip, ends->local, ends->words * sizeof *local) != 0 ||
        memcmp(remote + skip, ends->remote, ends->words * sizeof *remote) != 0)
        return false;
    *uid_p = uid;
    return true;
}

static int read_table(const char *path, uint32_t words, const ends_t *ends, uid_t *uid_p)
{
    char line[512];
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == EMFILE || errno == ENFILE ? CW_EAGAIN : CW_ENOTSUP;
    int rc = CW_ENOENT;
    while (rc != 0 && fgets(line, sizeof line, file))
        if (scan_line(line, words, ends, uid_p))
            rc = 0;
    fclose(file);
    return rc;
}

static int read_tables(const ends_t *ends, uid_t *uid_p)
{
    int rc = ends->words == 1 ? read_table("/proc/self/net/tcp", 1, ends, uid_p) : CW_ENOENT;
    if (rc != CW_ENOENT)
        return rc;
    rc = read_table("/proc/self/net/tcp6", 4, ends, uid_p);
    return rc == CW_ENOTSUP && ends->words == 1 ? CW_ENOENT : rc;  // a kernel without IPv6
}

int ofi_socket_user(int fd, bool tables, uid_t *uid_p)
{
    ends_t ends;
    if (!read_ends(fd, &ends))
        return CW_ENOENT;
    int rc = tables ? CW_ENOTSUP : ask_kernel(&ends, uid_p);
    return rc == CW_ENOTSUP ? read_tables(&ends, uid_p) : rc;
}
