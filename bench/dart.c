// SPDX-License-Identifier: BSD-3-Clause
/*
 * DART from unit 0. --mode 0: blocking puts and gets of 1 B to 4 MiB, atomics and rows of 1 KiB to
 * unit 1, which waits in a barrier. 1: memcpy and nested memcpy in one process, under the same
 * names. 2: collective calls that make and end teams and memory. 3: puts and gets to each unit in
 * turn; a line's "bytes" is the unit. 4: each operation while unit 1 sleeps outside the library,
 * and a loop that calls nothing.
 */
#include "common.h"

#include <dash/dart/if/dart.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LATENCY, PLAIN, COLLECTIVE, DISTANCE, SLEEPER };
enum { MOST = 1 << 22, ROW = 1024, ROWS = 1024, ROOM = MOST };
_Static_assert(2 * ROW * ROWS <= ROOM, "rows and gaps");
enum { REPEATS = 200, PAIRS = 2000 };
enum { SLEEPER_NS = 500000000 };  // for one operation's repeats
enum { BAR_NS = 5000000 };        // what takes longer is late
enum { LOOP_NS = 400000 };        // of a loop without calls: as long as rows take
#define WORD DART_TYPE_ULONGLONG
#define BYTES DART_TYPE_BYTE

static int me, nunits;
static char *local;
static dart_gptr_t target;
static dart_datatype_t rows;

static void must(dart_ret_t rc)
{
    if (rc == DART_OK)
        return;
    fprintf(stderr, "dart: unit %d: a call gives error %d\n", me, (int)rc);
    dart_abort(1);
}

// ---------------------------------------------------------------- operations
static void put(void *nbytes, size_t count)
{
    while (count--)
        dart_put_blocking(target, local, *(size_t *)nbytes, BYTES, BYTES);
}

static void get(void *nbytes, size_t count)
{
    while (count--)
        dart_get_blocking(local, target, *(size_t *)nbytes, BYTES, BYTES);
}

static void put_word(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        dart_put_blocking(target, local, 1, WORD, WORD);
}

static void get_word(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        dart_get_blocking(local, target, 1, WORD, WORD);
}

static void fetch_and_op(void *ctx, size_t count)
{
    uint64_t one = 1, old;
    (void)ctx;
    while (count--)
        dart_fetch_and_op(target, &one, &old, WORD, DART_OP_SUM);
}

static void compare_and_swap(void *ctx, size_t count)
{
    uint64_t none = 0, old;
    (void)ctx;
    while (count--)
        dart_compare_and_swap(target, &none, &none, &old, WORD);
}

static void accumulate(void *ctx, size_t count)
{
    uint64_t one = 1;
    (void)ctx;
    while (count--) {
        dart_accumulate(target, &one, 1, WORD, DART_OP_SUM);
        dart_flush(target);
    }
}

static void put_flush(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        dart_put(target, local, 1, WORD, WORD);
        dart_flush(target);
    }
}

static void put_handle(void *ctx, size_t count)
{
    dart_handle_t handle;
    (void)ctx;
    while (count--) {
        dart_put_handle(target, local, 1, WORD, WORD, &handle);
        dart_wait(&handle);
    }
}

/** 1 MiB in rows of 1 KiB with gaps as large, on both sides. */
static void put_rows(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        dart_put_blocking(target, local, (size_t)ROW * ROWS, rows, rows);
}

static void get_rows(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        dart_get_blocking(local, target, (size_t)ROW * ROWS, rows, rows);
}

// ---------------------------------------------------------------- the same in plain C
static char *other;

