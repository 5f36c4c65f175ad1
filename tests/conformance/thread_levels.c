// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that ask for thread levels of their own, which is theirs to choose: those with even numbers
// have several threads, the others one. Teams, contexts, collectives over teams and active sets.
#include "check.h"

enum { ROUNDS = 5, COUNT = 50 };

static long source[COUNT], dest[COUNT * 16], sync_words[SHMEM_SYNC_SIZE];
static uint64_t signals;

static void teams(int round)
{
    shmem_team_t back, row, column, part;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &back) == 0);
    CHECK(shmem_team_split_2d(back, 2, NULL, 0, &row, NULL, 0, &column) == 0);
    CHECK(shmem_team_split_strided(back, 1, 2, npes / 2, NULL, 0, &part) == 0);
    CHECK(shmem_team_my_pe(back) == npes - 1 - me);
    source[0] = me + round;
    CHECK(shmem_long_sum_reduce(back, dest, source, 1) == 0);
    CHECK(dest[0] == (long)npes * (npes - 1) / 2 + npes * round, "a sum of %ld", dest[0]);
    CHECK(shmem_team_sync(row) == 0 && shmem_team_sync(column) == 0);
    if (part != SHMEM_TEAM_INVALID)
        CHECK(shmem_long_broadcast(part, dest, source, 1, 0) == 0);
    shmem_team_destroy(part);
    CHECK(shmem_team_split_strided(back, npes, 1, 1, NULL, 0, &part) != 0, "beyond the parent");
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    shmem_team_destroy(back);
}

static void transfers(int round)
{
    shmem_ctx_t ctx;
    REQUIRE(shmem_ctx_create(0, &ctx) == 0);
    for (int i = 0; i < COUNT; i++)
        source[i] = me * 100 + i;
    shmem_barrier_all();
    shmem_ctx_long_put_nbi(ctx, dest, source, COUNT, next);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_signal_add(&signals, 1, next);
    shmem_signal_wait_until(&signals, SHMEM_CMP_EQ, (uint64_t)round + 1);
    shmem_barrier_all();
    CHECK(dest[COUNT - 1] == prev * 100 + COUNT - 1, "%ld", dest[COUNT - 1]);
    shmem_barrier_all();
}

/** Of all PEs but the last, and of all. */
static void active_sets(int round)
{
    for (int size = npes - 1; size <= npes; size++) {
        if (me < size) {
            source[0] = round + size;
            shmem_barrier(0, 0, size, sync_words);
            shmem_broadcast64(dest, source, 1, 0, 0, 0, size, sync_words);
            CHECK(me == 0 || dest[0] == round + size);
            shmem_barrier(0, 0, size, sync_words);
        }
        shmem_barrier_all();
    }
}

int main(void)
{
    const char *number = getenv("OSHRUN_PE");
    const int wanted = number && atoi(number) % 2 ? SHMEM_THREAD_SINGLE : SHMEM_THREAD_MULTIPLE;
    int provided = -1;
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_words[i] = SHMEM_SYNC_VALUE;
    REQUIRE(shmem_init_thread(wanted, &provided) == 0 && provided >= wanted);
    check_ring();
    for (int round = 0; round < ROUNDS; round++) {
        teams(round);
        transfers(round);
        active_sets(round);
    }
    return check_end();
}
