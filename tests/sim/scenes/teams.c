// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of three PEs on two nodes: two threads of each PE split teams of their own at once, use
// them, and destroy them in either order; numbers and words are used again at once.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3, OTHERS = 7 };  // so that both threads begin with the same number
static shmem_team_t parents[2], others[OTHERS];
static long sources[2], dests[2][PES], marks[2];

/** All PEs of a parent make the same calls; a part of them is in the new team. */
static void use(int i, shmem_team_t team, long round)
{
    int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
    sources[i] = 10 * round + me;
    shmem_long_sum_reduce(team, dests[i], &sources[i], 1);
    SIM_CHECK(dests[i][0] == 10 * round * n + n * (n - 1) / 2, "the sum is %ld in round %ld",
              dests[i][0], round);
    if (me == n - 1)
        shmem_long_p(&marks[i], round, shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD));
    shmem_quiet();
    shmem_team_sync(team);
    if (me == 0)
        SIM_CHECK(marks[i] >= round, "the mark is %ld behind sync %ld", marks[i], round);
}

static void *split(void *arg)
{
    int i = (int)(long)arg;
    for (long round = 1; round <= ROUNDS; round++) {
        shmem_team_t team = SHMEM_TEAM_INVALID, other = SHMEM_TEAM_INVALID;
        int first = i == 0 ? 0 : 1;
        shmem_team_split_strided(parents[i], first, 1, 2, NULL, 0, &team);
        if (round % 2)
            shmem_team_split_strided(parents[i], 0, 2, 2, NULL, 0, &other);
        if (team != SHMEM_TEAM_INVALID)
            use(i, team, round);
        if (other != SHMEM_TEAM_INVALID)
            shmem_team_destroy(other);
        if (team != SHMEM_TEAM_INVALID)
            shmem_team_destroy(team);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 2; i++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, PES, NULL, 0, &parents[i]);
    for (int i = 0; i < OTHERS; i++)
        shmem_team_split_strided(parents[0], 0, 1, PES, NULL, 0, &others[i]);
    shmem_barrier_all();
    sim_begin();
    pthread_t thread;
    pthread_create(&thread, NULL, split, (void *)1L);
    split((void *)0L);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sim_end();
    for (int i = 0; i < OTHERS; i++)
        shmem_team_destroy(others[i]);
    shmem_team_destroy(parents[1]);
    shmem_team_destroy(parents[0]);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "teams", .npes = PES, .nnodes = 2, .run = run};
