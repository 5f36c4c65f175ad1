// SPDX-License-Identifier: BSD-3-Clause
/*
 * MPI's own one-sided transfers between two processes, for comparison with DART: MPI_Put or MPI_Get
 * and MPI_Win_flush, 1 B to 2 MiB, as programs have them: MPI_Init, an allocated window, a target
 * that waits in a barrier.
 */
#include "../common.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 };

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

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    char *own;
    int rank;
    bench_parse(argc, argv, &opts);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local = calloc(1, MOST);
    MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    if (!own || !local)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(own, 0, MOST);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t nbytes = 1; rank == 0 && nbytes <= MOST; nbytes *= opts.quick ? 64 : 2) {
        bench_measure(&opts, put, NULL, &nbytes, &series);
        bench_emit(&opts, "dart", "put", nbytes, "ns", &series);
        bench_measure(&opts, get, NULL, &nbytes, &series);
        bench_emit(&opts, "dart", "get", nbytes, "ns", &series);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    free(series.v);
    free(local);
    return 0;
}