static void plain_put(void *nbytes, size_t count)
{
    while (count--) {
        memcpy(other, local, *(size_t *)nbytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void plain_get(void *nbytes, size_t count)
{
    while (count--) {
        memcpy(local, other, *(size_t *)nbytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void plain_rows(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        for (size_t i = 0; i < ROWS; i++)
            memcpy(other + 2 * i * ROW, local + 2 * i * ROW, ROW);
        __asm__ volatile("" ::: "memory");
    }
}

// ---------------------------------------------------------------- what is measured
static void line(const struct bench_opts *opts, const char *name, bench_fn op, size_t nbytes)
{
    struct bench_series series = {0};
    if (!bench_wants(opts, name))
        return;
    bench_measure(opts, op, NULL, &nbytes, &series);
    bench_emit(opts, "dart", name, nbytes, "ns", &series);
    free(series.v);
}

static void latencies(const struct bench_opts *opts, int plain)
{
    const size_t step = opts->quick ? 64 : 2;
    for (size_t nbytes = 1; nbytes <= MOST; nbytes *= step) {
        line(opts, "put", plain ? plain_put : put, nbytes);
        line(opts, "get", plain ? plain_get : get, nbytes);
    }
    line(opts, "put_rows", plain ? plain_rows : put_rows, (size_t)ROW * ROWS);
    line(opts, "get_rows", plain ? plain_rows : get_rows, (size_t)ROW * ROWS);
    if (plain)
        return;
    line(opts, "put_word", put_word, 8);
    line(opts, "get_word", get_word, 8);
    line(opts, "fetch_and_op", fetch_and_op, 8);
    line(opts, "compare_and_swap", compare_and_swap, 8);
}

/** Of a pair of calls on all units, so many in a row that the begin, when processes find their
 *  processors, does not count. */
static void collective(const struct bench_opts *opts, const char *name, void (*pair)(void))
{
    struct bench_series series = {0};
    if (!bench_wants(opts, name))
        return;
    for (int i = 0; i < PAIRS; i++) {
        must(dart_barrier(DART_TEAM_ALL));
        uint64_t start = bench_now_ns();
        pair();
        bench_series_add(&series, (double)(bench_now_ns() - start));
    }
    if (me == 0)
        bench_emit(opts, "dart", name, 0, "ns", &series);
    free(series.v);
}

static dart_group_t all_units;

static void team_pair(void)
{
    dart_team_t team;
    must(dart_team_create(DART_TEAM_ALL, all_units, &team));
    must(dart_team_destroy(&team));
}

static void memory_pair(void)
{
    dart_gptr_t gptr;
    must(dart_team_memalloc_aligned(DART_TEAM_ALL, 1 << 20, BYTES, &gptr));
    must(dart_team_memfree(gptr));
}

static void barrier_alone(void)
{
    must(dart_barrier(DART_TEAM_ALL));
}

static void collectives(const struct bench_opts *opts)
{
    must(dart_team_get_group(DART_TEAM_ALL, &all_units));
    collective(opts, "barrier", barrier_alone);
    collective(opts, "team", team_pair);
    collective(opts, "memory", memory_pair);
    must(dart_group_destroy(&all_units));
}

static void distances(const struct bench_opts *opts)
{
    static const struct {
        const char *name;
        bench_fn op;
        size_t nbytes;
    } all[] = {
        {"put_8", put, 8}, {"get_8", get, 8}, {"put_1m", put, 1 << 20}, {"get_1m", get, 1 << 20}};
    struct bench_series series = {0};
    for (int unit = 1; unit < nunits; unit++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            size_t nbytes = all[i].nbytes;
            dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(unit));
            bench_measure(opts, all[i].op, NULL, &nbytes, &series);
            bench_emit(opts, "dart", all[i].name, (size_t)unit, "ns", &series);
        }
    free(series.v);
}

/** What the machine takes from a program that calls nothing: the worst operation of the others
 *  cannot be shorter than that. */
static void loop(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        for (uint64_t start = bench_now_ns(); bench_now_ns() - start < LOOP_NS;)
            ;
}

/** One at a time, so that each has a time of its own. */
static void sleeper(const struct bench_opts *opts)
{
    static const struct {
        const char *name;
        bench_fn op;
    } all[] = {{"put", put_word},
               {"get", get_word},
               {"put_flush", put_flush},
               {"put_handle", put_handle},
               {"fetch_and_op", fetch_and_op},
               {"compare_and_swap", compare_and_swap},
               {"accumulate", accumulate},
               {"put_rows", put_rows},
               {"get_rows", get_rows},
               {"loop", loop}};
    struct bench_series series = {0}, late_counts = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const uint64_t begin = bench_now_ns();
        double late = 0;
        for (int k = 0; k < REPEATS && bench_now_ns() - begin < SLEEPER_NS; k++) {
            uint64_t start = bench_now_ns();
            all[i].op(NULL, 1);
            uint64_t took = bench_now_ns() - start;
            late += took > BAR_NS;
            bench_series_add(&series, (double)took);
        }
        bench_emit(opts, "sleeper", all[i].name, 8, "ns", &series);
        bench_series_add(&late_counts, late);
        bench_emit(opts, "late", all[i].name, 8, "operations", &late_counts);
    }
    free(series.v);
    free(late_counts.v);
}

/** Unit 1 sleeps until unit 0 is done, and calls nothing of the library meanwhile. */
static void with_sleeper(const struct bench_opts *opts, const volatile char *done)
{
    if (me == 0) {
        put_word(NULL, 1);  // connections are made
        sleeper(opts);
        const char one = 1;
        dart_gptr_t gptr = target;
        gptr.addr_or_offs.offset = ROOM - 1;
        must(dart_put_blocking(gptr, &one, 1, BYTES, BYTES));
    }
    while (me == 1 && !*done)
        usleep(1000);
}

static int plain(const struct bench_opts *opts)
{
    other = aligned_alloc(4096, ROOM);
    if (!other)
        return 1;
    memset(other, 0, ROOM);
    latencies(opts, 1);
    free(other);
    return 0;
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    dart_global_unit_t id;
    size_t size;
    void *own;
    bench_parse(argc, argv, &opts);
    if (!(local = aligned_alloc(4096, ROOM)))
        return 1;
    memset(local, 0, ROOM);
    if (opts.mode == PLAIN)
        return plain(&opts);
    if (dart_init(&argc, &argv) != DART_OK)
        return 1;
    dart_myid(&id);
    dart_size(&size);
    me = id.id;
    nunits = (int)size;
    must(dart_team_memalloc_aligned(DART_TEAM_ALL, ROOM, BYTES, &target));
    must(dart_type_create_strided(BYTES, 2 * ROW, ROW, &rows));
    dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(me));
    must(dart_gptr_getaddr(target, &own));
    memset(own, 0, ROOM);
    dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(1));
    must(dart_barrier(DART_TEAM_ALL));
    if (opts.mode == COLLECTIVE)
        collectives(&opts);
    else if (nunits > 1 && opts.mode == SLEEPER)
        with_sleeper(&opts, (char *)own + ROOM - 1);
    else if (nunits > 1 && me == 0 && opts.mode == DISTANCE)
        distances(&opts);
    else if (nunits > 1 && me == 0)
        latencies(&opts, 0);
    must(dart_barrier(DART_TEAM_ALL));
    must(dart_type_destroy(&rows));
    dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(0));
    must(dart_team_memfree(target));
    dart_exit();
    free(local);
    return 0;
}
