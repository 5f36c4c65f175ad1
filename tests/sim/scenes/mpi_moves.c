// SPDX-License-Identifier: BSD-3-Clause
//
// Over an MPI: puts of all sizes, atomics, gets and signals of two threads to other nodes, through
// its window or by its messages, while the targets compute, wait or use MPI themselves.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { PES = 3, LONG = 700, ROUNDS = 2 };  // LONG: words that are no small message
static long words[2][PES], blocks[2][PES][LONG], counters[2];
static uint64_t signals[2][PES];
static int me;

static void *use(void *arg)
{
    long i = (long)arg, got[LONG];
    for (long round = 1; round <= ROUNDS; round++) {
        int pe = (me + 1 + (int)i) % PES;
        long block[LONG];
        for (int k = 0; k < LONG; k++)
            block[k] = 1000 * round + k;
        shmem_long_p(&words[i][me], round, pe);
        shmem_long_put_nbi(blocks[i][me], block, LONG, pe);
        shmem_long_atomic_inc(&counters[i], pe);
        shmem_quiet();
        memset(block, 0, sizeof block);
        long seen = shmem_long_g(&words[i][me], pe);
        SIM_CHECK(seen == round, "PE %d has %ld behind the quiet of round %ld", pe, seen, round);
        shmem_long_get(got, blocks[i][me], LONG, pe);
        for (int k = 0; k < LONG; k++)
            SIM_CHECK(got[k] == 1000 * round + k, "word %d of PE %d is %ld", k, pe, got[k]);
        seen = shmem_long_atomic_fetch(&counters[i], pe);
        SIM_CHECK(seen == round, "PE %d counts %ld in round %ld", pe, seen, round);
        shmem_long_put_signal(&words[i][me], &round, 1, &signals[i][me], (uint64_t)round,
                              SHMEM_SIGNAL_SET, pe);
        int from = (me + PES - 1 - (int)i) % PES;
        shmem_signal_wait_until(&signals[i][from], SHMEM_CMP_GE, (uint64_t)round);
        SIM_CHECK(words[i][from] >= round, "behind its signal PE %d's word is %ld", from,
                  words[i][from]);
    }
    return NULL;
}

static void run(void)
{
    static const char *const ways[] = {"auto", "window", "messages"};
    int provided;
    setenv("CAUSEWAY_MPI_TRANSFERS", ways[sim_setting(0, 3)], 1);
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
    shmem_finalize();
}

static const char *const env[] = {"SIM_MPI=1", "CAUSEWAY_TRANSPORT=mpi", NULL};
// Waits poll for long, and others nap meanwhile: of time there is little, of steps much.
const sim_scene_t sim_scene = {
    .name = "mpi_moves", .npes = PES, .nnodes = 2, .run = run, .env = env, .most_steps = 30000000};
