// SPDX-License-Identifier: BSD-3-Clause
/*
 * MPI's own one-sided transfers between two processes, for comparison with DART: MPI_Put or MPI_Get
 * and MPI_Win_flush, 1 B to 2 MiB.
 *
 * --mode 0: as programs have them: MPI_Init, an allocated window, a target that waits in a barrier.
 * 1: on what DART stands on, without DART: MPI_THREAD_MULTIPLE, a window of the process's own
 * memory, a target whose second thread polls MPI while its first one sleeps.
 */
#include "../common.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1 << 21 };

static MPI_Win window;
static char *local;

static void put(void *nbytes, size_t count)
{
    int n = (int)*(size_t *)nbytes;
    while (count--) {
        MPI_Put(local, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void get(void *nbytes, size_t count)
{
    int n = (int)*(size_t *)nbytes;
    while (count--) {
        MPI_Get(local, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void *serve(void *done)
{
    int there;
    while (!atomic_load_explicit((atomic_bool *)done, memory_order_relaxed))
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return NULL;
}

/** The first thread makes no call until the origin is done, and has said so by a put. */
static void sleep_while_served(const volatile char *last)
{
    static atomic_bool done;
    pthread_t server;
    if (pthread_create(&server, NULL, serve, &done))
        return;
    while (!*last)
        usleep(1000);
    atomic_store(&done, true);
    pthread_join(server, NULL);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    char *own;
    int rank, level;
    bench_parse(argc, argv, &opts);
    const bool as_below_dart = opts.mode == 1;
    MPI_Init_thread(&argc, &argv, as_below_dart ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local = calloc(1, MOST);
    if (!as_below_dart)
        MPI_Win_allocate(MOST + 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    else if ((own = aligned_alloc(4096, MOST + 4096)))
        MPI_Win_create(own, MOST + 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (!own || !local)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(own, 0, MOST + 1);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t nbytes = 1; rank == 0 && nbytes <= MOST; nbytes *= opts.quick ? 64 : 2) {
        bench_measure(&opts, put, NULL, &nbytes, &series);
        bench_emit(&opts, "dart", "put", nbytes, "ns", &series);
        bench_measure(&opts, get, NULL, &nbytes, &series);
        bench_emit(&opts, "dart", "get", nbytes, "ns", &series);
    }
    if (as_below_dart && rank == 0) {
        *local = 1;
        MPI_Put(local, 1, MPI_BYTE, 1, MOST, 1, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    } else if (as_below_dart) {
        sleep_while_served(own + MOST);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    if (as_below_dart)
        free(own);
    MPI_Finalize();
    free(series.v);
    free(local);
    return 0;
}
