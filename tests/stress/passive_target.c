// SPDX-License-Identifier: BSD-3-Clause
//
// Progress without the target's help: PE 1 computes for a second without calling the library while PE 0 puts to it,
// reads from it and does atomics on it. Operations must take milliseconds, not the rest of that second. Judged by how many
// rounds fit into it, and by the slowest operation: 2 to 8 ms were seen on an idle machine of two cores.
#include "outside.h"

#define ROUNDS_MIN 50  // of four operations and a nap: 20 ms a round, several times what it takes

#define WORST_S 0.1    // of one operation: stalls must not hide behind many quick rounds

static uint64_t words[4096];

static uint64_t burn(_Atomic uint64_t *stop)
{
    uint64_t x = 1;
    while (!atomic_load_explicit(stop, memory_order_acquire))
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

static double worst;

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
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        rounds = operate();
        atomic_store_explicit(stop, 1, memory_order_release);
    } else {
        sink = burn(stop);
    }
    shmem_barrier_all();
    int bad = rounds < ROUNDS_MIN || worst > WORST_S;
    if (bad)
        printf("FAIL: %ld rounds, worst operation %.1f ms, against a target that was computing\n", rounds, worst * 1e3);
    shmem_finalize();
    (void)sink;
    return bad;
}
