// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of collectives by seed, by algorithms that CAUSEWAY_COLL names, the same in all PEs of a
// start-up; for scenes of one node and of several. Each call has a dest of its own, as the standard
// wants; its source is overwritten as soon as it returns.
#ifndef SIM_ALGORITHMS_H
#define SIM_ALGORITHMS_H

#include <shmem.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim.h"

enum { STEPS = 5, MOST = 60, KINDS = 7 };
static long source[PES * (MOST + PES)], dest[STEPS][PES * (MOST + PES)];
static uint64_t generator;  // one for all PEs
static int me;

static int draw(int n)
{
    generator = generator * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((generator >> 33) % (uint64_t)n);
}

static void choose_algorithms(void)
{
    static const char *const names[][12] = {
        {"broadcast", "deposit", "publish", "fused", "loads", "scatter", "binomial"},
        {"collect", "deposit", "exchange", "loads", "bruck", "spread", "ring"},
        {"fcollect", "deposit", "loads", "exchange", "fused", "bruck", "spread", "ring"},
        {"alltoall", "stores", "loads", "exchange", "bruck", "pairwise"},
        {"alltoalls", "stores", "loads", "exchange", "bruck", "pairwise"},
        {"reduce", "exchange", "fused", "deposit", "parts", "halves", "fetch", "halving", "ring",
         "swap"},
        {"scan", "deposit", "fused", "leaders", "columns"}};
    char text[400];
    size_t at = 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        uint32_t n = 0;
        while (n < 11 && names[i][n + 1])
            n++;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s=%s", i ? "," : "", names[i][0],
                               names[i][1 + sim_setting(i, n)]);
    }
    setenv("CAUSEWAY_COLL", text, 1);
}

/** Element i of what PE `from` has for PE `to`. */
static long value(int step, int from, int to, int i)
{
    return 1000000L * (step + 1) + 10000 * from + 1000 * to + i;
}

static void fill(int step, int to, int at, int n)
{
    for (int i = 0; i < n; i++)
        source[at + i] = value(step, me, to, i);
}

static void check(int step, int from, int at, int n, int to, const char *what)
{
    for (int i = 0; i < n; i++)
        SIM_CHECK(dest[step][at + i] == value(step, from, to, i),
                  "%s: element %d of PE %d is %ld, not %ld", what, i, from, dest[step][at + i],
                  value(step, from, to, i));
}

static void broadcast(int step, int n, int root)
{
    fill(step, 0, 0, n);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest[step], source, (size_t)n, root);
    check(step, root, 0, n, 0, "broadcast");
}

/** Each PE's block is one element longer than that of the PE before it, or of the same size. */
static void collect(int step, int n, int more)
{
    const int mine = n + more * me;
    fill(step, 0, 0, mine);
    if (more)
        shmem_long_collect(SHMEM_TEAM_WORLD, dest[step], source, (size_t)mine);
    else
        shmem_long_fcollect(SHMEM_TEAM_WORLD, dest[step], source, (size_t)n);
    for (int pe = 0, at = 0; pe < PES; at += n + more * pe, pe++)
        check(step, pe, at, n + more * pe, 0, more ? "collect" : "fcollect");
}

static void exchange(int step, int n, bool strided)
{
    for (int pe = 0; pe < PES; pe++)
        fill(step, pe, pe * n, n);
    if (strided)
        shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest[step], source, 1, 1, (size_t)n);
    else
        shmem_long_alltoall(SHMEM_TEAM_WORLD, dest[step], source, (size_t)n);
    for (int pe = 0; pe < PES; pe++)
        check(step, pe, pe * n, n, me, strided ? "alltoalls" : "alltoall");
}

/** Of all PEs, or of those before this one and its own. */
static void add(int step, int n, bool scan)
{
    fill(step, 0, 0, n);
    if (scan)
        shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest[step], source, (size_t)n);
    else
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest[step], source, (size_t)n);
    for (int i = 0; i < n; i++) {
        long sum = 0;
        for (int pe = 0; pe <= (scan ? me : PES - 1); pe++)
            sum += value(step, pe, 0, i);
        SIM_CHECK(dest[step][i] == sum, "%s: element %d is %ld, not %ld", scan ? "scan" : "reduce",
                  i, dest[step][i], sum);
    }
}

static void make_step(int step)
{
    static const int lengths[] = {1, 3, 20, MOST};
    int kind = draw(KINDS), n = lengths[draw(4)], root = draw(PES);
    if (kind == 0)
        broadcast(step, n, root);
    else if (kind < 3)
        collect(step, n, kind == 1);
    else if (kind < 5)
        exchange(step, n, kind == 3);
    else
        add(step, n, kind == 5);
    for (int i = 0; i < PES * MOST; i++)
        source[i] = -1;
}

static void run_collectives(void)
{
    choose_algorithms();
    shmem_init();
    me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    generator = sim_seed() * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int step = 0; step < STEPS; step++)
        make_step(step);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

#endif
