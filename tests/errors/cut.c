// SPDX-License-Identifier: BSD-3-Clause
//
// The network is cut while every PE lives: the first PE shuts every connection of its process. Data
// in flight is lost, a PE waits for it, and no process has ended: the job must not hang.
#include <arpa/inet.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/socket.h>

#define HIGHEST_FD 256
#define ROUNDS 1000

static void cut_connections(void)
{
    for (int fd = 3; fd < HIGHEST_FD; fd++) {
        struct sockaddr_storage peer;
        socklen_t nbytes = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &nbytes) == 0 && peer.ss_family != AF_UNIX)
            shutdown(fd, SHUT_RDWR);
    }
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int round = 0; round < ROUNDS; round++) {
        shmem_sync_all();
        if (me == 0 && round == ROUNDS / 2)
            cut_connections();
    }
    puts("nothing was cut");
    shmem_finalize();
    return 0;
}
