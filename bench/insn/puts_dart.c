// SPDX-License-Identifier: BSD-3-Clause
// DART's put, for checked_puts.c.
#include <dash/dart/if/dart.h>

#include "puts.h"

static dart_gptr_t there[PUTS_BLOCKS];
PUTS_CALL(dart_put_blocking, there[n], puts_source[n], PUTS_NBYTES, DART_TYPE_BYTE, DART_TYPE_BYTE)

static int join(volatile unsigned char **mine_p)
{
    dart_global_unit_t unit;
    void *mine;
    dart_init(NULL, NULL);
    dart_myid(&unit);
    for (int n = 0; n < PUTS_BLOCKS; n++)
        dart_team_memalloc_aligned(DART_TEAM_ALL, PUTS_NBYTES, DART_TYPE_BYTE, &there[n]);
    there[0].unitid = unit.id;
    dart_gptr_getaddr(there[0], &mine);
    for (int n = 0; n < PUTS_BLOCKS; n++)
        there[n].unitid = 1;
    *mine_p = mine;
    return unit.id;
}

static void complete(void)
{
}

static void barrier(void)
{
    dart_barrier(DART_TEAM_ALL);
}

static void leave(void)
{
    dart_exit();
}

const struct puts_interface puts_interface = {"dart",   join,    counted, put,
                                              complete, barrier, leave,   false};
