// SPDX-License-Identifier: BSD-3-Clause
//
// orders ROUNDS: threads that issue beside one that orders. ISSUERS of each PE put, count and fetch
// on the default context, a common one and their own, while another thread does nothing but one
// kind of call that orders or waits: fence, quiet, get, fetch, barrier, teams, contexts, signals. A
// thread computes beside them, so that any may lose its processor anywhere. Each issuer has words
// of its own at the target, and three claims: behind its fence nothing is seen before what is in
// front of it, its quiet completes what it issued, and nothing is lost.
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "frame/check.h"

enum { ISSUERS = 3, FLOOD = 10, LINE = 8, CONTEXTS = 3 };

typedef struct words {
    long first, second, count, mark[LINE - 3];
    uint64_t signal, pad[LINE - 1];
} words_t;

static words_t at[ISSUERS];                   // written by the issuers of another PE
static long shared, from_orderer;             // by all of them; by its orderer
static uint64_t turn;                         // its signal
static long base[ISSUERS], signals[ISSUERS];  // what the issuers of this PE have done so far
static int me, npes, peer, rounds;
static shmem_ctx_t common;
static _Atomic int over;  // the issuers have come to the end of a scene
static _Atomic bool stop;

static shmem_ctx_t context_of(int i, shmem_ctx_t own)
{
    return i % CONTEXTS == 0 ? SHMEM_CTX_DEFAULT : i % CONTEXTS == 1 ? common : own;
}

/** One of the kinds of operations that may be collected, sent or answered in another way. */
static void issue(shmem_ctx_t ctx, words_t *to, long r, long *got)
{
    long block[4] = {r, r, r, r};
    switch (r % 5) {
    case 0:
        shmem_ctx_long_put_nbi(ctx, to->mark, block, 4, peer);
        shmem_ctx_quiet(ctx);  // block is on the stack
        break;
    case 1:
        shmem_ctx_long_atomic_fetch_inc_nbi(ctx, got, &shared, peer);
        return;
    case 2:
        shmem_ctx_long_iput(ctx, to->mark, block, 1, 2, 2, peer);
        break;
    case 3:
        shmem_ctx_long_put(ctx, to->mark, block, 4, peer);
        break;
    default:
        shmem_ctx_long_get_nbi(ctx, got, to->mark, 1, peer);
    }
    shmem_ctx_long_atomic_inc(ctx, &shared, peer);
}

static void *issuer(void *arg)
{
    int t = (int)(long)arg;
    shmem_ctx_t own, judge;
    words_t *to = &at[t];
    long got;
    REQUIRE(!shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) && !shmem_ctx_create(0, &judge));
    for (int i = 0; i < rounds; i++) {
        shmem_ctx_t ctx = context_of(i / 8 + (i / 24) * t, own);  // mostly that of the others
        long r = ++base[t];
        shmem_ctx_long_p(ctx, &to->first, r, peer);
        shmem_ctx_fence(ctx);
        for (int k = 0; k < i % 4; k++)
            issue(ctx, to, r + k, &got);
        for (int k = 0; k < FLOOD * t; k++)  // of which no answer is asked
            shmem_ctx_long_atomic_inc(ctx, &shared, peer);
        shmem_ctx_long_atomic_inc(ctx, &to->count, peer);
        shmem_ctx_long_atomic_set(ctx, &to->second, r, peer);
        if (i % 8 != 7)
            continue;
        signals[t]++;
        shmem_ctx_ulong_put_signal(ctx, (unsigned long *)&to->mark[4], (unsigned long *)&r, 1,
                                   &to->signal, (uint64_t)signals[t], SHMEM_SIGNAL_SET, peer);
        shmem_ctx_quiet(ctx);
        CHECK(shmem_ctx_long_g(judge, &to->first, peer) == r, "a quiet: the put is not there");
        CHECK(shmem_ctx_long_atomic_fetch(judge, &to->count, peer) == r,
              "a quiet: the count is not %ld", r);
    }
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
    shmem_ctx_quiet(common);
    shmem_ctx_quiet(own);
    shmem_ctx_destroy(judge);
    shmem_ctx_destroy(own);
    atomic_fetch_add(&over, 1);
    return NULL;
}

