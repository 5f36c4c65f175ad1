// SPDX-License-Identifier: BSD-3-Clause
//
// Yields and their memory (base/thread.h), on a clock and with yields of this program's own.
#include <sched.h>
#include <time.h>

#include "base/thread.h"
#include "frame/check.h"

static uint64_t now_ns = 1000000000u, yield_costs_ns;
static int yields;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
    (void)clock;
    *ts = (struct timespec){(time_t)(now_ns / 1000000000u), (long)(now_ns % 1000000000u)};
    return 0;
}

int sched_yield(void)
{
    yields++;
    now_ns += yield_costs_ns;
    return 0;
}

static void cheap_ones_are_not_dear(void)
{
    yield_costs_ns = CWU_YIELD_DEAR_NS;
    for (int i = 0; i < 100; i++) {
        CHECK(cwu_yield() == yield_costs_ns);
        CHECK(!cwu_yield_is_dear());
    }
    CHECK(yields == 100, "%d yields", yields);
}

static void dear_ones_are_remembered(void)
{
    yield_costs_ns = CWU_YIELD_DEAR_NS + 1;
    cwu_yield();
    now_ns += CWU_YIELD_LEAST_MEMORY_NS - 1;
    CHECK(cwu_yield_is_dear());
    now_ns++;
    CHECK(!cwu_yield_is_dear());
    CHECK(atomic_load(&cwu_yield_dear_until_ns) == 0);  // the next test reads no clock
}

/** How long yields are dear after one that is. */
static uint64_t memory_of_a_dear_one(void)
{
    yield_costs_ns = CWU_YIELD_DEAR_NS + 1;
    cwu_yield();
    uint64_t start = now_ns;
    while (cwu_yield_is_dear())
        now_ns += 1000;
    return now_ns - start;
}

static void lasting_load_is_remembered_longer(void)
{
    now_ns += CWU_YIELD_FORGET_NS;
    uint64_t want = CWU_YIELD_LEAST_MEMORY_NS;
    for (int i = 0; i < 10; i++) {
        uint64_t memory = memory_of_a_dear_one();
        CHECK(memory / 10000 == want / 10000, "dear yield %d is remembered for %lu ns, not %lu", i,
              (unsigned long)memory, (unsigned long)want);
        want = 2 * want < CWU_YIELD_MOST_MEMORY_NS ? 2 * want : CWU_YIELD_MOST_MEMORY_NS;
        now_ns += want / 4;
    }
    now_ns += CWU_YIELD_FORGET_NS;
    CHECK(memory_of_a_dear_one() / 10000 == CWU_YIELD_LEAST_MEMORY_NS / 10000);
}

/** A cheap one does not end the memory of a dear one: it may have met a free core. */
static void cheap_ones_prove_nothing(void)
{
    yield_costs_ns = CWU_YIELD_DEAR_NS + 1;
    cwu_yield();
    yield_costs_ns = 500;
    cwu_yield();
    CHECK(cwu_yield_is_dear());
    now_ns += CWU_YIELD_MOST_MEMORY_NS;
    CHECK(!cwu_yield_is_dear());
}

/** How long a wait polls that gets its answer only asleep. */
static uint64_t polls_in_vain(void)
{
    uint64_t since_ns = 0, start = now_ns;
    while (cwu_polls_on(&since_ns))
        now_ns += 1000;
    CHECK(!cwu_polls_on(&since_ns));
    return now_ns - start;
}

/** The wait's answer comes while it polls. */
static void poll_with_success(void)
{
    uint64_t since_ns = 0;
    CHECK(cwu_polls_on(&since_ns));
    now_ns += CWU_DEAR_POLLS_NS - 1;
    CHECK(cwu_polls_on(&since_ns));
}

static void polls_in_vain_become_seldom(void)
{
    for (int time = 0; time < 3; time++) {
        for (int fails = 1, skips = 0; fails < 12; fails++) {
            CHECK(polls_in_vain() == CWU_DEAR_POLLS_NS);
            for (int i = 0; i < skips; i++)
                CHECK(polls_in_vain() == 0, "wait %d behind %d", i, fails);
            skips = 2 * skips + 1 < 63 ? 2 * skips + 1 : 63;
        }
        poll_with_success();
    }
}

int main(void)
{
    CHECK(!cwu_yield_is_dear());
    cheap_ones_are_not_dear();
    dear_ones_are_remembered();
    cheap_ones_prove_nothing();
    polls_in_vain_become_seldom();
    lasting_load_is_remembered_longer();
    return check_result();
}
