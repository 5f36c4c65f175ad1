// SPDX-License-Identifier: BSD-3-Clause
//
// Puts to two PEs of another node become a flood, which ends: what is put afterwards to one of
// them, or to the one that was silent meanwhile, is there behind its quiet; with collectives
// between. By a provider of software, too, which is judged by its name: there floods are collected
// unasked, and what nodes tell each other in a collective goes by requests.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 4, FAR = 2, ROUNDS = 2, MOST = 30, CALM = 5, WORDS = 8 };
static long there[MOST], part, sum, given[WORDS], tell[WORDS];

static void check(int pe, int i, long value)
{
    const long seen = shmem_long_g(&there[i], pe);
    SIM_CHECK(seen == value, "word %d of PE %d is %ld behind its quiet, not %ld", i, pe, seen,
              value);
}

static void flood(long value)
{
    const int first = FAR + (int)sim_draw(2);
    for (int i = 0; i < MOST; i++)
        shmem_long_p(&there[i], value + i, sim_draw(8) ? first : 2 * FAR + 1 - first);
    for (int pe = FAR; pe < PES; pe++)
        shmem_long_p(&there[0], value, pe);
    shmem_quiet();
    for (int pe = FAR; pe < PES; pe++)
        check(pe, 0, value);
}

static void calm(void)
{
    for (int i = 1; i <= CALM; i++) {
        const int pe = FAR + (int)sim_draw(2);
        shmem_long_p(&there[i], -i, pe);
        shmem_quiet();
        check(pe, i, -i);
    }
}

static void run(void)
{
    if (sim_setting(0, 4)) {
        setenv("SIM_PROVIDER", "lnx", 1);
        setenv("CAUSEWAY_PROVIDER", "lnx", 1);
    } else {
        setenv("CAUSEWAY_AGGREGATE", "on", 1);
    }
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        if (shmem_my_pe() == 0) {
            flood(1000 * round);
            calm();
        }
        part = round * shmem_my_pe();
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &part, 1);
        SIM_CHECK(sum == round * PES * (PES - 1) / 2, "the sum is %ld", sum);
        for (int i = 0; i < WORDS; i++)
            tell[i] = 100 * round + i;
        shmem_long_broadcast(SHMEM_TEAM_WORLD, given, tell, WORDS, (int)(round % PES));
        for (int i = 0; i < WORDS; i++)
            SIM_CHECK(given[i] == 100 * round + i, "word %d of a broadcast is %ld", i, given[i]);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "flood_ends", .npes = PES, .nnodes = 2, .run = run, .most_steps = 64000000};
