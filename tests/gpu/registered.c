// SPDX-License-Identifier: BSD-3-Clause
//
// DART: device memory that a team registers: another size and place on each unit, and host memory
// on one of three and more; puts and gets in all ways of completion from and to memory of either
// kind, types with gaps, and atomics. Every byte is checked.
#include <dash/dart/if/dart.h>
#include <stdlib.h>

#include "gpu/client.h"

enum { MOST = 900000 };
static const size_t lengths[] = {1, 8, 100, 4000, 20000, 700000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static dart_global_unit_t me;
static size_t size;
static int device;   // of this unit; -1: its part is memory of the host
static char *block;  // its part begins `shift` bytes in
static char *host, *seen, *near;

static size_t nbytes_of(int unit)
{
    return MOST + (size_t)unit * 1000;
}

static dart_gptr_t at(dart_gptr_t gptr, int unit, size_t offset)
{
    gptr.unitid = unit;
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

static void look(const char *what, int where, const void *p, size_t nbytes, int seed)
{
    read_here(where, seen, p, nbytes);
    size_t wrong = first_wrong(seen, nbytes, seed);
    CHECK(wrong == nbytes, "%s, %zu bytes: wrong at %zu", what, nbytes, wrong);
}

static void put(dart_gptr_t to, const void *src, size_t nbytes, int how)
{
    dart_handle_t handle;
    if (how == 0) {
        CHECK(dart_put_blocking(to, src, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    } else if (how == 1) {
        CHECK(dart_put(to, src, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK &&
              dart_flush(to) == DART_OK);
    } else {
        CHECK(dart_put_handle(to, src, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle) ==
                  DART_OK &&
              dart_wait(&handle) == DART_OK);
    }
}

static void get(void *dest, dart_gptr_t from, size_t nbytes, int how)
{
    dart_handle_t handle;
    if (how == 0) {
        CHECK(dart_get_blocking(dest, from, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    } else if (how == 1) {
        CHECK(dart_get(dest, from, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK &&
              dart_flush(from) == DART_OK);
    } else {
        CHECK(dart_get_handle(dest, from, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle) ==
                  DART_OK &&
              dart_wait(&handle) == DART_OK);
    }
}

static int is_on_device(int unit)
{
    return size < 3 || unit != (int)size - 1;
}

static void transfers(dart_gptr_t gptr, char *mine, int to, int from, int step)
{
    char *on_device = is_on_device(to) ? near : NULL;  // a local side that only devices reach
    for (int i = 0; i < LENGTHS; i++, step++) {
        const size_t nbytes = lengths[i];
        fill_pattern(host, nbytes, me.id * 1000 + step);
        if (on_device)
            write_here(0, on_device, host, nbytes);
        dart_barrier(DART_TEAM_ALL);
        put(at(gptr, to, 77), on_device && step % 2 ? on_device : host, nbytes, step % 3);
        dart_barrier(DART_TEAM_ALL);
        look("put", device, mine + 77, nbytes, from * 1000 + step);
        memset(host, 0, nbytes);
        get(host, at(gptr, to, 77), nbytes, step % 3);
        look("get", -1, host, nbytes, me.id * 1000 + step);
        if (on_device) {
            write_here(0, on_device, seen, 1);
            get(on_device, at(gptr, to, 77), nbytes, (step + 1) % 3);
            look("get to a device", 0, on_device, nbytes, me.id * 1000 + step);
        }
        dart_barrier(DART_TEAM_ALL);
    }
    CHECK(dart_put_blocking(at(gptr, to, nbytes_of(to) - 3), host, 4, DART_TYPE_BYTE,
                            DART_TYPE_BYTE) == DART_ERR_INVAL);
}

/** Every third int of the neighbour's part. */
static void gaps(dart_gptr_t gptr, int *mine, int to)
{
    dart_datatype_t third;
    int *values = (int *)(void *)host, *there = (int *)(void *)seen;
    for (int i = 0; i < 60; i++)
        values[i] = -1;
    write_here(device, mine, values, 240);
    dart_barrier(DART_TEAM_ALL);
    REQUIRE(dart_type_create_strided(DART_TYPE_INT, 3, 1, &third) == DART_OK);
    for (int i = 0; i < 20; i++)
        values[i] = me.id * 100 + i;
    CHECK(dart_put_blocking(at(gptr, to, 0), values, 20, DART_TYPE_INT, third) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    read_here(device, there, mine, 240);
    for (int i = 0; i < 60; i++)
        CHECK(there[i] == (i % 3 ? -1 : (me.id + (int)size - 1) % (int)size * 100 + i / 3));
    memset(values, 0, 80);
    CHECK(dart_get_blocking(values, at(gptr, to, 0), 20, third, DART_TYPE_INT) == DART_OK);
    for (int i = 0; i < 20; i++)
        CHECK(values[i] == me.id * 100 + i);
    dart_type_destroy(&third);
    dart_barrier(DART_TEAM_ALL);
}

/** All units add to unit 0's words. */
static void atomics(dart_gptr_t gptr, char *mine)
{
    long words[3] = {0, 0, 0}, one = 1, old;
    int won = 0;
    if (me.id == 0)
        write_here(device, mine, words, sizeof words);
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0; i < 20; i++) {
        int from = i, to = i + 1, was;
        CHECK(dart_fetch_and_op(at(gptr, 0, 0), &one, &old, DART_TYPE_LONG, DART_OP_SUM) ==
                  DART_OK &&
              old >= i);
        CHECK(dart_accumulate(at(gptr, 0, 8), &one, 1, DART_TYPE_LONG, DART_OP_SUM) == DART_OK);
        CHECK(dart_compare_and_swap(at(gptr, 0, 16), &to, &from, &was, DART_TYPE_INT) == DART_OK);
        won += was == from;
    }
    CHECK(dart_flush_all(gptr) == DART_OK && dart_barrier(DART_TEAM_ALL) == DART_OK);
    int all = 0;
    CHECK(dart_allreduce(&won, &all, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL) == DART_OK);
    if (me.id == 0) {
        read_here(device, words, mine, sizeof words);
        CHECK(words[0] == 20 * (long)size && words[1] == words[0] && (int)words[2] == all,
              "%ld, %ld, %ld", words[0], words[1], words[2]);
    }
    dart_barrier(DART_TEAM_ALL);
}

/** Units 1 and 3 alone, on two nodes of two: the servers, of units 0 and 2, are not of their team,
 *  and keep nothing of what these free. */
static void pairs(int devices)
{
    dart_group_t group;
    dart_team_t team;
    dart_gptr_t gptr;
    if (size != 4)
        return;
    dart_group_create(&group);
    dart_group_addmember(group, (dart_global_unit_t){1});
    dart_group_addmember(group, (dart_global_unit_t){3});
    REQUIRE(dart_team_create(DART_TEAM_ALL, group, &team) == DART_OK);
    for (int round = 0; round < 2 && me.id % 2; round++) {
        char *mine = device_alloc(me.id % devices, 1000);
        REQUIRE(dart_team_memregister(team, 1000, DART_TYPE_BYTE, mine, &gptr) == DART_OK);
        fill_pattern(host, 1000, me.id + round);
        CHECK(dart_put_blocking(at(gptr, me.id == 1, 0), host, 1000, DART_TYPE_BYTE,
                                DART_TYPE_BYTE) == DART_OK);
        dart_barrier(team);
        look("pair", me.id % devices, mine, 1000, 4 - me.id + round);
        CHECK(dart_team_memderegister(gptr) == DART_OK);
        dart_barrier(team);
        device_free(me.id % devices, mine);
    }
    dart_group_destroy(&group);
    dart_barrier(DART_TEAM_ALL);
}

int main(int argc, char **argv)
{
    int devices = 0;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    REQUIRE(dart_myid(&me) == DART_OK && dart_size(&size) == DART_OK);
    check_as("unit", me.id, (int)size);
    load_driver();
    REQUIRE(CUDA(cuDeviceGetCount, &devices) == 0);
    host = malloc(MOST);
    seen = malloc(MOST);
    near = device_alloc(0, MOST);
    device = is_on_device(me.id) ? me.id % devices : -1;
    const size_t shift = (size_t)me.id * 512, nbytes = nbytes_of(me.id);
    const int to = (me.id + 1) % (int)size, from = (me.id + (int)size - 1) % (int)size;
    for (int round = 0; round < 2; round++) {
        dart_gptr_t gptr, none;
        block = device < 0 ? malloc(shift + nbytes) : device_alloc(device, shift + nbytes);
        char *mine = block + shift;
        void *own = NULL;
        REQUIRE(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, mine, &gptr) ==
                DART_OK);
        CHECK(dart_gptr_getaddr(at(gptr, me.id, 0), &own) == DART_OK && own == mine);
        transfers(gptr, mine, to, from, round * 100);
        transfers(gptr, mine, me.id, me.id, round * 100 + 50);
        gaps(gptr, (int *)(void *)mine, to);
        atomics(gptr, mine);
        CHECK(dart_team_memderegister(gptr) == DART_OK);
        dart_barrier(DART_TEAM_ALL);  // no unit has it mapped
        if (device >= 0)
            CHECK(dart_team_memregister(DART_TEAM_ALL, (size_t)8 << 20, DART_TYPE_BYTE, mine,
                                        &none) == DART_ERR_INVAL);
        else
            CHECK(dart_team_memregister(DART_TEAM_ALL, 8, DART_TYPE_BYTE, mine, &none) ==
                  DART_ERR_INVAL);
        if (device < 0)
            free(block);
        else
            device_free(device, block);
    }
    pairs(devices);
    device_free(0, near);
    printf("%d failed\n", checks_failed);
    dart_exit();
    return check_result();
}
