// SPDX-License-Identifier: BSD-3-Clause
//
// A program of OpenSHMEM 1.5: teams, contexts of teams, collectives on teams, put with signal,
// waiting for any and some.
#include <shmem.h>

#include "frame/check.h"

#define N 50

static double data[N], sum[N];
static uint64_t arrived;
static int ready[64], done[64];
static long sent;

int main(void)
{
    shmem_init();
    const int me = shmem_team_my_pe(SHMEM_TEAM_WORLD), npes = shmem_team_n_pes(SHMEM_TEAM_WORLD);
    const int next = (me + 1) % npes, prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    double mine[N];
    for (int i = 0; i < N; i++)
        mine[i] = me + i;
    shmem_put_signal(data, mine, N, &arrived, 1, SHMEM_SIGNAL_ADD, next);
    CHECK(shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1) == 1 && data[N - 1] == prev + N - 1,
          "put with signal");
    shmem_barrier_all();

    for (int pe = 0; pe < npes; pe++)
        shmem_int_p(&ready[me], 1, pe);
    for (int i = 0; i < npes; i++) {
        size_t pe = shmem_wait_until_any(ready, (size_t)npes, done, SHMEM_CMP_EQ, 1);
        CHECK(pe < (size_t)npes && !done[pe], "wait for any");
        done[pe] = 1;
    }
    CHECK(shmem_test_any(ready, (size_t)npes, done, SHMEM_CMP_EQ, 1) == SIZE_MAX,
          "nothing is left to test");

    shmem_team_t half;
    int members = (npes + 1) / 2;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, members, NULL, 0, &half) == 0, "split");
    CHECK((half != SHMEM_TEAM_INVALID) == (me % 2 == 0), "members");
    if (half != SHMEM_TEAM_INVALID) {
        int rank = shmem_team_my_pe(half), other = (rank + 1) % members;
        CHECK(rank == me / 2 && shmem_team_translate_pe(half, other, SHMEM_TEAM_WORLD) == other * 2,
              "ranks of the team");
        CHECK(shmem_sum_reduce(half, sum, data, N) == 0, "reduction");
        double expected = 0;
        for (int r = 0; r < members; r++)
            expected += (r * 2 + npes - 1) % npes + 1;
        CHECK(sum[1] == expected, "sum");
        shmem_ctx_t ctx;
        shmem_team_t of_ctx;
        if (shmem_team_create_ctx(half, 0, &ctx) == 0) {
            CHECK(shmem_ctx_get_team(ctx, &of_ctx) == 0 && of_ctx == half, "team of the context");
            shmem_ctx_long_p(ctx, &sent, rank + 1, other);
            shmem_ctx_quiet(ctx);
            shmem_ctx_destroy(ctx);
            shmem_team_sync(half);
            CHECK(sent == (rank + members - 1) % members + 1, "put on a context of a team");
        }
        shmem_team_destroy(half);
    }
    CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) >= 1 && shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1,
          "shared and invalid teams");
    shmem_barrier_all();
    shmem_finalize();
    return checks_failed != 0;
}
