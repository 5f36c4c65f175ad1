// SPDX-License-Identifier: BSD-3-Clause
//
// Messages: every size around the limits of the ways they travel, tags out of order, to the unit
// itself, rings in which all send and receive at a time; what is not received is dropped.
#include <dash/dart/if/dart.h>

#include "frame/check.h"
#include "refusals.h"

static dart_global_unit_t me;
static int size;

static int value_of(int unit, size_t i)
{
    return (int)((size_t)unit * 1000003 + i * 7);
}

static int *values(int unit, size_t n)
{
    int *made = malloc(n * sizeof *made + 1);
    for (size_t i = 0; i < n; i++)
        made[i] = value_of(unit, i);
    return made;
}

static size_t wrong(const int *got, int unit, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += got[i] != value_of(unit, i);
    return bad;
}

/** Around, all at a time: a send that waited for its receive would wait for ever. */
static void ring(size_t n)
{
    int *mine = values(me.id, n), *got = calloc(n + 1, sizeof *got);
    const int right = (me.id + 1) % size, left = (me.id + size - 1) % size;
    CHECK(dart_sendrecv(mine, n, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(right), got, n,
                        DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(left)) == DART_OK);
    CHECK(wrong(got, left, n) == 0, "ring of %zu", n);
    free(mine);
    free(got);
}

/** From unit 0 to all, in pairs; the receiver wants the second tag first if the first can wait. */
static void pairs(size_t n)
{
    int *mine = values(me.id, n), *got = calloc(n + 1, sizeof *got);
    const int turned = n <= 100;
    for (int unit = 0; unit < size && me.id == 0; unit++) {
        if (unit == 0 && !turned)
            continue;
        CHECK(dart_send(mine, n, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(unit)) == DART_OK);
        CHECK(dart_send(&unit, 1, DART_TYPE_INT, 2, DART_GLOBAL_UNIT_ID(unit)) == DART_OK);
    }
    if (me.id > 0 || turned) {
        int number = -1;
        if (turned)
            CHECK(dart_recv(&number, 1, DART_TYPE_INT, 2, DART_GLOBAL_UNIT_ID(0)) == DART_OK);
        CHECK(dart_recv(got, n, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(0)) == DART_OK);
        if (!turned)
            CHECK(dart_recv(&number, 1, DART_TYPE_INT, 2, DART_GLOBAL_UNIT_ID(0)) == DART_OK);
        CHECK(number == me.id && wrong(got, 0, n) == 0, "message of %zu", n);
    }
    free(mine);
    free(got);
}

static void refused(void)
{
    int value = 0;
    CHECK(dart_send(&value, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(size)) == DART_ERR_INVAL);
    CHECK(dart_send(NULL, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(0)) == DART_ERR_INVAL);
    CHECK(dart_recv(&value, 1, DART_TYPE_UNDEFINED, 0, DART_GLOBAL_UNIT_ID(0)) == DART_ERR_INVAL);
    CHECK(dart_recv(&value, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(-1)) == DART_ERR_INVAL);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    const size_t sizes[] = {0, 1, 100, 1000, 5000, 100000, 1000000};
    for (int time = 0; time < 3; time++) {
        size_t units;
        REQUIRE(dart_init(&argc, &argv) == DART_OK);
        dart_myid(&me);
        dart_size(&units);
        size = (int)units;
        check_as("unit", me.id, size);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            ring(sizes[i]);
            pairs(sizes[i]);
        }
        for (int i = 0; i < 200; i++)
            ring((size_t)i * 37);
        refused();
        // for the next time, which must not see it
        CHECK(dart_send(&time, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(me.id)) == DART_OK);
        CHECK(dart_exit() == DART_OK);
    }
    return check_result();
}
