// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives with device memory as source, dest or both, over the world, a team and an active set.
#include "gpu/device.h"

enum { MOST = 40000, PES = 8 };

static int me, npes;
static int *from[2], *to[2];  // symmetric: on the host, on the device
static int host[PES * MOST + PES];
static long psync[SHMEM_SYNC_SIZE], work[2];
static int pwrk[MOST];

static void set(int *p, int n, int (*value)(int))
{
    for (int i = 0; i < n; i++)
        host[i] = value(i);
    shmem_int_put(p, host, (size_t)n, me);
}

static int own(int i)
{
    return me * 100000 + i;
}

static int of(int pe, int i)
{
    return pe * 100000 + i;
}

static int small(int i)
{
    return me + i % 10;
}

static int nothing(int i)
{
    (void)i;
    return -1;
}

/** This PE's copy is in `host` then. */
static const int *look(const int *p, int n)
{
    memset(host, 0xee, sizeof *host * (size_t)n);
    shmem_int_get(host, p, (size_t)n, me);
    return host;
}

#define WRONG(n, expected)                   \
    ({                                       \
        int wrong_ = 0;                      \
        for (int i = 0; i < (n); i++)        \
            wrong_ += host[i] != (expected); \
        wrong_;                              \
    })

static void moves(shmem_team_t team, const int *source, int *dest, const char *what, int n)
{
    int size = shmem_team_n_pes(team), root = size - 1,
        first = shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD);
    int rank = shmem_team_my_pe(team);
    set((int *)source, n * size, own);
    set(dest, n * size, nothing);
    shmem_barrier_all();
    shmem_int_broadcast(team, dest, source, (size_t)n, root);
    look(dest, n);
    CHECK(WRONG(n, of(first + root, i)) == 0, "broadcast, %s, %d", what, n);
    shmem_barrier_all();
    shmem_int_fcollect(team, dest, source, (size_t)n);
    look(dest, n * size);
    CHECK(WRONG(n * size, of(first + i / n, i % n)) == 0, "fcollect, %s, %d", what, n);
    shmem_barrier_all();
    set(dest, n * size, nothing);
    shmem_barrier_all();
    shmem_int_alltoall(team, dest, source, (size_t)n);
    look(dest, n * size);
    CHECK(WRONG(n * size, of(first + i / n, rank * n + i % n)) == 0, "alltoall, %s, %d", what, n);
    shmem_barrier_all();
    size_t mine = (size_t)(n / size + rank);
    shmem_int_collect(team, dest, source, mine);
    int total = 0;
    for (int r = 0; r < size; r++)
        total += n / size + r;
    look(dest, total);
    int wrong = 0;
    for (int r = 0, at = 0; r < size; at += n / size + r, r++)
        for (int i = 0; i < n / size + r; i++)
            wrong += host[at + i] != of(first + r, i);
    CHECK(wrong == 0, "collect, %s, %d: %d wrong", what, n, wrong);
    shmem_barrier_all();
}

static void strided(int *source, int *dest, const char *what)
{
    enum { N = 6 };
    set(source, N * npes * 3, own);
    set(dest, N * npes * 2, nothing);
    shmem_barrier_all();
    shmem_int_alltoalls(SHMEM_TEAM_WORLD, dest, source, 2, 3, N);
    look(dest, N * npes * 2);
    CHECK(WRONG(N * npes * 2, i % 2 ? -1 : of(i / 2 / N, (me * N + i / 2 % N) * 3)) == 0,
          "alltoalls, %s", what);
    shmem_barrier_all();
}

static int sum_of_small(int first, int size, int i)
{
    int sum = 0;
    for (int pe = first; pe < first + size; pe++)
        sum += pe + i % 10;
    return sum;
}

static void reductions(int *source, int *dest, const char *what, int n)
{
    set(source, n, small);
    shmem_barrier_all();
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, dest, source, (size_t)n);
    look(dest, n);
    CHECK(WRONG(n, sum_of_small(0, npes, i)) == 0, "sum, %s, %d", what, n);
    shmem_barrier_all();
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, dest, source, (size_t)n);
    look(dest, n);
    CHECK(WRONG(n, npes - 1 + i % 10) == 0, "max, %s, %d", what, n);
    shmem_barrier_all();
    shmem_int_sum_inscan(SHMEM_TEAM_WORLD, dest, source, (size_t)n);
    look(dest, n);
    CHECK(WRONG(n, sum_of_small(0, me + 1, i)) == 0, "inscan, %s, %d", what, n);
    shmem_barrier_all();
    shmem_int_sum_exscan(SHMEM_TEAM_WORLD, dest, source, (size_t)n);
    look(dest, n);
    CHECK(WRONG(n, sum_of_small(0, me, i)) == 0, "exscan, %s, %d", what, n);
    shmem_barrier_all();
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, source, source, (size_t)n);  // in place
    look(source, n);
    CHECK(WRONG(n, sum_of_small(0, npes, i)) == 0, "sum in place, %s, %d", what, n);
    shmem_barrier_all();
}

/** The deprecated forms, which bring their own words. */
static void active_set(int *source, int *dest)
{
    set(source, 100, small);
    set(dest, 100 * npes, nothing);
    shmem_barrier_all();
    shmem_int_sum_to_all(dest, source, 100, 0, 0, npes, pwrk, psync);
    look(dest, 100);
    CHECK(WRONG(100, sum_of_small(0, npes, i)) == 0, "sum over an active set");
    shmem_barrier_all();
    shmem_collect32(dest, source, (size_t)(me + 1), 0, 0, npes, psync);
    look(dest, npes * (npes + 1) / 2);
    int wrong = 0;
    for (int pe = 0, at = 0; pe < npes; at += ++pe)
        for (int i = 0; i <= pe; i++)
            wrong += host[at + i] != pe + i % 10;
    CHECK(wrong == 0, "collect over an active set: %d wrong", wrong);
    shmem_barrier_all();
}

int main(void)
{
    static const char *const kinds[] = {"host to device", "device to host", "device to device"};
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(npes <= PES && shmemx_device_heap(2 * sizeof host) == 0);
    from[0] = shmem_malloc(sizeof host);
    to[0] = shmem_malloc(sizeof host);
    from[1] = shmemx_device_malloc(sizeof host);
    to[1] = shmemx_device_malloc(sizeof host);
    REQUIRE(from[0] && to[0] && from[1] && to[1]);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes / 2, 1, npes - npes / 2, NULL, 0, &team);
    (void)work;
    for (int k = 0; k < 3; k++) {
        int *source = from[k > 0], *dest = to[k != 1];
        moves(SHMEM_TEAM_WORLD, source, dest, kinds[k], 5);
        moves(SHMEM_TEAM_WORLD, source, dest, kinds[k], MOST);
        strided(source, dest, kinds[k]);
        reductions(source, dest, kinds[k], 1);
        reductions(source, dest, kinds[k], MOST);
    }
    moves(SHMEM_TEAM_WORLD, from[0], to[0], "host to host", 3000);
    reductions(from[0], to[0], "host to host", 3000);
    active_set(from[1], to[1]);
    if (team != SHMEM_TEAM_INVALID)
        shmem_int_max_reduce(team, to[1], from[1], 10);
    shmem_team_destroy(team);
    shmemx_device_free(to[1]);
    shmemx_device_free(from[1]);
    shmem_free(to[0]);
    shmem_free(from[0]);
    shmem_finalize();
    return check_result();
}
