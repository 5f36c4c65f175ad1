// SPDX-License-Identifier: BSD-3-Clause
//
// In the manner of Chapel's communication layer over GASNet-1: a table of handlers at attach, a
// task that polls, tasks sent to other nodes in mediums (large arguments are fetched by the
// receiver), pointers in halves as handler arguments, completions counted by replies, broadcasts of
// private values in pieces of a medium, blocks by handles, sections by strides, a barrier that is
// tried while others run, and an end that node 0 announces. (Over GASNet-EX:
// tests/gasnet_ex/chapel.c.)
#include <gasnet.h>
#include <gasnet_tools.h>
#include <gasnet_vis.h>
#include <pthread.h>
#include <stdint.h>

#include "runtime.h"

enum { FORK = 128, FORK_LARGE, FORK_FAST, SIGNAL, BROADCAST, FREE, SHUTDOWN };

typedef struct done {
    gasnett_atomic_t count;
    uint32_t target;
    volatile int flag;
} done_t;

typedef struct task {
    uint64_t ack;
    uint32_t caller, what;
    uint64_t arguments;  // of a large one: where they are
    size_t nbytes;
    char data[];
} task_t;

#define LOW(p) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(p)&0xffffffffu))
#define HIGH(p) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(p) >> 32))
#define POINTER(low, high) \
    ((void *)(uintptr_t)((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32))

static gasnet_node_t me, n;
static gasnet_seginfo_t *segments;
static char private_value[40000];
static volatile int over, shut_down;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static task_t *queue[64];
static int queued;
static gasnett_atomic_t ran = gasnett_atomic_init(0);

// ---------------------------------------------------------------- handlers
static void later(const void *task, size_t nbytes)
{
    task_t *copy = malloc(nbytes);
    memcpy(copy, task, nbytes);
    pthread_mutex_lock(&queue_lock);
    EXPECT(queued < 64);
    queue[queued++] = copy;
    pthread_mutex_unlock(&queue_lock);
}

static void on_fork(gasnet_token_t token, void *buf, size_t nbytes)
{
    gasnet_node_t source;
    SAFE(gasnet_AMGetMsgSource(token, &source));
    EXPECT(source == ((task_t *)buf)->caller);
    later(buf, nbytes);
}

static void signal_done(done_t *done)
{
    if (gasnett_atomic_add(&done->count, 1, 0) == done->target)
        done->flag = 1;
}

static void on_fork_fast(gasnet_token_t token, void *buf, size_t nbytes)
{
    const task_t *task = buf;
    EXPECT(nbytes == sizeof *task + task->nbytes);
    EXPECT(is_filled(task->data, task->caller, task->what, task->nbytes));
    gasnett_atomic_increment(&ran, 0);
    SAFE(gasnet_AMReplyShort2(token, SIGNAL, LOW(task->ack), HIGH(task->ack)));
}

static void on_signal(gasnet_token_t token, gasnet_handlerarg_t a0, gasnet_handlerarg_t a1)
{
    (void)token;
    signal_done(POINTER(a0, a1));
}

static void on_broadcast(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t at,
                         gasnet_handlerarg_t a0, gasnet_handlerarg_t a1)
{
    memcpy(private_value + at, buf, nbytes);
    SAFE(gasnet_AMReplyShort2(token, SIGNAL, a0, a1));
}

static void on_free(gasnet_token_t token, gasnet_handlerarg_t a0, gasnet_handlerarg_t a1)
{
    (void)token;
    free(POINTER(a0, a1));
}

static void on_shutdown(gasnet_token_t token)
{
    (void)token;
    shut_down = 1;
}

static gasnet_handlerentry_t handlers[] = {
    {FORK, (void (*)())on_fork},           {FORK_LARGE, (void (*)())on_fork},
    {FORK_FAST, (void (*)())on_fork_fast}, {SIGNAL, (void (*)())on_signal},
    {BROADCAST, (void (*)())on_broadcast}, {FREE, (void (*)())on_free},
    {SHUTDOWN, (void (*)())on_shutdown},
};

// ---------------------------------------------------------------- what the runtime does with them
static void *polls(void *unused)
{
    while (!over) {
        (void)gasnet_AMPoll();
        gasnett_sched_yield();
    }
    return unused;
}

/** The tasks that have come. A large one fetches its arguments first. */
static void run_queued(void)
{
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        task_t *task = queued ? queue[--queued] : NULL;
        pthread_mutex_unlock(&queue_lock);
        if (!task)
            return;
        char *data = task->arguments ? malloc(task->nbytes) : task->data;
        if (task->arguments)
            gasnet_get_bulk(data, task->caller, (void *)(uintptr_t)task->arguments, task->nbytes);
        SAFE(gasnet_AMRequestShort2(task->caller, SIGNAL, LOW(task->ack), HIGH(task->ack)));
        EXPECT(is_filled(data, task->caller, task->what, task->nbytes));
        gasnett_atomic_increment(&ran, 0);
        if (task->arguments)
            free(data);
        free(task);
    }
}

static void expect_signals(done_t *done, uint32_t target)
{
    gasnett_atomic_set(&done->count, 0, 0);
    done->target = target;
    done->flag = 0;
}

static void await(done_t *done)
{
    while (!done->flag) {
        run_queued();
        gasnett_sched_yield();
    }
    gasnett_local_rmb();
}

static void barrier(int id)
{
    gasnet_barrier_notify(id, 0);
    int result;
    while ((result = gasnet_barrier_try(id, 0)) == GASNET_ERR_NOT_READY) {
        run_queued();
        gasnett_sched_yield();
    }
    EXPECT(result == GASNET_OK);
}

