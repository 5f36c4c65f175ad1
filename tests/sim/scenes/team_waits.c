// SPDX-License-Identifier: BSD-3-Clause
//
// A thread of PE 0 waits in a split for PE 1, which comes late. Meanwhile another thread makes
// teams of PEs 0 and 2, which take the same number, uses them and gives the number back.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

// `waiting` has team number 2 and begins at number 2 * 7 = 14; nine numbers on, `others` begins at
// 77 % 64 = 13: its second life has 14.
enum { PES = 3, BETWEEN = 8, LIVES = 2, SUMS = 2 };
static shmem_team_t waiting, between[BETWEEN], others, made;
static long source[2], sum[2], gone;

static void add_up(int i, shmem_team_t team, long value)
{
    int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
    source[i] = value + me;
    shmem_long_sum_reduce(team, &sum[i], &source[i], 1);
    SIM_CHECK(sum[i] == n * value + n * (n - 1) / 2, "the sum is %ld with value %ld", sum[i],
              value);
}

static void *split(void *arg)
{
    (void)arg;
    int rc = shmem_team_split_strided(waiting, 0, 1, 2, NULL, 0, &made);
    SIM_CHECK(rc == 0 && made != SHMEM_TEAM_INVALID, "the split returned %d", rc);
    return NULL;
}

static void live(void)
{
    shmem_team_t lives[LIVES];
    for (int i = 0; i < LIVES; i++)
        shmem_team_split_strided(others, 0, 1, 2, NULL, 0, &lives[i]);
    for (int i = 0; i < LIVES; i++) {
        for (long k = 0; k < SUMS; k++)
            add_up(0, lives[i], 10 * k);
        shmem_team_destroy(lives[i]);
    }
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &waiting);
    for (int i = 0; i < BETWEEN; i++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, PES, NULL, 0, &between[i]);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 2, NULL, 0, &others);
    shmem_barrier_all();
    sim_begin();
    pthread_t thread;
    if (me == 0)
        pthread_create(&thread, NULL, split, NULL);
    if (me != 1)
        live();
    if (me == 0) {
        shmem_long_p(&gone, 1, 1);
        shmem_quiet();
        pthread_join(thread, NULL);
    } else if (me == 1) {
        shmem_long_wait_until(&gone, SHMEM_CMP_EQ, 1);
        split(NULL);
    }
    for (long k = 0; k < SUMS && me != 2; k++)
        add_up(1, made, 1000 + 10 * k);
    shmem_barrier_all();
    sim_end();
    if (me != 2)
        shmem_team_destroy(made);
    if (me != 1)
        shmem_team_destroy(others);
    for (int i = BETWEEN - 1; i >= 0; i--)
        shmem_team_destroy(between[i]);
    if (me != 2)
        shmem_team_destroy(waiting);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "team_waits", .npes = PES, .nnodes = 3, .run = run};
