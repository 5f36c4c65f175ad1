// SPDX-License-Identifier: BSD-3-Clause
//
// Every path between nodes, with checked results: puts and gets of all sizes from memory that the
// library knows and memory that it does not, strided, atomics of all PEs on one word, signals, and
// order by fence and quiet. Written for fabrics that promise less than tcp does.
#include <sched.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frame/check.h"

enum { LARGE = 1 << 20, WORDS = 64 };

static int me, npes, rounds = 40;  // rounds: the program's argument
static long
    in_data[WORDS];  // static data is symmetric, in another part of the node object than the heap
static uint64_t signal_word;
static unsigned char *large;  // one part of LARGE bytes for each PE
static long *words;

static unsigned char pattern(int pe, size_t i, int round)
{
    return (unsigned char)(i * 7 + i / 251 + (size_t)pe * 31 + (size_t)round * 13);
}

// To all PEs, of many sizes, blocking and not, from private memory; then read back by all PEs.
static void sizes(void)
{
    static const size_t nbytes[] = {1,   7,    8,    9,     63,    64,    65,     128,
                                    129, 1000, 4096, 16384, 16385, 65536, 100001, LARGE};
    unsigned char *mine = malloc(LARGE), *back = malloc(LARGE);
    for (int k = 0; k < (int)(sizeof nbytes / sizeof *nbytes); k++) {
        size_t n = nbytes[k], shift = n < LARGE ? (size_t)k : 0;
        for (size_t i = 0; i < n; i++)
            mine[i] = pattern(me, i, k);
        for (int d = 1; d <= npes; d++) {
            int pe = (me + d) % npes;
            if (k % 2)
                shmem_putmem_nbi(large + (size_t)me * LARGE + shift, mine, n, pe);
            else
                shmem_putmem(large + (size_t)me * LARGE + shift, mine, n, pe);
        }
        if (k % 2)
            shmem_quiet();
        memset(mine, 0, n);  // completed locally: the library must not need it any more
        shmem_barrier_all();
        for (int from = 0; from < npes; from++)
            for (size_t i = 0; i < n; i++)
                if (large[(size_t)from * LARGE + shift + i] != pattern(from, i, k)) {
                    CHECK(0, "put of %zu bytes from PE %d differs at %zu", n, from, i);
                    break;
                }
        int pe = (me + 1) % npes, whose = (me + 2) % npes;
        memset(back, 0, n);
        if (k % 2) {
            shmem_getmem_nbi(back, large + (size_t)whose * LARGE + shift, n, pe);
            shmem_quiet();
        } else {
            shmem_getmem(back, large + (size_t)whose * LARGE + shift, n, pe);
        }
        for (size_t i = 0; i < n; i++)
            if (back[i] != pattern(whose, i, k)) {
                CHECK(0, "get of %zu bytes from PE %d differs at %zu", n, pe, i);
                break;
            }
        shmem_barrier_all();
    }
    free(mine);
    free(back);
}

// Large puts from memory that may not be written.
static void constants(void)
{
    unsigned char *mine =
        mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mine != MAP_FAILED, "no memory");
    for (size_t i = 0; i < LARGE; i++)
        mine[i] = pattern(me, i, 77);
    mprotect(mine, LARGE, PROT_READ);
    for (int d = 1; d <= npes; d++) {
        unsigned char *part = large + (size_t)me * LARGE;
        shmem_putmem(part, mine, 100001, (me + d) % npes);
        shmem_putmem_nbi(part + 100001, mine + 100001, LARGE - 100001, (me + d) % npes);
    }
    shmem_quiet();
    munmap(mine, LARGE);
    shmem_barrier_all();
    for (int from = 0; from < npes; from++)
        for (size_t i = 0; i < LARGE; i++)
            if (large[(size_t)from * LARGE + i] != pattern(from, i, 77)) {
                CHECK(0, "put of constants from PE %d differs at %zu", from, i);
                break;
            }
    shmem_barrier_all();
}

