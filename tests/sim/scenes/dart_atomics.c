// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics of DART on elements of 1 to 8 bytes, of all operations, by units of the element's node
// and of another one at once, and updates that the program defines: sums are exact, each unit's bit
// changes when it says so, and each value that is swapped in comes out once.
#include <dash/dart/if/dart.h>
#include <stdbool.h>

#include "sim.h"

enum { UNITS = 3, ROUNDS = 1, SIZES = 4 };
enum { SUM, OR, XOR, AND, LARGEST, SWAPPED, COUNTED, MADE, CELLS };
static const dart_datatype_t types[SIZES] = {DART_TYPE_BYTE, DART_TYPE_SHORT, DART_TYPE_INT,
                                             DART_TYPE_LONG};
static dart_gptr_t cells[SIZES];
static dart_operation_t made;
static int me;
static long taken[SIZES];  // out of the cell that is swapped

static dart_gptr_t at(int size, int cell)
{
    dart_gptr_t p = cells[size];
    p.unitid = size % UNITS;
    p.addr_or_offs.offset = (uint64_t)cell << size;
    return p;
}

static void add(const void *in, void *inout, size_t n, void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        ((long *)inout)[i] += ((const long *)in)[i];
}

static long fetch(int size, int cell, long value, dart_operation_t op)
{
    long old = 0;
    SIM_CHECK(dart_fetch_and_op(at(size, cell), &value, &old, types[size], op) == DART_OK,
              "operation %d is refused for %d bytes", (int)op, 1 << size);
    return old;
}

static void change(int size, int cell, long value, dart_operation_t op)
{
    bool local = sim_draw(2);
    dart_ret_t rc = (local ? dart_accumulate_blocking_local
                           : dart_accumulate)(at(size, cell), &value, 1, types[size], op);
    SIM_CHECK(rc == DART_OK, "operation %d is refused for %d bytes", (int)op, 1 << size);
    if (!local)
        dart_flush(at(size, cell));
}

/** A bit of this unit, which no other unit changes. */
static void change_bit(int size, int cell, dart_operation_t op, int was)
{
    long bit = 1L << me, value = op == DART_OP_BAND ? ~bit : bit;
    if (sim_draw(2)) {
        long old = fetch(size, cell, value, op);
        SIM_CHECK(!!(old & bit) == was, "the bit of unit %d is %d before operation %d", me, !was,
                  (int)op);
    } else {
        change(size, cell, value, op);
    }
    dart_flush(at(size, cell));
    long now = fetch(size, cell, 0, DART_OP_NO_OP);
    SIM_CHECK(!!(now & bit) == !was, "the bit of unit %d is %d behind operation %d", me, was,
              (int)op);
}

/** One more, by compare-and-swap. */
static void count(int size)
{
    for (long seen = fetch(size, COUNTED, 0, DART_OP_NO_OP);;) {
        long next = seen + 1, old = 0;
        dart_compare_and_swap(at(size, COUNTED), &next, &seen, &old, types[size]);
        if (old == seen)
            return;
        seen = old;
    }
}

static void step(int size, long round)
{
    change(size, SUM, 1, DART_OP_SUM);
    change_bit(size, OR, DART_OP_BOR, 0);
    change_bit(size, OR, DART_OP_BXOR, 1);  // down again
    change_bit(size, XOR, DART_OP_BXOR, (round + 1) % 2);
    change_bit(size, AND, DART_OP_BOR, 0);
    change_bit(size, AND, DART_OP_BAND, 1);
    change(size, LARGEST, 5 * round + me, DART_OP_MAX);
    taken[size] += fetch(size, SWAPPED, 10 * round + me, DART_OP_REPLACE);
    count(size);
    if (types[size] == DART_TYPE_LONG)
        change(size, MADE, round, made);
}

static void check(int size, int cell, long expected)
{
    long now = fetch(size, cell, 0, DART_OP_NO_OP);
    SIM_CHECK(now == expected, "cell %d of %d bytes ends with %ld, not %ld", cell, 1 << size, now,
              expected);
}

static void check_all(int size)
{
    const long sums = UNITS * ROUNDS * (ROUNDS + 1) / 2;
    check(size, SUM, UNITS * ROUNDS);
    check(size, OR, 0);
    check(size, XOR, ROUNDS % 2 ? (1 << UNITS) - 1 : 0);
    check(size, AND, 0);
    check(size, LARGEST, 5 * ROUNDS + UNITS - 1);
    check(size, COUNTED, UNITS * ROUNDS);
    if (types[size] == DART_TYPE_LONG)
        check(size, MADE, sums);
    long all = 0, last = fetch(size, SWAPPED, 0, DART_OP_NO_OP);
    dart_allreduce(&taken[size], &all, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);
    SIM_CHECK(all + last == 10 * sums + ROUNDS * UNITS * (UNITS - 1) / 2,
              "of %d bytes, %ld were taken out and %ld are left", 1 << size, all, last);
}

static void run(void)
{
    static const long zero[CELLS];
    dart_global_unit_t unit;
    dart_init(NULL, NULL);
    dart_myid(&unit);
    me = unit.id;
    dart_op_create(add, NULL, true, DART_TYPE_LONG, false, &made);
    for (int size = 0; size < SIZES; size++) {
        dart_team_memalloc_aligned(DART_TEAM_ALL, CELLS, types[size], &cells[size]);
        if (me == size % UNITS)
            dart_put_blocking(at(size, 0), zero, CELLS, types[size], types[size]);
    }
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++)
        for (int size = 0; size < SIZES; size++)
            step((int)(size + me) % SIZES, round);
    dart_flush_all(at(0, 0));
    dart_barrier(DART_TEAM_ALL);
    for (int size = 0; size < SIZES; size++)
        check_all(size);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_op_destroy(&made);
    dart_exit();
}

const sim_scene_t sim_scene = {
    .name = "dart_atomics", .npes = UNITS, .nnodes = 2, .run = run, .most_steps = 64000000};
