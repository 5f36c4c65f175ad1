// SPDX-License-Identifier: BSD-3-Clause
//
// The node server's thread: when it polls, yields, sleeps and naps, its start and end.
#include "core/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/wait.h"
#include "core/mem/backing.h"
#include "core/mem/segment.h"
#include "core/port/ctx.h"
#include "core/progress/arrivals.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/route/setting.h"
#include "core/server/rest.h"
#include "core/world/job.h"
#include "core/world/one_address.h"

static struct {
    pthread_t thread;
    pthread_mutex_t lock;  // guards `server`: this thread or a waiting PE makes progress
    cwt_server_t *server;
    cwb_t *boot;
    _Atomic bool stop;
    cwu_bell_t nap_over;        // rung when a PE is about to sleep, or the thread has to stop
    _Atomic bool knows_secret;  // until then peers would be refused, so no PE polls
    _Atomic uint32_t polls;     // bumped by cw_server_poll; relaxed, a hint
    bool helped;                // by cw_server_poll; guarded by the lock
    bool left;                  // and a room has unfinished work; guarded as well
    bool running;
} srv = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { ROOMS = 3 };
static const cw_server_hooks_t *hooks[ROOMS];  // those not NULL first

void cw_server_hook(const cw_server_hooks_t *of_room)
{
    size_t i = 0;
    while (i < ROOMS && hooks[i] && hooks[i] != of_room)
        i++;
    if (i == ROOMS)
        cwu_fatal("more than %d rooms take part in the node server's turns", ROOMS);
    hooks[i] = of_room;
}

static int flush_rooms(void)
{
    int n = 0;
    for (size_t i = 0; i < ROOMS && hooks[i]; i++)
        n += hooks[i]->flush ? hooks[i]->flush() : 0;
    return n;
}

static void between_rounds(void)
{
    for (size_t i = 0; i < ROOMS && hooks[i]; i++)
        if (hooks[i]->between)
            hooks[i]->between();
}

static bool rooms_hold(void)
{
    for (size_t i = 0; i < ROOMS && hooks[i]; i++)
        if (hooks[i]->holds && hooks[i]->holds())
            return true;
    return false;
}

static bool has_sleepers(void)
{
    // Not by the default context, which ends earlier.
    return atomic_load_explicit(&cw_segment.control->hot.sleepers, memory_order_relaxed) != 0;
}

static int publish(void)
{
    cw_node_record_t record = {.agreement = cw_agreement, .origin_page = cw_one_address_page()};
    uint64_t start = cwu_now_ns();
    gethostname(record.host, sizeof record.host - 1);
    size_t nbytes = sizeof record.address;
    int rc = cw_transport->server_address(srv.server, record.address, &nbytes);
    if (rc)
        return rc;
    record.address_nbytes = (uint32_t)nbytes;
    char key[CWB_KEY_MAX + 1];
    cw_job_node_key(cw_world.node, key);
    if ((rc = srv.boot->ops->put(srv.boot, key, &record, sizeof record)))
        return rc;
    rc = srv.boot->ops->fence_nb(srv.boot);
    cw_startup_add(CW_PHASE_EXCHANGE_POST, start);
    return rc;
}

static int open_and_publish(void)
{
    cwt_server_config_t config = {.pe = cw_world.pe,
                                  .npes = cw_world.npes,
                                  .node = cw_world.node,
                                  .layout = cw_segment.layout,
                                  .base = cw_segment.base,
                                  .one_machine = srv.boot->one_machine,
                                  .handler = cw_request_execute,
                                  .awaited = has_sleepers,
                                  .watched = !srv.boot->ops->sees_ends};
    int rc = cw_job_offer_secret();
    if (rc == CW_OK)
        rc = cw_job_load_transport(CW_FABRIC_HELPER);
    if (rc == CW_OK)
        rc = cw_route_allowed(cw_transport->one_client());
    if (rc == CW_OK)
        cw_backing_known(cw_transport->needs_memory());
    uint64_t start = cwu_now_ns();
    if (rc == CW_OK)
        rc = cw_transport->server_open(&config, &srv.server);
    cw_startup_add(CW_PHASE_ENDPOINT, start);
    if (rc == CW_OK)
        rc = publish();
    return rc;
}

