// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs put to all others and leave. A provider of RDM endpoints connects by itself when
// something is sent, so what is sent behind the last fence of the job connects, for nothing, to
// nodes that have ended. Counted by a connect() of this program.
#include <shmem.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame/check.h"

static atomic_int connects;

int connect(int fd, const struct sockaddr *name, socklen_t nbytes)
{
    sa_family_t family;  // libfabric's names need not be aligned
    memcpy(&family, (const char *)name + offsetof(struct sockaddr, sa_family), sizeof family);
    atomic_fetch_add(&connects, family == AF_INET || family == AF_INET6);
    return (int)syscall(SYS_connect, fd, name, nbytes);
}

static long word;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    for (int pe = 0; pe < npes; pe++)
        shmem_long_atomic_inc(&word, pe);
    shmem_barrier_all();
    REQUIRE(word == npes, "%ld PEs have come here", word);
    shmem_finalize();
    // of two nodes that connect to each other at a time both try, and one again
    REQUIRE(connects >= npes - 1 && connects <= 4 * npes, "%d connections are made with %d nodes",
            connects, npes);
    if (me == 0)
        printf("all have left\n");
    return 0;
}
