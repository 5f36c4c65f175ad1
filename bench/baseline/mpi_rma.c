// SPDX-License-Identifier: BSD-3-Clause
/*
 * MPI's own one-sided transfers between two processes, for comparison with DART: MPI_Put or MPI_Get
 * and MPI_Win_flush, 1 B to 2 MiB, as programs have them: MPI_Init, an allocated window, a target
 * that waits in a barrier; then an atomic and a flush. --mode 1: in the arrangement of DART's
 * reference implementation, a window of shared memory over the processes of a node, attached to a
 * dynamic window of all. --mode 2: only MPI_Barrier, as bench/dart.c measures its own.
 */
#include "../common.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 };
enum { PAIRS = 2000 };  // of barriers: those of bench/dart.c

static MPI_Win window;
static MPI_Aint target;  // where process 1's memory is in it
static char *own, *local;

static void put(void *nbytes, size_t count)
{
    int n = (int)*(size_t *)nbytes;
    while (count--) {
        MPI_Put(local, n, MPI_BYTE, 1, target, n, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void get(void *nbytes, size_t count)
{
    int n = (int)*(size_t *)nbytes;
    while (count--) {
        MPI_Get(local, n, MPI_BYTE, 1, target, n, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void fetch_and_op(void *ctx, size_t count)
{
    uint64_t one = 1, old;
    (void)ctx;
    while (count--) {
        MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, 1, target, MPI_SUM, window);
        MPI_Win_flush(1, window);
    }
}

static void compare_and_swap(void *ctx, size_t count)
{
    uint64_t none = 0, old;
    (void)ctx;
    while (count--) {
        MPI_Compare_and_swap(&none, &none, &old, MPI_UINT64_T, 1, target, window);
        MPI_Win_flush(1, window);
    }
}

static void barriers(const struct bench_opts *opts, int rank)
{
    struct bench_series series = {0};
    for (int i = 0; i < PAIRS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        uint64_t start = bench_now_ns();
        MPI_Barrier(MPI_COMM_WORLD);
        bench_series_add(&series, (double)(bench_now_ns() - start));
    }
    if (rank == 0)
        bench_emit(opts, "dart", "barrier", 0, "ns", &series);
    free(series.v);
}

/** Makes the window; returns the one around which it is nested, if any. */
static MPI_Win make_window(int nested)
{
    MPI_Comm node;
    MPI_Info info;
    MPI_Win shared = MPI_WIN_NULL;
    if (!nested) {
        MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
        return shared;
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(MOST, 1, info, node, &own, &shared);
    MPI_Info_free(&info);
    MPI_Comm_free(&node);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, own, MOST);
    MPI_Get_address(own, &target);
    MPI_Bcast(&target, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    return shared;
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    int rank;
    bench_parse(argc, argv, &opts);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (opts.mode == 2) {
        barriers(&opts, rank);
        MPI_Finalize();
        return 0;
    }
    local = calloc(1, MOST);
    MPI_Win shared = make_window(opts.mode);
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
    if (rank == 0) {
        bench_measure(&opts, fetch_and_op, NULL, NULL, &series);
        bench_emit(&opts, "dart", "fetch_and_op", 8, "ns", &series);
        bench_measure(&opts, compare_and_swap, NULL, NULL, &series);
        bench_emit(&opts, "dart", "compare_and_swap", 8, "ns", &series);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    if (shared != MPI_WIN_NULL)
        MPI_Win_detach(window, own);
    MPI_Win_free(&window);
    if (shared != MPI_WIN_NULL)
        MPI_Win_free(&shared);
    MPI_Finalize();
    free(series.v);
    free(local);
    return 0;
}
