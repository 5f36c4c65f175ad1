// SPDX-License-Identifier: BSD-3-Clause
//
// Over an MPI, four nodes in a topology that forwards: two threads of a PE open contexts at one
// time, put more small blocks than the ring of copies holds before one quiet, and add to words of
// all nodes, also of those that only another node's server reaches.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 4, LONGS = 500, PUTS = 70, THREADS = 2 };  // of 4,000 bytes; 64 of them fill the ring
static long blocks[THREADS][PUTS][LONGS], counter;
static int me;

static void *use(void *arg)
{
    static long from[THREADS][LONGS];
    long i = (long)arg, pe = PES - 1 - me;
    shmem_ctx_t ctx;
    SIM_CHECK(shmem_ctx_create(0, &ctx) == 0, "there is no context");
    for (long n = 0; me == 0 && n < PUTS; n++) {
        from[i][0] = from[i][LONGS - 1] = n + 1;
        shmem_ctx_putmem(ctx, blocks[i][n], from[i], sizeof from[i], (int)pe);
    }
    for (int k = 1; k < PES; k++)
        shmem_ctx_long_atomic_add(ctx, &counter, 1, (me + k) % PES);
    shmem_ctx_quiet(ctx);
    for (long n = 0; me == 0 && n < PUTS; n += PUTS - 1) {
        long seen = shmem_ctx_long_g(ctx, &blocks[i][n][LONGS - 1], (int)pe);
        SIM_CHECK(seen == n + 1, "behind a quiet block %ld ends with %ld", n, seen);
    }
    shmem_ctx_destroy(ctx);
    return NULL;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    pthread_t thread;
    pthread_create(&thread, NULL, use, (void *)1L);
    use((void *)0L);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sim_end();
    for (int i = 0; i < THREADS * PUTS && me == PES - 1; i++) {
        const long *block = blocks[i / PUTS][i % PUTS];
        SIM_CHECK(block[0] == i % PUTS + 1 && block[LONGS - 1] == i % PUTS + 1,
                  "block %d is %ld to %ld", i % PUTS, block[0], block[LONGS - 1]);
    }
    SIM_CHECK(counter == THREADS * (PES - 1), "PE %d counts %ld", me, counter);
    shmem_finalize();
}

static const char *const env[] = {"SIM_MPI=1", "CAUSEWAY_TRANSPORT=mpi", "CAUSEWAY_TOPOLOGY=mfcg",
                                  NULL};
const sim_scene_t sim_scene = {.name = "mpi_floods",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .env = env,
                               .most_steps = 30000000};
