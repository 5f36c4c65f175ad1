// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions of elements that are larger than what the library combines at a time, by operations of
// the program.
#include <dash/dart/if/dart.h>

#include "frame/check.h"

static int me, size;

static unsigned char byte_of(int unit, size_t i)
{
    return (unsigned char)((size_t)unit * 89 + i * 7 + i / 251);
}

/** nbytes_p: of an element. */
static void add_bytes(const void *in, void *inout, size_t len, void *nbytes_p)
{
    const size_t n = len * *(const size_t *)nbytes_p;
    const unsigned char *from = in;
    unsigned char *to = inout;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(to[i] + from[i]);
}

static size_t wrong(const unsigned char *sums, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char sum = 0;
        for (int unit = 0; unit < size; unit++)
            sum = (unsigned char)(sum + byte_of(unit, i));
        bad += sums[i] != sum;
    }
    return bad;
}

static void reduce(size_t nbytes, size_t nelems)
{
    const size_t n = nbytes * nelems;
    unsigned char *mine = malloc(n), *sums = calloc(1, n);
    dart_datatype_t type;
    dart_operation_t op;
    REQUIRE(dart_type_create_custom(nbytes, &type) == DART_OK);
    REQUIRE(dart_op_create(add_bytes, &nbytes, true, type, false, &op) == DART_OK);
    for (size_t i = 0; i < n; i++)
        mine[i] = byte_of(me, i);
    CHECK(dart_allreduce(mine, sums, nelems, type, op, DART_TEAM_ALL) == DART_OK);
    CHECK(wrong(sums, n) == 0, "%zu elements of %zu bytes", nelems, nbytes);
    const dart_team_unit_t root = {size - 1};
    CHECK(dart_reduce(mine, mine, nelems, type, op, root, DART_TEAM_ALL) == DART_OK);
    CHECK(me != root.id || wrong(mine, n) == 0, "%zu elements of %zu bytes", nelems, nbytes);
    CHECK(dart_op_destroy(&op) == DART_OK && dart_type_destroy(&type) == DART_OK);
    free(mine);
    free(sums);
}

int main(int argc, char **argv)
{
    dart_global_unit_t unit;
    size_t units;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&unit);
    dart_size(&units);
    me = unit.id;
    size = (int)units;
    check_as("unit", me, size);
    const size_t sizes[] = {4097, 16384, 16385, 70000, 262145, 600000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t n = 1; n < 8; n += 3)
            reduce(sizes[i], n);
    dart_exit();
    return check_result();
}
