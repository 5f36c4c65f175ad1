// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI_Init twice, ARMCI_Finalize once: the job ends with a line that names what is missing.
#include <armci.h>
#include <message.h>

int main(int argc, char **argv)
{
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    ARMCI_Init();
    ARMCI_Finalize();
    armci_msg_finalize();
    return 0;
}
