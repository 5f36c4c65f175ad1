// SPDX-License-Identifier: BSD-3-Clause
//
// Every collective, of sizes below and above the limits of its paths, on all units and on a team of
// some of them; every operation on every type against plain arithmetic; operations of the program,
// of which one does not commute.
#include <dash/dart/if/dart.h>

#include "frame/check.h"
#include "refusals.h"

static int me, size;  // in the team
static dart_team_t team;

static int value_of(int unit, size_t i)
{
    return (int)((size_t)unit * 1000003 + i * 7 + i / 251);
}

static int *values(int unit, size_t n)
{
    int *made = malloc(n * sizeof *made + 1);
    for (size_t i = 0; i < n; i++)
        made[i] = value_of(unit, i);
    return made;
}

static void movements(size_t n)
{
    const size_t units = (size_t)size;
    int *mine = values(me, n * units), *all = calloc(n * units + 1, sizeof *all);
    const dart_team_unit_t root = DART_TEAM_UNIT_ID((int)(n % units));
    size_t bad = 0;
    if (me == root.id)
        memcpy(all, mine, n * sizeof *mine);
    CHECK(dart_bcast(all, n, DART_TYPE_INT, root, team) == DART_OK);
    for (size_t i = 0; i < n; i++)
        bad += all[i] != value_of(root.id, i);
    CHECK(bad == 0, "bcast of %zu", n);

    CHECK(dart_allgather(mine, all, n, DART_TYPE_INT, team) == DART_OK);
    for (size_t i = 0; i < n * units; i++)
        bad += all[i] != value_of((int)(i / n), i % n);
    CHECK(bad == 0, "allgather of %zu", n);

    memset(all, 0, n * units * sizeof *all);
    CHECK(dart_gather(mine, all, n, DART_TYPE_INT, root, team) == DART_OK);
    for (size_t i = 0; i < n * units; i++)
        bad += all[i] != (me == root.id ? value_of((int)(i / n), i % n) : 0);
    CHECK(bad == 0, "gather of %zu", n);

    CHECK(dart_scatter(mine, all, n, DART_TYPE_INT, root, team) == DART_OK);
    for (size_t i = 0; i < n; i++)
        bad += all[i] != value_of(root.id, (size_t)me * n + i);
    CHECK(bad == 0, "scatter of %zu", n);

    CHECK(dart_alltoall(mine, all, n, DART_TYPE_INT, team) == DART_OK);
    for (size_t i = 0; i < n * units; i++)
        bad += all[i] != value_of((int)(i / n), (size_t)me * n + i % n);
    CHECK(bad == 0, "alltoall of %zu", n);
    free(mine);
    free(all);
}

/** The send buffer is the receive buffer, or none: what a unit gives is in its place there. */
static void in_place(size_t n)
{
    const size_t units = (size_t)size;
    size_t counts[64], places[64], end = 0, bad = 0;
    for (int unit = size - 1; unit >= 0; unit--) {
        counts[unit] = n / (size_t)(unit + 1);
        places[unit] = end;
        end += counts[unit] + 1;
    }
    int *all = calloc((end > n * units ? end : n * units) + 1, sizeof *all), *mine = values(me, n);
    for (int none = 0; none < 2; none++) {
        const void *send = none ? NULL : all;
        memset(all, 0, n * units * sizeof *all);
        memcpy(all + (size_t)me * n, mine, n * sizeof *all);
        CHECK(dart_allgather(send, all, n, DART_TYPE_INT, team) == DART_OK);
        for (size_t i = 0; i < n * units; i++)
            bad += all[i] != value_of((int)(i / n), i % n);
        CHECK(bad == 0, "allgather of %zu in place", n);

        for (size_t i = 0; i < n * units; i++)
            all[i] = value_of(me, i);
        CHECK(dart_alltoall(send, all, n, DART_TYPE_INT, team) == DART_OK);
        for (size_t i = 0; i < n * units; i++)
            bad += all[i] != value_of((int)(i / n), (size_t)me * n + i % n);
        CHECK(bad == 0, "alltoall of %zu in place", n);

        memcpy(all + places[me], mine, counts[me] * sizeof *all);
        CHECK(dart_allgatherv(send, counts[me], DART_TYPE_INT, all, counts, places, team) ==
              DART_OK);
        for (int unit = 0; unit < size; unit++)
            for (size_t i = 0; i < counts[unit]; i++)
                bad += all[places[unit] + i] != value_of(unit, i);
        CHECK(bad == 0, "allgatherv of %zu in place", n);
    }
    free(mine);
    free(all);
}

