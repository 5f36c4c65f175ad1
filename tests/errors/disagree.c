// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that do not make the same collective call, one case per run: disagree CASE. In checking mode
// each must end with a message that names both calls; reaching the end of the program is a failure
// of the library.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static int me, npes, dest[N * 16], source[N * 16];
static long sync_[SHMEM_SYNC_SIZE], set_sync[SHMEM_SYNC_SIZE];

static int odd_one(void)
{
    return me == npes - 1;
}

static void nelems(void)
{
    shmem_int_broadcast(SHMEM_TEAM_WORLD, dest, source, odd_one() ? 5 : 4, 0);
}

static void root(void)
{
    shmem_int_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, odd_one());
}

static void call(void)
{
    if (odd_one())
        shmem_int_max_reduce(SHMEM_TEAM_WORLD, dest, source, 4);
    else
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 4);
}

static void barrier(void)
{
    if (odd_one())
        shmem_barrier_all();
    else
        shmem_int_fcollect(SHMEM_TEAM_WORLD, dest, source, 4);
}

static void object(void)
{
    shmem_int_alltoall(SHMEM_TEAM_WORLD, dest + odd_one(), source, 2);
}

static void stride(void)
{
    shmem_int_alltoalls(SHMEM_TEAM_WORLD, dest, source, 1, odd_one() ? 3 : 2, 2);
}

static void scan(void)
{
    shmem_int_sum_inscan(SHMEM_TEAM_WORLD, dest, source, odd_one() ? 4 : 3);
}

static void allocation(void)
{
    shmem_malloc(odd_one() ? 200 : 100);
}

static void release(void)
{
    int *a = shmem_malloc(100), *b = shmem_malloc(100);
    shmem_free(odd_one() ? b : a);
}

static void finalize(void)
{
    if (!odd_one())
        shmem_finalize();
    else
        shmem_barrier_all();
}

static void team(void)
{
    shmem_team_t part;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, odd_one() ? 1 : 2, NULL, 0, &part);
}

static void in_team(void)
{
    shmem_team_t back;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &back);
    shmem_int_broadcast(back, dest, source, odd_one() ? 5 : 4, 0);
}

static void active_set(void)
{
    shmem_fcollect32(dest, source, odd_one() ? 4 : 3, 1, 0, npes - 1, set_sync);
}

/** A PE that contributes nothing must still pass the same addresses as the others. */
static void no_source(void)
{
    shmem_int_collect(SHMEM_TEAM_WORLD, dest, odd_one() ? NULL : source, odd_one() ? 0 : 3);
}

/** collect takes different sizes, and a contribution of zero bytes may come from any address. */
static void agree(void)
{
    shmem_int_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)me);
    shmem_int_broadcast(SHMEM_TEAM_WORLD, me ? dest : NULL, source, 0, 0);
    shmem_collect32(dest, source, (size_t)me, 0, 0, npes, sync_);
    if (me > 0)
        shmem_collect32(dest, source, (size_t)me, 1, 0, npes - 1, set_sync);
    shmem_barrier_all();
    if (me == 0)
        puts("agreed");
}

static void psync_dirty(void)
{
    sync_[3] = 77;
    shmem_barrier_all();
    shmem_fcollect32(dest, source, 1, 0, 0, npes, sync_);
}

static void psync_set_dirty(void)
{
    set_sync[1] = -1;
    shmem_barrier_all();
    if (me > 0)
        shmem_fcollect32(dest, source, 1, 1, 0, npes - 1, set_sync);
    else
        shmem_barrier_all();
}

static void pwrk_private(void)
{
    shmem_int_sum_to_all(dest, source, 4, 0, 0, npes, malloc(400), sync_);
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {{"nelems", nelems},
           {"root", root},
           {"call", call},
           {"barrier", barrier},
           {"object", object},
           {"stride", stride},
           {"scan", scan},
           {"allocation", allocation},
           {"release", release},
           {"finalize", finalize},
           {"team", team},
           {"in_team", in_team},
           {"active_set", active_set},
           {"no_source", no_source},
           {"agree", agree},
           {"psync_dirty", psync_dirty},
           {"psync_set_dirty", psync_set_dirty},
           {"pwrk_private", pwrk_private}};

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_[i] = set_sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(all[i].name, argv[1])) {
            if (!strcmp(argv[1], "active_set") && me == 0)
                shmem_barrier_all();
            all[i].run();
            printf("NOT NOTICED: %s\n", argv[1]);
            shmem_finalize();
            return 0;
        }
    printf("no such case\n");
    return 2;
}
