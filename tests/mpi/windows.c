// SPDX-License-Identifier: BSD-3-Clause
//
// A program of MPI alone, for two ranks: what do the windows of this MPI do right (ADR 100)?
//
// Flushes: is a get complete behind MPI_Win_flush_local, and behind MPI_Win_flush, when a small put
// to the same rank has begun after it?
// Parts: does each rank reach the other one's memory, where sizes are no multiples of a page?
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NBYTES = 65536, ODD = NBYTES + 8, ROUNDS = 100, DONE = 5 };

static MPI_Win window;

/** Gets that have not landed. */
static int late(int (*flush)(int rank, MPI_Win window), char *back)
{
    int n = 0;
    char word[8] = {1};
    for (int i = 0; i < ROUNDS; i++) {
        memset(back, 0, NBYTES);
        MPI_Get(back, NBYTES, MPI_BYTE, 1, 0, NBYTES, MPI_BYTE, window);
        MPI_Put(word, sizeof word, MPI_BYTE, 1, NBYTES, sizeof word, MPI_BYTE, window);
        flush(1, window);
        n += back[0] != 7 || back[NBYTES - 1] != 7;
        MPI_Win_flush(1, window);
    }
    return n;
}

static void serve(void)
{
    int there = 0;
    while (!there)
        MPI_Iprobe(0, DONE, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void try_flushes(const char *kind, char *memory, int rank, char *back)
{
    memset(memory, 7, NBYTES);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        int local = late(MPI_Win_flush_local, back), both = late(MPI_Win_flush, back);
        printf("%s: MPI_Win_flush_local %d late, MPI_Win_flush %d late\n", kind, local, both);
        MPI_Send(NULL, 0, MPI_BYTE, 1, DONE, MPI_COMM_WORLD);
    } else {
        serve();
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void try_parts(const char *kind, char *memory, int rank, char *back)
{
    int n = 0;
    memset(memory, 1 + rank, ODD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(back, ODD, MPI_BYTE, !rank, 0, ODD, MPI_BYTE, window);
    MPI_Win_flush(!rank, window);
    for (int i = 0; i < ODD; i++)
        n += back[i] != 1 + !rank;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d bytes of another rank\n", kind, n);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    int rank, nbytes;
    char name[MPI_MAX_LIBRARY_VERSION_STRING], *memory;
    char *back = malloc(ODD), *own = malloc(2 * NBYTES);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_library_version(name, &nbytes);
    if (rank == 0)
        printf("%.*s\n", (int)strcspn(name, "\n,"), name);
    MPI_Win_create(own, 2 * NBYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    try_flushes("created", own, rank, back);
    MPI_Win_create(own, ODD, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    try_parts("created", own, rank, back);
    MPI_Win_allocate(2 * NBYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    try_flushes("allocated", memory, rank, back);
    MPI_Win_allocate(ODD, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    try_parts("allocated", memory, rank, back);
    MPI_Finalize();
    free(own);
    free(back);
    return 0;
}
