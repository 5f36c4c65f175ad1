// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers go on by themselves: the origin of non-blocking puts computes, the target looks at its
// own memory, and neither makes a call until the data is there. Each unit puts to the next one.
#include <dash/dart/if/dart.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/check.h"

enum { MOST = 1 << 20, REPEATS = 5, LIMIT_S = 40 };  // one that needs a call never comes

static _Atomic unsigned char *own;
static uint64_t sum;  // what a unit computes meanwhile

/** Computes until the last byte is there; false: it does not come. */
static bool comes(size_t nbytes, unsigned char value)
{
    const time_t end = time(NULL) + LIMIT_S;
    for (uint64_t i = 0; time(NULL) < end; i++) {
        for (int k = 0; k < 4096; k++)
            sum = sum * 6364136223846793005u + i;
        if (atomic_load_explicit(&own[nbytes - 1], memory_order_acquire) == value)
            return true;
    }
    return false;
}

static bool all_are(size_t nbytes, unsigned char value)
{
    for (size_t i = 0; i < nbytes; i++)
        if (own[i] != value)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static unsigned char from[MOST];
    dart_global_unit_t me;
    dart_gptr_t base, mine;
    size_t size;
    void *p;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&size);
    check_as("unit", me.id, (int)size);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, MOST, DART_TYPE_BYTE, &base) == DART_OK);
    mine = base;
    dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(me.id));
    REQUIRE(dart_gptr_getaddr(mine, &p) == DART_OK);
    own = p;
    memset(p, 0, MOST);
    dart_gptr_setunit(&base, DART_TEAM_UNIT_ID((me.id + 1) % (int)size));
    unsigned char value = 0;
    for (size_t nbytes = 8; nbytes <= MOST; nbytes *= 32) {
        for (int i = 0; i < REPEATS; i++) {
            dart_handle_t handle;
            memset(from, ++value, nbytes);
            dart_barrier(DART_TEAM_ALL);
            CHECK(dart_put_handle(base, from, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle) ==
                  DART_OK);
            CHECK(comes(nbytes, value), "put %d of %zu bytes needs a call to come", i, nbytes);
            CHECK(dart_wait(&handle) == DART_OK);
            dart_barrier(DART_TEAM_ALL);
            CHECK(all_are(nbytes, value), "put %d of %zu bytes", i, nbytes);
        }
    }
    CHECK(sum != 1);
    dart_gptr_setunit(&base, DART_TEAM_UNIT_ID(0));
    dart_team_memfree(base);
    dart_exit();
    return check_result();
}
