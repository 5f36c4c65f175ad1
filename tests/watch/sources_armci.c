// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of puts that change before their wait or a fence; with an argument behind it.
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>

static double words[4][8];

static void change(void *what)
{
    *(char *)what ^= 1;
}

int main(int argc, char **argv)
{
    armci_hdl_t hdl;
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    int npes = armci_msg_nproc(), me = armci_msg_me(), next = (me + 1) % npes, right = argc > 1;
    void **blocks = calloc((size_t)npes, sizeof *blocks);
    if (!blocks || ARMCI_Malloc(blocks, sizeof words[0]))
        return 1;
    for (int turn = 0; me == 0 && turn < 3; turn++) {
        ARMCI_INIT_HANDLE(&hdl);
        ARMCI_NbPut(words[0], blocks[next], sizeof words[0], next, &hdl);  // line A
        if (!right)
            change(words[0]);
        ARMCI_Wait(&hdl);
        change(words[0]);
        ARMCI_NbPut(words[1], blocks[next], 8, next, NULL);  // line B
        if (!right)
            change(words[1]);
        ARMCI_WaitAll();
        change(words[1]);
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
        ARMCI_NbPut(words[2], blocks[next], 32, next, &hdl);  // line C
        if (!right)
            change(words[2]);
        ARMCI_AllFence();
        change(words[2]);
        ARMCI_Wait(&hdl);
        ARMCI_Put(words[3], blocks[next], 32, next);
        change(words[3]);
    }
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    printf("sources_armci done\n");
    ARMCI_Finalize();
    armci_msg_finalize();
    return 0;
}
