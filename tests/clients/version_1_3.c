// SPDX-License-Identifier: BSD-3-Clause
//
// A program of OpenSHMEM 1.3: non-blocking transfers, alltoall, the type-generic names of C11.
#include <shmem.h>

#include "frame/check.h"

#define N 100

static long sync_one[SHMEM_ALLTOALL_SYNC_SIZE], sync_two[SHMEM_ALLTOALLS_SYNC_SIZE];
static double from_left[N], from_right[N];
static long counters[4];
static float level;

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes,
              prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++)
        sync_one[i] = sync_two[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();

    // A halo exchange that overlaps with computation.
    double mine[N];
    for (int i = 0; i < N; i++)
        mine[i] = me + i / 128.0;
    shmem_double_put_nbi(from_left, mine, N, next);
    shmem_put_nbi(from_right, mine, N, prev);
    shmem_quiet();
    shmem_barrier_all();
    CHECK(from_left[N - 1] == prev + (N - 1) / 128.0 && from_right[1] == next + 1 / 128.0,
          "non-blocking puts");
    double back[N];
    shmem_get_nbi(back, from_left, N, next);
    shmem_quiet();
    CHECK(back[5] == me + 5 / 128.0, "non-blocking get");

    // Every PE to every PE.
    int64_t *to = shmem_malloc(2 * (size_t)npes * sizeof(*to)),
            *from = shmem_malloc(4 * (size_t)npes * sizeof(*from));
    for (int pe = 0; pe < npes; pe++)
        to[2 * pe] = me * 100 + pe, to[2 * pe + 1] = -1;
    shmem_barrier_all();
    shmem_alltoalls64(from, to, 2, 2, 1, 0, 0, npes, sync_two);
    for (int pe = 0; pe < npes; pe++)
        CHECK(from[2 * pe] == pe * 100 + me, "alltoall");
    shmem_barrier_all();
    shmem_alltoall64(from, to, 2, 0, 0, npes, sync_one);
    for (int pe = 0; pe < npes; pe++)
        CHECK(from[2 * pe] == pe * 100 + me && from[2 * pe + 1] == -1, "alltoalls");

    // The names of 1.3 for atomics.
    shmem_add(&counters[1], 5L, 0);
    shmem_inc(&counters[2], 0);
    (void)shmem_fadd(&counters[3], 1L, 0);
    shmem_set(&level, 2.5f, next);
    shmem_barrier_all();
    CHECK(shmem_fetch(&counters[1], 0) == 5 * npes && shmem_fetch(&counters[2], 0) == npes,
          "atomics");
    CHECK(shmem_fetch(&level, me) == 2.5f && shmem_g(&counters[3], 0) == npes,
          "atomic set and fetch");
    shmem_free(from);
    shmem_free(to);
    shmem_finalize();
    return checks_failed != 0;
}