// Bursts of scalars to both regions; the last value written must win once a fence stands between.
static void scalars(void)
{
    int pe = (me + 1) % npes, left = (me + npes - 1) % npes;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < WORDS; i++)
            shmem_long_p(&words[i], -1, pe);
        shmem_fence();
        for (int i = 0; i < WORDS; i++)
            shmem_long_p(i % 2 ? &words[i] : &in_data[i], (long)round * 1000 + i, pe);
        shmem_barrier_all();
        for (int i = 0; i < WORDS; i++) {
            long expected = (long)round * 1000 + i, got = i % 2 ? words[i] : in_data[i];
            CHECK(got == expected, "word %d of round %d is %ld, PE %d wrote %ld", i, round, got,
                  left, expected);
            CHECK(shmem_long_g(i % 2 ? &words[i] : &in_data[i], pe) == expected,
                  "g of word %d in round %d", i, round);
        }
        shmem_barrier_all();
    }
}

// Data, fence, flag: a PE that sees the flag sees the data. No barrier helps: the reader replies by
// a word of its own.
static void flags(void)
{
    static long data[8], flag, reply;
    int pe = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;  // on the other node
    for (long round = 1; round <= rounds; round++) {
        for (int i = 0; i < 8; i++)
            shmem_long_p(&data[i], round + i, pe);
        shmem_fence();
        shmem_long_p(&flag, round, pe);
        shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
        for (int i = 0; i < 8; i++)
            CHECK(data[i] == round + i, "flag %ld overtook its data %d (%ld)", round, i, data[i]);
        shmem_long_p(&reply, round, from);
        shmem_long_wait_until(&reply, SHMEM_CMP_GE, round);
    }
    shmem_barrier_all();
}

static void signals(void)
{
    static const size_t nbytes[] = {8, 100, 5000, 70000};
    static long reply;
    unsigned char *mine = malloc(70000);
    int pe = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;
    for (int round = 1; round <= rounds; round++) {
        size_t n = nbytes[round % 4];
        for (size_t i = 0; i < n; i++)
            mine[i] = pattern(me, i, round);
        if (round % 2)
            shmem_putmem_signal(large, mine, n, &signal_word, 1, SHMEM_SIGNAL_ADD, pe);
        else
            shmem_putmem_signal_nbi(large, mine, n, &signal_word, (uint64_t)round, SHMEM_SIGNAL_SET,
                                    pe);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
        for (size_t i = 0; i < n; i++)
            if (large[i] != pattern(from, i, round)) {
                CHECK(0, "signal %d overtook its %zu bytes at %zu", round, n, i);
                break;
            }
        shmem_quiet();
        shmem_long_p(&reply, round, from);
        shmem_long_wait_until(&reply, SHMEM_CMP_GE, round);
    }
    shmem_barrier_all();
    free(mine);
}

// All PEs change the words of each PE. Sums must be exact; a put and an atomic on one word must not
// overtake each other.
static void atomics(void)
{
    static long sum;
    static unsigned int small, bits;
    static unsigned long long lock_word, guarded;
    for (int pe = 0; pe < npes; pe++)
        for (int i = 0; i < rounds; i++) {
            if (i % 3 == 0)
                shmem_long_atomic_add(&sum, 1, pe);
            else
                shmem_long_atomic_fetch_add(&sum, 1, pe);
            shmem_uint_atomic_inc(&small, pe);
        }
    for (int pe = 0; pe < npes; pe++)
        shmem_uint_atomic_or(&bits, 1u << me, pe);
    // A lock by compare-and-swap on PE 0 guards plain gets and puts.
    for (int i = 0; i < 20; i++) {
        while (shmem_ulonglong_atomic_compare_swap(&lock_word, 0, (unsigned)me + 1, 0) != 0)
            sched_yield();  // there may be fewer cores than PEs
        unsigned long long value = shmem_ulonglong_g(&guarded, 0);
        shmem_ulonglong_p(&guarded, value + 1, 0);
        shmem_quiet();
        CHECK(shmem_ulonglong_atomic_swap(&lock_word, 0, 0) == (unsigned)me + 1,
              "the lock was not mine");
    }
    shmem_barrier_all();
    CHECK(sum == (long)npes * rounds, "sum is %ld", sum);
    CHECK(small == (unsigned)npes * rounds, "32-bit sum is %u", small);
    CHECK(bits == (1u << npes) - 1, "bits are %#x", bits);
    CHECK(me != 0 || guarded == 20ull * (unsigned)npes, "guarded is %llu", guarded);

    static long order;
    int pe = (me + 1) % npes;
    for (long round = 0; round < rounds; round++) {
        shmem_long_p(&order, round * 10, pe);
        shmem_fence();
        long before = shmem_long_atomic_fetch_add(&order, 1, pe);
        CHECK(before == round * 10, "an atomic passed the put before it: %ld in round %ld", before,
              round);
        shmem_long_atomic_set(&order, round * 10 + 5, pe);
        shmem_quiet();
        CHECK(shmem_long_g(&order, pe) == round * 10 + 5,
              "a get passed the atomic before it in round %ld", round);
    }
    shmem_barrier_all();
}

