// SPDX-License-Identifier: BSD-3-Clause
//
// Small operations with a result that is not waited for, which travel together. Windows of
// thousands of gets of all small sizes and of all fetching atomics, between adds and puts; what is
// collected when its PE begins to compute is executed while it computes, and its values are there
// behind the quiet. Argument: how often each PE computes.
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

#define WINDOW 3000
#define BYTES 4096
#define LONGEST 300
#define SLOTS 16

static unsigned char area[BYTES];
static uint64_t count[SLOTS], posted[SLOTS], word[SLOTS];  // by the PE that changes it
static uint32_t half[SLOTS];
static uint64_t heard[SLOTS];
static int me, npes;

static uint64_t seen(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static unsigned char byte_of(int pe, size_t at)
{
    return (unsigned char)(at * 7 + (size_t)pe * 31);
}

/** Gets of all sizes and places, to one PE after another. */
static void gets(void)
{
    static unsigned char got[WINDOW][LONGEST + 1];
    memset(got, 0, sizeof got);
    for (int i = 0; i < WINDOW; i++) {
        size_t nbytes = 1 + (size_t)i % LONGEST, at = (size_t)i * 13 % (BYTES - LONGEST);
        shmem_getmem_nbi(got[i], &area[at], nbytes, i / 500 % npes);
    }
    shmem_quiet();
    for (int i = 0; i < WINDOW; i++) {
        size_t nbytes = 1 + (size_t)i % LONGEST, at = (size_t)i * 13 % (BYTES - LONGEST);
        bool same = got[i][nbytes] == 0;
        for (size_t k = 0; k < nbytes; k++)
            same &= got[i][k] == byte_of(i / 500 % npes, at + k);
        CHECK(same, "get %d of %zu bytes", i, nbytes);
    }
}

/** Each value of a counter that only this PE changes is given once. */
static void adds(int pe)
{
    static uint64_t old[WINDOW];
    static unsigned char given[WINDOW];
    memset(given, 0, sizeof given);
    shmem_uint64_p(&count[me], 0, pe);
    shmem_quiet();
    for (int i = 0; i < WINDOW; i++) {
        shmem_uint64_atomic_fetch_inc_nbi(&old[i], &count[me], pe);
        shmem_uint64_atomic_inc(&posted[me], pe);
    }
    shmem_quiet();
    for (int i = 0; i < WINDOW; i++)
        if (old[i] >= WINDOW || given[old[i]]++)
            CHECK(false, "fetch %d of PE %d gave %llu", i, pe, (unsigned long long)old[i]);
    CHECK(shmem_uint64_g(&count[me], pe) == WINDOW && shmem_uint64_g(&posted[me], pe) >= WINDOW,
          "sums at PE %d", pe);
}

/** All operations in both widths, a quiet behind each that depends on the one before. */
static void kinds(int pe)
{
    enum { FILL = 40 };
    uint64_t fill[FILL], w[6];
    uint32_t h[6];
    for (int round = 0; round < 6; round++) {
        shmem_uint64_p(&word[me], 100, pe);
        shmem_uint32_p(&half[me], 100, pe);
        shmem_quiet();
        for (int i = 0; i < FILL; i++)  // so that the others are collected
            shmem_uint64_atomic_fetch_nbi(&fill[i], &word[me], pe);
        memset(w, 0xff, sizeof w);
        memset(h, 0xff, sizeof h);
        switch (round) {
        case 0:
            shmem_uint64_atomic_swap_nbi(&w[0], &word[me], 7, pe);
            shmem_uint32_atomic_swap_nbi(&h[0], &half[me], 7, pe);
            break;
        case 1:
            shmem_uint64_atomic_compare_swap_nbi(&w[0], &word[me], 100, 7, pe);
            shmem_uint32_atomic_compare_swap_nbi(&h[0], &half[me], 100, 7, pe);
            break;
        case 2:
            shmem_uint64_atomic_compare_swap_nbi(&w[0], &word[me], 99, 1, pe);
            shmem_uint32_atomic_fetch_add_nbi(&h[0], &half[me], (uint32_t)-93, pe);
            shmem_quiet();
            shmem_uint64_atomic_fetch_add_nbi(&w[1], &word[me], (uint64_t)-93, pe);
            break;
        case 3:
            shmem_uint64_atomic_fetch_and_nbi(&w[0], &word[me], 4, pe);
            shmem_uint32_atomic_fetch_and_nbi(&h[0], &half[me], 4, pe);
            shmem_quiet();
            shmem_uint64_atomic_fetch_or_nbi(&w[1], &word[me], 3, pe);
            shmem_uint32_atomic_fetch_or_nbi(&h[1], &half[me], 3, pe);
            break;
        case 4:
            shmem_uint64_atomic_fetch_xor_nbi(&w[0], &word[me], 100 ^ 7, pe);
            shmem_uint32_atomic_fetch_xor_nbi(&h[0], &half[me], 100 ^ 7, pe);
            break;
        default:
            shmem_uint64_atomic_fetch_inc_nbi(&w[0], &word[me], pe);
            shmem_uint32_atomic_fetch_inc_nbi(&h[0], &half[me], pe);
            shmem_quiet();
            shmem_uint64_atomic_set(&word[me], 7, pe);
            shmem_uint32_atomic_set(&half[me], 7, pe);
        }
        shmem_quiet();
        CHECK(w[0] == 100 && h[0] == 100, "round %d at PE %d: %llu, %u before", round, pe,
              (unsigned long long)w[0], h[0]);
        CHECK(round != 3 || (w[1] == 4 && h[1] == 4), "in the middle at PE %d", pe);
        CHECK(shmem_uint64_atomic_fetch(&word[me], pe) == 7 &&
                  shmem_uint32_atomic_fetch(&half[me], pe) == 7,
              "round %d at PE %d: not 7 behind it", round, pe);
    }
}

/** Without a call of this PE its operations are executed. */
static void compute(uint64_t round)
{
    enum { COLLECTED = 100 };
    uint64_t old[COLLECTED], bytes[COLLECTED];
    int to = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;
    for (int i = 0; i < COLLECTED; i++) {
        shmem_uint64_atomic_fetch_inc_nbi(&old[i], &heard[me], to);
        shmem_getmem_nbi(&bytes[i], &area[8 * i], 8, to);
    }
    while (seen(&heard[from]) < round * COLLECTED)
        usleep(100);
    shmem_quiet();
    uint64_t sum = 0;
    for (int i = 0; i < COLLECTED; i++) {
        sum += old[i] - (round - 1) * COLLECTED;
        CHECK((unsigned char)bytes[i] == byte_of(to, 8 * (size_t)i), "value %d", i);
    }
    CHECK(sum == COLLECTED * (COLLECTED - 1) / 2, "values of round %llu",
          (unsigned long long)round);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 40;
    for (size_t at = 0; at < BYTES; at++)
        area[at] = byte_of(me, at);
    shmem_barrier_all();
    gets();
    for (int pe = 0; pe < npes; pe++) {
        adds(pe);
        kinds(pe);
    }
    shmem_barrier_all();
    for (uint64_t round = 1; round <= rounds; round++)
        compute(round);
    shmem_finalize();
    return check_result();
}