/** Unit u gives n * u elements, in descending order with gaps. */
static void uneven(size_t n)
{
    size_t counts[64], places[64], end = 0, bad = 0;
    for (int unit = size - 1; unit >= 0; unit--) {
        counts[unit] = n * (size_t)unit;
        places[unit] = end;
        end += counts[unit] + 3;
    }
    int *mine = values(me, counts[me]), *all = calloc(end, sizeof *all);
    CHECK(dart_allgatherv(mine, counts[me], DART_TYPE_INT, all, counts, places, team) == DART_OK);
    for (int unit = 0; unit < size; unit++) {
        for (size_t i = 0; i < counts[unit]; i++)
            bad += all[places[unit] + i] != value_of(unit, i);
        bad += all[places[unit] + counts[unit]] != 0;
    }
    CHECK(bad == 0, "allgatherv of %zu", n);
    free(mine);
    free(all);
}

// ---------------------------------------------------------------- reductions
#define MIN_(a, b) ((a) < (b) ? (a) : (b))
#define MAX_(a, b) ((a) > (b) ? (a) : (b))
/** Element i of unit u is small, so that no product is out of the range of real numbers. */
#define ELEMENT(u, i) (((u) * 5 + (i) * 3) % 4)
#define FOLD(expression)                          \
    for (int u = 1; u < size; u++) {              \
        b = (__typeof__(a))ELEMENT(u, i);         \
        a = (__typeof__(a))(expression);          \
    }
#define REAL_CASES                                \
    case DART_OP_MIN: FOLD(MIN_(a, b)) break;     \
    case DART_OP_MAX: FOLD(MAX_(a, b)) break;     \
    case DART_OP_SUM: FOLD(a + b) break;          \
    case DART_OP_PROD: FOLD(a * b) break;
#define BIT_CASES                                 \
    case DART_OP_BAND: FOLD(a & b) break;         \
    case DART_OP_LAND: FOLD(a && b) break;        \
    case DART_OP_BOR: FOLD(a | b) break;          \
    case DART_OP_LOR: FOLD(a || b) break;         \
    case DART_OP_BXOR: FOLD(a ^ b) break;         \
    case DART_OP_LXOR: FOLD(!a != !b) break;
#define REDUCTIONS(type, number, more)                                                         \
    static void reduce_##number(size_t n)                                                      \
    {                                                                                          \
        type *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);                     \
        for (size_t i = 0; i < n; i++)                                                         \
            in[i] = (type)ELEMENT(me, (int)i);                                                 \
        for (dart_operation_t op = 0; op <= DART_OP_LAST; op++) {                              \
            size_t bad = 0;                                                                    \
            int valid = op != DART_OP_MINMAX || n % 2 == 0;                                    \
            memset(out, 0, n * sizeof *out);                                                   \
            dart_ret_t rc = dart_allreduce(in, out, n, number, op, team);                      \
            for (int i = 0; op != DART_OP_MINMAX && i < (int)n && valid; i++) {                \
                type a = (type)ELEMENT(0, i), b;                                               \
                switch (op) {                                                                  \
                    REAL_CASES more default : valid = 0;                                       \
                }                                                                              \
                bad += valid && out[i] != a;                                                   \
            }                                                                                  \
            CHECK(bad == 0 && (rc == DART_OK) == valid, #number " operation %d: %zu", (int)op, \
                  bad);                                                                        \
        }                                                                                      \
        free(in);                                                                              \
        free(out);                                                                             \
    }