/** Requests behind a put that is behind requests of which none has been acknowledged: where no
 *  order holds between them, the transport waits for the put. */
static void requests_behind_puts(void)
{
    static long counted, put[64];
    int pe = (me + 1) % npes;
    for (int round = 0; round < rounds && round < 64; round++) {
        for (int i = 0; i < 3; i++)
            shmem_long_atomic_inc(&counted, pe);
        shmem_long_p(&put[round], round + 1, pe);
        for (int i = 0; i < 2; i++)
            shmem_long_atomic_inc(&counted, pe);
    }
    shmem_barrier_all();
    int done = rounds < 64 ? rounds : 64;
    CHECK(counted == 5l * done, "%ld requests beside puts", counted);
    for (int round = 0; round < done; round++)
        CHECK(put[round] == round + 1, "put %d beside requests is %ld", round, put[round]);
}

static void strided(void)
{
    long source[WORDS], back[WORDS];
    int pe = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < WORDS; i++)
            source[i] = 100000L * me + 100 * round + i;
        memset(words, 0, WORDS * sizeof *words);
        shmem_barrier_all();
        shmem_long_iput(words, source, 3, 2, WORDS / 4, pe);
        shmem_barrier_all();
        for (int i = 0; i < WORDS / 4; i++)
            CHECK(words[3 * i] == 100000L * from + 100 * round + 2 * i && words[3 * i + 1] == 0,
                  "iput element %d", i);
        shmem_long_iget(back, words, 2, 3, WORDS / 4, pe);
        for (int i = 0; i < WORDS / 4; i++)
            CHECK(back[2 * i] == source[2 * i], "iget element %d", i);
        shmem_barrier_all();
    }
}

static void collectives(void)
{
    static long mine[WORDS], sum[WORDS], all[WORDS * 16];
    for (int round = 0; round < rounds; round++) {
        int n = round % 2 ? WORDS : 1;  // short values travel with the barrier
        for (int i = 0; i < n; i++)
            mine[i] = me + i * round;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, (size_t)n);
        for (int i = 0; i < n; i++) {
            long expected = (long)npes * (npes - 1) / 2 + (long)npes * i * round;
            CHECK(sum[i] == expected, "sum %d of round %d is %ld, not %ld", i, round, sum[i],
                  expected);
        }
        shmem_long_fcollect(SHMEM_TEAM_WORLD, all, mine, (size_t)n);
        for (int k = 0; k < n * npes; k++)
            CHECK(all[k] == k / n + (long)(k % n) * round,
                  "collected element %d of round %d is %ld", k, round, all[k]);
        if (round % 4 == 0)
            shmem_sync_all();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    large = shmem_malloc((size_t)npes * LARGE);
    words = shmem_calloc(WORDS * 4, sizeof *words);
    if (!large || !words || npes > 16)
        shmem_global_exit(2);
    sizes();
    constants();
    scalars();
    flags();
    signals();
    atomics();
    requests_behind_puts();
    strided();
    collectives();
    if (checks_failed)
        shmem_global_exit(1);
    shmem_barrier_all();
    if (me == 0)
        printf("rounds done\n");
    shmem_finalize();
    return 0;
}
