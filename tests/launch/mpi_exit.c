// SPDX-License-Identifier: BSD-3-Clause
//
// Handlers of signals that end processes in the middle of a call of MPI, as libraries below MPI
// turn SIGTERM into exit(1): MPI cannot be called any more, and the status is what was given.
#include <gasnet.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void on_alarm(int signo)
{
    (void)signo;
    exit(5);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    int granted, byte;
    if (argc > 1)
        setenv("CAUSEWAY_NODE", rank && atoi(rank) % 2 ? "odd" : "even", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0));
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    signal(SIGALRM, on_alarm);
    alarm(1);
    if (gasnet_mynode() != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // that is not sent
    return 0;
}
