// SPDX-License-Identifier: BSD-3-Clause
//
// Thread levels. argv[1] is the level. FUNNELED: other threads compute while the main one
// communicates. SERIALIZED: all threads communicate, one at a time. MULTIPLE: all at once, on the
// default context, on a common context and on one of their own, with every kind of operation, and
// over active sets; a waiting thread delays no other.
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define MOST_ROUNDS 150
#define BULK 700

typedef struct slot {  // written by thread t of the previous PE
    long word, sum, sent[BULK], gathered[BULK];
    uint64_t signal;
} slot_t;

static slot_t *slots;  // symmetric, [THREADS]
static long tickets, total;
static uint64_t doors[THREADS];
static int level, rounds = MOST_ROUNDS;
static shmem_ctx_t common;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;

static long value(int pe, int thread, int round, int i)
{
    return ((long)pe * 100 + thread) * 1000000 + round * 1000 + i;
}

/** One round of every kind of operation to the next PE, on one context, checked by reading back. */
static void exchange(shmem_ctx_t ctx, int t, int round)
{
    slot_t *s = &slots[t];
    long out[BULK], in[BULK];
    for (int i = 0; i < BULK; i++)
        out[i] = value(me, t, round, i);
    shmem_ctx_long_put_nbi(ctx, s->sent, out, BULK, next);
    shmem_ctx_long_p(ctx, &s->word, value(me, t, round, 0), next);
    shmem_ctx_long_atomic_add(ctx, &s->sum, 1, next);
    shmem_ctx_long_atomic_inc(ctx, &total, 0);
    long ticket = shmem_ctx_long_atomic_fetch_inc(ctx, &tickets, 0);
    CHECK(ticket >= 0 && ticket < (long)npes * THREADS * rounds, "ticket %ld", ticket);
    shmem_ctx_long_iput(ctx, s->gathered, out, 2, 1, BULK / 2, next);
    shmem_ctx_long_put_signal_nbi(ctx, s->gathered + 1, out, 1, &s->signal, 1, SHMEM_SIGNAL_ADD,
                                  next);
    shmem_ctx_quiet(ctx);
    CHECK(shmem_ctx_long_g(ctx, &s->word, next) == value(me, t, round, 0),
          "thread %d round %d: the word", t, round);
    CHECK(shmem_ctx_long_atomic_fetch(ctx, &s->sum, next) == round + 1,
          "thread %d round %d: the sum", t, round);
    memset(in, 0, sizeof in);
    shmem_ctx_long_get_nbi(ctx, in, s->sent, BULK, next);
    shmem_ctx_quiet(ctx);
    CHECK(memcmp(in, out, sizeof in) == 0, "thread %d round %d: what was put is not what is got", t,
          round);
    shmem_ctx_long_get(ctx, in, s->gathered, BULK, next);
    int wrong = in[1] != out[0];
    for (int i = 0; i < BULK / 2; i++)
        wrong += in[2 * i] != out[i];
    CHECK(wrong == 0, "thread %d round %d: %d strided elements", t, round, wrong);
}

static void *serialized(void *arg)
{
    int t = (int)(long)arg;
    for (int round = 0; round < rounds; round++) {
        pthread_mutex_lock(&turn);
        exchange(round % 2 ? SHMEM_CTX_DEFAULT : common, t, round);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

/** Deprecated collectives of all PEs, by threads with words of their own. */
static void sets(int t)
{
    static long words[THREADS][2][SHMEM_REDUCE_SYNC_SIZE], meets[THREADS][SHMEM_BARRIER_SYNC_SIZE],
        work[THREADS][SHMEM_REDUCE_MIN_WRKDATA_SIZE], in[THREADS], out[THREADS];
    for (int round = 0; round < rounds; round++) {
        in[t] = me + t + round;
        shmem_long_sum_to_all(&out[t], &in[t], 1, 0, 0, npes, work[t], words[t][round % 2]);
        CHECK(out[t] == (long)npes * (npes - 1) / 2 + (long)npes * (t + round),
              "thread %d round %d: a sum of %ld", t, round, out[t]);
        shmem_barrier(0, 0, npes, meets[t]);
    }
}

static void *multiple(void *arg)
{
    int t = (int)(long)arg;
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    CHECK(shmem_ctx_create(t % 2 ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED, &own) == 0,
          "a context of thread %d", t);
    for (int round = 0; round < rounds; round++) {
        shmem_ctx_t ctx[] = {SHMEM_CTX_DEFAULT, own, common};
        exchange(ctx[(round + t) % 3], t, round);
    }
    // quiet completes what another thread issued before.
    shmem_long_p(&slots[t].word, -1 - t, next);
    pthread_barrier_wait(&together);
    if (t == 0)
        shmem_quiet();
    pthread_barrier_wait(&together);
    CHECK(shmem_ctx_long_g(own, &slots[(t + 1) % THREADS].word, next) == -1 - (t + 1) % THREADS,
          "thread 0's quiet did not complete what thread %d put", (t + 1) % THREADS);
    // All threads wait at once, each for its own door, which the next lower thread of the previous
    // PE opens.
    if (t > 0)
        shmem_signal_wait_until(&doors[t], SHMEM_CMP_EQ, 1);
    shmem_ctx_signal_set(own, &doors[(t + 1) % THREADS], 1, next);
    shmem_ctx_quiet(own);
    if (t == 0)
        shmem_signal_wait_until(&doors[t], SHMEM_CMP_EQ, 1);
    sets(t);
    shmem_ctx_destroy(own);
    return NULL;
}

static _Atomic int computing = 1;
static void *computes(void *arg)
{
    volatile double x = (double)(long)arg;
    while (computing)
        x = x * 1.0000001 + 1;
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t thread[THREADS];
    int nthreads = body == computes ? 1 : THREADS;  // a computing thread takes a core from the PEs
    for (long t = 0; t < nthreads; t++)
        pthread_create(&thread[t], NULL, body, (void *)t);
    if (body == computes) {
        for (int round = 0; round < rounds; round++)
            for (int t = 0; t < THREADS; t++)
                exchange(SHMEM_CTX_DEFAULT, t, round);
        computing = 0;
    }
    for (int t = 0; t < nthreads; t++)
        pthread_join(thread[t], NULL);
}

int main(int argc, char **argv)
{
    int provided;
    level = argc > 1 ? atoi(argv[1]) : SHMEM_THREAD_MULTIPLE;
    rounds = level == SHMEM_THREAD_FUNNELED ? MOST_ROUNDS / 15 : MOST_ROUNDS;
    shmem_init_thread(level, &provided);
    check_ring();
    CHECK(provided >= level, "asked for level %d, got %d", level, provided);
    slots = shmem_calloc(THREADS, sizeof *slots);
    CHECK(shmem_ctx_create(0, &common) == 0, "a common context");
    pthread_barrier_init(&together, NULL, THREADS);
    shmem_barrier_all();
    run(level == SHMEM_THREAD_MULTIPLE     ? multiple
        : level == SHMEM_THREAD_SERIALIZED ? serialized
                                           : computes);
    shmem_barrier_all();
    if (me == 0) {
        CHECK(tickets == (long)npes * THREADS * rounds, "%ld tickets", tickets);
        CHECK(total == (long)npes * THREADS * rounds, "%ld of %ld increments", total,
              (long)npes * THREADS * rounds);
    }
    for (int t = 0; t < THREADS; t++)
        CHECK(slots[t].signal == (uint64_t)rounds, "%lu signals", (unsigned long)slots[t].signal);
    shmem_ctx_destroy(common);
    shmem_free(slots);
    return check_end();
}
