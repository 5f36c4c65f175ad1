// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the litmus tests: rounds by a seed, roles that rotate over all PEs (so that every pair,
// of one node or of two, plays every part), small random delays, and the table of outcomes. An
// outcome that the memory model forbids is a failure, reported with round, values and seed.
// Arguments: [rounds [seed]]; seed 0 draws one.
#ifndef LITMUS_H
#define LITMUS_H
#define _GNU_SOURCE

#include <limits.h>
#include <sched.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OUTCOMES = 12 };

static int me, npes;
static long litmus_rounds, litmus_round;
static uint64_t litmus_seed, litmus_plan, litmus_own;
static const char *litmus_name;
static const char *outcome_name[OUTCOMES];
// [0] all of one node, [1] between nodes
static long outcome_count[OUTCOMES][2], outcome_sum[OUTCOMES][2];
static long litmus_failed, litmus_seed_word;

static inline uint64_t litmus_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);  // splitmix64
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/** A number from 0 to n-1, the same on all PEs (all must draw alike); and one of each PE's own. */
static inline uint32_t draw(uint32_t n)
{
    return (uint32_t)(litmus_next(&litmus_plan) % n);
}
static inline uint32_t own_draw(uint32_t n)
{
    return (uint32_t)(litmus_next(&litmus_own) % n);
}

static inline void jitter(void)
{
    switch (own_draw(16)) {
    case 0:
        sched_yield();
        break;
    case 1: {
        struct timespec ts = {0, (long)own_draw(20000)};
        if (own_draw(8) == 0)
            nanosleep(&ts, NULL);
        break;
    }
    case 2:
    case 3:
    case 4:
        for (volatile uint32_t i = own_draw(300); i > 0; i--)
            ;
        break;
    default:
        break;
    }
}

/** Draws n roles: different PEs as far as there are enough PEs. */
static inline void draw_roles(int *role, int n)
{
    int base = (int)draw((uint32_t)npes), step = 1;
    if (npes > 2)
        while (true) {  // a step that reaches every PE before it reaches one twice
            step = 1 + (int)draw((uint32_t)npes - 1);
            int a = step, b = npes;
            while (b) {
                int t = a % b;
                a = b;
                b = t;
            }
            if (a == 1)
                break;
        }
    for (int i = 0; i < n; i++)
        role[i] = (base + i * step) % npes;
}

/** True if one of these PEs is on another node than PE a. (The same result on all PEs, by the
 *  launcher's placement.) */
static int *litmus_node;
static inline bool between_nodes(const int *role, int n)
{
    for (int i = 1; i < n; i++)
        if (litmus_node[role[i]] != litmus_node[role[0]])
            return true;
    return false;
}

/** The reader lets the writer of this round begin: it has read what an earlier round stored. */
static uint64_t litmus_ready[64];
static inline void begin_round(int writer, int reader)
{
    uint64_t turn = (uint64_t)litmus_round + 1;
    if (me == reader)
        shmem_signal_set(&litmus_ready[reader % 64], turn, writer);
    if (me == writer)
        shmem_signal_wait_until(&litmus_ready[reader % 64], SHMEM_CMP_EQ, turn);
}

static inline void saw(int outcome, bool remote)
{
    outcome_count[outcome][remote]++;
}

__attribute__((format(printf, 1, 2))) static inline void forbidden(const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (++litmus_failed <= 10)
        fprintf(stderr, "FAIL %s: round %ld, seed %llu, PE %d of %d: %s\n", litmus_name,
                litmus_round, (unsigned long long)litmus_seed, me, npes, text);
}

/** Determines on every PE which PEs share a node: each finds the lowest PE that it reaches by load
 *  and store. */
static inline void litmus_nodes(void)
{
    static int lowest;
    litmus_node = malloc((size_t)npes * sizeof(int));
    lowest = me;
    for (int pe = npes - 1; pe >= 0; pe--)
        if (shmem_ptr(&lowest, pe))
            lowest = pe;
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        litmus_node[pe] = shmem_int_g(&lowest, pe);
    shmem_barrier_all();
}

static inline void litmus_begin(const char *name, int argc, char **argv, long rounds)
{
    litmus_name = name;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    litmus_rounds = argc > 1 ? atol(argv[1]) : rounds;
    litmus_seed_word = argc > 2 ? atol(argv[2]) : 0;
    if (me == 0 && litmus_seed_word == 0) {
        struct timespec ts;
        clock_gettime(CLOCK_REALTIME, &ts);
        litmus_seed_word = ts.tv_nsec / 1000 + 1;
    }
    shmem_barrier_all();
    litmus_seed = (uint64_t)shmem_long_g(&litmus_seed_word, 0);
    litmus_plan = litmus_seed * 1000003;
    litmus_own = litmus_plan + (uint64_t)me * 7919 + 1;
    litmus_nodes();
}

/** Sums up, prints the table, and returns the exit status. */
static inline int litmus_end(void)
{
    shmem_barrier_all();
    for (int o = 0; o < OUTCOMES; o++)
        for (int path = 0; path < 2; path++)
            if (outcome_count[o][path])
                shmem_long_atomic_add(&outcome_sum[o][path], outcome_count[o][path], 0);
    shmem_barrier_all();
    if (me == 0) {
        printf("%s: %ld rounds, %d PEs, seed %llu\n", litmus_name, litmus_rounds, npes,
               (unsigned long long)litmus_seed);
        printf("    %-58s %12s %12s\n", "seen", "one node", "two nodes");
        for (int o = 0; o < OUTCOMES; o++)
            if (outcome_name[o])
                printf("    %-58s %12ld %12ld\n", outcome_name[o], outcome_sum[o][0],
                       outcome_sum[o][1]);
        printf("litmus done\n");
    }
    fflush(stdout);
    free(litmus_node);
    int status = litmus_failed != 0;
    shmem_finalize();
    return status;
}

#endif
