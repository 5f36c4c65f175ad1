// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of a PE that begin and end their sleeps at the same time, each in waits of its own; then
// PE 0 computes, and no report may say that all PEs wait.
#include <pthread.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 60 };
static long flag[THREADS];

/** In turns with the same thread of the next PE; each turn lasts for long enough to sleep. */
static void *work(void *number)
{
    const int t = (int)(intptr_t)number, me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    for (long round = 1; round <= ROUNDS; round++) {
        if (me == 0) {
            usleep(round % 4 == 0 ? 20000 : 1000);
            shmem_long_p(&flag[t], round, next);
        }
        shmem_long_wait_until(&flag[t], SHMEM_CMP_GE, round);
        if (me != 0)
            shmem_long_p(&flag[t], round, next);
    }
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t thread[THREADS];
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    if (shmem_my_pe() == 0)
        sleep(4);
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        printf("crowd done\n");
    shmem_finalize();
    return 0;
}
