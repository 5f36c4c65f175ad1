// SPDX-License-Identifier: BSD-3-Clause
// A program at a fixed address exports nothing, so its table of hashed symbols is empty. That it
// calls ARMCI is found nevertheless before OpenSHMEM joins, and there is room for ARMCI's memory.
#include <armci.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    shmem_init();
    if (ARMCI_Init()) {
        printf("FAIL: ARMCI_Init\n");
        return EXIT_FAILURE;
    }
    void *memory[4];
    const int npes = shmem_n_pes(), before = (shmem_my_pe() + npes - 1) % npes;
    int wrong = ARMCI_Malloc(memory, sizeof(int)) != 0;
    int mine = shmem_my_pe(), got = -1;
    wrong += ARMCI_Put(&mine, memory[mine], sizeof mine, mine) != 0;
    ARMCI_Barrier();
    wrong += ARMCI_Get(memory[before], &got, sizeof got, before) != 0 || got != before;
    ARMCI_Free(memory[mine]);
    ARMCI_Finalize();
    shmem_finalize();
    if (wrong)
        printf("FAIL: %d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
