// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets in all ways of completion, of every size around the limits of the paths, to memory
// of segments and of single units; types with gaps against plain loops; parts of different sizes;
// wrong use.
#include <dash/dart/if/dart.h>

#include "frame/check.h"
#include "frame/random.h"
#include "refusals.h"

static dart_global_unit_t me;
static int size;

static dart_gptr_t at(dart_gptr_t gptr, int unit, size_t offset)
{
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

static unsigned char byte_of(int source, int target, size_t i)
{
    return (unsigned char)((size_t)source * 31 + (size_t)target * 17 + i * 7 + i / 253);
}

enum { WAYS = 8 };

static void put_by(int way, dart_gptr_t to, const void *src, size_t n, dart_handle_t *handle)
{
    *handle = DART_HANDLE_NULL;
    if (way % 3 == 0)
        CHECK(dart_put_blocking(to, src, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    else if (way % 3 == 1)
        CHECK(dart_put(to, src, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    else
        CHECK(dart_put_handle(to, src, n, DART_TYPE_BYTE, DART_TYPE_BYTE, handle) == DART_OK);
}

static void get_by(int way, void *dest, dart_gptr_t from, size_t n, dart_handle_t *handle)
{
    *handle = DART_HANDLE_NULL;
    if (way % 3 == 0)
        CHECK(dart_get_blocking(dest, from, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    else if (way % 3 == 1)
        CHECK(dart_get(dest, from, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
    else
        CHECK(dart_get_handle(dest, from, n, DART_TYPE_BYTE, DART_TYPE_BYTE, handle) == DART_OK);
}

/** Flushes or handles, in every form. */
static void complete(int way, dart_gptr_t gptr, dart_handle_t *handles, int n)
{
    int32_t done = 0;
    if (way % 3 == 1) {
        dart_ret_t (*const flushes[])(dart_gptr_t) = {dart_flush_all, dart_flush_local_all,
                                                      dart_flush, dart_flush_local};
        for (int unit = 0; unit < n; unit++)
            CHECK(flushes[way % 4](at(gptr, unit, 0)) == DART_OK);
    } else if (way == 2) {
        CHECK(dart_waitall(handles, (size_t)n) == DART_OK);
    } else if (way == 5) {
        while (!done)
            CHECK(dart_testall(handles, (size_t)n, &done) == DART_OK);
    } else {
        for (int i = 0; i < n; i++) {
            if (i % 2)
                CHECK(dart_wait(&handles[i]) == DART_OK);
            for (done = 0; !done;)
                CHECK(dart_test(&handles[i], &done) == DART_OK);
        }
    }
    for (int i = 0; i < n; i++)
        CHECK(handles[i] == DART_HANDLE_NULL);
}

/** Each unit writes its row of nbytes on every unit, and reads all rows on every unit. */
static void rows(int way, size_t nbytes)
{
    dart_gptr_t gptr;
    dart_handle_t handles[64];
    const size_t n = (size_t)size;
    unsigned char *mine = malloc(n * nbytes + 1), *all = malloc(n * nbytes + 1);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, n * nbytes, DART_TYPE_BYTE, &gptr) ==
            DART_OK);
    for (int unit = 0; unit < size; unit++) {
        unsigned char *row = mine + (size_t)unit * nbytes;
        for (size_t i = 0; i < nbytes; i++)
            row[i] = byte_of(me.id, unit, i);
        put_by(way, at(gptr, unit, (size_t)me.id * nbytes), row, nbytes, &handles[unit]);
    }
    complete(way, gptr, handles, size);
    CHECK(dart_flush_all(gptr) == DART_OK && dart_barrier(DART_TEAM_ALL) == DART_OK);
    for (int unit = 0; unit < size; unit++) {
        for (int source = 0; source < size; source++)
            get_by(way, all + (size_t)source * nbytes, at(gptr, unit, (size_t)source * nbytes),
                   nbytes, &handles[source]);
        complete(way, gptr, handles, size);
        size_t bad = 0;
        for (int source = 0; source < size; source++)
            for (size_t i = 0; i < nbytes; i++)
                bad += all[(size_t)source * nbytes + i] != byte_of(source, unit, i);
        CHECK(bad == 0, "way %d: %zu of %zu bytes of unit %d", way, bad, n * nbytes, unit);
    }
    CHECK(dart_team_memfree(gptr) == DART_OK);
    free(mine);
    free(all);
}

/** Memory that the left neighbour has allocated by itself. */
static void single(void)
{
    dart_gptr_t own, table, left;
    long value = 0;
    REQUIRE(dart_memalloc(3, DART_TYPE_LONG, &own) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof own, DART_TYPE_BYTE, &table) ==
            DART_OK);
    CHECK(dart_put_blocking(at(table, (me.id + 1) % size, 0), &own, sizeof own, DART_TYPE_BYTE,
                            DART_TYPE_BYTE) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_get_blocking(&left, at(table, me.id, 0), sizeof left, DART_TYPE_BYTE,
                            DART_TYPE_BYTE) == DART_OK);
    CHECK(left.unitid == (me.id + size - 1) % size && left.segid == DART_SEGMENT_LOCAL);
    dart_gptr_incaddr(&left, sizeof(long));
    value = 1000 + me.id;
    CHECK(dart_put_blocking(left, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    dart_gptr_incaddr(&own, sizeof(long));
    CHECK(dart_get_blocking(&value, own, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
    CHECK(value == 1000 + (me.id + 1) % size);
    dart_barrier(DART_TEAM_ALL);
    dart_gptr_incaddr(&own, -(int64_t)sizeof(long));
    CHECK(dart_memfree(own) == DART_OK && dart_team_memfree(table) == DART_OK);
}

// ---------------------------------------------------------------- types with gaps
enum { ELEMENTS = 6000, BLOCKS = 5 };
typedef struct layout {
    dart_datatype_t type;
    size_t nelems, span;           // of a block or set; elements from its begin to the next
    size_t n, at[BLOCKS], len[BLOCKS];
} layout_t;

/** Place of element i. */
static size_t place(const layout_t *l, size_t i)
{
    size_t set = i / l->nelems, in = i % l->nelems, block = 0;
    while (in >= l->len[block])
        in -= l->len[block++];
    return set * l->span + l->at[block] + in;
}

static layout_t strided(void)
{
    layout_t l = {.n = 1};
    l.nelems = l.len[0] = 1 + draw(2) * draw(400);
    l.span = l.nelems + draw(9);
    CHECK(dart_type_create_strided(DART_TYPE_INT, l.span, l.nelems, &l.type) == DART_OK);
    return l;
}

static layout_t indexed(void)
{
    layout_t l = {.n = 1 + draw(BLOCKS)};
    size_t end = 0;
    for (size_t i = 0; i < l.n; i++) {
        l.len[i] = draw(5) + (i == 0);
        l.at[i] = end + (i > 0 ? draw(4) : 0);
        end = l.at[i] + l.len[i];
        l.nelems += l.len[i];
        l.span = l.len[i] ? end : l.span;  // as of MPI_Type_indexed
    }
    CHECK(dart_type_create_indexed(DART_TYPE_INT, l.n, l.len, l.at, &l.type) == DART_OK);
    return l;
}

static layout_t layout(void)
{
    const unsigned kind = (unsigned)draw(3);
    return kind == 0 ? strided()
           : kind == 1
               ? indexed()
               : (layout_t){.type = DART_TYPE_INT, .nelems = 1, .span = 1, .n = 1, .len = {1}};
}

/** Random layouts here and there, against a loop over the elements. */
static void gaps(void)
{
    dart_gptr_t gptr;
    static int local[ELEMENTS], model[ELEMENTS], back[ELEMENTS];
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, ELEMENTS, DART_TYPE_INT, &gptr) == DART_OK);
    for (int round = 0; round < 60; round++) {
        layout_t here = layout(), there = layout();
        size_t n = here.nelems * there.nelems, most = 1;
        while (place(&here, n * (most + 1) - 1) < ELEMENTS / 2 &&
               place(&there, n * (most + 1) - 1) < ELEMENTS / 2 && most < 200)
            most++;
        n *= 1 + draw(most);
        int to = (me.id + round) % size;
        if (place(&here, n - 1) < ELEMENTS && place(&there, n - 1) < ELEMENTS) {
            memset(model, 0, sizeof model);
            CHECK(dart_put_blocking(at(gptr, to, 0), model, ELEMENTS, DART_TYPE_INT,
                                    DART_TYPE_INT) == DART_OK);
            for (int i = 0; i < ELEMENTS; i++)
                local[i] = (int)draw(1u << 30) + 1;
            for (size_t i = 0; i < n; i++)
                model[place(&there, i)] = local[place(&here, i)];
            CHECK(dart_put_blocking(at(gptr, to, 0), local, n, here.type, there.type) == DART_OK);
            CHECK(dart_get_blocking(back, at(gptr, to, 0), ELEMENTS, DART_TYPE_INT,
                                    DART_TYPE_INT) == DART_OK);
            CHECK(memcmp(back, model, sizeof model) == 0, "put of %zu elements", n);
            memset(local, 0, sizeof local);
            memset(model, 0, sizeof model);
            for (size_t i = 0; i < n; i++)
                model[place(&here, i)] = back[place(&there, i)];
            CHECK(dart_get(local, at(gptr, to, 0), n, there.type, here.type) == DART_OK);
            CHECK(dart_flush(at(gptr, to, 0)) == DART_OK);
            CHECK(memcmp(local, model, sizeof model) == 0, "get of %zu elements", n);
        }
        CHECK(here.type == DART_TYPE_INT || dart_type_destroy(&here.type) == DART_OK);
        CHECK(there.type == DART_TYPE_INT || dart_type_destroy(&there.type) == DART_OK);
        dart_barrier(DART_TEAM_ALL);  // the target was this unit's alone
    }
    CHECK(dart_team_memfree(gptr) == DART_OK);
}

/** Elements of any size. */
static void custom(void)
{
    dart_datatype_t type, rows_of;
    dart_gptr_t gptr;
    char own[24 * 7], got[24 * 7];
    REQUIRE(dart_type_create_custom(24, &type) == DART_OK);
    CHECK(dart_type_create_strided(type, 2, 1, &rows_of) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 14, type, &gptr) == DART_OK);
    for (size_t i = 0; i < sizeof own; i++)
        own[i] = (char)(i * 3 + (size_t)me.id);
    CHECK(dart_put_blocking(at(gptr, (me.id + 1) % size, 0), own, 7, type, rows_of) == DART_OK);
    CHECK(dart_get_blocking(got, at(gptr, (me.id + 1) % size, 0), 7, rows_of, type) == DART_OK);
    CHECK(memcmp(own, got, sizeof own) == 0);
    CHECK(dart_type_destroy(&rows_of) == DART_OK && dart_type_destroy(&type) == DART_OK);
    CHECK(type == DART_TYPE_UNDEFINED && dart_type_destroy(&type) == DART_ERR_INVAL);
    CHECK(dart_team_memfree(gptr) == DART_OK);
}

static void refused(void)
{
    dart_gptr_t gptr;
    dart_datatype_t strided, indexed, empty, none;
    const size_t len[] = {1, 2}, off[] = {0, 5};
    const int three[] = {me.id * 3 + 1, 22, 33};
    int value = 5, values[20] = {0};
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &gptr) == DART_OK);
    REQUIRE(dart_type_create_strided(DART_TYPE_INT, 3, 2, &strided) == DART_OK);
    REQUIRE(dart_type_create_indexed(DART_TYPE_INT, 2, len, off, &indexed) == DART_OK);
#define PUT(gptr_, n, from, to) dart_put_blocking(gptr_, values, n, from, to)
    CHECK(PUT(gptr, 10, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    CHECK(PUT(gptr, 11, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(at(gptr, 0, 4), 10, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(at(gptr, 0, (size_t)-4), 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(at(gptr, size, 0), 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(at(gptr, -1, 0), 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(DART_GPTR_NULL, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(gptr, 1, DART_TYPE_INT, DART_TYPE_UINT) == DART_ERR_INVAL);
    CHECK(PUT(gptr, 3, strided, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(PUT(gptr, 6, strided, strided) == DART_OK);   // 8 elements there
    CHECK(PUT(gptr, 8, strided, strided) == DART_ERR_INVAL);
    CHECK(PUT(gptr, 3, indexed, indexed) == DART_OK);
    CHECK(PUT(gptr, 6, DART_TYPE_INT, indexed) == DART_ERR_INVAL);
    dart_barrier(DART_TEAM_ALL);  // all have put to unit 0
    // blocks without elements have no place: neither the end of a set nor its begin
    const size_t some[] = {0, 1, 0}, places[] = {0, 3, 90};
    REQUIRE(dart_type_create_indexed(DART_TYPE_INT, 3, some, places, &empty) == DART_OK);
    CHECK(dart_put_blocking(at(gptr, me.id, 0), three, 3, DART_TYPE_INT, empty) == DART_OK);
    CHECK(dart_get_blocking(values, at(gptr, me.id, 12), 3, DART_TYPE_INT, DART_TYPE_INT) ==
          DART_OK);
    CHECK(memcmp(values, three, sizeof three) == 0);
    dart_type_destroy(&empty);
    CHECK(dart_put_blocking(gptr, NULL, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_put_blocking(gptr, NULL, 0, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    CHECK(dart_get(&value, at(gptr, 0, 40), 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(value == 5);
    dart_handle_t handle = (dart_handle_t)&value;
    CHECK(dart_wait(&handle) == DART_ERR_INVAL && dart_wait(NULL) == DART_ERR_INVAL);
    CHECK(dart_flush(at(gptr, size, 0)) == DART_ERR_INVAL);
    CHECK(dart_type_create_strided(strided, 3, 2, &none) == DART_ERR_INVAL);
    CHECK(dart_type_create_strided(DART_TYPE_INT, 1, 2, &none) == DART_ERR_INVAL);
    CHECK(dart_type_create_strided(DART_TYPE_INT, 1, 0, &none) == DART_ERR_INVAL);
    CHECK(dart_type_create_custom(0, &none) == DART_ERR_INVAL);
    none = DART_TYPE_INT;
    CHECK(dart_type_destroy(&none) == DART_ERR_INVAL && none == DART_TYPE_INT);
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, 4, strided, &gptr) == DART_ERR_INVAL);
    dart_type_destroy(&strided);
    dart_type_destroy(&indexed);
}

// ---------------------------------------------------------------- parts of different sizes
/** Longs of a unit's part: unit 1 has none, and unit 0 few. */
static size_t longs_of(int unit)
{
    return unit == 1 ? 0 : 100 * (size_t)unit + 3;
}

static dart_gptr_t long_of(dart_gptr_t base, int unit, size_t i)
{
    return at(base, unit, i * sizeof(long));
}

/** All of a unit's part by one get, its last long by an atomic of each unit. */
static void use_part(dart_gptr_t base, int unit)
{
    static long part[1000];
    const size_t n = longs_of(unit);
    const long one = 1;
    size_t bad = 0;
    dart_handle_t handle;
    REQUIRE(n <= sizeof part / sizeof *part);
    CHECK(dart_get_handle(part, long_of(base, unit, 0), n, DART_TYPE_LONG, DART_TYPE_LONG,
                          &handle) == DART_OK &&
          dart_wait(&handle) == DART_OK);
    for (size_t i = 0; i + 1 < n; i++)
        bad += part[i] != 1000 * unit + (long)i;
    CHECK(bad == 0, "%zu of %zu longs of unit %d", bad, n, unit);
    const dart_gptr_t last = long_of(base, unit, n - 1), end = long_of(base, unit, n);
    if (n > 0) {
        CHECK(dart_accumulate(last, &one, 1, DART_TYPE_LONG, DART_OP_SUM) == DART_OK);
        CHECK(dart_get_blocking(part, last, 2, DART_TYPE_LONG, DART_TYPE_LONG) == DART_ERR_INVAL);
    }
    CHECK(dart_get_blocking(part, end, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_ERR_INVAL);
    CHECK(dart_get_blocking(part, end, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_put_blocking(end, &one, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_ERR_INVAL);
    CHECK(dart_fetch_and_op(end, &one, part, DART_TYPE_LONG, DART_OP_SUM) == DART_ERR_INVAL);
}

/** Each unit allocates a part of its own size: all of it is there for all units, and no more. */
static void uneven(void)
{
    dart_gptr_t base;
    void *addr;
    const int next = (me.id + 1) % size;
    const size_t n = longs_of(me.id), there = longs_of(next);
    const long zero = 0;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_LONG, &base) == DART_OK);
    REQUIRE(dart_gptr_getaddr(at(base, me.id, 0), &addr) == DART_OK);
    long *own = addr;
    for (size_t i = 0; i + 1 < n; i++)
        own[i] = 1000 * me.id + (long)i;
    if (there > 0)
        CHECK(dart_put_blocking(long_of(base, next, there - 1), &zero, 1, DART_TYPE_LONG,
                                DART_TYPE_LONG) == DART_OK);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
    for (int unit = 0; unit < size; unit++)
        use_part(base, unit);
    CHECK(dart_flush_all(base) == DART_OK && dart_barrier(DART_TEAM_ALL) == DART_OK);
    if (n > 0)
        CHECK(own[n - 1] == size, "%ld of %d", own[n - 1], size);
    CHECK(dart_team_memfree(base) == DART_OK);
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
    const size_t sizes[] = {0, 1, 2, 4, 7, 8, 9, 64, 1000, 4096, 4097, 70000, 300001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < WAYS; way++)
            rows(way, sizes[i]);
    single();
    gaps();
    custom();
    uneven();
    refused();
    dart_exit();
    return check_result();
}
