// SPDX-License-Identifier: BSD-3-Clause
//
// A job of ARMCI that leaves its block, a mutex that it holds, and two of three handles, behind a
// fence and a barrier, and waits for the third; with an argument it waits for these, too, unlocks
// the mutex and frees the block.
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>

static double words[8];
static void **blocks;

int main(int argc, char **argv)
{
    armci_hdl_t put, got, sum;
    int npes, me;
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    npes = armci_msg_nproc();
    me = armci_msg_me();
    blocks = calloc((size_t)npes, sizeof *blocks);
    if (!blocks || ARMCI_Malloc(blocks, sizeof words))
        return 1;
    ARMCI_INIT_HANDLE(&put);
    ARMCI_INIT_HANDLE(&got);
    ARMCI_INIT_HANDLE(&sum);
    int next = (me + 1) % npes;
    double one = 1;
    ARMCI_NbPut(words, blocks[next], sizeof words, next, &put);
    ARMCI_NbGet(blocks[next], words, sizeof words, next, &got);
    ARMCI_NbAcc(ARMCI_ACC_DBL, &one, words, blocks[next], sizeof words, next, &sum);
    ARMCI_Wait(&got);
    ARMCI_Create_mutexes(1);
    if (me == 0)
        ARMCI_Lock(0, npes - 1);
    if (argc > 1) {
        if (me == 0)
            ARMCI_Unlock(0, npes - 1);
        ARMCI_Wait(&sum);
        ARMCI_Wait(&put);
    }
    ARMCI_Fence(next);
    ARMCI_AllFence();
    ARMCI_Barrier();
    if (argc > 1) {
        ARMCI_Free(blocks[me]);
    }
    armci_msg_barrier();
    printf("left_armci done\n");
    ARMCI_Finalize();
    armci_msg_finalize();
    return 0;
}
