// SPDX-License-Identifier: BSD-3-Clause
//
// The one waiting policy. A wait counts its rounds without an event and asks cwu_wait_step after
// each what to do: poll again, yield, or sleep, for a time that cwu_wait_longer gives. How often
// and how long is a row of waits.def; CAUSEWAY_WAIT chooses among its columns. Threads: any.
//
// A yield returns at once to an empty run queue, and after some microseconds when the others wait
// as well. Beside a thread that computes, of this job or of another, it gives a time slice away,
// while a thread that sleeps is woken into the middle of one. So yields are measured, and for a
// while after an expensive one waits poll a little, where each PE has a core, and sleep. One memory
// for all threads of the process. A yield costs two readings of the clock more than sched_yield.
#ifndef CW_BASE_WAIT_H
#define CW_BASE_WAIT_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum cwu_wait_id {
#define CW_WAIT(id, ...) CWU_WAIT_##id,
#define CW_WAIT_NUMBER(id, number, unit, text)
#include "base/waits.def"
    CWU_WAITS
} cwu_wait_id_t;

enum {
    CWU_WAIT_PE = 1,
    CWU_WAIT_EARLY = 2,
    CWU_WAIT_BESIDE = 4,
};

enum {
#define CW_WAIT(id, ...)
#define CW_WAIT_NUMBER(id, number, unit, text) CWU_WAIT_##id = (number),
#include "base/waits.def"
};

/** A time of the table, in ns and in seconds. */
#define CWU_WAIT_NS(id) (UINT64_C(1000) * CWU_WAIT_##id)
#define CWU_WAIT_S(id) (CWU_WAIT_##id / 1000000)

/** A row as it holds for a wait of this process. */
typedef struct cwu_wait_plan {
    uint32_t polls, yields;  // rounds
    uint32_t early;          // round amid the polls that yields; UINT32_MAX: none
    bool beside;             // polls for a while where yields are expensive
    uint64_t first_ns, longest_ns;
} cwu_wait_plan_t;

/** Are there more PEs than processors? seen: as far as the caller sees; CAUSEWAY_WAIT may know
 *  better. */
bool cwu_wait_crowded(bool seen);
/** So many PEs share a processor: of plans that are made from now on. Where thousands do, those
 *  that look again and again whether they were forgotten would keep it from the ones that have
 *  work; so their long sleeps get longer, up to a second. */
void cwu_wait_share(unsigned pes);
/** The plan of a row. crowded: as cwu_wait_crowded says. */
cwu_wait_plan_t cwu_wait_plan(cwu_wait_id_t id, bool crowded);

// ---------------------------------------------------------------- yields

extern _Atomic uint64_t cwu_yield_dear_until_ns CW_HIDDEN;  // 0: yields are not expensive

/** Yields; returns how long that took. */
uint64_t cwu_yield(void);
bool cwu_yield_is_still_dear(void);

/** Has a yield of this process been expensive lately? */
static inline bool cwu_yield_is_dear(void)
{
    return CW_UNLIKELY(atomic_load_explicit(&cwu_yield_dear_until_ns, memory_order_relaxed)) &&
           cwu_yield_is_still_dear();
}

/** Shall a wait that polls since *since_ns_p poll on? 0: it begins now. */
bool cwu_polls_on(uint64_t *since_ns_p);

// ---------------------------------------------------------------- the step

typedef enum cwu_wait_step { CWU_POLL, CWU_YIELD, CWU_SLEEP } cwu_wait_step_t;

/** What follows round `round` (from 0) without an event. more: yields beyond those of the plan.
 *  *since_ns_p: the wait's, 0 at its begin: since when it polls where yields are expensive. */
static inline cwu_wait_step_t cwu_wait_step(const cwu_wait_plan_t *plan, uint32_t round,
                                            uint32_t more, uint64_t *since_ns_p)
{
    if (round < plan->polls)
        return CW_UNLIKELY(round == plan->early) && !cwu_yield_is_dear() ? CWU_YIELD : CWU_POLL;
    if (cwu_yield_is_dear())
        return plan->beside && cwu_polls_on(since_ns_p) ? CWU_POLL : CWU_SLEEP;
    return round - plan->polls < plan->yields + more ? CWU_YIELD : CWU_SLEEP;
}

/** The length of the sleep that follows one of `ns`; 0: the first. */
static inline uint64_t cwu_wait_longer(const cwu_wait_plan_t *plan, uint64_t ns)
{
    if (ns == 0)
        return plan->first_ns;
    return 2 * ns < plan->longest_ns ? 2 * ns : plan->longest_ns;
}

/** The length of a nap after so long a silence, where no event ends naps. */
static inline uint64_t cwu_wait_nap_ns(uint64_t silence_ns)
{
    uint64_t ns = CWU_WAIT_NS(NAP) + silence_ns / CWU_WAIT_GROWTH;
    return ns < CWU_WAIT_NS(LISTEN) ? ns : CWU_WAIT_NS(LISTEN);
}

#endif
