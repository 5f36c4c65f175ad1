// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts of teams: every operation through a context uses the team's PE numbers. Teams of every
// shape: a piece, every second PE, all of them backwards, the shared one.
#include "check.h"

static long words[64], sums[64], data[64 * 40];
static uint64_t signals[64];

static void exchange(shmem_team_t team, long options, const char *how)
{
    int rank = shmem_team_my_pe(team), size = shmem_team_n_pes(team);
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_t of = SHMEM_TEAM_INVALID;
    CHECK(shmem_team_create_ctx(team, options, &ctx) == 0 && ctx != SHMEM_CTX_INVALID,
          "%s: no context", how);
    CHECK(shmem_ctx_get_team(ctx, &of) == 0 && of == team, "%s: the team of the context", how);
    memset(words, 0, sizeof words);
    memset(sums, 0, sizeof sums);
    memset(signals, 0, sizeof signals);
    memset(data, 0, sizeof data);
    shmem_team_sync(team);
    long out[40];
    for (int to = 0; to < size; to++) {
        for (int i = 0; i < 40; i++)
            out[i] = rank * 10000 + to * 100 + i;
        shmem_ctx_long_p(ctx, &words[rank], rank * 100 + to + 1, to);
        shmem_ctx_long_atomic_add(ctx, &sums[0], rank + 1, to);
        shmem_ctx_long_put(ctx, &data[rank * 40], out, 20, to);
        shmem_ctx_long_iput(ctx, &data[rank * 40 + 20], out + 20, 1, 1, 10, to);
        shmem_ctx_long_ibput(ctx, &data[rank * 40 + 30], out + 30, 5, 5, 5, 2, to);
        shmem_ctx_long_put_signal(ctx, &sums[1], out, 0, &signals[rank], 7, SHMEM_SIGNAL_ADD, to);
        shmem_ctx_signal_set(ctx, &signals[32 + rank], (uint64_t)to + 1, to);
        shmem_ctx_pe_quiet(ctx, &to, 1);
        CHECK(shmem_ctx_long_g(ctx, &words[rank], to) == rank * 100 + to + 1, "%s: g from rank %d",
              how, to);
        long in[20];
        shmem_ctx_long_get_nbi(ctx, in, &data[rank * 40], 20, to);
        shmem_ctx_quiet(ctx);
        CHECK(memcmp(in, out, sizeof in) == 0, "%s: get from rank %d", how, to);
        CHECK(shmem_ctx_long_atomic_fetch(ctx, &sums[0], to) >= rank + 1, "%s: fetch from rank %d",
              how, to);
    }
    shmem_team_sync(team);
    CHECK(sums[0] == (long)size * (size + 1) / 2, "%s: the sum is %ld", how, sums[0]);
    for (int from = 0; from < size; from++) {
        CHECK(words[from] == from * 100 + rank + 1, "%s: from rank %d: %ld", how, from,
              words[from]);
        CHECK(signals[from] == 7 && signals[32 + from] == (uint64_t)rank + 1,
              "%s: signals of rank %d", how, from);
        for (int i = 0; i < 40; i++)
            CHECK(data[from * 40 + i] == from * 10000 + rank * 100 + i, "%s: element %d of rank %d",
                  how, i, from);
    }
    shmem_team_sync(team);
    shmem_ctx_destroy(ctx);
}

static void on_team(int start, int stride, int size, const char *how)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_config_t config = {.num_contexts = 2};
    shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, &config,
                             SHMEM_TEAM_NUM_CONTEXTS, &team);
    if (team != SHMEM_TEAM_INVALID) {
        exchange(team, 0, how);
        exchange(team, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, how);
        shmem_ctx_t left;
        CHECK(shmem_team_create_ctx(team, SHMEM_CTX_SERIALIZED, &left) == 0, "%s: one for destroy",
              how);
        shmem_ctx_long_p(left, &words[0], 1, 0);
        shmem_team_destroy(team);  // and the context
    }
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    exchange(SHMEM_TEAM_WORLD, 0, "world");
    shmem_barrier_all();
    exchange(SHMEM_TEAM_SHARED, SHMEM_CTX_SERIALIZED, "shared");
    shmem_barrier_all();
    on_team(npes / 2, 1, npes - npes / 2, "upper half");
    on_team(npes > 1, 2, npes / 2 + (npes == 1), "odd");
    on_team(npes - 1, -1, npes, "backwards");
    return check_end();
}
