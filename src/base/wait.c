// SPDX-License-Identifier: BSD-3-Clause
//
// The table of waits, and yields, measured.
#include "base/wait.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/env.h"

static const struct {
    uint32_t polls[2], yields[2];  // crowded: the second ones
    uint32_t first, longest, flags;
} plans[CWU_WAITS] = {
#define CW_WAIT(id, name, polls, yields, crowded_polls, crowded_yields, first, longest, flags, \
                text)                                                                          \
    {{polls, crowded_polls}, {yields, crowded_yields}, first, longest, flags},
#define CW_WAIT_NUMBER(id, number, unit, text)
#include "base/waits.def"
};

static bool is_set_to(const char *value)
{
    return cwu_env.wait && strcmp(cwu_env.wait, value) == 0;  // NULL: in tests of single files
}

bool cwu_wait_crowded(bool seen)
{
    return is_set_to("crowded") || (seen && !is_set_to("alone"));
}

/** What the user has chosen for a row: -1 nothing, else rounds. */
static long chosen(uint32_t flags, long rounds)
{
    return !(flags & CWU_WAIT_PE) ? -1 : rounds < 0 && is_set_to("asleep") ? 0 : rounds;
}

static uint64_t shared_ns;  // between two sleeps of a PE, so that its processor wakes one each SOON

void cwu_wait_share(unsigned pes)
{
    const uint64_t most = CWU_WAIT_NS(SECOND);
    shared_ns = pes * CWU_WAIT_NS(SOON) < most ? pes * CWU_WAIT_NS(SOON) : most;
}

/** A sleep of the table, in us. Short ones are for what may come without a wake-up. */
static uint64_t sleep_ns(uint32_t flags, uint32_t us)
{
    uint64_t ns = UINT64_C(1000) * us;
    return flags & CWU_WAIT_PE && us >= CWU_WAIT_LATE && ns < shared_ns ? shared_ns : ns;
}

cwu_wait_plan_t cwu_wait_plan(cwu_wait_id_t id, bool crowded)
{
    uint32_t flags = plans[id].flags;
    long polls = chosen(flags, id == CWU_WAIT_SERVER ? cwu_env.server_spin : cwu_env.spin),
         yields = chosen(flags, cwu_env.yields);
    return (cwu_wait_plan_t){
        .polls = polls < 0 ? plans[id].polls[crowded] : (uint32_t)polls,
        .yields = yields < 0 ? plans[id].yields[crowded] : (uint32_t)yields,
        .early = flags & CWU_WAIT_EARLY && polls < 0 ? CWU_WAIT_EARLY_AT : UINT32_MAX,
        .beside = flags & CWU_WAIT_BESIDE && polls < 0 && yields < 0 && !crowded,
        .first_ns = sleep_ns(flags, plans[id].first),
        .longest_ns = sleep_ns(flags, plans[id].longest),
    };
}

// ---------------------------------------------------------------- yields

_Atomic uint64_t cwu_yield_dear_until_ns;

/** Threads that find yields expensive at the same time lose an update of the other, no more. */
static void remember_dear(uint64_t now)
{
    static _Atomic uint64_t memory_ns, end_ns;
    const uint64_t most = CWU_WAIT_NS(DEAR_MOST);
    uint64_t memory = atomic_load_explicit(&memory_ns, memory_order_relaxed),
             end = atomic_load_explicit(&end_ns, memory_order_relaxed);
    if (now > end + CWU_WAIT_NS(DEAR_FORGET))
        memory = CWU_WAIT_NS(DEAR_LEAST);
    else if (now > end)
        memory = 2 * memory < most ? 2 * memory : most;
    atomic_store_explicit(&memory_ns, memory, memory_order_relaxed);
    atomic_store_explicit(&end_ns, now + memory, memory_order_relaxed);
    atomic_store_explicit(&cwu_yield_dear_until_ns, now + memory, memory_order_relaxed);
}

uint64_t cwu_yield(void)
{
    uint64_t start = cwu_now_ns();
    sched_yield();
    uint64_t now = cwu_now_ns();
    if (CW_UNLIKELY(now - start > CWU_WAIT_NS(DEAR)))
        remember_dear(now);
    return now - start;
}

bool cwu_yield_is_still_dear(void)
{
    uint64_t until = atomic_load_explicit(&cwu_yield_dear_until_ns, memory_order_relaxed);
    if (cwu_now_ns() < until)
        return true;
    // unless another thread has just found one expensive
    atomic_compare_exchange_strong_explicit(&cwu_yield_dear_until_ns, &until, 0,
                                            memory_order_relaxed, memory_order_relaxed);
    return false;
}

/** Of this thread's waits while yields are expensive. */
static _Thread_local struct {
    uint32_t vain, skips;  // polls in a row that ended in a sleep; waits that sleep at once
    bool polls;            // the last one polls, or ended while it did
} dear CW_INITIAL_EXEC;

/** A wait polls, unless the last ones did so in vain: then each second one, each fourth and so on
 *  tries it. */
static bool begin_polls(void)
{
    if (dear.polls)
        dear.vain = 0;
    dear.polls = dear.skips == 0;
    dear.skips -= !dear.polls;
    return dear.polls;
}

bool cwu_polls_on(uint64_t *since_ns_p)
{
    uint64_t now = cwu_now_ns();
    if (*since_ns_p == 0) {
        *since_ns_p = now;
        return begin_polls();
    }
    if (!dear.polls || now - *since_ns_p < CWU_WAIT_NS(SWITCH))
        return dear.polls;
    dear.polls = false;
    dear.skips = (1u << dear.vain) - 1;
    dear.vain += 1u << dear.vain < CWU_WAIT_MANY;
    return false;
}