REDUCTIONS(unsigned char, DART_TYPE_BYTE, BIT_CASES)
REDUCTIONS(short, DART_TYPE_SHORT, BIT_CASES)
REDUCTIONS(int, DART_TYPE_INT, BIT_CASES)
REDUCTIONS(unsigned, DART_TYPE_UINT, BIT_CASES)
REDUCTIONS(long, DART_TYPE_LONG, BIT_CASES)
REDUCTIONS(unsigned long, DART_TYPE_ULONG, BIT_CASES)
REDUCTIONS(long long, DART_TYPE_LONGLONG, BIT_CASES)
REDUCTIONS(unsigned long long, DART_TYPE_ULONGLONG, BIT_CASES)
REDUCTIONS(float, DART_TYPE_FLOAT, )
REDUCTIONS(double, DART_TYPE_DOUBLE, )
REDUCTIONS(long double, DART_TYPE_LONG_DOUBLE, )

static void reductions(size_t n)
{
    reduce_DART_TYPE_BYTE(n), reduce_DART_TYPE_SHORT(n), reduce_DART_TYPE_INT(n);
    reduce_DART_TYPE_UINT(n), reduce_DART_TYPE_LONG(n), reduce_DART_TYPE_ULONG(n);
    reduce_DART_TYPE_LONGLONG(n), reduce_DART_TYPE_ULONGLONG(n), reduce_DART_TYPE_FLOAT(n);
    reduce_DART_TYPE_DOUBLE(n), reduce_DART_TYPE_LONG_DOUBLE(n);
}

static void pairs(void)
{
    double in[] = {me, me, -me, -me}, out[4] = {0};
    CHECK(dart_allreduce(in, out, 4, DART_TYPE_DOUBLE, DART_OP_MINMAX, team) == DART_OK);
    CHECK(out[DART_OP_MINMAX_MIN] == 0 && out[DART_OP_MINMAX_MAX] == size - 1);
    CHECK(out[2] == -(size - 1) && out[3] == 0);
    CHECK(dart_allreduce(in, out, 3, DART_TYPE_DOUBLE, DART_OP_MINMAX, team) == DART_ERR_INVAL);
}

/** In place, and to the root alone. */
static void to_root(void)
{
    long value = me + 1, sum = -1;
    CHECK(dart_reduce(&value, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_UNIT_ID(size - 1),
                      team) == DART_OK);
    CHECK(sum == (me == size - 1 ? (long)size * (size + 1) / 2 : -1));
    CHECK(dart_allreduce(&value, &value, 1, DART_TYPE_LONG, DART_OP_SUM, team) == DART_OK);
    CHECK(value == (long)size * (size + 1) / 2);
}

// ---------------------------------------------------------------- operations of the program
enum { LINE = 96 };
typedef struct text {
    char line[LINE];
} text_t;

/** Joins texts: the order shows. */
static void join(const void *in, void *inout, size_t len, void *separator)
{
    for (size_t i = 0; i < len; i++) {
        text_t joined;
        snprintf(joined.line, LINE, "%.40s%s%.40s", ((const text_t *)in)[i].line,
                 (const char *)separator, ((text_t *)inout)[i].line);
        ((text_t *)inout)[i] = joined;
    }
}

static void add_longs(const void *in, void *inout, size_t len, void *calls)
{
    ++*(long *)calls;
    for (size_t i = 0; i < len; i++)
        ((long *)inout)[i] += ((const long *)in)[i];
}

