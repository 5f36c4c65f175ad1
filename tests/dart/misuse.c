// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use, one after the other: each gives a code and a line (misuse.py). Argument "quiet": and
// none, as the program says.
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include "frame/check.h"

static void often_from_one_place(void)
{
    for (int i = 0; i < 5; i++)
        CHECK(dart_team_size(8, NULL) == DART_ERR_INVAL);
}

int main(int argc, char **argv)
{
    (void)argv;
    dart_config_t *config;
    dart_config(&config);
    CHECK(config->log_enabled == 1);
    config->log_enabled = argc == 1;
    dart_gptr_t gptr, beyond;
    dart_handle_t handle = (dart_handle_t)&gptr;
    dart_datatype_t type;
    dart_lock_t lock;
    uint64_t zeros[64] = {0};
    size_t size;
    int value = 0;
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_ERR_NOTINIT);
    REQUIRE(dart_init(NULL, NULL) == DART_OK && dart_init(NULL, NULL) == DART_ERR_OTHER);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, DART_TYPE_INT, &gptr) == DART_OK);
    REQUIRE(dart_type_create_strided(DART_TYPE_INT, 3, 2, &type) == DART_OK);
    REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &lock) == DART_OK);
    beyond = gptr;
    dart_gptr_incaddr(&beyond, 16);
#define PUT(to, from_type, to_type) dart_put_blocking(to, &value, 1, from_type, to_type)
    CHECK(PUT(beyond, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(DART_GPTR_NULL, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(gptr, DART_TYPE_INT, DART_TYPE_FLOAT) == DART_ERR_INVAL);
    CHECK(PUT(gptr, DART_TYPE_INT, type) == DART_ERR_INVAL);
    CHECK(dart_put(gptr, NULL, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_put(gptr, &value, SIZE_MAX / 2, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_flush(DART_GPTR_NULL) == DART_ERR_INVAL);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(1));
    CHECK(PUT(gptr, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_flush(gptr) == DART_ERR_INVAL);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(2));
    CHECK(dart_get(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(0));
    CHECK(dart_accumulate(gptr, &value, 1, DART_TYPE_INT, DART_OP_MINMAX) == DART_ERR_INVAL);
    dart_gptr_t odd = gptr;
    dart_gptr_incaddr(&odd, 2);
    CHECK(dart_accumulate(odd, &value, 1, DART_TYPE_INT, DART_OP_SUM) == DART_ERR_INVAL);
    CHECK(dart_wait(&handle) == DART_ERR_INVAL);
    CHECK(dart_team_size(9, &size) == DART_ERR_INVAL);
    CHECK(dart_team_size(DART_TEAM_ALL, NULL) == DART_ERR_INVAL);
    CHECK(dart_bcast(&value, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(3), DART_TEAM_ALL) ==
          DART_ERR_INVAL);
    CHECK(dart_lock_release(lock) == DART_ERR_INVAL);
    CHECK(dart_lock_acquire(lock) == DART_OK && dart_lock_acquire(lock) == DART_ERR_INVAL);
    CHECK(dart_lock_release(lock) == DART_OK);
    dart_lock_t none = (dart_lock_t)(void *)zeros;
    CHECK(dart_lock_acquire(none) == DART_ERR_INVAL && !dart_lock_initialized(none));
    CHECK(dart_team_lock_destroy(&none) == DART_ERR_INVAL);
    CHECK(dart_team_memfree(gptr) == DART_OK);
    CHECK(PUT(gptr, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    // registered memory
    CHECK(dart_team_memregister(DART_TEAM_ALL, 4, DART_TYPE_INT, NULL, &gptr) == DART_ERR_INVAL);
    CHECK(dart_team_memregister(7, 1, DART_TYPE_INT, &value, &gptr) == DART_ERR_INVAL);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_INT, &value, &gptr) == DART_OK);
    beyond = gptr;
    dart_gptr_incaddr(&beyond, 1);
    CHECK(PUT(beyond, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_team_memfree(gptr) == DART_ERR_INVAL);
    CHECK(dart_team_memderegister(gptr) == DART_OK);
    CHECK(PUT(gptr, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_team_memderegister(gptr) == DART_ERR_INVAL);
    // localities
    dart_domain_locality_t *top, *part;
    dart_unit_locality_t *unit;
    REQUIRE(dart_domain_team_locality(DART_TEAM_ALL, ".", &top) == DART_OK);
    CHECK(dart_domain_find(top, ".5", &part) == DART_ERR_NOTFOUND);
    CHECK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(1), &unit) == DART_ERR_INVAL);
    CHECK(dart_domain_clone(NULL, &part) == DART_ERR_INVAL);
    often_from_one_place();
    CHECK(dart_memalloc((size_t)1 << 50, DART_TYPE_BYTE, &gptr) == DART_ERR_NOMEM);
    CHECK(dart_exit() == DART_OK && dart_exit() == DART_ERR_NOTINIT);
    return check_result();
}
