// SPDX-License-Identifier: BSD-3-Clause
//
// The policy of waits (base/wait.h): steps of each row, yields and their memory, on a clock and
// with yields of this program's own.
#include <sched.h>
#include <time.h>

#include "base/env.h"
#include "base/wait.h"
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
    yield_costs_ns = CWU_WAIT_NS(DEAR);
    for (int i = 0; i < 100; i++) {
        CHECK(cwu_yield() == yield_costs_ns);
        CHECK(!cwu_yield_is_dear());
    }
    CHECK(yields == 100, "%d yields", yields);
}

static void dear_ones_are_remembered(void)
{
    yield_costs_ns = CWU_WAIT_NS(DEAR) + 1;
    cwu_yield();
    now_ns += CWU_WAIT_NS(DEAR_LEAST) - 1;
    CHECK(cwu_yield_is_dear());
    now_ns++;
    CHECK(!cwu_yield_is_dear());
    CHECK(atomic_load(&cwu_yield_dear_until_ns) == 0);  // the next test reads no clock
}

/** How long yields are dear after one that is. */
static uint64_t memory_of_a_dear_one(void)
{
    yield_costs_ns = CWU_WAIT_NS(DEAR) + 1;
    cwu_yield();
    uint64_t start = now_ns;
    while (cwu_yield_is_dear())
        now_ns += 1000;
    return now_ns - start;
}

static void lasting_load_is_remembered_longer(void)
{
    now_ns += CWU_WAIT_NS(DEAR_FORGET);
    uint64_t want = CWU_WAIT_NS(DEAR_LEAST);
    for (int i = 0; i < 10; i++) {
        uint64_t memory = memory_of_a_dear_one();
        CHECK(memory / 10000 == want / 10000, "dear yield %d is remembered for %lu ns, not %lu", i,
              (unsigned long)memory, (unsigned long)want);
        want = 2 * want < CWU_WAIT_NS(DEAR_MOST) ? 2 * want : CWU_WAIT_NS(DEAR_MOST);
        now_ns += want / 4;
    }
    now_ns += CWU_WAIT_NS(DEAR_FORGET);
    CHECK(memory_of_a_dear_one() / 10000 == CWU_WAIT_NS(DEAR_LEAST) / 10000);
}

/** A cheap one does not end the memory of a dear one: it may have met a free core. */
static void cheap_ones_prove_nothing(void)
{
    yield_costs_ns = CWU_WAIT_NS(DEAR) + 1;
    cwu_yield();
    yield_costs_ns = 500;
    cwu_yield();
    CHECK(cwu_yield_is_dear());
    now_ns += CWU_WAIT_NS(DEAR_MOST);
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
    now_ns += CWU_WAIT_NS(SWITCH) - 1;
    CHECK(cwu_polls_on(&since_ns));
}

static void polls_in_vain_become_seldom(void)
{
    for (int time = 0; time < 3; time++) {
        for (int fails = 1, skips = 0; fails < 12; fails++) {
            CHECK(polls_in_vain() == CWU_WAIT_NS(SWITCH));
            for (int i = 0; i < skips; i++)
                CHECK(polls_in_vain() == 0, "wait %d behind %d", i, fails);
            skips = 2 * skips + 1 < 63 ? 2 * skips + 1 : 63;
        }
        poll_with_success();
    }
}

static const struct {
    cwu_wait_id_t id;
    const char *name;
} rows[] = {
#define CW_WAIT(id, name, ...) {CWU_WAIT_##id, name},
#define CW_WAIT_NUMBER(...)
#include "base/waits.def"
};

static cwu_wait_step_t step(const cwu_wait_plan_t *plan, uint32_t round)
{
    uint64_t since_ns = 0;
    return cwu_wait_step(plan, round, 0, &since_ns);
}

/** Rounds of polls, of yields and early yields until the first sleep. */
static cwu_wait_plan_t count(const cwu_wait_plan_t *plan)
{
    cwu_wait_plan_t n = {0};
    for (uint32_t round = 0; step(plan, round) != CWU_SLEEP; round++) {
        bool yields = step(plan, round) == CWU_YIELD,
             early = yields && step(plan, round + 1) == CWU_POLL;
        n.early += early;
        n.yields += yields && !early;
        n.polls += !yields;
    }
    return n;
}

/** A wait on a core of its own polls first, one that shares it yields no later and sleeps no later;
 *  each ends in sleeps that grow to a limit, a long one only where a wake-up always comes. */