/** Polls only where a core is to spare: one without a PE, or a sleeping PE's. Else blocking is
 *  better: the scheduler prefers a thread that seldom runs. */
static long polls_before_block(bool sleepers)
{
    bool spare =
        (cw_wait_spare_core || sleepers) && !cwu_yield_is_dear() && !cw_progress_alone_serves();
    return spare ? cw_wait_server.polls : 0;
}

/** Lock held. */
static int progress(void)
{
    cw_arrivals_turn_begin();
    int events = cw_transport->server_progress(srv.server);
    if (CW_UNLIKELY(events < 0)) {
        // A client is lost when its PE has ended; the launcher may say how.
        cw_lost_grace(events);
        cwu_fatal("the node server has lost clients or servers that PEs may wait for, or can take "
                  "no clients (%s)",
                  cwu_error_name(events));
    }
    events += flush_rooms();
    cw_arrivals_turn_end();
    return events;
}

static uint64_t longest_block_ns(void)
{
    return rooms_hold() ? cw_wait_server.longest_ns : CWU_WAIT_NS(SECOND);
}

/** *polls_p: polls before the next yield, few while another thread wants the core; *idle_p: polls
 *  without an event. */
static void yield_core(long *polls_p, long *idle_p)
{
    if (cwu_yield() > CWU_WAIT_NS(TURN)) {
        *idle_p += CWU_WAIT_TURN_POLLS;
        *polls_p = 1;
    } else if (*polls_p < CWU_WAIT_MANY) {
        *polls_p *= 2;
    }
}

typedef struct seen {
    uint32_t polls, nap_over;
} seen_t;

/** Takes the lock, unless a PE polls for the server: waiting would cost that PE a system call at
 *  each unlock. nap_over: its present value; a change means that a PE went to sleep, and earlier
 *  polls say nothing. */
static bool take_over(bool sleepers, uint32_t nap_over, seen_t *seen)
{
    uint32_t polls = atomic_load_explicit(&srv.polls, memory_order_relaxed);
    bool polled = polls != seen->polls && nap_over == seen->nap_over;
    *seen = (seen_t){polls, nap_over};
    if (sleepers)  // then PEs do not poll
        return pthread_mutex_lock(&srv.lock) == 0;
    return !polled && pthread_mutex_trylock(&srv.lock) == 0;
}

static void end_nap(void)
{
    cwu_bell_ring(&srv.nap_over);
}

/** nap_over: read before the caller found that PEs poll. */
static void nap(uint32_t nap_over, uint64_t nap_ns)
{
    cwu_bell_sleep(&srv.nap_over, nap_over, nap_ns);
}

// ---------------------------------------------------------------- the program's threads have ended

static void *end_process(void *arg)
{
    (void)arg;
    exit(EXIT_SUCCESS);  // as the C library does after the last thread
}

/** Is the initial thread gone (pthread_exit), and are only the library's left? */
static bool is_last_thread(void)
{
    char text[512], state = 0;
    long threads = 0;
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end &&
           sscanf(name_end,
                  ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                  &state,
                  &threads) == 2 &&
           state == 'Z' &&
           threads == 2 + cw_world.helpers;  // the initial thread, which is gone, is counted
}

/** This thread must not keep the process alive. Tested once a second when idle. */
static void mind_the_end(uint64_t *tested_ns)
{
    uint64_t now = cwu_now_ns();
    if (now - *tested_ns < CWU_WAIT_NS(SECOND))
        return;
    *tested_ns = now;
    pthread_t thread;
    if (is_last_thread() && pthread_create(&thread, NULL, end_process, NULL) == 0)
        pthread_detach(thread);
}

