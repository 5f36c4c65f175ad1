// SPDX-License-Identifier: BSD-3-Clause
/*
 * The way of three calls through the library, between two nodes: a put that is alone and its quiet,
 * a strided put of ARMCI of 16 rows, and a barrier of GASNet-EX. Writes their instruction streams,
 * from which `./dev lint house` counts functions, files and changes of rooms:
 * LD_BIND_NOW=1 oshrun -n 2 --emulate-nodes 2 ./paths FILE
 */
#define _GNU_SOURCE
#include <armci.h>
#include <gasnetex.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "step.h"

enum { WARM = 32, ROWS = 16, ROW = 64, ROOM = 1 << 16 };

static long *word, *come;
static char *here, *there;
static gex_TM_t team;

STEP_CALLER static void quiet(void)
{
    void (*volatile call)(void) = shmem_quiet;
    shmem_long_p(word, 1, 1);
    step_begin();
    call();
    step_end();
}

STEP_CALLER static void strided(void)
{
    int (*volatile call)(void *, int *, void *, int *, int *, int, int, armci_hdl_t *) =
        ARMCI_NbPutS;
    int stride[] = {2 * ROW}, count[] = {ROW, ROWS};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    step_begin();
    call(here, stride, there, stride, count, 1, 1, &handle);
    step_end();
    ARMCI_Wait(&handle);
    ARMCI_Fence(1);  // else a later call would wait for its window, in which its steps are cut off
}

/** PE 0 comes last, so its way is that of a barrier in which nothing is waited for. */
STEP_CALLER static void barrier(void)
{
    static long count;
    bool last = shmem_my_pe() == 0;
    count++;
    if (last)
        shmem_long_wait_until(come, SHMEM_CMP_GE, count);
    step_begin();
    gex_Event_t event = gex_Coll_BarrierNB(team, 0);
    if (!last)
        shmem_long_p(come, count, 0);
    gex_Event_Wait(event);
    step_end();
}

static const struct {
    const char *name;
    void (*call)(void);
    int collective;
} PATHS[] = {{"quiet", quiet, 0}, {"strided", strided, 0}, {"barrier", barrier, 1}};

int main(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t endpoint;
    void *blocks[2];
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    shmem_init();
    ARMCI_Init();
    gex_Client_Init(&client, &endpoint, &team, "paths", &argc, &argv, 0);
    int me = shmem_my_pe();
    word = shmem_calloc(1, sizeof *word);
    come = shmem_calloc(1, sizeof *come);
    FILE *file = me == 0 && argc > 1 ? fopen(argv[1], "w") : NULL;
    if (shmem_n_pes() != 2 || !word || !come || ARMCI_Malloc(blocks, ROOM) || (me == 0 && !file)) {
        fprintf(stderr, "paths: needs two PEs, memory, and a file to write\n");
        shmem_global_exit(2);
    }
    here = blocks[0], there = blocks[1];
    step_init();
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++) {
        shmem_barrier_all();
        for (int n = 0; n < WARM && (me == 0 || PATHS[i].collective); n++) {
            step_clear();
            PATHS[i].call();
        }
        if (file)
            step_write(file, PATHS[i].name, "alone");
    }
    if (file)
        fclose(file);
    shmem_barrier_all();
    ARMCI_Finalize();
    shmem_finalize();
    return 0;
}