static void test_on(gasnet_node_t to)
{
    size_t most = gasnet_AMMaxMedium() - sizeof(task_t), sizes[] = {0, 8, 500, 5000, most};
    char *large = (char *)segments[me].addr + 100000;
    for (unsigned i = 0; i < 10; i++) {
        done_t done;
        size_t nbytes = sizes[i % 5];
        task_t *task = calloc(1, sizeof *task + nbytes);
        *task = (task_t){.ack = (uintptr_t)&done, .caller = me, .what = i, .nbytes = nbytes};
        fill(task->data, me, i, nbytes);
        expect_signals(&done, 1);
        SAFE(gasnet_AMRequestMedium0(to, i % 2 ? FORK_FAST : FORK, task, sizeof *task + nbytes));
        await(&done);
        expect_signals(&done, 1);
        *task = (task_t){.ack = (uintptr_t)&done,
                         .caller = me,
                         .what = i,
                         .arguments = (uintptr_t)large,
                         .nbytes = 30000 + i};
        fill(large, me, i, task->nbytes);
        SAFE(gasnet_AMRequestMedium0(to, FORK_LARGE, task, sizeof *task));
        await(&done);
        free(task);
    }
}

/** Node 0 gives all others a private value in pieces of a medium. */
static void test_broadcast(void)
{
    size_t nbytes = sizeof private_value, most = gasnet_AMMaxMedium();
    if (me == 0) {
        done_t done;
        fill(private_value, 0, 77, nbytes);
        expect_signals(&done, (uint32_t)((nbytes + most - 1) / most) * (n - 1));
        for (gasnet_node_t node = 1; node < n; node++)
            for (size_t at = 0; at < nbytes; at += most)
                SAFE(gasnet_AMRequestMedium3(node, BROADCAST, private_value + at,
                                             nbytes - at < most ? nbytes - at : most,
                                             (gasnet_handlerarg_t)at, LOW(&done), HIGH(&done)));
        if (n > 1)
            await(&done);
    }
    barrier(3);
    EXPECT(is_filled(private_value, 0, 77, nbytes));
}

static void test_blocks(gasnet_node_t to)
{
    enum { PIECES = 6, PIECE = 9000 };
    static char mine[PIECES * PIECE], back[PIECES * PIECE];
    gasnet_handle_t handles[PIECES];
    char *far = segments[to].addr, *here = segments[me].addr;
    fill(mine, me, 5, sizeof mine);
    for (int i = 0; i < PIECES; i++)
        handles[i] = gasnet_put_nb_bulk(to, far + i * PIECE, mine + i * PIECE, PIECE);
    gasnet_wait_syncnb_all(handles, PIECES);
    barrier(4);
    EXPECT(is_filled(here, (me + n - 1) % n, 5, sizeof mine));
    for (int i = 0; i < PIECES; i++)
        handles[i] = gasnet_get_nb_bulk(back + i * PIECE, to, far + i * PIECE, PIECE);
    for (int left = PIECES; left > 0;) {
        if (gasnet_try_syncnb_some(handles, PIECES) != GASNET_OK)
            gasnett_sched_yield();
        left = 0;
        for (int i = 0; i < PIECES; i++)
            left += handles[i] != GASNET_INVALID_HANDLE;
    }
    EXPECT(memcmp(mine, back, sizeof mine) == 0);
    barrier(5);
    // every other block of 16 bytes, 30 of them
    size_t near[] = {16}, strided[] = {32}, count[] = {16, 30};
    gasnet_puts_bulk(to, far, strided, mine, near, count, 1);
    barrier(6);
    for (int i = 0; i < 30; i++)
        EXPECT((unsigned char)here[i * 32 + 3] == byte_of((me + n - 1) % n, 5, (size_t)i * 16 + 3));
    memset(back, 0, 480);
    gasnet_gets_bulk(back, near, to, far, strided, count, 1);
    EXPECT(memcmp(back, mine, 480) == 0);
    barrier(7);
}

int main(int argc, char **argv)
{
    pthread_t poller;
    SAFE(gasnet_init(&argc, &argv));
    me = gasnet_mynode();
    n = gasnet_nodes();
    uintptr_t nbytes = gasnet_getMaxLocalSegmentSize(), most = (uintptr_t)8 << 20;
    SAFE(gasnet_attach(handlers, sizeof handlers / sizeof *handlers, nbytes < most ? nbytes : most,
                       0));
    segments = calloc(n, sizeof *segments);
    SAFE(gasnet_getSegmentInfo(segments, (int)n));
    SAFE(gasnet_set_waitmode(GASNET_WAIT_BLOCK));
    pthread_create(&poller, NULL, polls, NULL);
    barrier(1);
    for (int round = 0; round < 2; round++) {
        test_on((me + 1) % n);
        test_blocks((me + 1) % n);
        test_broadcast();
    }
    barrier(8);
    EXPECT(gasnett_atomic_read(&ran, 0) == 40);
    void *block = malloc(100);
    SAFE(gasnet_AMRequestShort2(me, FREE, LOW(block), HIGH(block)));
    if (me == 0)
        for (gasnet_node_t node = 1; node < n; node++)
            SAFE(gasnet_AMRequestShort0(node, SHUTDOWN));
    else
        GASNET_BLOCKUNTIL(shut_down);
    barrier(9);
    over = 1;
    pthread_join(poller, NULL);
    int status = report("chapel1", me);
    gasnet_exit(status);
    return 1;
}