/** In the target: what is behind a fence is never seen before what is in front of it. */
static void *witness(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        for (int t = 0; t < ISSUERS; t++) {
            long second = __atomic_load_n(&at[t].second, __ATOMIC_ACQUIRE),
                 first = __atomic_load_n(&at[t].first, __ATOMIC_ACQUIRE);
            CHECK(first >= second, "thread %d: %ld is seen, and in front of its fence %ld", t,
                  second, first);
        }
        usleep(100);
    }
    return NULL;
}

static void *compute(void *arg)
{
    for (long i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++)
        *(volatile long *)arg = i;
    return NULL;
}

// ---------------------------------------------------------------- calls that order
static void call_fence(shmem_ctx_t ctx)
{
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    shmem_ctx_fence(ctx);
}

static void call_quiet(shmem_ctx_t ctx)
{
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    shmem_ctx_quiet(ctx);
}

static void call_get(shmem_ctx_t ctx)
{
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    (void)shmem_ctx_long_g(ctx, &shared, peer);
}

static void call_fetch(shmem_ctx_t ctx)
{
    (void)shmem_ctx_long_atomic_fetch_inc(ctx, &from_orderer, peer);
}

static void call_context(shmem_ctx_t ctx)
{
    shmem_ctx_t fresh;
    REQUIRE(!shmem_ctx_create(ctx == common ? 0 : SHMEM_CTX_SERIALIZED, &fresh));
    shmem_ctx_long_atomic_inc(fresh, &from_orderer, peer);
    shmem_ctx_fence(fresh);
    shmem_ctx_destroy(fresh);
}

// All PEs' orderers make as many of these.
static void call_barrier(shmem_ctx_t ctx)
{
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    shmem_barrier_all();
}

static void call_team(shmem_ctx_t ctx)
{
    shmem_team_t team;
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    REQUIRE(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team));
    shmem_team_sync(team);
    shmem_team_destroy(team);
}

// Counted, not set: signals of two contexts come in any order.
static void call_signal(shmem_ctx_t ctx)
{
    static uint64_t mine;
    static long value;
    shmem_ctx_long_atomic_inc(ctx, &from_orderer, peer);
    shmem_ctx_long_put_signal(ctx, &value, &value, 1, &turn, 1, SHMEM_SIGNAL_ADD, peer);
    shmem_signal_wait_until(&turn, SHMEM_CMP_GE, ++mine);
}

static const struct scene {
    const char *name;
    void (*call)(shmem_ctx_t ctx);
    bool together;
} scenes[] = {{"fence", call_fence, false},     {"quiet", call_quiet, false},
              {"get", call_get, false},         {"fetch", call_fetch, false},
              {"context", call_context, false}, {"barrier", call_barrier, true},
              {"team", call_team, true},        {"signal", call_signal, true}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/** Returns how many calls the orderer made. */
static long play(const struct scene *s)
{
    pthread_t issuers[ISSUERS];
    long calls = 0;
    atomic_store(&over, 0);
    for (long t = 0; t < ISSUERS; t++)
        pthread_create(&issuers[t], NULL, issuer, (void *)t);
    while (s->together ? calls < rounds / 4 : atomic_load(&over) < ISSUERS) {
        s->call(calls % 2 ? common : SHMEM_CTX_DEFAULT);
        calls++;
    }
    for (int t = 0; t < ISSUERS; t++)
        pthread_join(issuers[t], NULL);
    shmem_ctx_quiet(common);
    shmem_barrier_all();
    return calls;
}

int main(int argc, char **argv)
{
    int provided;
    long ordered = 0, burnt = 0, total;
    pthread_t beside[2];
    rounds = argc > 1 ? atoi(argv[1]) : 64;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    peer = (me + 1) % npes;
    check_as("PE", me, npes);
    REQUIRE(!shmem_ctx_create(0, &common));
    shmem_barrier_all();
    pthread_create(&beside[0], NULL, witness, NULL);
    pthread_create(&beside[1], NULL, compute, &burnt);
    for (int i = 0; i < SCENES; i++)
        ordered += play(&scenes[i]);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(beside[i], NULL);
    total = shmem_long_g(&from_orderer, peer);
    CHECK(total == ordered, "the orderer counted %ld, %ld are there", ordered, total);
    for (int t = 0; t < ISSUERS; t++)
        CHECK(shmem_long_atomic_fetch(&at[t].count, peer) == base[t], "thread %d: counts are lost",
              t);
    shmem_barrier_all();
    shmem_ctx_destroy(common);
    shmem_finalize();
    return check_result();
}
