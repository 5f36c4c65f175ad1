// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM's put, for checked_puts.c.
#include <shmem.h>

#include "puts.h"

static void *there[PUTS_BLOCKS];
PUTS_CALL(shmem_putmem, there[n], puts_source[n], PUTS_NBYTES, 1)

static int join(volatile unsigned char **mine_p)
{
    shmem_init();
    for (int n = 0; n < PUTS_BLOCKS; n++)
        there[n] = shmem_malloc(PUTS_NBYTES);
    *mine_p = there[0];
    return shmem_my_pe();
}

static void leave(void)
{
    for (int n = 0; n < PUTS_BLOCKS; n++)
        shmem_free(there[n]);
    shmem_finalize();
}

const struct puts_interface puts_interface = {"shmem",           join,  counted, put, shmem_quiet,
                                              shmem_barrier_all, leave, false};
