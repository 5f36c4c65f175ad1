// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a job that is large enough to share them: every PE finds the others at their
// places, by the default context, contexts of teams with any step, in sessions, and by shmem_ptr.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

static long mine, came[4];

static void fail(const char *what, int pe, long got)
{
    printf("FAIL: PE %d: %s of PE %d: %ld\n", shmem_my_pe(), what, pe, got);
    shmem_global_exit(1);
}

/** The nodes of oshrun: blocks that differ by one at most, the larger first. */
static int node_of(int pe, int npes, int nnodes)
{
    int small = npes / nnodes, nlarge = npes % nnodes, in_large = nlarge * (small + 1);
    return pe < in_large ? pe / (small + 1) : nlarge + (pe - in_large) / small;
}

static void places(int nnodes)
{
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int pe = 0; pe < n; pe++) {
        long *there = shmem_ptr(&mine, pe);
        if ((there != NULL) != (node_of(pe, n, nnodes) == node_of(me, n, nnodes)))
            fail("shmem_ptr", pe, there != NULL);
        if (there && abs(pe - me) < 9 && *there != pe)  // each is a page of a table of pages
            fail("what shmem_ptr leads to", pe, *there);
    }
}

/** Of a team: PEs of this node, and of one other. */
static void get(shmem_team_t team, const char *what)
{
    int n = shmem_team_n_pes(team), rank = shmem_team_my_pe(team);
    shmem_ctx_t ctx;
    if (shmem_team_create_ctx(team, 0, &ctx))
        fail("no context", 0, 0);
    for (int i = -1; i <= 1; i++) {
        int to = (rank + i + n) % n, pe = shmem_team_translate_pe(team, to, SHMEM_TEAM_WORLD);
        long got = shmem_ctx_long_g(ctx, &mine, to);
        if (got != pe)
            fail(what, pe, got);
    }
    shmem_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    mine = -1;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), nnodes = argc > 1 ? atoi(argv[1]) : 1;
    mine = me;
    shmem_barrier_all();
    places(nnodes);
    shmem_long_p(&came[0], me + 1, (me + 1) % n);  // one in each node leaves it
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    shmem_long_p(&came[1], me + 1, (me + 2) % n);
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    shmem_barrier_all();
    for (int i = 0; i < 2; i++)
        if (came[i] != (me + n - 1 - i) % n + 1)
            fail("a put", (me + n - 1 - i) % n, came[i]);
    get(SHMEM_TEAM_WORLD, "a get on the world");
    shmem_team_t third;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 3, (n - 1 + 2) / 3, NULL, 0, &third);
    if (third != SHMEM_TEAM_INVALID)
        get(third, "a get on every third");
    shmem_barrier_all();
    if (me == 0)
        printf("%d PEs at their places\n", n);
    shmem_finalize();
    return 0;
}
