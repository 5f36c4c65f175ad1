// SPDX-License-Identifier: BSD-3-Clause
//
// Sources of puts that change before their wait or a fence, a handle that is in use, puts without a
// fence; with an argument after it, and none.
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
    for (int turn = 0; me == 0 && turn < 3; turn++) {
        ARMCI_INIT_HANDLE(&hdl);
        ARMCI_NbGet(blocks[next], words[0], sizeof words[0], next, &hdl);  // line D
        if (right)
            ARMCI_Wait(&hdl);
        ARMCI_NbGet(blocks[next], words[1], sizeof words[1], next, &hdl);
        ARMCI_Wait(&hdl);
        ARMCI_SET_AGGREGATE_HANDLE(&hdl);
        for (int i = 0; i < 3; i++)
            ARMCI_NbGet(blocks[next], words[i], sizeof words[i], next, &hdl);
        ARMCI_Wait(&hdl);
    }
    ARMCI_Create_mutexes(1);
    for (int turn = 0; turn < 6; turn++) {
        if (right && turn == 3)
            ARMCI_Lock(0, 0);
        if (me == 0)
            ARMCI_Put(words[3], blocks[next], 32, next);  // line E
        if (right && turn == 0)
            ARMCI_AllFence();
        else if (right && turn == 1)
            ARMCI_Fence(next);
        else if (right && turn == 2)
            ARMCI_Barrier();
        else if (right && turn == 3)
            ARMCI_Unlock(0, 0);
        else if (right && turn == 4)
            ARMCI_GroupFence(NULL);
        else if (right && me == 0)
            armci_notify(next);
        else if (right && me == 1)
            armci_notify_wait(0, &(int){0});
        armci_msg_barrier();
    }
    ARMCI_Destroy_mutexes();
    ARMCI_Barrier();
    armci_msg_barrier();
    ARMCI_Free(blocks[me]);
    printf("sources_armci done\n");
    ARMCI_Finalize();
    armci_msg_finalize();
    return 0;
}
