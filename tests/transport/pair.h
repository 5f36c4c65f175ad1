// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes of one slot-pair each, in two processes made by fork, driving a transport's table
// without the core. Both node objects are mapped shared before the fork, so a test can read the
// *other* node's memory directly, past the library: the truth about remote completion.
#ifndef CW_TESTS_PAIR_H
#define CW_TESTS_PAIR_H

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "transport/ofi/ofi.h"

#define PAIR_SLOTS 2u
#define PAIR_SLICE ((uint64_t)1 << 20)  // offset of slot 0
#define PAIR_DATA ((uint64_t)1 << 20)
#define PAIR_HEAP_AT ((uint64_t)2 << 20)  // within a slice; a hole is before it

enum { OP_FETCH_ADD = 1, OP_ADD, OP_READ, OP_SLOW_STORE, OP_BULK, OP_CHECK, OP_PEEK, OP_TELL };
#define PAIR_NOTIFICATIONS 4u  // that a client takes without having sent a message

typedef struct request {
    cwt_header_t header;
    uint64_t offset, value;
    uint8_t bytes[CWT_REQUEST_MAX - sizeof(cwt_header_t) - 16];
} request_t;
#define REQUEST_SMALL (sizeof(cwt_header_t) + 16)

/** Shared by both processes. */
typedef struct shared {
    _Atomic int turn;  // barrier
    _Atomic int arrived[2];
    uint8_t blob[2][CWT_ADDRESS_MAX];
    size_t blob_nbytes[2];
    _Atomic uint64_t executed[2];
    _Atomic uint64_t words[8];  // free for tests
} shared_t;

typedef struct node {
    const cwt_ops_t *ops;
    int me;  // 0 or 1
    pid_t peer_pid;
    cwt_layout_t layout;
    shared_t *shared;
    uint8_t *memory[2];  // both node objects
    cwt_server_t *server;
    cwt_client_t *client;
    cwt_conn_t *conn;
    pthread_t thread;
    pthread_mutex_t lock;          // guards server
    void (*turn)(struct node *n);  // or NULL: after each round of progress, with the lock
    void (*handler)(struct node *n, cwt_from_t *from, const cwt_header_t *msg,
                    size_t nbytes);  // or NULL: of operations that pair_handler does not know
    uint64_t block_ns;               // longest sleep of the server
    _Atomic uint64_t slept_out;      // sleeps that nothing ended
    _Atomic int stop;
    uint64_t heap;                    // offset of slot 0's heap
    uint64_t notified, notified_sum;  // notifications of this client, and their sum
    uint8_t secret[CWT_SECRET_BYTES];
} node_t;

static inline uint64_t node_nbytes(const cwt_layout_t *l)
{
    return l->slice_offset + l->nslots * l->slice_stride;
}

/** Of a file, or of this process and those that it makes. */
static inline void *pair_share(int file, uint64_t at, uint64_t nbytes)
{
    int flags = MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0);
    return mmap(NULL, nbytes, PROT_READ | PROT_WRITE, flags, file, (off_t)at);
}

/** Maps what the processes share: a file that each opens, or without one (NULL) before a fork. */
static inline void pair_map(node_t *n, const cwt_ops_t *ops, uint64_t heap_nbytes, const char *path)
{
    memset(n, 0, sizeof *n);
    n->ops = ops;
    n->block_ns = 50000000;
    n->layout = (cwt_layout_t){.control_nbytes = 4096,
                               .slice_offset = PAIR_SLICE,
                               .data_nbytes = PAIR_DATA,
                               .heap_offset = PAIR_HEAP_AT,
                               .heap_nbytes = heap_nbytes,
                               .slice_stride = PAIR_HEAP_AT + heap_nbytes,
                               .nslots = PAIR_SLOTS};
    n->heap = PAIR_SLICE + PAIR_HEAP_AT;
    const uint64_t begin = 1 << 20, nbytes = node_nbytes(&n->layout);
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (path && (file < 0 || ftruncate(file, (off_t)(begin + 2 * nbytes)) != 0))
        abort();
    n->shared = pair_share(file, 0, sizeof(shared_t));
    for (uint64_t i = 0; i < 2; i++)
        n->memory[i] = pair_share(file, begin + i * nbytes, nbytes);
    if (file >= 0)
        close(file);
    memset(n->secret, 0x5a, sizeof n->secret);
}

static inline void pair_barrier(node_t *n)
{
    int round = atomic_load(&n->shared->arrived[n->me]) + 1;
    atomic_store(&n->shared->arrived[n->me], round);
    while (atomic_load(&n->shared->arrived[!n->me]) < round)
        usleep(100);
}

/** Notifies a client with messages of that size until the transport refuses; names that differ
 *  slightly belong to no client. */
static inline uint64_t pair_notify(node_t *n, uint64_t origin, uint64_t nbytes)
{
    static uint8_t bulk[CWT_MESSAGE_MAX];
    uint64_t times = 0;
    memset(bulk, 7, sizeof bulk);
    if (n->ops->server_notify(n->server, origin + 1, &times, sizeof times, NULL, 0) == 0 ||
        n->ops->server_notify(n->server, origin + (UINT64_C(1) << 32), &times, sizeof times, NULL,
                              0) == 0 ||
        n->ops->server_notify(n->server, 0, &times, sizeof times, NULL, 0) == 0 ||
        n->ops->server_notify(n->server, origin, bulk, CWT_MESSAGE_MAX, bulk, 1) == 0)
        return UINT64_MAX;
    while (times < 1000 && n->ops->server_notify(n->server, origin, &times, sizeof times, bulk,
                                                 (size_t)nbytes) == 0)
        times++;
    return times;
}