static void serve_until_stopped(void)
{
    seen_t seen = {atomic_load_explicit(&srv.polls, memory_order_relaxed), 0};
    uint64_t nap_ns = 0;
    uint64_t tested_ns = cwu_now_ns();
    long idle = 0, since_yield = 0, polls_per_yield = 1;
    for (;;) {
        uint32_t nap_over = cwu_bell_rings(&srv.nap_over);
        if (atomic_load_explicit(&srv.stop, memory_order_acquire))
            break;
        bool sleepers = has_sleepers();
        if (!take_over(sleepers, nap_over, &seen)) {
            between_rounds();  // this thread's alone, however long PEs poll
            cw_progress_hooks.mind_neighbours();
            nap(nap_over, nap_ns = cwu_wait_longer(&cw_wait_server, nap_ns));
            continue;
        }
        nap_ns = 0;
        int events = progress();
        bool block = events == 0 && ++idle >= polls_before_block(sleepers);
        uint64_t block_ns = block ? longest_block_ns() : 0;
        bool may_block = block && cw_transport->server_may_block(srv.server);
        pthread_mutex_unlock(&srv.lock);
        if (sleepers || has_sleepers())
            cw_wake_changed(true);
        between_rounds();
        if (events > 0) {
            idle = 0;
        } else if (block) {
            uint64_t look_ns = cw_progress_hooks.mind_neighbours();
            if (may_block)
                cw_server_rest(srv.server, block_ns < look_ns ? block_ns : look_ns);
            mind_the_end(&tested_ns);
            idle = since_yield = 0;
        } else if (++since_yield >= polls_per_yield) {
            yield_core(&polls_per_yield, &idle);
            since_yield = 0;
        }
    }
}

static void *server_main(void *arg)
{
    (void)arg;
    // PEs that wait for this server learn nothing of a failure.
    int rc = open_and_publish();
    if (rc)
        cwu_fatal_reported("the start of the node server", rc);
    cw_job_published();
    rc = cw_job_end_exchange();
    if (rc)
        cwu_fatal("the node server cannot learn the job's secret (%s)", cwu_error_name(rc));
    rc = cw_transport->server_secret(srv.server, cw_job_secret());
    if (rc)
        cwu_fatal("the node server cannot open the node's memory to other nodes (%s)",
                  cwu_error_name(rc));
    atomic_store_explicit(&cw_progress_hooks.alone_serves, !cw_transport->threads_serve(),
                          memory_order_relaxed);
    // pairs with cw_server_poll
    atomic_store_explicit(&srv.knows_secret, true, memory_order_release);
    serve_until_stopped();
    return NULL;
}

int cw_server_start(cwb_t *boot)
{
    srv.boot = boot;
    srv.server = NULL;
    atomic_store(&srv.stop, false);
    atomic_store(&srv.knows_secret, false);
    cw_server_stage_reset();
    int rc = cwu_thread_start(&srv.thread, server_main, NULL, "causeway-server");
    if (rc) {
        cwu_error("cannot start the node server's thread: %s", strerror(rc));
        return CW_ESYS;
    }
    cpu_set_t everywhere;  // not bound to its PE's core
    memset(&everywhere, 0xff, sizeof everywhere);
    pthread_setaffinity_np(srv.thread, sizeof everywhere, &everywhere);
    srv.running = true;
    cw_progress_hooks.poll_server = cw_server_poll;
    cw_progress_hooks.leave_server = end_nap;
    return CW_OK;
}

static _Thread_local volatile bool is_here CW_INITIAL_EXEC;  // read by signal handlers

bool cw_server_is_here(void)
{
    return is_here;
}

