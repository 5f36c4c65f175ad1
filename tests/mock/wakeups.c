// SPDX-License-Identifier: BSD-3-Clause
//
// Sleepers: PE 0 lets the others sleep for some 15 ms at a time in one of several waits, and ends
// them by plain puts. CAUSEWAY_STATS, which wakeups.py reads, says what woke them. Then the others
// sleep for a second, and each process says how much of a core it used meanwhile.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/usage.h"

enum { ROUNDS = 25, WORDS = 8, SLEEP_US = 15000 };

static uint64_t words[WORDS], done[16];
static int me, npes;

static void sleep_in_turn(int form, uint64_t round)
{
    size_t at = round % WORDS;
    if (form == 0) {
        shmem_uint64_wait_until(&words[0], SHMEM_CMP_EQ, round);
    } else {
        at = shmem_uint64_wait_until_any(words, WORDS, NULL, SHMEM_CMP_EQ, round);
        CHECK(at == round % WORDS, "word %zu in round %llu", at, (unsigned long long)round);
    }
}

/** Each round ends when all have answered: none overwrites a word that is still waited for. */
static void rounds(int form)
{
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        uint64_t round = (uint64_t)form * ROUNDS + i;
        if (me != 0) {
            sleep_in_turn(form, round);
            shmem_uint64_p(&done[me], round, 0);
            continue;
        }
        usleep(SLEEP_US);
        for (int pe = 1; pe < npes; pe++)
            shmem_uint64_p(&words[form == 0 ? 0 : round % WORDS], round, pe);
        for (int pe = 1; pe < npes; pe++)
            shmem_uint64_wait_until(&done[pe], SHMEM_CMP_EQ, round);
    }
}

static void idle(void)
{
    shmem_barrier_all();
    double cpu = cpu_s(), start = now_s();
    if (me == 0) {
        sleep(1);
        for (int pe = 1; pe < npes; pe++)
            shmem_uint64_p(&words[0], UINT64_MAX, pe);
    } else {
        shmem_uint64_wait_until(&words[0], SHMEM_CMP_EQ, UINT64_MAX);
    }
    double used = (cpu_s() - cpu) / (now_s() - start);
    printf("PE %d idle: %.2f %% of a core\n", me, 100 * used);
    CHECK(used < 0.15, "%.1f %% of a core while it sleeps", 100 * used);
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    shmem_barrier_all();
    rounds(0);
    rounds(1);
    idle();
    shmem_finalize();
    return check_result();
}
