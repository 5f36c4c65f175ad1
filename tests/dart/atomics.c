// SPDX-License-Identifier: BSD-3-Clause
//
// Every operation on every type against plain arithmetic; sums that all units make at a time, of
// every size of element and by different calls on one word; many elements; operations of the
// program.
#include <dash/dart/if/dart.h>
#include <time.h>

#include "frame/check.h"
#include "frame/random.h"
#include "refusals.h"

static dart_global_unit_t me;
static int size;
static dart_gptr_t table;  // 4096 bytes on each unit

static dart_gptr_t at(int unit, size_t offset)
{
    dart_gptr_t gptr = table;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

enum { N = 9 };

#define MODEL_REAL(type)                                                                   \
    static int model_##type(type *acc, type in, dart_operation_t op)                       \
    {                                                                                      \
        switch (op) {                                                                      \
        case DART_OP_MIN: *acc = in < *acc ? in : *acc; return 1;                          \
        case DART_OP_MAX: *acc = in > *acc ? in : *acc; return 1;                          \
        case DART_OP_SUM: *acc = (type)(*acc + in); return 1;                              \
        case DART_OP_PROD: *acc = (type)(*acc * in); return 1;                             \
        case DART_OP_REPLACE: *acc = in; return 1;                                         \
        case DART_OP_NO_OP: return 1;                                                      \
        MORE_##type                                                                        \
        default: return 0;                                                                 \
        }                                                                                  \
    }
#define BITS                                                  \
        case DART_OP_BAND: *acc &= in; return 1;              \
        case DART_OP_LAND: *acc = *acc && in; return 1;       \
        case DART_OP_BOR: *acc |= in; return 1;               \
        case DART_OP_LOR: *acc = *acc || in; return 1;        \
        case DART_OP_BXOR: *acc ^= in; return 1;              \
        case DART_OP_LXOR: *acc = !*acc != !in; return 1;
typedef unsigned char byte;
typedef unsigned ui;
typedef unsigned long ul;
typedef long long ll;
typedef unsigned long long ull;
typedef long double ld;
#define MORE_byte BITS
#define MORE_short BITS
#define MORE_int BITS
#define MORE_ui BITS
#define MORE_long BITS
#define MORE_ul BITS
#define MORE_ll BITS
#define MORE_ull BITS
#define MORE_float
#define MORE_double
#define MORE_ld

/** Accumulates of N elements and fetches of one, on the right neighbour. */
#define EVERY(type, number)                                                                        \
    MODEL_REAL(type)                                                                               \
    static void every_##type(void)                                                                 \
    {                                                                                              \
        const int to = (me.id + 1) % size;                                                         \
        for (dart_operation_t op = DART_OP_UNDEFINED; op < DART_OP_LAST + 2; op++) {               \
            type was[N], in[N], now[N], old = 0;                                                   \
            for (int i = 0; i < N; i++) {                                                          \
                was[i] = (type)(draw(5) ? draw(100) : 0);                                          \
                in[i] = (type)(draw(5) ? draw(100) : 0);                                           \
            }                                                                                      \
            dart_put_blocking(at(to, 64), was, N, number, number);                                 \
            type one = was[0];                                                                     \
            int valid = model_##type(&one, in[0], op);                                             \
            const dart_ret_t expected = valid ? DART_OK : DART_ERR_INVAL;                          \
            CHECK(dart_fetch_and_op(at(to, 64), in, &old, number, op) == expected);                \
            CHECK(!valid || old == was[0], #type " operation %d", (int)op);                        \
            was[0] = one;                                                                          \
            CHECK(dart_accumulate(at(to, 64), in, N, number, op) == expected);                     \
            dart_flush(at(to, 64));                                                                \
            CHECK(dart_accumulate_blocking_local(at(to, 64), in, 2, number, op) == expected);      \
            dart_flush(at(to, 64));                                                                \
            for (int i = 0; valid && i < N; i++)                                                   \
                for (int k = 0; k < (i < 2 ? 2 : 1); k++)                                          \
                    model_##type(&was[i], in[i], op);                                              \
            dart_get_blocking(now, at(to, 64), N, number, number);                                 \
            for (int i = 0; i < N; i++)                                                            \
                CHECK(now[i] == was[i], #type " operation %d, element %d", (int)op, i);            \
        }                                                                                          \
    }
EVERY(byte, DART_TYPE_BYTE)
EVERY(short, DART_TYPE_SHORT)
EVERY(int, DART_TYPE_INT)
EVERY(ui, DART_TYPE_UINT)
EVERY(long, DART_TYPE_LONG)
EVERY(ul, DART_TYPE_ULONG)
EVERY(ll, DART_TYPE_LONGLONG)
EVERY(ull, DART_TYPE_ULONGLONG)
EVERY(float, DART_TYPE_FLOAT)
EVERY(double, DART_TYPE_DOUBLE)
EVERY(ld, DART_TYPE_LONG_DOUBLE)

/** Compares and swaps of each integer, also where the neighbours of the element change. */
#define SWAPS(type, number)                                                              \
    {                                                                                    \
        type value = 7, none = 3, got = 0, zero = 0, back;                               \
        const int to = (me.id + 1) % size;                                               \
        dart_put_blocking(at(to, 128 + sizeof(type)), &zero, 1, number, number);         \
        CHECK(dart_compare_and_swap(at(to, 128 + sizeof(type)), &value, &none, &got,     \
                                    number) == DART_OK && got == 0);                     \
        CHECK(dart_compare_and_swap(at(to, 128 + sizeof(type)), &value, &zero, &got,     \
                                    number) == DART_OK && got == 0);                     \
        CHECK(dart_compare_and_swap(at(to, 128 + sizeof(type)), &none, &zero, &got,      \
                                    number) == DART_OK && got == 7);                     \
        dart_get_blocking(&back, at(to, 128 + sizeof(type)), 1, number, number);         \
        CHECK(back == 7);                                                                \
    }

static void swaps(void)
{
    double real = 0;
    SWAPS(byte, DART_TYPE_BYTE)
    SWAPS(short, DART_TYPE_SHORT)
    SWAPS(int, DART_TYPE_INT)
    SWAPS(long, DART_TYPE_LONG)
    SWAPS(ull, DART_TYPE_ULONGLONG)
    CHECK(dart_compare_and_swap(at(0, 0), &real, &real, &real, DART_TYPE_DOUBLE) == DART_ERR_INVAL);
}

// ---------------------------------------------------------------- at a time
enum { ROUNDS = 200 };

/** All units add to one element of each type on unit 0, the small ones side by side in a word. */
#define SUMS(type, number, where)                                                          \
    {                                                                                      \
        type one = 1, old, sum = 0;                                                        \
        if (me.id == 0)                                                                    \
            dart_put_blocking(at(0, where), &sum, 1, number, number);                      \
        dart_barrier(DART_TEAM_ALL);                                                       \
        for (int i = 0; i < ROUNDS; i++) {                                                 \
            if (i % 2)                                                                     \
                CHECK(dart_fetch_and_op(at(0, where), &one, &old, number, DART_OP_SUM) ==  \
                      DART_OK);                                                            \
            else                                                                           \
                CHECK(dart_accumulate(at(0, where), &one, 1, number, DART_OP_SUM) ==       \
                      DART_OK);                                                            \
        }                                                                                  \
        dart_flush(at(0, where));                                                          \
        dart_barrier(DART_TEAM_ALL);                                                       \
        dart_get_blocking(&sum, at(0, where), 1, number, number);                          \
        CHECK(sum == (type)(ROUNDS * size), #number);                                      \
        dart_barrier(DART_TEAM_ALL);                                                       \
    }

/** One word by different calls: a sum, a compare and swap, an exclusive or that comes twice. */
static void mixed(void)
{
    long zero = 0, one = 1, bit = 1L << (20 + me.id), old, now;
    if (me.id == 0)
        dart_put_blocking(at(0, 256), &zero, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0; i < ROUNDS; i++) {
        dart_accumulate(at(0, 256), &bit, 1, DART_TYPE_LONG, DART_OP_BXOR);
        dart_flush(at(0, 256));
        dart_fetch_and_op(at(0, 256), &one, &old, DART_TYPE_LONG, DART_OP_SUM);
        CHECK(old & bit);
        dart_fetch_and_op(at(0, 256), &bit, &old, DART_TYPE_LONG, DART_OP_BXOR);
        do {
            now = old;
            long more = now + 1;
            dart_compare_and_swap(at(0, 256), &more, &now, &old, DART_TYPE_LONG);
        } while (old != now);
    }
    dart_barrier(DART_TEAM_ALL);
    dart_fetch_and_op(at(0, 256), NULL, &now, DART_TYPE_LONG, DART_OP_NO_OP);
    CHECK(now == 2L * ROUNDS * size, "%ld", now);
    dart_barrier(DART_TEAM_ALL);
}

// ---------------------------------------------------------------- many elements
enum { MANY = 60000 };

/** All units add to all of the last one's numbers, which calls nothing until they are done. */
static void many(void)
{
    dart_gptr_t sums, largest, done;
    double *add = malloc(MANY * sizeof *add), *own_sums;
    short *top = malloc(MANY * sizeof *top), *own_largest;
    long one = 1, *own_done;
    const int last = size - 1;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, MANY, DART_TYPE_DOUBLE, &sums) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, MANY, DART_TYPE_SHORT, &largest) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &done) == DART_OK);
    sums.unitid = largest.unitid = done.unitid = me.id;
    dart_gptr_getaddr(sums, (void **)&own_sums);
    dart_gptr_getaddr(largest, (void **)&own_largest);
    dart_gptr_getaddr(done, (void **)&own_done);
    memset(own_sums, 0, MANY * sizeof *own_sums);
    memset(own_largest, 0, MANY * sizeof *own_largest);
    *own_done = 0;
    for (int i = 0; i < MANY; i++) {
        add[i] = i + me.id;
        top[i] = (short)((i + 13 * me.id) % 1000);
    }
    dart_barrier(DART_TEAM_ALL);
    sums.unitid = largest.unitid = done.unitid = last;
    if (me.id != last || size == 1) {
        CHECK(dart_accumulate(sums, add, MANY, DART_TYPE_DOUBLE, DART_OP_SUM) == DART_OK);
        CHECK(dart_accumulate(largest, top, MANY, DART_TYPE_SHORT, DART_OP_MAX) == DART_OK);
        for (int n = 1; n < 600; n += 99)
            CHECK(dart_accumulate_blocking_local(sums, add, (size_t)n, DART_TYPE_DOUBLE,
                                                 DART_OP_SUM) == DART_OK);
        CHECK(dart_flush(sums) == DART_OK);
        CHECK(dart_accumulate(done, &one, 1, DART_TYPE_LONG, DART_OP_SUM) == DART_OK &&
              dart_flush(done) == DART_OK);
    } else {
        time_t end = time(NULL) + 50;
        while (__atomic_load_n(own_done, __ATOMIC_ACQUIRE) < last && time(NULL) < end)
            ;
    }
    if (me.id == last) {
        CHECK(*own_done == (size == 1 ? 1 : last));
        size_t bad = 0;
        for (int i = 0; i < MANY; i++) {
            double sum = 0;
            short most = 0;
            for (int unit = 0; unit < (size == 1 ? 1 : last); unit++) {
                int times = 1;
                for (int n = 1; n < 600; n += 99)
                    times += i < n;
                sum += (double)times * (i + unit);
                most = (i + 13 * unit) % 1000 > most ? (short)((i + 13 * unit) % 1000) : most;
            }
            bad += own_sums[i] != sum || own_largest[i] != most;
        }
        CHECK(bad == 0, "%zu of %d numbers", bad, MANY);
    }
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_team_memfree(sums) == DART_OK && dart_team_memfree(largest) == DART_OK &&
          dart_team_memfree(done) == DART_OK);
    free(add);
    free(top);
}

