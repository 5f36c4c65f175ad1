// SPDX-License-Identifier: BSD-3-Clause
//
// A program of OpenSHMEM 1.2: shmem_init and shmem_finalize, the names with shmem_, locks, collect,
// strided transfers.
#include <shmem.h>

#include "frame/check.h"

#define N 8

static long collect_sync[SHMEM_COLLECT_SYNC_SIZE], barrier_sync[SHMEM_BARRIER_SYNC_SIZE];
static long reduce_sync[SHMEM_REDUCE_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + N];
static long lock, total;
static int matrix[N][N];
static double values[N], best[N];

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes,
              prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    int major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    CHECK(major == SHMEM_MAJOR_VERSION && minor >= SHMEM_MINOR_VERSION && name[0],
          "version and name");
    for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
        collect_sync[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        barrier_sync[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        reduce_sync[i] = SHMEM_SYNC_VALUE;

    // The column of a matrix.
    int column[N];
    for (int i = 0; i < N; i++)
        column[i] = me * 10 + i;
    shmem_barrier_all();
    shmem_int_iput(&matrix[0][2], column, N, 1, N, next);
    shmem_barrier(0, 0, npes, barrier_sync);
    for (int i = 0; i < N; i++)
        CHECK(matrix[i][2] == prev * 10 + i && matrix[i][3] == 0, "strided transfer");

    // Mutual exclusion.
    shmem_set_lock(&lock);
    shmem_long_p(&total, shmem_long_g(&total, 0) + me + 1, 0);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    CHECK(shmem_long_g(&total, 0) == (long)npes * (npes + 1) / 2, "sum under a lock");

    // The contribution of each PE, of different lengths.
    int *mine = shmem_malloc(N * sizeof(int)), *all = shmem_malloc((size_t)npes * N * sizeof(int));
    for (int i = 0; i <= me % 3; i++)
        mine[i] = me * 100 + i;
    shmem_collect32(all, mine, (size_t)(me % 3 + 1), 0, 0, npes, collect_sync);
    for (int pe = 0, at = 0; pe < npes; at += pe++ % 3 + 1)
        CHECK(all[at] == pe * 100, "collect");

    for (int i = 0; i < N; i++)
        values[i] = (me + i) % npes;
    shmem_barrier_all();
    shmem_double_max_to_all(best, values, N, 0, 0, npes, work, reduce_sync);
    CHECK(best[0] == npes - 1 && best[N - 1] == npes - 1, "reduction");
    CHECK(shmem_addr_accessible(&lock, next) && shmem_pe_accessible(next), "accessible");
    int *same = shmem_ptr(mine, me);
    CHECK(same == mine, "shmem_ptr");
    shmem_barrier_all();
    shmem_free(all);
    shmem_free(mine);
    shmem_finalize();
    return checks_failed != 0;
}
