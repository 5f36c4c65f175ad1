// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM's put that does not wait, a quiet behind each 16, for checked_puts.c. The sources are
// malloc's, or with -DSTATIC, -DSYMMETRIC or -DMAPPED of that kind.
#include <shmem.h>

#include "puts.h"

// What is counted is less, so that the log of steps has room for it in checking mode.
enum { WINDOW = 16, COUNTED = 8 };

#if defined STATIC
#define NAME "shmem_nbi_static"
static char source[PUTS_BLOCKS][PUTS_NBYTES];
#elif defined SYMMETRIC
#define NAME "shmem_nbi_symmetric"
#elif defined MAPPED
#define NAME "shmem_nbi_mapped"
#else
#define NAME "shmem_nbi"
#endif
static void *there[PUTS_BLOCKS];

static void put(int n)
{
    static unsigned issued;
    shmem_putmem_nbi(there[n], puts_source[n], PUTS_NBYTES, 1);
    if (++issued % WINDOW == 0)
        shmem_quiet();
}

/** From the nth block on. */
static void puts_and_quiet(int n)
{
    for (int i = n; i < n + COUNTED; i++)
        shmem_putmem_nbi(there[i % puts_blocks], puts_source[i % puts_blocks], PUTS_NBYTES, 1);
    shmem_quiet();
}

STEP_CALLER static void counted(int n)
{
    STEP_CALL(puts_and_quiet, n);
}

static int join(volatile unsigned char **mine_p)
{
    shmem_init();
    for (int n = 0; n < PUTS_BLOCKS; n++) {
        there[n] = shmem_malloc(PUTS_NBYTES);
#if defined STATIC
        puts_source[n] = source[n];
#elif defined SYMMETRIC
        puts_source[n] = shmem_calloc(1, PUTS_NBYTES);
#endif
    }
    *mine_p = there[0];
    return shmem_my_pe();
}

static void leave(void)
{
    for (int n = 0; n < PUTS_BLOCKS; n++) {
        shmem_free(there[n]);
#ifdef SYMMETRIC
        shmem_free(puts_source[n]);
#endif
    }
    shmem_finalize();
}

const struct puts_interface puts_interface = {
    NAME, join, counted, put, shmem_quiet, shmem_barrier_all, leave, true};
