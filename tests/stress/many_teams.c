// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of very many PEs: splits, a sum, alltoalls of 8 bytes over the world and over every second
// PE, and what that leaves in the private memory of a PE. The first two PEs of a node lead a team
// there, so the rings of their connections are touched by and by; of the others nothing may stay.
//
//     many_teams NODES TURNS
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 3, KIB = 12 };  // turns that do not count; what may stay of all others
static long addend, sum;

static long private_kib(void)
{
    long kib = 0, n;
    char line[256];
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Private_Dirty: %ld", &n) == 1)
            kib += n;
    if (f)
        fclose(f);
    return kib;
}

static void expect(const char *what, long got, long due)
{
    if (got == due)
        return;
    printf("FAIL PE %d: %s: %ld instead of %ld\n", shmem_my_pe(), what, got, due);
    shmem_global_exit(1);
}

static void add(shmem_team_t team)
{
    long n = shmem_team_n_pes(team);
    addend = shmem_team_my_pe(team) + 1;
    shmem_long_sum_reduce(team, &sum, &addend, 1);
    expect("sum", sum, n * (n + 1) / 2);
    shmem_team_sync(team);
}

static void exchange(shmem_team_t team, long *to, long *from)
{
    int n = shmem_team_n_pes(team), mine = shmem_team_my_pe(team);
    for (int i = 0; i < n; i++)
        from[i] = (long)mine << 20 | i;
    memset(to, 0xff, (size_t)n * sizeof *to);
    shmem_team_sync(team);
    shmem_long_alltoall(team, to, from, 1);
    for (int i = 0; i < n; i++)
        expect("alltoall", to[i], (long)i << 20 | mine);
}

static void turn(long *to, long *from)
{
    int n = shmem_n_pes(), pe = shmem_my_pe();
    shmem_team_t even = SHMEM_TEAM_INVALID, odd = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, n / 2, NULL, 0, &even);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0, &odd);
    shmem_team_t team = pe % 2 ? odd : even;
    add(team);
    exchange(team, to, from);
    shmem_team_destroy(team);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    long turns = argc > 2 ? atol(argv[2]) : 0, before = 0;
    shmem_init();
    int n = shmem_n_pes(), pe = shmem_my_pe(), each = argc > 2 ? n / atoi(argv[1]) : n;
    long *to = shmem_malloc((size_t)n * sizeof *to), *from = shmem_malloc((size_t)n * sizeof *from);
    add(SHMEM_TEAM_WORLD);
    exchange(SHMEM_TEAM_WORLD, to, from);
    for (long i = 0; i < WARM + turns; i++) {
        if (i == WARM)
            before = private_kib();
        turn(to, from);
    }
    long stayed = private_kib() - before;
    if (pe % each > 1 && stayed > KIB)
        expect("KiB of private memory that teams left", stayed, 0);
    shmem_barrier_all();
    if (pe == 0)
        printf("%d PEs have passed\n", n);
    shmem_finalize();
    return 0;
}
