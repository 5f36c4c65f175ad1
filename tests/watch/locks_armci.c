// SPDX-License-Identifier: BSD-3-Clause
//
// Processes 0 and 1 each take a mutex, and then wait for the other's; process 2 computes.
#include <armci.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    int me = armci_msg_me();
    ARMCI_Create_mutexes(1);
    if (me < 2)
        ARMCI_Lock(0, me);
    ARMCI_Barrier();
    if (me < 2)
        ARMCI_Lock(0, 1 - me);  // never given
    sleep(30);
    printf("FAIL: the job went on\n");
    return 0;
}
