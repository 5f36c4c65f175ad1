// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers that hold the pipes of PEs where oshrun's own descriptors are too few: two pipes a PE, so
// that the limit of one process does not bound the number of PEs. A helper is a child that reads
// what its PEs write and passes it on, record by record, over a socket of its own; the rest of
// oshrun finds it in streams without a descriptor. It knows nothing of lines and orders.
//
// To a helper: relay_order_t, with the read ends of a PE's pipes. From it: relay_record_t, of a
// stream; without bytes, its end; of sink 0, the reply to RELAY_DRAIN. Helpers end with oshrun.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "oshrun.h"

enum {
    RECORD_MOST = 32768,  // bytes of a stream in a record
    OWN_FDS = 16,         // of a helper, beside the pipes
    READS_MOST = 32,      // of a stream that is drained
};
enum { RELAY_ADD, RELAY_DRAIN };

typedef struct relay_order {
    int what, pe;
} relay_order_t;

typedef struct relay_record {
    int pe, sink;
    char bytes[RECORD_MOST];
} relay_record_t;
#define RECORD_HEAD offsetof(relay_record_t, bytes)

static struct {
    stream_t *at;  // what oshrun's loop waits for: the sockets
    int n, pes;    // so many helpers, of so many PEs each
    int drained;   // the PE of the last reply
} relays;

// ---------------------------------------------------------------- a helper
static struct {
    int socket, events, first, npes;
    int (*fd)[2];  // of its PEs; -1: none, or ended
} me;