static void waits_poll_yield_and_sleep(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cwu_wait_plan_t alone = cwu_wait_plan(rows[i].id, false),
                        crowded = cwu_wait_plan(rows[i].id, true), a = count(&alone),
                        c = count(&crowded);
        CHECK(a.polls + a.early == alone.polls && a.yields == alone.yields, "%s", rows[i].name);
        CHECK(alone.polls > 0 && c.polls <= a.polls, "%s", rows[i].name);
        CHECK(a.early == (alone.early != UINT32_MAX), "%s: %u early", rows[i].name, a.early);
        for (uint32_t round = alone.polls + alone.yields; round < 1u << 31; round = 2 * round + 1)
            CHECK(step(&alone, round) == CWU_SLEEP, "%s", rows[i].name);
        uint64_t ns = 0, least = 1;
        for (int n = 0; n < 20; n++, least = ns) {
            ns = cwu_wait_longer(&alone, ns);
            CHECK(ns >= least && ns <= alone.longest_ns, "%s", rows[i].name);
        }
        CHECK(ns == alone.longest_ns, "%s", rows[i].name);
        CHECK(ns <= CWU_WAIT_NS(SAFEGUARD) || rows[i].id == CWU_WAIT_SYNC, "%s", rows[i].name);
    }
    cwu_wait_plan_t naps = cwu_wait_plan(CWU_WAIT_NAPS, false);
    CHECK(cwu_wait_nap_ns(0) == naps.first_ns);
    CHECK(cwu_wait_nap_ns(UINT64_MAX / 2) == naps.longest_ns);
    cwu_wait_plan_t word = cwu_wait_plan(CWU_WAIT_WORD, true);
    CHECK(step(&word, 0) == CWU_YIELD);  // what it waits for may need its core
}

/** Where many PEs share a processor long sleeps of PEs get longer, short ones and locks' do not. */
static void those_who_share_sleep_longer(void)
{
    for (unsigned pes = 1; pes < 1u << 20; pes *= 4) {
        cwu_wait_share(pes);
        uint64_t shared = pes * CWU_WAIT_NS(SOON), most = CWU_WAIT_NS(SECOND);
        shared = shared < most ? shared : most;
        const cwu_wait_plan_t word = cwu_wait_plan(CWU_WAIT_WORD, true),
                              sync = cwu_wait_plan(CWU_WAIT_SYNC, true),
                              lock = cwu_wait_plan(CWU_WAIT_LOCK, true),
                              server = cwu_wait_plan(CWU_WAIT_SERVER, true);
        CHECK(word.first_ns == CWU_WAIT_NS(SOON));
        CHECK(word.longest_ns == (shared > CWU_WAIT_NS(LATE) ? shared : CWU_WAIT_NS(LATE)));
        CHECK(sync.first_ns == (shared > CWU_WAIT_NS(SAFEGUARD) ? shared : CWU_WAIT_NS(SAFEGUARD)));
        CHECK(sync.longest_ns == most);
        CHECK(lock.longest_ns == CWU_WAIT_NS(SAFEGUARD));
        CHECK(server.longest_ns == CWU_WAIT_NS(LISTEN));
    }
    cwu_wait_share(1);
}

/** Where yields are expensive a wait yields no more: it polls on for a moment, or sleeps. */
static void waits_give_way_to_other_load(void)
{
    cwu_wait_plan_t alone = cwu_wait_plan(CWU_WAIT_REPLY, false),
                    crowded = cwu_wait_plan(CWU_WAIT_REPLY, true);
    uint64_t since_ns = 0;
    yield_costs_ns = CWU_WAIT_NS(DEAR) + 1;
    cwu_yield();
    CHECK(step(&alone, alone.early) == CWU_POLL);
    CHECK(cwu_wait_step(&alone, alone.polls, 0, &since_ns) == CWU_POLL);
    now_ns += CWU_WAIT_NS(SWITCH);
    CHECK(cwu_wait_step(&alone, alone.polls + 1, 0, &since_ns) == CWU_SLEEP);
    CHECK(step(&crowded, 0) == CWU_SLEEP);
    now_ns += CWU_WAIT_NS(DEAR_MOST);
    CHECK(step(&alone, alone.polls) == CWU_YIELD);
    poll_with_success();
}

static void variables_choose(void)
{
    cwu_env.wait = "alone";
    CHECK(!cwu_wait_crowded(true) && !cwu_wait_crowded(false));
    cwu_env.wait = "crowded";
    CHECK(cwu_wait_crowded(true) && cwu_wait_crowded(false));
    cwu_env.wait = "asleep";
    CHECK(cwu_wait_crowded(true) && !cwu_wait_crowded(false));
    cwu_wait_plan_t word = cwu_wait_plan(CWU_WAIT_WORD, false),
                    lock = cwu_wait_plan(CWU_WAIT_LOCK, false);
    CHECK(step(&word, 0) == CWU_SLEEP && step(&lock, 0) == CWU_POLL);
    cwu_env.wait = "auto";
    cwu_env.spin = 7;
    cwu_env.yields = 3;
    cwu_wait_plan_t reply = cwu_wait_plan(CWU_WAIT_REPLY, true), n = count(&reply);
    CHECK(n.polls == 7 && n.yields == 3 && n.early == 0);
    cwu_env.spin = cwu_env.yields = -1;
}

int main(void)
{
    cwu_env_load();
    yield_costs_ns = 0;
    waits_poll_yield_and_sleep();
    those_who_share_sleep_longer();
    variables_choose();
    CHECK(!cwu_yield_is_dear());
    cheap_ones_are_not_dear();
    dear_ones_are_remembered();
    cheap_ones_prove_nothing();
    polls_in_vain_become_seldom();
    lasting_load_is_remembered_longer();
    waits_give_way_to_other_load();
    return check_result();
}
