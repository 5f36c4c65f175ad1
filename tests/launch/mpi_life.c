// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM and MPI in one program, in the order that argv[1] spells: s shmem_init, S shmem_finalize, m MPI_Init,
// M MPI_Finalize, b both communicate. MPICH's library is loaded as it lies on the machine (4 entry points of its
// stable interface), so no MPI compiler is needed; without it the test is skipped. argv[2] "nodes": two nodes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MPI_COMM_WORLD_OF_MPICH 0x44000000

static int (*mpi_init)(int *, char ***), (*mpi_finalize)(void), (*mpi_barrier)(int), (*mpi_rank)(int, int *);
static long word;
static int failures;

static void load(void)
{
    const char *path = getenv("MPI_LIFE_LIBRARY");
    void *lib = dlopen(path ? path : "libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
    if (!lib) {
        printf("SKIP: %s\n", dlerror());
        exit(77);
    }
    *(void **)&mpi_init = dlsym(lib, "MPI_Init");
    *(void **)&mpi_finalize = dlsym(lib, "MPI_Finalize");
    *(void **)&mpi_barrier = dlsym(lib, "MPI_Barrier");
    *(void **)&mpi_rank = dlsym(lib, "MPI_Comm_rank");
}

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("FAIL %s\n", what);
        failures++;
    }
}

static void shmem_talk(long turn)
{
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_long_p(&word, turn * 100 + me, (me + 1) % npes);
    shmem_barrier_all();
    check(word == turn * 100 + (me + npes - 1) % npes, "a put did not arrive");
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");
    int pe = -1, number = -1;
    load();
    if (argc > 2 && rank)
        setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
    bool shmem_on = false, mpi_on = false;
    for (const char *step = argv[1]; argc > 1 && *step; step++) {
        switch (*step) {
        case 's':
            shmem_init();
            shmem_on = true;
            break;
        case 'S':
            shmem_finalize();
            shmem_on = false;
            break;
        case 'm':
            check(mpi_init(NULL, NULL) == 0, "MPI_Init");
            mpi_on = true;
            break;
        case 'M':
            check(mpi_finalize() == 0, "MPI_Finalize");
            mpi_on = false;
            break;
        default:
            break;
        }
        if (shmem_on) {
            pe = shmem_my_pe();
            shmem_talk(step - argv[1] + 1);
        }
        if (mpi_on) {
            check(mpi_barrier(MPI_COMM_WORLD_OF_MPICH) == 0, "MPI_Barrier");
            mpi_rank(MPI_COMM_WORLD_OF_MPICH, &number);
        }
    }
    check(pe == number || pe < 0 || number < 0, "rank and PE differ");
    if (pe == 0)
        printf("mpi life done\n");
    return failures != 0;
}
