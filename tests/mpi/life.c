// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and ends of a job whose nodes an MPI connects; argv[1] says which. With -DWITH_MPI the
// program uses MPI itself.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
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
#endif
    for (int i = 0; i < (strcmp(what, "again") == 0 ? 8 : 1); i++) {
        shmem_init();
        check_as("PE", shmem_my_pe(), shmem_n_pes());
        if (strcmp(what, "compute") == 0)
            compute();
        if (strcmp(what, "die") == 0)
            die();
        talk(100 + i);
        if (shmem_my_pe() == 0 && i == 0)
            printf("%d PEs, %d beside PE 0\n", shmem_n_pes(), shmem_ptr(&word, 1) != NULL);
#ifdef WITH_MPI
        if (strcmp(what, "early") == 0)
            MPI_Finalize();
#endif
        shmem_finalize();
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return check_result();
}