// ---------------------------------------------------------------- operations of the program
typedef struct pair {
    long sum, calls, more[5];
} pair_t;

static void add_pair(const void *in, void *inout, size_t len, void *user_data)
{
    for (size_t i = 0; i < len; i++) {
        ((pair_t *)inout)[i].sum += ((const pair_t *)in)[i].sum * *(const int *)user_data;
        ((pair_t *)inout)[i].calls += ((const pair_t *)in)[i].calls;
    }
}

static void user_ops(void)
{
    int factor = 1;
    pair_t pair = {0};
    dart_datatype_t type;
    dart_operation_t op;
    REQUIRE(dart_type_create_custom(sizeof pair, &type) == DART_OK);
    REQUIRE(dart_op_create(add_pair, &factor, true, type, true, &op) == DART_OK);
    if (me.id == 0)
        dart_put_blocking(at(0, 512), &pair, 1, type, type);
    dart_barrier(DART_TEAM_ALL);
    pair = (pair_t){.sum = me.id + 1, .calls = 1};
    for (int i = 0; i < 20; i++)
        CHECK(dart_accumulate(at(0, 512), &pair, 1, type, op) == DART_OK);
    CHECK(dart_accumulate(at(0, 512), &pair, 1, DART_TYPE_INT, op) == DART_ERR_INVAL);
    dart_flush(at(0, 512));
    dart_barrier(DART_TEAM_ALL);
    dart_get_blocking(&pair, at(0, 512), 1, type, type);
    CHECK(pair.calls == 20L * size && pair.sum == 10L * size * (size + 1));
    CHECK(dart_op_destroy(&op) == DART_OK && op == DART_OP_UNDEFINED);
    CHECK(dart_op_destroy(&op) == DART_ERR_INVAL && dart_type_destroy(&type) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
}

static void refused(void)
{
    long value = 1, old;
    CHECK(dart_fetch_and_op(at(0, 4), &value, &old, DART_TYPE_LONG, DART_OP_SUM) == DART_ERR_INVAL);
    CHECK(dart_fetch_and_op(at(0, 4096), &value, &old, DART_TYPE_LONG, DART_OP_SUM) ==
          DART_ERR_INVAL);
    CHECK(dart_fetch_and_op(at(size, 0), &value, &old, DART_TYPE_LONG, DART_OP_SUM) ==
          DART_ERR_INVAL);
    CHECK(dart_fetch_and_op(at(0, 0), NULL, &old, DART_TYPE_LONG, DART_OP_SUM) == DART_ERR_INVAL);
    CHECK(dart_fetch_and_op(at(0, 0), &value, NULL, DART_TYPE_LONG, DART_OP_SUM) == DART_ERR_INVAL);
    CHECK(dart_accumulate(at(0, 0), &value, 513, DART_TYPE_LONG, DART_OP_SUM) == DART_ERR_INVAL);
    CHECK(dart_accumulate(DART_GPTR_NULL, &value, 1, DART_TYPE_LONG, DART_OP_SUM) ==
          DART_ERR_INVAL);
    CHECK(dart_compare_and_swap(at(0, 1), &value, &value, &old, DART_TYPE_LONG) == DART_ERR_INVAL);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    size_t units;
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&units);
    size = (int)units;
    check_as("unit", me.id, size);
    random_state += (uint64_t)me.id;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 4096, DART_TYPE_BYTE, &table) == DART_OK);
    every_byte(), every_short(), every_int(), every_ui(), every_long(), every_ul(), every_ll();
    every_ull(), every_float(), every_double(), every_ld();
    swaps();
    dart_barrier(DART_TEAM_ALL);
    SUMS(byte, DART_TYPE_BYTE, 0)
    SUMS(byte, DART_TYPE_BYTE, 1)
    SUMS(short, DART_TYPE_SHORT, 2)
    SUMS(int, DART_TYPE_INT, 4)
    SUMS(long, DART_TYPE_LONG, 8)
    SUMS(float, DART_TYPE_FLOAT, 16)
    SUMS(double, DART_TYPE_DOUBLE, 24)
    SUMS(ld, DART_TYPE_LONG_DOUBLE, 32)
    mixed();
    many();
    user_ops();
    refused();
    dart_team_memfree(table);
    dart_exit();
    return check_result();
}
