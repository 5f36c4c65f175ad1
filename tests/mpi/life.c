// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and ends of a job whose nodes an MPI connects; argv[1] says which. With -DWITH_MPI the
// program uses MPI itself.
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#include <shmemx.h>
#endif

#include "frame/check.h"

static long word, seen[64];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** A round of puts and atomics with the next PE. */
static void talk(long salt)
{
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    word = -1;
    memset(seen, 0, sizeof seen);
    shmem_barrier_all();
    shmem_long_p(&word, me + salt, next);
    for (int pe = 0; pe < n; pe++)
        shmem_long_atomic_add(&seen[me], salt, pe);
    shmem_barrier_all();
    CHECK(word == (me + n - 1) % n + salt);
    for (int pe = 0; pe < n; pe++)
        CHECK(seen[pe] == salt);
    CHECK(shmem_long_g(&seen[next], next) == salt);
}

/** The other PEs are served while PE 0 computes: they say so before it looks. */
static void compute(void)
{
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_barrier_all();
    if (me == 0) {
        volatile long *done = &seen[63];
        for (double end = seconds() + 20; *done < n - 1 && seconds() < end;)
            continue;
        CHECK(*done == n - 1);
    } else {
        for (int i = 0; i < 100; i++)
            shmem_long_atomic_fetch_add(&seen[62], 1, 0);
        shmem_long_put(&seen[me % 32], &seen[40], 8, 0);
        shmem_quiet();
        shmem_long_atomic_add(&seen[63], 1, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    CHECK(me != 0 || seen[62] == 100 * (n - 1));
}

#ifdef WITH_MPI
/** A PE serves the other one while it waits in the library: for a word, for longer than it polls,
 *  and for the members of a communicator. */
static void serve(void)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    int me = shmem_my_pe(), other = 1 - me;
    for (int late = 0; late < 2; late++) {
        word = seen[62] = 0;
        shmem_barrier_all();
        if (me == late) {
            nanosleep(&pause, NULL);
            for (int i = 0; i < 10; i++)
                CHECK(shmem_long_atomic_fetch_add(&seen[62], 1, other) == i);
            shmem_long_atomic_set(&word, 1, other);
            shmem_quiet();
        } else {
            shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        }
        shmem_barrier_all();
        if (me == late) {
            nanosleep(&pause, NULL);
            CHECK(shmem_long_atomic_fetch_inc(&seen[62], other) == 10);
        }
        shmem_team_t team = SHMEM_TEAM_INVALID;
        CHECK(shmemx_team_from_mpi_comm(MPI_COMM_WORLD, &team) == 0);
        CHECK(shmem_team_n_pes(team) == 2);
        shmem_team_destroy(team);
    }
}
#endif

#ifdef WITH_MPI
static const char late_mark[] = "late-is-there";  // a file, once the late PE goes to MPI_Finalize
static bool late_was_there;                       // when this process began to disconnect

/** MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, the last one first:
 *  this one, which the program has set before it initialised the library, after the library's. */
static int note_late(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    late_was_there = access(late_mark, F_OK) == 0;
    return MPI_SUCCESS;
}

static void watch_finalize(void)
{
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_late, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/** No process disconnects before the last one is in MPI_Finalize. */
static void finalize(bool is_late)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    if (is_late) {
        nanosleep(&pause, NULL);
        FILE *mark = fopen(late_mark, "w");
        REQUIRE(mark && fclose(mark) == 0);
    }
    MPI_Finalize();
    CHECK(late_was_there);
}
#endif

static void die(void)
{
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        raise(SIGKILL);
    for (;;)  // until the launcher ends the job
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 4711);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "talk";
#ifdef WITH_MPI
    if (strcmp(what, "single") == 0)
        MPI_Init(NULL, NULL);
    else
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &(int){0});
    watch_finalize();
    remove(late_mark);  // of another job; before the late PE can make it
#endif
    int me = 0;
    bool once = strcmp(what, "again") != 0 && strcmp(what, "single") != 0;
    for (int i = 0; i < (once ? 1 : 8); i++) {
        shmem_init();
        me = shmem_my_pe();
        check_as("PE", me, shmem_n_pes());
        if (strcmp(what, "compute") == 0)
            compute();
        if (strcmp(what, "die") == 0)
            die();
        if (strcmp(what, "locks") == 0)
            printf("UCX's locks are mutexes: %s\n", getenv("UCX_USE_MT_MUTEX"));
        talk(100 + i);
        if (shmem_my_pe() == 0 && i == 0)
            printf("%d PEs, %d beside PE 0\n", shmem_n_pes(), shmem_ptr(&word, 1) != NULL);
#ifdef WITH_MPI
        if (strcmp(what, "single") == 0 && i == 0)
            serve();
        if (strcmp(what, "early") == 0)
            MPI_Finalize();
#endif
        shmem_finalize();
    }
#ifdef WITH_MPI
    if (strcmp(what, "late") == 0)
        finalize(me == 1);
    else
        MPI_Finalize();
#endif
    (void)me;
    return check_result();
}
