// SPDX-License-Identifier: BSD-3-Clause
//
// Many clients of a node server: each PE has contexts with endpoints of their own (argument: how
// many), and all of them send to all PEs at the same time, more requests than a connection has
// credits. Sums must be exact.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"

enum { CONTEXTS_MAX = 32, REQUESTS = 40, PES_MAX = 16 };

static long sum, slots[PES_MAX * CONTEXTS_MAX];

int main(int argc, char **argv)
{
    shmem_ctx_t ctx[CONTEXTS_MAX];
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    int contexts = argc > 1 ? atoi(argv[1]) : 1;
    REQUIRE(npes <= PES_MAX && contexts <= CONTEXTS_MAX);
    for (int i = 0; i < contexts; i++)
        REQUIRE(shmem_ctx_create(0, &ctx[i]) == 0);
    shmem_barrier_all();
    for (int d = 1; d <= npes; d++) {
        int pe = (me + d) % npes;
        for (int k = 0; k < REQUESTS; k++)
            for (int i = 0; i < contexts; i++)
                shmem_ctx_long_atomic_inc(ctx[i], &sum, pe);
        for (int i = 0; i < contexts; i++)
            shmem_ctx_long_p(ctx[i], &slots[me * contexts + i], 1000 * me + i, pe);
        for (int i = 0; i < contexts; i++)
            CHECK(shmem_ctx_long_atomic_fetch(ctx[i], &sum, pe) > 0);
    }
    for (int i = 0; i < contexts; i++)
        shmem_ctx_quiet(ctx[i]);
    shmem_barrier_all();
    CHECK(sum == (long)npes * contexts * REQUESTS, "sum is %ld", sum);
    for (int k = 0; k < npes * contexts; k++)
        CHECK(slots[k] == 1000L * (k / contexts) + k % contexts, "slot %d is %ld", k, slots[k]);
    for (int i = 0; i < contexts; i++)
        shmem_ctx_destroy(ctx[i]);
    if (checks_failed)
        shmem_global_exit(1);
    shmem_barrier_all();
    if (me == 0)
        printf("clients done\n");
    shmem_finalize();
    return 0;
}
