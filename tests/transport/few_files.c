// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs put to all others. With an argument PE 0 first takes all descriptors but that of its
// connection to PE 1, which is never evicted since several threads may put; a thread gives them
// back a moment later.
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "frame/check.h"

static long words[64];

static int taken[4096], ntaken;

static void *close_later(void *arg)
{
    (void)arg;
    usleep(300000);
    while (ntaken > 0)
        close(taken[--ntaken]);
    return NULL;
}

static void take_all(pthread_t *thread)
{
    int fd;
    while (ntaken < 4096 && (fd = open("/dev/null", O_RDONLY)) >= 0)
        taken[ntaken++] = fd;
    REQUIRE(pthread_create(thread, NULL, close_later, NULL) == 0, "no thread");
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    int provided;
    shmem_init_thread(argc > 1 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    bool takes = argc > 1 && me == 0;
    if (takes) {
        shmem_long_p(&words[me], 1, 1);
        shmem_quiet();
        take_all(&thread);
    }
    for (int round = 1; round <= 3; round++) {
        for (int d = 1; d < npes; d++)
            shmem_long_p(&words[me], round, (me + d) % npes);
        shmem_barrier_all();
        for (int pe = 0; pe < npes; pe++)
            REQUIRE(pe == me || words[pe] == round, "word of PE %d", pe);
        shmem_barrier_all();
    }
    if (takes)
        pthread_join(thread, NULL);
    if (me == 0)
        printf("all done\n");
    shmem_finalize();
    return 0;
}
