// SPDX-License-Identifier: BSD-3-Clause
//
// The queue of operations held back, the order in which they may be delivered, and the courier, the
// thread that delivers them when they are due.
//
// The contract (transport.h) leaves this freedom on one connection:
//   put         may pass puts and requests before it, never a fence
//   get         may pass puts and requests before it, never a fence
//   request     stays behind every put and request before it, and behind a fence
//   fence       is an entry of the queue: it orders, it does not complete
#include "delay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/wait.h"

#define HELD_MOST 256u  // operations per connection; the oldest is delivered when there are more

static struct {
    pthread_mutex_t lock;  // guards the list and the thread
    delay_client_t *clients;
    pthread_t thread;
    _Atomic uint32_t held;  // operations held back in this process; futex
    _Atomic bool stop;
    FILE *log;
} courier = {.lock = PTHREAD_MUTEX_INITIALIZER};

void delay_log(const delay_conn_t *conn, const char *what, uint64_t offset, size_t nbytes,
               uint64_t held_ns)
{
    if (courier.log)
        fprintf(courier.log, "%llu node %d %s offset %llu bytes %zu held_us %llu\n",
                (unsigned long long)(cwu_now_ns() / 1000), conn->node, what,
                (unsigned long long)offset, nbytes, (unsigned long long)(held_ns / 1000));
}

// ---------------------------------------------------------------- order

/** The kinds of the entries before an entry of the queue. */
typedef struct before {
    bool fence, work;  // work: a put or a request
} before_t;

static bool may_go(delay_kind_t kind, before_t before)
{
    switch (kind) {
    case DELAY_GET:
    case DELAY_PUT:
        return !before.fence;
    default:
        return !before.fence && !before.work;
    }
}

static void pass(before_t *before, delay_kind_t kind)
{
    before->fence = before->fence || kind == DELAY_FENCE;
    before->work = before->work || kind == DELAY_PUT || kind == DELAY_REQUEST;
}

bool delay_may_overtake(const delay_conn_t *conn, delay_kind_t kind)
{
    before_t before = {false, false};
    for (const delay_held_t *h = conn->first; h; h = h->next)
        pass(&before, h->kind);
    return may_go(kind, before);
}

int delay_hold(delay_conn_t *conn, const delay_held_t *what, size_t copy)
{
    delay_client_t *client = conn->client;
    delay_held_t *h = malloc(sizeof *h + copy);
    if (!h) {
        cwu_error("no memory to hold back %zu bytes (CAUSEWAY_DELAY)", copy);
        return CW_ENOMEM;
    }
    *h = *what;
    if (copy) {
        memcpy(h->bytes, what->src, copy);
        h->src = h->bytes;
    }
    uint64_t max = delay_setup.max_ns + 1, r = delay_random(&client->random);
    h->since_ns = cwu_now_ns();
    // mostly short, now and then so long that only an operation behind it makes it go
    h->due_ns = h->since_ns + (r % 16 == 0 ? 20 * max : (r >> 8) % max * ((r >> 40) % 256) / 256);
    *conn->end = h;
    conn->end = &h->next;
    conn->count++;
    client->totals.held++;
    if (atomic_fetch_add(&courier.held, 1) == 0)
        cwu_futex_wake((uint32_t *)&courier.held, 1);
    return 0;
}

// ---------------------------------------------------------------- delivery

static int deliver(delay_conn_t *conn, delay_held_t *h)
{
    static const char *const names[] = {"put", "get", "request", "fence"};
    const cwt_ops_t *real = delay_setup.real;
    uint64_t held_ns = cwu_now_ns() - h->since_ns;
    if (held_ns > conn->client->totals.longest_ns)
        conn->client->totals.longest_ns = held_ns;
    delay_log(conn, names[h->kind], h->offset, h->nbytes, held_ns);
    switch (h->kind) {
    case DELAY_PUT:
        return real->put(conn->real, h->offset, h->src, h->nbytes, h->nbi);
    case DELAY_GET:
        return h->reply ? real->get_begin(conn->real, h->offset, h->dst, h->nbytes, h->reply)
                        : real->get(conn->real, h->offset, h->dst, h->nbytes, true);
    case DELAY_REQUEST:
        return real->request(conn->real, (cwt_header_t *)(void *)h->bytes, h->nbytes, h->reply);
    default:
        return real->fence(conn->client->real);
    }
}

/** Takes the entry at *at out of the queue and delivers it. */
static int release(delay_conn_t *conn, delay_held_t **at)
{
    delay_held_t *h = *at;
    conn->client->totals.overtaken += h != conn->first;
    *at = h->next;
    if (conn->end == &h->next)
        conn->end = at;
    conn->count--;
    atomic_fetch_sub(&courier.held, 1);
    int rc = deliver(conn, h);
    free(h);
    return rc;
}

