// SPDX-License-Identifier: BSD-3-Clause
//
// The network is cut while every PE lives: one PE shuts every connection of its process. Data in
// flight is lost, a PE waits for it, and no process has ended: the job must not hang, and no call
// may return as if nothing had happened. argv[1]: what the PEs do.
#include <arpa/inet.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define HIGHEST_FD 256
#define ROUNDS 1000

static long value, message[2], turn;

static void cut_connections(void)
{
    for (int fd = 3; fd < HIGHEST_FD; fd++) {
        struct sockaddr_storage peer;
        socklen_t nbytes = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &nbytes) == 0 && peer.ss_family != AF_UNIX)
            shutdown(fd, SHUT_RDWR);
    }
}

/** Which PE's connections are cut. */
static int synchronise(bool cut)
{
    if (cut)
        cut_connections();
    shmem_sync_all();
    return 0;
}

/** The root is not the first PE of its node. It waits for no PE, then for those of its node. */
static int broadcast(bool cut)
{
    if (cut)
        cut_connections();
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &message[1], &message[0], 1, shmem_n_pes() - 1);
    shmem_sync_all();
    return shmem_n_pes() - 1;
}

/** Atomics without a result, which only their quiet waits for. */
static int add(bool cut)
{
    if (cut)
        cut_connections();
    if (shmem_my_pe() == 0) {
        shmem_long_atomic_add(&value, 1, shmem_n_pes() - 1);
        shmem_quiet();
    }
    return 0;
}

/** Puts that nothing but the next turn waits for. */
static int take_turns(bool cut)
{
    static long turns;
    int me = shmem_my_pe();
    if (cut)
        cut_connections();
    turns++;
    if (me == 0)
        shmem_long_p(&turn, turns, 1);
    shmem_long_wait_until(&turn, SHMEM_CMP_GE, turns);
    if (me == 1)
        shmem_long_p(&turn, turns, 0);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    int (*step)(bool) = !strcmp(argv[1], "sync")    ? synchronise
                        : !strcmp(argv[1], "add")   ? add
                        : !strcmp(argv[1], "turns") ? take_turns
                                                    : broadcast;
    shmem_init();
    int me = shmem_my_pe(), who = step(false);
    shmem_sync_all();
    for (int round = 0; round < ROUNDS; round++)
        step(me == who && round == ROUNDS / 2);
    shmem_sync_all();
    puts("nothing was cut");
    shmem_finalize();
    return 0;
}
