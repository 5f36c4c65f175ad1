// SPDX-License-Identifier: BSD-3-Clause
//
// Pointers to the unit after the last one, as programs for DART-MPI have them at the end of a
// range, with CAUSEWAY_DART_UNIT_AFTER_LAST=ignored: every call that takes a pointer does nothing,
// and says that all is well. Other units that do not exist are refused.
#include <dash/dart/if/dart.h>

#include "frame/check.h"
#include "refusals.h"

static int here = 77, other = 5, result = 78;

/** What each call returns. */
static void use(dart_gptr_t gptr, dart_ret_t code)
{
    const dart_datatype_t type = DART_TYPE_INT;
    dart_handle_t handle = (dart_handle_t)&here;
    CHECK(dart_put(gptr, &other, 1, type, type) == code);
    CHECK(dart_put_blocking(gptr, &other, 1, type, type) == code);
    CHECK(dart_put_handle(gptr, &other, 1, type, type, &handle) == code);
    CHECK(handle == DART_HANDLE_NULL);
    CHECK(dart_get(&here, gptr, 1, type, type) == code);
    CHECK(dart_get_blocking(&here, gptr, 1, type, type) == code);
    handle = (dart_handle_t)&here;
    CHECK(dart_get_handle(&here, gptr, 1, type, type, &handle) == code);
    CHECK(handle == DART_HANDLE_NULL);
    CHECK(dart_get_blocking(&here, gptr, 0, type, type) == code);
    CHECK(dart_accumulate(gptr, &other, 1, type, DART_OP_SUM) == code);
    CHECK(dart_fetch_and_op(gptr, &other, &result, type, DART_OP_SUM) == code);
    CHECK(dart_compare_and_swap(gptr, &other, &here, &result, type) == code);
    CHECK(dart_flush(gptr) == code && dart_flush_local(gptr) == code);
    CHECK(dart_flush_all(gptr) == DART_OK && dart_flush_local_all(gptr) == DART_OK);
    CHECK(here == 77 && result == 78);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    size_t size;
    dart_global_unit_t me;
    dart_size(&size);
    dart_myid(&me);
    check_as("unit", me.id, (int)size);
    dart_gptr_t allocated, registered;
    int *mine, private = 3;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, DART_TYPE_INT, &allocated) == DART_OK);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_INT, &private, &registered) ==
            DART_OK);
    allocated.unitid = me.id;
    dart_gptr_getaddr(allocated, (void **)&mine);
    *mine = 3;
    dart_barrier(DART_TEAM_ALL);
    for (int beyond = 0; beyond < 2; beyond++) {
        allocated.unitid = registered.unitid = (int)size + beyond;
        use(allocated, beyond ? DART_ERR_INVAL : DART_OK);
        use(registered, beyond ? DART_ERR_INVAL : DART_OK);
    }
    dart_barrier(DART_TEAM_ALL);
    CHECK(*mine == 3 && private == 3, "%d %d", *mine, private);
    CHECK(dart_team_memderegister(registered) == DART_OK);
    CHECK(dart_team_memfree(allocated) == DART_OK);
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
