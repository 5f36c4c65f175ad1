// SPDX-License-Identifier: BSD-3-Clause
//
// Small operations that travel together. Floods of puts of all small sizes and of atomics arrive
// whole; what is collected when its PE begins to compute arrives while it computes, behind what was
// fenced before, also where the PE has long sent all that it collected itself; what is collected
// when its PE finalizes has arrived then. Argument: how often each PE computes; or "lost": PE 0
// dies while the others flood it, and the job must end.
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

#define FLOOD 2000
#define COLLECTED 64
#define WINDOWS 40
#define SIZES 12
#define LONGEST 2049
#define SLOTS 16

static const size_t sizes[SIZES] = {1, 2, 4, 7, 8, 64, 250, 1000, 1024, 1025, 2048, LONGEST};
static unsigned char area[SLOTS][SIZES][LONGEST];  // by sender
static uint64_t sum[SLOTS], last[SLOTS], word[SLOTS][COLLECTED], before[SLOTS], heard, at_end;
static uint64_t closed[SLOTS];
static int me, npes;

static uint64_t seen(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/** Of one PE to `pe` in a flood. */
static uint64_t added(int pe)
{
    uint64_t n = 0;
    for (int i = 1; i <= FLOOD; i++)
        n += i / 50 % npes == pe;
    return n;
}

static void flood(int round)
{
    unsigned char bytes[LONGEST];
    memset(bytes, me + round + 1, sizeof bytes);
    for (int i = 1; i <= FLOOD; i++) {
        int pe = i / 50 % npes;
        shmem_uint64_atomic_inc(&sum[me], pe);
        shmem_uint64_p(&last[me], (uint64_t)i, pe);
        if (i % 50 == 25)
            for (int s = 0; s < SIZES; s++)
                shmem_putmem_nbi(area[me][s], bytes, sizes[s], pe);
        if (i % 500 == 0)
            shmem_fence();
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++) {
        CHECK(sum[pe] == added(me) * (uint64_t)(round + 1), "%llu adds of PE %d",
              (unsigned long long)sum[pe], pe);
        for (int s = 0; s < SIZES; s++)
            for (size_t at = 0; at < sizes[s]; at++)
                if (area[pe][s][at] != (unsigned char)(pe + round + 1))
                    CHECK(false, "byte %zu of %zu of PE %d in round %d", at, sizes[s], pe, round);
    }
    shmem_barrier_all();
}

static bool all_there(int from, uint64_t round)
{
    for (int i = 0; i < COLLECTED; i++)
        if (seen(&word[from][i]) != round)
            return false;
    return seen(&sum[from]) == round * COLLECTED;
}

/** Without a call of this PE its operations reach the other node, in the order of the fence. */
static void compute(uint64_t round)
{
    int to = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;
    bool notified = false;
    for (int i = 0; i < 3; i++)  // by themselves
        shmem_uint64_p(&before[me], round, to);
    shmem_fence();
    for (int i = 0; i < COLLECTED; i++)
        shmem_uint64_atomic_add(&sum[me], 1, to);
    for (int i = 0; i < COLLECTED; i++)
        shmem_uint64_p(&word[me][i], round, to);
    while (!notified || seen(&heard) != round) {
        if (!notified && all_there(from, round)) {
            CHECK(seen(&before[from]) == round, "what was fenced is not there");
            shmem_uint64_p(&heard, round, from);
            notified = true;
        }
        usleep(100);
    }
    shmem_barrier_all();
}

/** Floods with a quiet behind each: none of their bundles lies for long. */
static void be_prompt(void)
{
    int to = (me + npes / 2) % npes;
    for (int window = 0; window < WINDOWS; window++) {
        for (int i = 0; i < COLLECTED; i++)
            shmem_uint64_atomic_inc(&closed[me], to);
        shmem_quiet();
    }
}

static void lose(void)
{
    shmem_barrier_all();
    for (uint64_t i = 0;; i++) {
        if (me == 0 && seen(&sum[npes - 1]) > 1000)
            kill(getpid(), SIGKILL);
        if (me != 0)
            shmem_uint64_atomic_inc(&sum[me], 0);
        if (me != 0 && i % 5000 == 0)
            usleep(1000);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 40;
    if (argc > 1 && strcmp(argv[1], "lost") == 0)
        lose();
    for (int round = 0; round < (rounds < 10 ? 1 : 3); round++)
        flood(round);
    memset(sum, 0, sizeof sum);
    shmem_barrier_all();
    for (uint64_t round = 1; round <= rounds; round++) {
        if (round % 2 == 0)
            be_prompt();
        compute(round);
    }
    int from = (me + npes - npes / 2) % npes;
    CHECK(closed[from] == rounds / 2 * WINDOWS * COLLECTED, "%llu adds of PE %d in short floods",
          (unsigned long long)closed[from], from);
    for (int i = 0; i < 100; i++)
        shmem_uint64_atomic_inc(&at_end, (me + npes / 2) % npes);
    shmem_finalize();
    CHECK(at_end == 100, "%llu of 100 at the end", (unsigned long long)at_end);
    return check_result();
}
