// SPDX-License-Identifier: BSD-3-Clause
//
// What puts to a waiting node cost it: it waits for a message or in a barrier, sleeps, and is not
// woken by data that it does not wait for. Counted in evaluations of the condition, and in the
// waiting thread's own processor time.
#define EVERY_MAIN
#include "every.h"

#include <time.h>

// The longest sleep is 10 ms. Before it come CAUSEWAY_SPIN and CAUSEWAY_YIELDS polls (tests.toml),
// and sleeps of growing length.
enum { PUTS = 4000, LOOKS_BEFORE = 20 + 200 + 100, LONGEST_MS = 10 };
static volatile int ended;
static volatile long looks;

static void on_end(gasnet_token_t token)
{
    (void)token;
    ended = 1;
}

static double now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void put_many(void)
{
    for (uint64_t i = 0; i < PUTS; i++)
        gasnet_put_bulk(next, theirs, &i, sizeof i);
}

/** Node 0 puts, the others only wait: measures the processor time that this took them. */
static double own_ms_in_barrier(double *ms_p)
{
    double start = now_ms(CLOCK_MONOTONIC), own = now_ms(CLOCK_THREAD_CPUTIME_ID);
    if (me == 0)
        put_many();
    barrier();
    *ms_p = now_ms(CLOCK_MONOTONIC) - start;
    return now_ms(CLOCK_THREAD_CPUTIME_ID) - own;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (gasnet_causeway_fnptr_t)on_end}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(table, 1, SEGMENT);
    barrier();
    if (me == 0) {
        put_many();
        gasnet_AMRequestShort0(next, 200);
    } else {
        double start = now_ms(CLOCK_MONOTONIC);
        GASNET_BLOCKUNTIL((looks++, ended));
        double ms = now_ms(CLOCK_MONOTONIC) - start;
        CHECK(looks < LOOKS_BEFORE + 5 * (long)ms / LONGEST_MS, "%ld looks in %.0f ms", looks, ms);
    }
    barrier();
    double ms, own = own_ms_in_barrier(&ms);
    if (me != 0)
        CHECK(own < 15 + ms / 10, "%.1f ms of %.0f spent in the barrier's wait", own, ms);
    every_end("waiting");
}