/** One of the entries that may go now, drawn at random, or (now_ns != 0) the one that is due first;
 *  NULL: none. */
static delay_held_t **choose(delay_conn_t *conn, uint64_t now_ns)
{
    delay_held_t **chosen = NULL;
    before_t before = {false, false};
    uint32_t candidates = 0;
    for (delay_held_t **at = &conn->first; *at; at = &(*at)->next) {
        delay_held_t *h = *at;
        if (may_go(h->kind, before)) {
            if (now_ns == 0 ? delay_one_in(&conn->client->random, ++candidates)
                            : h->due_ns <= now_ns && (!chosen || h->due_ns < (*chosen)->due_ns))
                chosen = at;
        }
        pass(&before, h->kind);
    }
    return chosen;
}

int delay_release_all(delay_conn_t *conn)
{
    int result = 0;
    while (conn->first) {
        int rc = release(conn, choose(conn, 0));
        result = result ? result : rc;
    }
    return result;
}

static bool holds(const delay_conn_t *conn, const cwt_reply_t *reply)
{
    const delay_held_t *h = conn->first;
    while (h && h->reply != reply)
        h = h->next;
    return h != NULL;
}

bool delay_release_reply(delay_client_t *client, const cwt_reply_t *reply)
{
    for (delay_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (!holds(conn, reply))
            continue;
        while (holds(conn, reply)) {
            int rc = release(conn, choose(conn, 0));
            client->error = client->error ? client->error : rc;
        }
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- the courier

static void deliver_due(delay_client_t *client)
{
    uint64_t now = cwu_now_ns();
    for (delay_conn_t *conn = client->conns; conn; conn = conn->next) {
        delay_held_t **at;
        while ((at = choose(conn, now)) ||
               (conn->count > HELD_MOST && (at = choose(conn, UINT64_MAX)))) {
            int rc = release(conn, at);
            client->error = client->error ? client->error : rc;
        }
    }
}

static void nap(void)
{
    cwu_sleep_ns(cwu_wait_nap_ns(16 * delay_setup.max_ns));
}

static void *courier_main(void *arg)
{
    (void)arg;
    while (!atomic_load(&courier.stop)) {
        if (atomic_load(&courier.held) == 0) {
            cwu_futex_wait((uint32_t *)&courier.held, 0, CWU_WAIT_NS(SAFEGUARD));
            continue;
        }
        nap();
        pthread_mutex_lock(&courier.lock);
        for (delay_client_t *c = courier.clients; c; c = c->next)
            if (pthread_mutex_trylock(&c->lock) == 0) {
                deliver_due(c);
                pthread_mutex_unlock(&c->lock);
            }
        pthread_mutex_unlock(&courier.lock);
    }
    return NULL;
}

static void open_log(void)
{
    char *path;
    if (!delay_setup.log_path || asprintf(&path, "%s.%d", delay_setup.log_path, delay_setup.pe) < 0)
        return;
    courier.log = fopen(path, "ae");
    if (!courier.log)
        cwu_warn("cannot write %s (CAUSEWAY_DELAY_LOG): %m", path);
    free(path);
}

static int start_courier(void)
{
    atomic_store(&courier.stop, false);
    int rc = cwu_thread_start(&courier.thread, courier_main, NULL, "causeway-delay");
    if (rc) {
        cwu_error("cannot start the thread that delivers late (CAUSEWAY_DELAY): %s", strerror(rc));
        return CW_ESYS;
    }
    open_log();
    return 0;
}

int delay_courier_join(delay_client_t *client)
{
    pthread_mutex_lock(&courier.lock);
    int rc = courier.clients ? 0 : start_courier();
    if (rc == 0) {
        client->next = courier.clients;
        courier.clients = client;
    }
    pthread_mutex_unlock(&courier.lock);
    return rc;
}

void delay_courier_leave(delay_client_t *client)
{
    pthread_mutex_lock(&courier.lock);
    delay_client_t **at = &courier.clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    bool last = courier.clients == NULL;
    pthread_mutex_unlock(&courier.lock);
    if (!last)
        return;
    atomic_store(&courier.stop, true);
    atomic_fetch_add(&courier.held, 1);  // so that it cannot fall asleep after this
    cwu_futex_wake((uint32_t *)&courier.held, 1);
    pthread_join(courier.thread, NULL);
    atomic_fetch_sub(&courier.held, 1);
    if (courier.log)
        fclose(courier.log);
    courier.log = NULL;
}
