// SPDX-License-Identifier: BSD-3-Clause
//
// The watch of the next node (lifeline.h). What is taken for its end, each by the word of that
// host's kernel, so that a process which is slow, stopped or in a debugger never is:
//
//   1. A connection to the socket that listens as long as the process lives (transport.h,
//      life_names) is refused. That a connection ends proves nothing: what lies between the hosts
//      may end it. It is opened again.
//   2. A connection to the socket that clients reach is refused, too. Otherwise something between
//      the hosts refuses the first kind, and there is nothing to watch. Where clients reach no
//      such socket, a refusal counts only behind a connection that was there.
//   3. Both still hold GRACE_NS later, while no PE of this node knows that all PEs have come to the
//      last finalize. A node ends its server only after a fence behind that, so an orderly end is
//      never taken for another.
//
// The thread sleeps in poll() for as long as the next node lives.
#include "core/life/lifeline.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "core/world/front_end.h"
#include "core/world/job.h"

#define MS UINT64_C(1000000)
#define GRACE_NS (500 * MS)  // a PE of that node or the launcher knows more and may speak first
#define DIAL_MS 2000         // for a host to reply
#define AGAIN_MS 100
#define LONGEST_MS 2000  // between attempts without a reply
// until there is nothing to watch; a process that is being taken down makes one
#define CONTRADICTIONS 5

typedef enum answer { OPENED, REFUSED, NO_REPLY } answer_t;

static struct {
    pthread_mutex_t lock;  // guards running, and the start against the stop
    pthread_t thread;
    bool running, tried;
    int wake_fd;  // readable: the thread is to end
    _Atomic bool hushed;
    int next;  // node
    cw_node_record_t record;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .hushed = true};

static bool is_hushed(void)
{
    return atomic_load(&line.hushed) || atomic_load(&cw_world.leaving);
}

/** Waits for events of the descriptor (-1: none) or for cw_lifeline_stop; false: neither came. */
static bool wait_for(int fd, short events, int ms)
{
    struct pollfd fds[] = {{.fd = line.wake_fd, .events = POLLIN}, {.fd = fd, .events = events}};
    return poll(fds, 2, ms) > 0;
}

static answer_t dial(const struct sockaddr_storage *name, int *fd_p)
{
    socklen_t nbytes = name->ss_family == AF_INET ? 16 : 28, error_nbytes = sizeof(int);
    int fd = socket(name->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
    if (fd < 0)
        return NO_REPLY;
    if (connect(fd, (const struct sockaddr *)name, nbytes) != 0)
        error = errno;
    if (error == EINPROGRESS && wait_for(fd, POLLOUT, DIAL_MS) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_nbytes) != 0)
        error = errno;
    if (error == 0) {
        *fd_p = fd;
        return OPENED;
    }
    close(fd);
    return error == ECONNREFUSED ? REFUSED : NO_REPLY;
}

/** One attempt; keeps the connection, if there is one, until it ends. */
static answer_t hold(const struct sockaddr_storage *name, bool keep)
{
    int fd = -1;
    answer_t answer = dial(name, &fd);
    if (answer != OPENED)
        return answer;
    while (keep && !is_hushed() && !wait_for(fd, POLLIN | POLLRDHUP, -1))
        ;
    close(fd);
    return OPENED;
}

static void report(void)
{
    if (!is_hushed())
        cwu_fatal("PE %d (host %s) and with it the server of node %d have ended without calling %s",
                  cw_world.leader_of_node[line.next], line.record.host, line.next,
                  cw_missing_finalize());
}

static void watch(const struct sockaddr_storage names[2], int nnames)
{
    bool known = false;
    int contradictions = 0, pause_ms = AGAIN_MS;
    uint64_t gone_ns = 0;
    while (!is_hushed() && contradictions < CONTRADICTIONS) {
        answer_t answer = hold(&names[0], true);
        known = known || answer == OPENED;
        if (answer == REFUSED && nnames == 2) {
            answer = hold(&names[1], false) == REFUSED ? REFUSED : NO_REPLY;
            contradictions += answer != REFUSED;
        } else if (answer == REFUSED && !known) {
            answer = NO_REPLY;
        }
        uint64_t now = cwu_now_ns();
        pause_ms = answer != NO_REPLY          ? AGAIN_MS
                   : pause_ms < LONGEST_MS / 2 ? 2 * pause_ms
                                               : LONGEST_MS;
        if (answer != REFUSED)
            gone_ns = 0;
        else if (gone_ns == 0)
            gone_ns = now;
        else if (now - gone_ns >= GRACE_NS)
            report();
        wait_for(-1, 0, pause_ms);
    }
}

static void *line_main(void *arg)
{
    (void)arg;
    struct sockaddr_storage names[2];
    int n = 0;
    if (cw_job_end_exchange() == CW_OK && cw_job_node_record(line.next, &line.record) == CW_OK)
        n = cw_transport->life_names(line.record.address, line.record.address_nbytes, names);
    if (n > 0)
        watch(names, n);
    atomic_fetch_sub(&cw_world.helpers, 1);
    return NULL;
}

void cw_lifeline_open(void)
{
    line.tried = false;
    atomic_store(&line.hushed, false);
}

void cw_lifeline_start(void)
{
    if (pthread_mutex_trylock(&line.lock))
        return;
    if (!line.tried && !is_hushed()) {
        line.tried = true;
        line.next = (cw_world.node + 1) % cw_world.nnodes;
        line.wake_fd = eventfd(0, EFD_CLOEXEC);
        atomic_fetch_add(&cw_world.helpers, 1);
        line.running = line.wake_fd >= 0 &&
                       cwu_thread_start(&line.thread, line_main, NULL, "causeway-life") == 0;
        if (!line.running) {
            atomic_fetch_sub(&cw_world.helpers, 1);
            if (line.wake_fd >= 0)
                close(line.wake_fd);
        }
    }
    pthread_mutex_unlock(&line.lock);
}

void cw_lifeline_hush(void)
{
    atomic_store(&line.hushed, true);
}

void cw_lifeline_stop(void)
{
    cw_lifeline_hush();
    pthread_mutex_lock(&line.lock);
    if (line.running) {
        uint64_t one = 1;
        while (write(line.wake_fd, &one, sizeof one) < 0 && errno == EINTR)
            ;
        pthread_join(line.thread, NULL);
        close(line.wake_fd);
        line.running = false;
    }
    pthread_mutex_unlock(&line.lock);
}
