// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of one PE that work on teams of their own at the same time: they split, compute together
// with the same thread of other PEs, and destroy. Every thread has another parent, as the
// specification requires.
#include <pthread.h>
#include <unistd.h>

#include "team_model.h"

enum { THREADS = 3 };

static shmem_team_t parent[THREADS];
static model_t members[THREADS];
static long in[THREADS][600], out[THREADS][600];
static int laps;

static long sum_of(const model_t *m, int lap, int i)
{
    long sum = 0;
    for (int r = 0; r < m->n; r++)
        sum += m->pe[r] * 7 + lap + i;
    return sum;
}

static void add_up(int k, shmem_team_t team, const model_t *m, int lap)
{
    int n = lap % 11 ? 1 + lap % 20 : 600;
    for (int i = 0; i < n; i++)
        in[k][i] = me * 7 + lap + i;
    CHECK(shmem_long_sum_reduce(team, out[k], in[k], (size_t)n) == 0, "reduce");
    for (int i = 0; i < n; i++)
        CHECK(out[k][i] == sum_of(m, lap, i), "thread %d, lap %d: element %d of %d is %ld", k, lap,
              i, n, out[k][i]);
}

static void *run(void *arg)
{
    int k = (int)(intptr_t)arg, n = members[k].n;
    for (int lap = 0; lap < laps; lap++) {
        shmem_team_t child = SHMEM_TEAM_WORLD;
        int size = 1 + (lap + k) % n, start = lap % (n - size + 1);
        CHECK(shmem_team_split_strided(parent[k], start, 1, size, NULL, 0, &child) == 0,
              "thread %d, lap %d", k, lap);
        if (child != SHMEM_TEAM_INVALID) {
            model_t m = model_strided(&members[k], start, 1, size);
            for (int i = 0; i < 1 + lap % 3; i++)
                add_up(k, child, &m, lap + i);
            shmem_team_sync(child);
            shmem_team_destroy(child);
        }
        if (lap % 4 == k)
            add_up(k, parent[k], &members[k], lap);
    }
    return NULL;
}

// ---------------------------------------------------------------- while a split waits

enum { LIVES = 80, SUMS = 10, FIRST = 0, WAITING = 1 };

static shmem_team_t waiting, made;

static void *split_waiting(void *arg)
{
    (void)arg;
    CHECK(shmem_team_split_strided(waiting, 0, 1, 2, NULL, 0, &made) == 0, "the split that waits");
    return NULL;
}

/** Whatever a new team of PE FIRST is made of has been used and given back since. */
static void live_and_die(shmem_team_t parent, const model_t *m)
{
    static shmem_team_t life[LIVES];
    for (int i = 0; i < LIVES; i++)
        CHECK(shmem_team_split_strided(parent, 0, 1, 2, NULL, 0, &life[i]) == 0, "life %d", i);
    for (int i = 0; i < LIVES; i++) {
        for (int k = 0; k < SUMS; k++)
            add_up(0, life[i], m, 22 * k + 1);
        shmem_team_destroy(life[i]);
    }
}

/** A thread of PE FIRST waits in a split of {FIRST, WAITING} for the other member. Meanwhile
 *  another one makes, uses and destroys teams with the last PE. */
static void split_meanwhile(const model_t *world)
{
    pthread_t thread;
    shmem_team_t others;
    model_t few = model_strided(world, FIRST, 1, 2), ends = model_strided(world, 0, npes - 1, 2);
    // in this order, so that the lives take the number of the split that waits
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, npes - 1, 2, NULL, 0, &others);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, FIRST, 1, 2, NULL, 0, &waiting);
    if (me == FIRST) {
        pthread_create(&thread, NULL, split_waiting, NULL);
        usleep(100000);  // until it has said what it could take
    }
    if (others != SHMEM_TEAM_INVALID)
        live_and_die(others, &ends);
    shmem_barrier_all();
    if (me == FIRST)
        pthread_join(thread, NULL);
    else if (me == WAITING)
        split_waiting(NULL);
    for (int i = 0; i < 2 * SUMS && (me == FIRST || me == WAITING); i++) {
        if (me == WAITING)
            usleep(1000);  // the other one would take what is there
        add_up(0, made, &few, 22 * i + 2);
    }
    shmem_barrier_all();
    if (waiting != SHMEM_TEAM_INVALID) {
        shmem_team_destroy(made);
        shmem_team_destroy(waiting);
    }
    if (others != SHMEM_TEAM_INVALID)
        shmem_team_destroy(others);
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread[THREADS];
    laps = argc > 1 ? atoi(argv[1]) : 100;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 ||
        provided != SHMEM_THREAD_MULTIPLE) {
        printf("SKIP: no SHMEM_THREAD_MULTIPLE\n");
        return 77;
    }
    check_ring();
    model_t world = model_world();
    for (int k = 0; k < THREADS; k++) {
        int back = k % 2;
        members[k] = model_strided(&world, back ? npes - 1 : 0, back ? -1 : 1, npes);
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, back ? npes - 1 : 0, back ? -1 : 1, npes,
                                       NULL, 0, &parent[k]) == 0,
              "parent %d", k);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_create(&thread[k], NULL, run, (void *)(intptr_t)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    for (int k = 0; k < THREADS; k++)
        shmem_team_destroy(parent[k]);
    if (npes > 2)
        split_meanwhile(&world);
    return check_end();
}