static inline void pair_notified(void *arg, int node, const void *bytes, size_t nbytes)
{
    node_t *n = arg;
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    n->notified++;
    n->notified_sum += number;
    for (size_t i = sizeof number; i < nbytes; i++)
        n->notified_sum += ((const uint8_t *)bytes)[i];
    if (node != !n->me)
        abort();
}

static inline void pair_handler(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    node_t *n = arg;
    const request_t *r = (const void *)msg;
    if (nbytes < REQUEST_SMALL)
        abort();
    _Atomic uint64_t *word = (void *)(n->memory[n->me] + r->offset);
    uint64_t old;
    static uint8_t bulk[CWT_MESSAGE_MAX];
    switch (msg->op) {
    case OP_FETCH_ADD:
        old = atomic_fetch_add(word, r->value);
        n->ops->server_reply(from, &old, sizeof old);
        break;
    case OP_ADD:
        atomic_fetch_add(word, r->value);
        break;
    case OP_READ:
        old = atomic_load(word);
        n->ops->server_reply(from, &old, sizeof old);
        break;
    case OP_PEEK:  // no reply: had the put before it arrived?
        if (atomic_load(word) != r->value)
            atomic_fetch_add(&n->shared->words[7], 1);
        break;
    case OP_SLOW_STORE:
        usleep(2000);
        atomic_store(word, r->value);
        break;
    case OP_BULK:   // value bytes of a pattern; checks the bytes that arrived
    case OP_CHECK:  // no reply
        for (size_t i = REQUEST_SMALL; i < nbytes; i++)
            if (((const uint8_t *)msg)[i] != (uint8_t)i)
                atomic_fetch_add(&n->shared->words[6], 1);
        if (msg->op == OP_CHECK)
            break;
        memset(bulk, (int)r->value & 0xff, sizeof bulk);
        n->ops->server_reply(from, bulk, (size_t)r->value);
        break;
    case OP_TELL:  // as often as the transport takes it; the number goes into word 5
        atomic_store(&n->shared->words[5], pair_notify(n, n->ops->server_origin(from), r->value));
        break;
    default:
        if (!n->handler)
            abort();
        n->handler(n, from, msg, nbytes);
    }
    atomic_fetch_add(&n->shared->executed[n->me], 1);
}

static unsigned pair_spin = 200;  // empty rounds before the server sleeps

static inline void *pair_serve(void *arg)
{
    node_t *n = arg;
    unsigned empty = 0;
    while (!atomic_load(&n->stop)) {
        pthread_mutex_lock(&n->lock);
        int handled = n->ops->server_progress(n->server);
        if (n->turn)
            n->turn(n);
        empty = handled > 0 ? 0 : empty + 1;
        bool idle = empty > pair_spin, block = idle && n->ops->server_may_block(n->server);
        pthread_mutex_unlock(&n->lock);
        if (block)  // without the lock, which another thread may need
            n->slept_out += n->ops->server_block(n->server, n->block_ns) == 0;
        if (idle)
            empty = 0;
    }
    return NULL;
}

static inline cwt_stats_t pair_server_stats(node_t *n)
{
    cwt_stats_t s;
    pthread_mutex_lock(&n->lock);
    n->ops->server_stats(n->server, &s);
    pthread_mutex_unlock(&n->lock);
    return s;
}

/** Opens this process's server; me: 0 parent, 1 child. */
static inline int pair_server(node_t *n, int me)
{
    n->me = me;
    pthread_mutex_init(&n->lock, NULL);
    cwt_server_config_t config = {.pe = me,
                                  .npes = 2,
                                  .node = me,
                                  .layout = n->layout,
                                  .base = n->memory[me],
                                  .one_machine = true,
                                  .handler = pair_handler,
                                  .handler_arg = n};
    memcpy(config.secret, n->secret, sizeof config.secret);
    int rc = n->ops->server_open(&config, &n->server);
    if (rc != 0)
        return rc;
    n->shared->blob_nbytes[me] = CWT_ADDRESS_MAX;
    rc = n->ops->server_address(n->server, n->shared->blob[me], &n->shared->blob_nbytes[me]);
    if (rc == 0)
        pthread_create(&n->thread, NULL, pair_serve, n);
    return rc;
}

static inline const char *pair_name(int node)
{
    return node ? "node 1 (the test's child)" : "node 0 (the test's parent)";
}

static inline int pair_client(node_t *n, const uint8_t *secret, bool threads)
{
    cwt_client_config_t config = {.pe = n->me,
                                  .npes = 2,
                                  .node = n->me,
                                  .layout = n->layout,
                                  .one_machine = true,
                                  .thread_multiple = threads,
                                  .node_name = pair_name,
                                  .notified = pair_notified,
                                  .notified_arg = n,
                                  .notifications = PAIR_NOTIFICATIONS};
    memcpy(config.secret, secret, CWT_SECRET_BYTES);
    return n->ops->open(&config, &n->client);
}

static inline int pair_connect(node_t *n)
{
    return n->ops->connect(n->client, !n->me, n->shared->blob[!n->me],
                           n->shared->blob_nbytes[!n->me], &n->conn);
}

static inline void pair_close(node_t *n)
{
    if (n->client)
        n->ops->close(n->client);
    n->client = NULL;
    if (n->server) {
        atomic_store(&n->stop, 1);
        n->ops->server_wake(n->server);
        pthread_join(n->thread, NULL);
        n->ops->server_close(n->server);
    }
    n->server = NULL;
}

#endif
