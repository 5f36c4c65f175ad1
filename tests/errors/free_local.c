// SPDX-License-Identifier: BSD-3-Clause
//
// A routine frees what the program gives it, which malloc has not given.
#include <armci.h>

static char *volatile within;

int main(void)
{
    ARMCI_Init();
    within = ARMCI_Malloc_local(1000);
    ARMCI_Free_local(within + 8);
    ARMCI_Finalize();
    return 0;
}
