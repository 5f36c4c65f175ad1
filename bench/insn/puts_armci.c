// SPDX-License-Identifier: BSD-3-Clause
// ARMCI's put, for checked_puts.c.
#include <armci.h>

#include "puts.h"

static void *blocks[PUTS_BLOCKS][2];
PUTS_CALL(ARMCI_Put, puts_source[n], blocks[n][1], PUTS_NBYTES, 1)

static int join(volatile unsigned char **mine_p)
{
    ARMCI_Init();
    int me = armci_msg_me();
    for (int n = 0; n < PUTS_BLOCKS; n++)
        ARMCI_Malloc(blocks[n], PUTS_NBYTES);
    *mine_p = blocks[0][me];
    return me;
}

static void leave(void)
{
    ARMCI_Finalize();
}

const struct puts_interface puts_interface = {"armci",        join,          counted, put,
                                              ARMCI_AllFence, ARMCI_Barrier, leave,   false};