static int poll_under_lock(bool alone)
{
    if (pthread_mutex_trylock(&srv.lock))
        return 0;
    srv.helped = true;
    int events = progress();
    srv.helped = false;
    bool left = rooms_hold(), wake = left && !srv.left && !alone;
    srv.left = left;
    pthread_mutex_unlock(&srv.lock);
    if (CW_UNLIKELY(wake))
        cw_transport->server_wake(srv.server);  // it may sleep for long
    if (CW_UNLIKELY(alone) && has_sleepers())
        cw_wake_changed(true);
    atomic_fetch_add_explicit(&srv.polls, 1, memory_order_relaxed);
    return events;
}

int cw_server_poll(void)
{
    if (!srv.running || !atomic_load_explicit(&srv.knows_secret, memory_order_acquire))
        return 0;
    bool alone = cw_progress_alone_serves();
    if (!alone && has_sleepers()) {  // the thread serves, or naps since this PE's last poll
        if (cwu_bell_has_sleeper(&srv.nap_over))
            end_nap();
        return 0;
    }
    is_here = true;
    int events = poll_under_lock(alone);
    is_here = false;
    return events;
}

bool cw_server_is_helped(void)
{
    return srv.helped;
}

void cw_server_enter(void)
{
    pthread_mutex_lock(&srv.lock);
}

void cw_server_leave(void)
{
    pthread_mutex_unlock(&srv.lock);
}

void cw_server_wake(void)
{
    // before, the thread has not slept; pairs with server_main
    if (atomic_load_explicit(&srv.knows_secret, memory_order_acquire))
        cw_transport->server_wake(srv.server);
}

void cw_server_serve(void)
{
    uint32_t nap_over = cwu_bell_rings(&srv.nap_over);
    if (pthread_mutex_trylock(&srv.lock)) {  // a PE polls, for this thread, too
        nap(nap_over, cw_wait_server.first_ns);
        return;
    }
    bool may_block = progress() == 0 && cw_transport->server_may_block(srv.server);
    pthread_mutex_unlock(&srv.lock);
    if (has_sleepers())
        cw_wake_changed(true);
    if (may_block)  // briefly: two servers that connect to each other do so after sleeps mostly
        cw_transport->server_block(srv.server, CWU_WAIT_NS(SOON));
}

void cw_server_attach(cwt_client_t *client)
{
    pthread_mutex_lock(&srv.lock);
    if (srv.server)
        cw_transport->server_attach(srv.server, client);
    pthread_mutex_unlock(&srv.lock);
}

bool cw_server_notify(uint64_t origin, const void *head, size_t head_nbytes, const void *payload,
                      size_t payload_nbytes)
{
    if (pthread_mutex_trylock(&srv.lock))
        return false;
    int rc =
        cw_transport->server_notify(srv.server, origin, head, head_nbytes, payload, payload_nbytes);
    pthread_mutex_unlock(&srv.lock);
    return rc == CW_OK;
}

void cw_server_stop(void)
{
    if (!srv.running)
        return;
    atomic_store_explicit(&srv.stop, true, memory_order_release);
    end_nap();
    cw_job_await_published();
    if (srv.server)
        cw_transport->server_wake(srv.server);
    pthread_join(srv.thread, NULL);
    for (size_t i = 0; i < ROOMS && hooks[i]; i++)
        if (hooks[i]->fini)
            hooks[i]->fini();
    if (srv.server)
        cw_transport->server_close(srv.server);
    srv.server = NULL;
    srv.running = false;
}

bool cw_server_stops(void)
{
    return atomic_load_explicit(&srv.stop, memory_order_relaxed);
}

bool cw_server_serves(void)
{
    return srv.running && atomic_load_explicit(&srv.knows_secret, memory_order_acquire);
}

void cw_server_stats(cwt_stats_t *stats_p)
{
    if (!srv.server)
        return;
    pthread_mutex_lock(&srv.lock);
    cw_transport->server_stats(srv.server, stats_p);
    pthread_mutex_unlock(&srv.lock);
}