static void pass(int pe, int sink, relay_record_t *r, size_t nbytes)
{
    r->pe = pe;
    r->sink = sink;
    while (send(me.socket, r, RECORD_HEAD + nbytes, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            _exit(0);  // oshrun is gone
}

/** False: there is nothing to read now. */
static bool pass_some(int i, int which)
{
    static relay_record_t record;
    int *fd = &me.fd[i][which];
    ssize_t n = read(*fd, record.bytes, sizeof record.bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    pass(me.first + i, which + 1, &record, n > 0 ? (size_t)n : 0);
    if (n > 0)
        return true;
    close(*fd);
    *fd = -1;
    return false;
}

static void drain(int i)
{
    static relay_record_t reply;
    for (int which = 0; which < 2; which++)
        for (int reads = 0; me.fd[i][which] >= 0 && reads < READS_MOST; reads++)
            if (!pass_some(i, which))
                break;
    pass(me.first + i, 0, &reply, 0);
}

static void add(int i, const int fds[2])
{
    for (int which = 0; which < 2; which++) {
        struct epoll_event ev = {.events = EPOLLIN, .data.u64 = 2 * (uint64_t)i + (uint64_t)which};
        me.fd[i][which] = fds[which];
        if (fcntl(fds[which], F_SETFL, O_NONBLOCK) < 0 ||
            epoll_ctl(me.events, EPOLL_CTL_ADD, fds[which], &ev) < 0)
            _exit(1);
    }
}

/** False: no order waits. */
static bool take_order(void)
{
    relay_order_t order;
    int fds[2];
    union {
        char room[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control;
    struct iovec part = {&order, sizeof order};
    struct msghdr msg = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control};
    ssize_t n = recvmsg(me.socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n != sizeof order)
        _exit(0);  // oshrun is gone
    const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (order.what == RELAY_DRAIN) {
        drain(order.pe - me.first);
        return true;
    }
    if (!c || c->cmsg_len != CMSG_LEN(sizeof fds))
        _exit(1);
    memcpy(fds, CMSG_DATA(c), sizeof fds);
    add(order.pe - me.first, fds);
    return true;
}

static noreturn void help(pid_t launcher)
{
    sigset_t all;
    setsid();  // out of reach of the terminal's signals
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "oshrun-relay");
    dup2(me.socket, 0);
    me.socket = 0;
    if (syscall(SYS_close_range, 1, ~0u, 0) != 0)
        for (int fd = 1; fd < 65536; fd++)  // kernels without close_range
            close(fd);
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = UINT64_MAX}, events[64];
    me.events = epoll_create1(EPOLL_CLOEXEC);
    me.fd = malloc((size_t)me.npes * sizeof *me.fd);
    if (getppid() != launcher || me.events < 0 || !me.fd ||
        epoll_ctl(me.events, EPOLL_CTL_ADD, me.socket, &ev) < 0)
        _exit(1);
    for (int i = 0; i < me.npes; i++)
        me.fd[i][0] = me.fd[i][1] = -1;
    for (;;) {
        int n = epoll_wait(me.events, events, 64, -1);
        for (int i = 0; i < n; i++) {
            uint64_t which = events[i].data.u64;
            if (which == UINT64_MAX)
                while (take_order())
                    ;
            else if (me.fd[which / 2][which % 2] >= 0)
                pass_some((int)(which / 2), (int)(which % 2));
        }
    }
}

// ---------------------------------------------------------------- oshrun
static void start(run_t *run, int i)
{
    int fds[2];
    pid_t launcher = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        die(1, "cannot create a socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        me.socket = fds[1];
        me.first = i * relays.pes;
        me.npes = relays.pes;
        help(launcher);
    }
    close(fds[1]);
    relays.at[i] = (stream_t){.fd = fds[0], .pe = -1 - i};
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = &relays.at[i]};
    if (pid < 0 || epoll_ctl(run->source_fd, EPOLL_CTL_ADD, fds[0], &ev) < 0)
        die(1, "cannot start a helper for the output of the PEs: %s", strerror(errno));
}

void relay_plan(const run_t *run, rlim_t most)
{
    // two pipes a PE, one object a node, and a few of oshrun's own
    rlim_t streams = run->output_dir_fd < 0 ? 2 * (rlim_t)run->opt.npes : 0,
           others = (rlim_t)run->opt.nnodes + 32;
    if (most == RLIM_INFINITY || most >= streams + others)
        return;
    if (streams && most > OWN_FDS + 2) {
        relays.pes = (int)(most - OWN_FDS) / 2;
        relays.n = (run->opt.npes + relays.pes - 1) / relays.pes;
    }
    if (most < others + (rlim_t)relays.n)
        die(1,
            "a job of %d PEs (nodes: %d) needs more file descriptors than the limit of %llu; raise "
            "it (ulimit -Hn)",
            run->opt.npes, run->opt.nnodes, (unsigned long long)most);
}

void relay_start(run_t *run)
{
    if (relays.n == 0)
        return;
    relays.at = calloc((size_t)relays.n, sizeof *relays.at);
    if (!relays.at)
        die(1, "out of memory for %d PEs", run->opt.npes);
    for (int i = 0; i < relays.n; i++)
        start(run, i);
    if (run->opt.verbose)
        say("%d helpers hold the output of %d PEs each", relays.n, relays.pes);
}

static stream_t *relay_of(int pe)
{
    return relays.n ? &relays.at[pe / relays.pes] : NULL;
}

bool relay_holds(int pe)
{
    return relays.n && relay_of(pe)->fd >= 0;
}

/** Its PEs' output is lost. */
static void lose(run_t *run, stream_t *relay)
{
    int first = (-1 - relay->pe) * relays.pes, end = first + relays.pes;
    close(relay->fd);
    relay->fd = -1;
    for (int pe = first; pe < end && pe < run->opt.npes; pe++)
        for (int which = 0; which < 2; which++)
            if (run->pes[pe].out[which].relayed) {
                output_end(&run->pes[pe].out[which]);
                run->nopen_streams--;
            }
    say("the helper that forwards the output of PEs %d-%d has ended; ending the job", first,
        (end < run->opt.npes ? end : run->opt.npes) - 1);
    end_job(run, 1, 0);
}

/** Takes a record, if there is one. */
static bool take_one(run_t *run, stream_t *relay)
{
    static relay_record_t r;
    ssize_t n = recv(relay->fd, &r, sizeof r, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n < (ssize_t)RECORD_HEAD) {
        lose(run, relay);
        return false;
    }
    if (r.sink == 0) {
        relays.drained = r.pe;
        return true;
    }
    stream_t *s = &run->pes[r.pe].out[r.sink - 1];
    if (n > (ssize_t)RECORD_HEAD) {
        output_bytes(s, r.bytes, (size_t)n - RECORD_HEAD);
    } else if (s->relayed) {
        output_end(s);
        run->nopen_streams--;
    }
    return true;
}

void relay_take(run_t *run, stream_t *relay)
{
    for (int i = 0; i < 64 && relay->fd >= 0 && take_one(run, relay); i++)
        ;
}

static bool order(run_t *run, stream_t *relay, int what, int pe, const int *fds)
{
    relay_order_t o = {what, pe};
    union {
        char room[CMSG_SPACE(2 * sizeof *fds)];
        struct cmsghdr align;
    } control = {.room = {0}};
    struct iovec part = {&o, sizeof o};
    struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
    if (fds) {
        msg.msg_control = &control;
        msg.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(2 * sizeof *fds);
        memcpy(CMSG_DATA(c), fds, 2 * sizeof *fds);
    }
    while (relay->fd >= 0 && sendmsg(relay->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ETOOMANYREFS) {
            lose(run, relay);
            return false;
        }
        // it may wait for room itself
        struct pollfd p = {.fd = relay->fd, .events = POLLIN | POLLOUT};
        poll(&p, 1, 100);
        relay_take(run, relay);
    }
    return relay->fd >= 0;
}

bool relay_add(run_t *run, int pe, int out_fd, int err_fd)
{
    int fds[2] = {out_fd, err_fd};
    bool added = order(run, relay_of(pe), RELAY_ADD, pe, fds);
    for (int which = 0; which < 2; which++) {
        close(fds[which]);
        run->pes[pe].out[which] =
            (stream_t){.fd = -1, .pe = pe, .sink = which + 1, .relayed = added};
        run->nopen_streams += added;
    }
    return added;
}

void relay_drain(run_t *run, int pe)
{
    stream_t *relay = relay_of(pe);
    relays.drained = -1;
    if (!order(run, relay, RELAY_DRAIN, pe, NULL))
        return;
    while (relay->fd >= 0 && relays.drained != pe) {
        struct pollfd p = {.fd = relay->fd, .events = POLLIN};
        if (!take_one(run, relay) && relay->fd >= 0)
            poll(&p, 1, -1);
    }
}
