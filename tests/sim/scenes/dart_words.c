// SPDX-License-Identifier: BSD-3-Clause
//
// Words of DART between units of a node and of another one: gets that land later have landed behind
// a flush, handles of puts and gets are complete behind their wait, sums of updates are exact.
#include <dash/dart/if/dart.h>
#include <unistd.h>

#include "sim.h"

enum { UNITS = 3, WORDS = 40, ADDS = 3 };
static dart_gptr_t words;

static dart_gptr_t at(int unit, int word)
{
    dart_gptr_t p = words;
    p.unitid = unit;
    p.addr_or_offs.offset = (uint64_t)word * sizeof(long);
    return p;
}

static void put_and_get(int me, long round)
{
    static long seen[WORDS];
    dart_handle_t handles[2];
    int next = (me + 1) % UNITS;
    long value = 1000 * round + me, other = value + 1, last = -1;
    for (int i = 2; i < WORDS; i++)
        dart_put(at(next, i), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_flush(at(next, 0));
    for (int i = 2; i < WORDS; i++)
        dart_get(&seen[i], at(next, i), 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_flush_local(at(next, 0));
    for (int i = 2; i < WORDS; i++)
        SIM_CHECK(seen[i] == value, "word %d is %ld behind the flush, not %ld", i, seen[i], value);
    dart_put_handle(at(next, 2), &other, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handles[0]);
    dart_wait(&handles[0]);
    dart_get_handle(&last, at(next, 2), 1, DART_TYPE_LONG, DART_TYPE_LONG, &handles[1]);
    for (int32_t done = 0; !done; usleep(20))
        dart_test(&handles[1], &done);
    SIM_CHECK(last == other, "a get with a handle gives %ld, not %ld", last, other);
}

static void run(void)
{
    dart_global_unit_t me;
    long zero[WORDS] = {0}, one = 1, sum = -1;
    dart_init(NULL, NULL);
    dart_myid(&me);
    dart_team_memalloc_aligned(DART_TEAM_ALL, WORDS, DART_TYPE_LONG, &words);
    dart_put_blocking(at(me.id, 0), zero, WORDS, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    for (long round = 1; round <= 2; round++) {
        put_and_get(me.id, round);
        for (int i = 0; i < ADDS; i++)
            dart_accumulate(at(0, 0), &one, 1, DART_TYPE_LONG, DART_OP_SUM);
        dart_flush(at(0, 0));
    }
    dart_barrier(DART_TEAM_ALL);
    dart_get_blocking(&sum, at(0, 0), 1, DART_TYPE_LONG, DART_TYPE_LONG);
    SIM_CHECK(sum == 2 * UNITS * ADDS, "the sum of all updates is %ld", sum);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_team_memfree(words);
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "dart_words", .npes = UNITS, .nnodes = 2, .run = run};
