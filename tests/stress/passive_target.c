// SPDX-License-Identifier: BSD-3-Clause
//
// Progress without the target's help: PE 1 computes for a second without calling the library while
// PE 0 puts to it, reads from it and does atomics on it. Operations must take milliseconds, not the
// rest of that second. Judged by the number of rounds within it, and by the slowest operation: 2 to
// 8 ms were seen on an idle machine of two cores. A machine that does not run a ready thread of
// either PE cannot run the node server in time either: bare threads beside the PEs, which sleep for
// a millisecond at a time, measure how late it is. A delay that this explains is neither failure
// nor success.
#include "outside.h"
#include <pthread.h>

#define ROUNDS_MIN 50  // of four operations and a nap: 20 ms a round, several times the usual

#define WORST_S 0.1    // of one operation: stalls must not hide behind many quick rounds

static uint64_t words[4096];

static uint64_t burn(_Atomic uint64_t *stop)
{
    uint64_t x = 1;
    while (!atomic_load_explicit(stop, memory_order_acquire))
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

// ---------------------------------------------------------------- how late the machine is

#define BASELINE_SLEEP_S 0.001
// Of the machine in one operation: of initiator, server, reply, initiator again, some of them
// twice.
#define STALLS_MAX 10
#define LATE_S 0.005      // several of these in a round leave less than ROUNDS_MIN

static double worst;
static _Atomic int measured;
static double lateness;  // written by the bare thread, read when it has ended

static void *bare_thread(void *created)
{
    double start = *(double *)created, expected = 0;
    do {
        double late = now_s() - start - expected;
        if (late > lateness)
            lateness = late;
        start = now_s();
        expected = BASELINE_SLEEP_S;
        usleep((unsigned)(BASELINE_SLEEP_S * 1e6));
    } while (!atomic_load(&measured));
    return created;
}

/** 0: passed, 1: failed, 77: cannot be judged here. */
static int judge(long rounds, double late)
{
    printf("bare threads were up to %.2f ms late\n", late * 1e3);
    if (rounds >= ROUNDS_MIN && worst <= WORST_S)
        return 0;
    if (worst <= WORST_S + STALLS_MAX * late && (rounds >= ROUNDS_MIN || late > LATE_S)) {
        printf("SKIP: this machine runs bare threads up to %.0f ms late; the worst operation took "
               "%.0f ms\n",
               late * 1e3, worst * 1e3);
        return 77;
    }
    printf("FAIL: %ld rounds, worst operation %.1f ms, against a target that was computing\n",
           rounds, worst * 1e3);
    return 1;
}

static void timed(double start)
{
    double took = now_s() - start;
    if (took > worst)
        worst = took;
}

static long operate(void)
{
    static uint64_t buffer[4096];
    double end = now_s() + 1.0;
    long rounds = 0;
    for (; now_s() < end; rounds++) {
        double t = now_s();
        shmem_uint64_p(&words[0], 7, 1);
        shmem_quiet();
        timed(t);
        t = now_s();
        shmem_uint64_get(buffer, words, 4096, 1);
        timed(t);
        t = now_s();
        shmem_uint64_atomic_fetch_add(&words[1], 1, 1);
        timed(t);
        t = now_s();
        shmem_uint64_put(words + 8, buffer + 8, 4000, 1);
        shmem_uint64_atomic_add(&words[2], 1, 1);
        shmem_quiet();
        timed(t);
        usleep(500);
    }
    printf("%ld rounds against a passive target, worst operation %.2f ms\n", rounds, worst * 1e3);
    return rounds;
}

int main(void)
{
    shmem_init();
    _Atomic uint64_t *stop = outside_page();
    volatile uint64_t sink = shmem_uint64_g(&words[0], 1);  // connects
    long rounds = ROUNDS_MIN;
    static double late_there;
    pthread_t thread;
    double created = now_s();
    if (pthread_create(&thread, NULL, bare_thread, &created))
        abort();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        rounds = operate();
        atomic_store_explicit(stop, 1, memory_order_release);
    } else {
        sink = burn(stop);
    }
    atomic_store(&measured, 1);
    pthread_join(thread, NULL);
    if (shmem_my_pe() == 1)
        shmem_double_p(&late_there, lateness, 0);
    shmem_barrier_all();
    int status = shmem_my_pe() ? 0 : judge(rounds, lateness > late_there ? lateness : late_there);
    shmem_finalize();
    (void)sink;
    return status;
}
