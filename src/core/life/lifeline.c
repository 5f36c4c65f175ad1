// SPDX-License-Identifier: BSD-3-Clause
//
// The next node has ended only if its host's kernel says so; a slow or stopped process has not:
//
//   1. The socket that listens as long as the process lives refuses. A connection that ends proves
//      nothing; it is opened again.
//   2. The clients' socket refuses, too; else something between the hosts does. Without this socket
//      a refusal counts only after a connection.
//   3. So it is at the address that has replied; before one has, at all but those that this host
//      has, too, if it is another.
//   4. And half a second later, while not all PEs have come to the last finalize: a node ends its
//      server only after a fence behind that.
#include "core/life/lifeline.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/wait.h"
#include "core/world/front_end.h"
#include "core/world/job.h"

#define DIAL_MS 2000         // for a host to reply
#define AGAIN_MS 100
#define LONGEST_MS 2000  // between attempts without a reply
// until there is nothing to watch; a process that ends makes one
#define CONTRADICTIONS 5

typedef enum answer { OPENED, REFUSED, NO_REPLY } answer_t;

static struct {
    pthread_mutex_t lock;  // guards running, and start against stop
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

/** For the descriptor (-1: none) or cw_lifeline_stop; false: neither came. */
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

/** keep: holds the connection until it ends. */
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
        cwu_fatal("%s %d (host %s) and with it the server of node %d have ended without calling %s",
                  cw_pe_word(), cw_pe_number(cw_world.leader_of_node[line.next]), line.record.host,
                  line.next, cw_missing_finalize());
}

/** After a refusal by the first socket: asks the second. */
static answer_t confirm(const struct sockaddr_storage names[2], int nnames, int *contradictions)
{
    if (nnames < 2 || hold(&names[1], false) == REFUSED)
        return REFUSED;
    ++*contradictions;
    return NO_REPLY;
}

/** Reports refusals that have lasted. *pause_ms: until the next attempt. */
static void judge(answer_t answer, uint64_t *gone_ns, int *pause_ms)
{
    uint64_t now = cwu_now_ns();
    *pause_ms = answer != NO_REPLY           ? AGAIN_MS
                : *pause_ms < LONGEST_MS / 2 ? 2 * *pause_ms
                                             : LONGEST_MS;
    if (answer != REFUSED)
        *gone_ns = 0;
    else if (*gone_ns == 0)
        *gone_ns = now;
    else if (now - *gone_ns >= CWU_WAIT_NS(GRACE) + CWU_WAIT_NS(SAFEGUARD))
        report();
    wait_for(-1, 0, *pause_ms);
}

/** At an address that has replied. */
static void watch(const struct sockaddr_storage names[2], int nnames)
{
    int contradictions = 0, pause_ms = AGAIN_MS;
    uint64_t gone_ns = 0;
    while (!is_hushed() && contradictions < CONTRADICTIONS) {
        answer_t answer = hold(&names[0], true);
        if (answer == REFUSED)
            answer = confirm(names, nnames, &contradictions);
        judge(answer, &gone_ns, &pause_ms);
    }
}

/** Does this host have the address? Connecting a datagram socket sends nothing. */
static bool is_own(const struct sockaddr_storage *name)
{
    struct sockaddr_storage own;
    socklen_t own_nbytes = sizeof own, nbytes = name->ss_family == AF_INET ? 16 : 28;
    size_t at = name->ss_family == AF_INET ? 4 : 8, n = name->ss_family == AF_INET ? 4 : 16;
    int fd = socket(name->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool same = fd >= 0 && connect(fd, (const struct sockaddr *)name, nbytes) == 0 &&
                getsockname(fd, (struct sockaddr *)&own, &own_nbytes) == 0 &&
                memcmp((const char *)&own + at, (const char *)name + at, n) == 0;
    if (fd >= 0)
        close(fd);
    return same;
}

static int names_of(int which, struct sockaddr_storage names[2])
{
    return cw_transport->life_names(line.record.address, line.record.address_nbytes, which, names);
}

/** OPENED: names are the first that replies. REFUSED: all say that the process has gone. */
static answer_t try_all(bool here, struct sockaddr_storage names[2], int *n_p, int *contradictions)
{
    int refused = 0, silent = 0;
    for (int which = 0; !is_hushed() && (*n_p = names_of(which, names)) > 0; which++) {
        answer_t answer = hold(&names[0], false);
        if (answer == OPENED)
            return OPENED;
        if (answer == REFUSED && *n_p == 2 && (here || !is_own(&names[0])))
            answer = confirm(names, *n_p, contradictions);
        else
            answer = NO_REPLY;
        refused += answer == REFUSED;
        silent += answer == NO_REPLY && (here || !is_own(&names[0]));
    }
    return refused > 0 && silent == 0 ? REFUSED : NO_REPLY;
}

static void find_and_watch(void)
{
    struct sockaddr_storage names[2];
    char host[sizeof line.record.host] = "";
    int n = 0, contradictions = 0, pause_ms = AGAIN_MS;
    uint64_t gone_ns = 0;
    gethostname(host, sizeof host - 1);
    bool here = strcmp(host, line.record.host) == 0;
    while (!is_hushed() && contradictions < CONTRADICTIONS && names_of(0, names) > 0) {
        answer_t answer = try_all(here, names, &n, &contradictions);
        if (answer == OPENED) {
            watch(names, n);
            return;
        }
        judge(answer, &gone_ns, &pause_ms);
    }
}

static void *line_main(void *arg)
{
    (void)arg;
    if (cw_job_end_exchange() == CW_OK && cw_job_node_record(line.next, &line.record) == CW_OK)
        find_and_watch();
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