static void user_ops(void)
{
    dart_datatype_t type, large;
    dart_operation_t joins, sums, large_sums;
    text_t mine[3], all[3];
    char expected[LINE] = "";
    long calls = 0, called = 0, in[4000], out[4000], bad = 0;
    REQUIRE(dart_type_create_custom(sizeof(text_t), &type) == DART_OK);
    REQUIRE(dart_op_create(join, (char *)"+", false, type, false, &joins) == DART_OK);
    for (int i = 0; i < 3; i++)
        snprintf(mine[i].line, LINE, "%c", 'a' + me + i);
    for (int unit = 0; unit < size; unit++)
        snprintf(expected + 2 * unit, 4, "%c%s", 'b' + unit, unit < size - 1 ? "+" : "");
    CHECK(dart_allreduce(mine, all, 3, type, joins, team) == DART_OK);
    CHECK_STR(all[1].line, expected);
    REQUIRE(dart_op_create(add_longs, &calls, true, DART_TYPE_LONG, false, &sums) == DART_OK);
    for (size_t n = 1; n <= 4000; n = n * 3 + 1) {
        for (size_t i = 0; i < n; i++)
            in[i] = (long)i * (me + 1);
        CHECK(dart_allreduce(in, out, n, DART_TYPE_LONG, sums, team) == DART_OK);
        for (size_t i = 0; i < n; i++)
            bad += out[i] != (long)i * size * (size + 1) / 2;
    }
    CHECK(bad == 0);
    // which units combine is the library's choice; that some do is not
    CHECK(dart_allreduce(&calls, &called, 1, DART_TYPE_LONG, DART_OP_SUM, team) == DART_OK);
    CHECK(called > 0 || size == 1);
    CHECK(dart_allreduce(in, out, 1, DART_TYPE_INT, sums, team) == DART_ERR_INVAL);
    // an element that is larger than any stage
    const size_t nbytes = (size_t)5 << 20;
    long *wide = calloc(2, nbytes);
    REQUIRE(dart_type_create_custom(nbytes, &large) == DART_OK);
    REQUIRE(dart_op_create(add_longs, &calls, true, large, true, &large_sums) == DART_OK);
    wide[0] = me + 1;
    CHECK(dart_allreduce(wide, (char *)wide + nbytes, 1, large, large_sums, team) == DART_OK);
    CHECK(*(long *)(void *)((char *)wide + nbytes) == (long)size * (size + 1) / 2);
    free(wide);
    CHECK(dart_op_destroy(&large_sums) == DART_OK && dart_type_destroy(&large) == DART_OK);
    CHECK(dart_op_destroy(&sums) == DART_OK && dart_op_destroy(&joins) == DART_OK);
    CHECK(dart_type_destroy(&type) == DART_OK);
}

static void refused(void)
{
    int value = 0;
    CHECK(dart_bcast(&value, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(size), team) == DART_ERR_INVAL);
    CHECK(dart_bcast(&value, 1, DART_TYPE_UNDEFINED, DART_TEAM_UNIT_ID(0), team) == DART_ERR_INVAL);
    CHECK(dart_bcast(NULL, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), team) == DART_ERR_INVAL);
    CHECK(dart_bcast(NULL, 0, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), team) == DART_OK);
    CHECK(dart_allgather(&value, NULL, 1, DART_TYPE_INT, team) == DART_ERR_INVAL);
    CHECK(dart_allreduce(&value, &value, 1, DART_TYPE_INT, DART_OP_NO_OP, team) == DART_ERR_INVAL);
    CHECK(dart_barrier(12345) == DART_ERR_INVAL);
}

static void all_of(dart_team_t of)
{
    dart_team_unit_t unit;
    size_t units;
    team = of;
    REQUIRE(dart_team_myid(team, &unit) == DART_OK && dart_team_size(team, &units) == DART_OK);
    me = unit.id;
    size = (int)units;
    const size_t sizes[] = {0, 1, 2, 10, 59, 60, 61, 1000, 20000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        movements(sizes[i]);
        uneven(sizes[i]);
        in_place(sizes[i]);
    }
    reductions(3);
    reductions(1500);
    reductions(70001);
    pairs();
    to_root();
    user_ops();
    refused();
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    dart_global_unit_t unit;
    dart_group_t group;
    dart_team_t some;
    size_t units;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&unit);
    dart_size(&units);
    check_as("unit", unit.id, (long)units);
    all_of(DART_TEAM_ALL);
    // all but unit 1
    REQUIRE(dart_team_get_group(DART_TEAM_ALL, &group) == DART_OK);
    CHECK(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(1)) == DART_OK);
    REQUIRE(dart_team_create(DART_TEAM_ALL, group, &some) == DART_OK);
    CHECK((some == DART_TEAM_NULL) == (unit.id == 1));
    if (some != DART_TEAM_NULL)
        all_of(some);
    CHECK(dart_team_destroy(&some) == DART_OK && dart_group_destroy(&group) == DART_OK);
    dart_exit();
    return check_result();
}
