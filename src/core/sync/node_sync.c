// SPDX-License-Identifier: BSD-3-Clause
//
// A central counter (one for 32 members, and one above them) and one release word that all poll.
//
// With more PEs than processors context switches decide: the last arriver runs on, and no PE spins
// for one last seen on its own processor. With a processor for each, cache lines decide: in a
// meeting all poll the counter.
#include "core/sync/node_sync.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/env.h"
#include "base/futex.h"
#include "base/wait.h"
#include "core/mem/gather.h"
#include "core/progress/abandon.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/rma/context.h"
#include "core/sync/peer.h"

#define MEET_MOST 4  // members: they poll the word that they count on

static void publish_cpus(cw_coll_area_t *area)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_SET(0, &set);
    uint64_t words[CW_COLL_CPUS / 64];  // of which the kernel's set is made
    _Static_assert(sizeof words <= sizeof set, "a processor has a bit in both");
    memcpy(words, &set, sizeof words);
    for (int i = 0; i < CW_COLL_CPUS / 64; i++)
        if (words[i] & ~atomic_load_explicit(&cw_coll_cpus(area)[i], memory_order_relaxed))
            atomic_fetch_or_explicit(&cw_coll_cpus(area)[i], words[i], memory_order_relaxed);
}

/** Counts the processors of all PEs: PEs bound to one each are no crowd. Repeated until all have
 *  published theirs. */
static void count_cpus(cw_node_sync_t *ns)
{
    ns->counted = cw_gather_try();
    ns->ncpus = 0;
    for (int i = 0; i < CW_COLL_CPUS / 64; i++)
        ns->ncpus += __builtin_popcountll(atomic_load_explicit(&ns->cpus[i], memory_order_relaxed));
    int crowd = cw_world.machine_pes > ns->nlocal ? cw_world.machine_pes : ns->nlocal;
    bool roomy = !cwu_wait_crowded(crowd > ns->ncpus);
    if (cwu_env.spin >= 0)
        roomy = cwu_env.spin > 0;
    ns->plan = cwu_wait_plan(CWU_WAIT_SYNC, !roomy);
    if ((ns->patient || !ns->counted) && !roomy)
        ns->plan.yields = 0;  // PEs that have not come have to start first
    ns->roomy = roomy;
    ns->can_meet =
        ns->counted && roomy && ns->nnodes == 1 && ns->nlocal <= MEET_MOST && ns->deposit[1];
}

static void find_counter(cw_node_sync_t *ns)
{
    int mine = ns->mine / CW_COLL_RADIX, ncounters = cw_coll_ncounters(ns->nlocal);
    int last = ns->nlocal - (ncounters - 1) * CW_COLL_RADIX;
    ns->ncounters = (uint32_t)ncounters;
    ns->counter_members = (uint32_t)(mine == ncounters - 1 ? last : CW_COLL_RADIX);
}

void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, const int *pes, int slot,
                       int nslots, int nnodes)
{
    *ns = (cw_node_sync_t){
        .area = area,
        .mine = slot,
        .nlocal = nslots,
        .nnodes = nnodes,
        .helps = nnodes > 1 || cw_world.observed,
        .counter = cw_coll_counter(area, nnodes, slot / CW_COLL_RADIX),
        .pes = pes,
        .cpus = cw_coll_cpus(area),
    };
    for (int odd = 0; odd < 2; odd++) {
        ns->deposits[odd] = cw_coll_deposit(area, nnodes, nslots, odd, 0);
        ns->deposit[odd] = ns->deposits[odd] + slot;
    }
    find_counter(ns);
    publish_cpus(area);
}

void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, cw_coll_deposit_t *odd,
                       const int *pes, int mine, int nlocal, int nnodes)
{
    *ns = (cw_node_sync_t){
        .area = cw_coll_before(pes[0], &cell->area),
        .mine = mine,
        .nlocal = nlocal,
        .nnodes = nnodes,
        .helps = cw_world.nnodes > 1 || cw_world.observed,
        .counter = cw_coll_before(pes[mine - mine % CW_COLL_RADIX], &cell->counter),
        .deposit = {&cell->deposit, odd},
        .pes = pes,
        .cpus = cw_coll_cpus(cw_coll_local_area()),
    };
    find_counter(ns);
}

/** After the last synchronisation only the area is still read, by members that wait for the
 *  release. */
void cw_node_sync_leave(cw_node_sync_t *ns)
{
    if (ns->mine % CW_COLL_RADIX == 0)
        atomic_store_explicit(&ns->counter->arrived, 0, memory_order_relaxed);
    for (int odd = 0; odd < 2; odd++)
        if (ns->deposit[odd])
            atomic_store_explicit(&ns->deposit[odd]->number, 0, memory_order_relaxed);
    if (ns->mine != 0) {
        // releases this PE's last read of the area; seq_cst: before the test for sleepers
        atomic_fetch_add(&ns->area->left, 1);
        cw_local_stored_in_order(ns->pes[0]);
    }
}

bool cw_node_sync_left(cw_node_sync_t *ns)
{
    if (ns->mine != 0)
        return true;
    // pairs with cw_node_sync_leave
    if (atomic_load_explicit(&ns->area->left, memory_order_acquire) != (uint32_t)ns->nlocal - 1)
        return false;
    // Visible to the next team's members: they synchronise to agree on this number.
    atomic_store_explicit(&ns->area->left, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->area->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->area->released, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->area->meets, 0, memory_order_relaxed);
    return true;
}

/** Returns how many of n are missing. Counters wrap in 32 bits. */
static inline uint32_t count(_Atomic uint32_t *arrived, uint32_t number, uint32_t n)
{
    // acq_rel: each arrival acquires those before it, so the last one acquires all
    uint32_t before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel);
    return number * n - before - 1;
}

void cw_node_sync_patient(cw_node_sync_t *ns)
{
    ns->patient = true;
    count_cpus(ns);
}

/** Hints for those that wait: the counts decide. */
static void appear(cw_coll_deposit_t *mine, uint32_t number)
{
    atomic_store_explicit(&mine->cpu, sched_getcpu(), memory_order_relaxed);
    atomic_store_explicit(&mine->number, number, memory_order_relaxed);
}

bool cw_node_arrive(cw_node_sync_t *ns)
{
    if (CW_UNLIKELY(!ns->counted))
        count_cpus(ns);
    ns->number++;
    appear(ns->deposit[0], ns->number);
    ns->missing = count(&ns->counter->arrived, ns->number, ns->counter_members);
    if (ns->missing)
        return false;
    if (ns->ncounters > 1 && (ns->missing = count(&ns->area->arrived, ns->number, ns->ncounters)))
        return false;
    if (ns->nnodes > 1 && ns->mine != 0) {
        // the count before the test for sleepers: pairs with announce() in wait.c
        atomic_thread_fence(memory_order_seq_cst);
        cw_local_stored_in_order(ns->pes[0]);
    }
    return true;
}

bool cw_node_all_arrived(const cw_node_sync_t *ns)
{
    uint32_t n = ns->ncounters > 1 ? ns->ncounters : ns->counter_members;
    // pairs with count()
    return atomic_load_explicit(cw_node_arrivals(ns), memory_order_acquire) == ns->number * n;
}

void cw_node_await_all(cw_node_sync_t *ns)
{
    cw_wait_t w =
        CW_WAIT_FOR("a collective (PEs of this node)", cw_node_arrivals(ns), sizeof(uint32_t));
    if (ns->deposits[0])
        w.on = &cw_wait_world;
    while (!cw_node_all_arrived(ns))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Members that wait on their doorbells: they help their server or are observed. */
static void wake_helpers(const cw_node_sync_t *ns)
{
    for (int i = 0; i < ns->nlocal; i++)
        cw_wake(ns->pes[i]);
}

void cw_node_release(cw_node_sync_t *ns)
{
    ns->meets = ns->can_meet;
    // all read it before they arrive in the next synchronisation; released with the number
    atomic_store_explicit(&ns->area->meets, ns->can_meet, memory_order_relaxed);
    // seq_cst: either the sleeper's load of `released` sees this, or the load of `sleepers` below
    // sees the sleeper. As a release it pairs with cw_node_released().
    atomic_exchange(&ns->area->released, ns->number);
    if (atomic_load(&ns->area->sleepers))
        cwu_futex_wake((uint32_t *)&ns->area->released, INT_MAX);
    if (atomic_load(&cw_hot.node->sleepers))
        wake_helpers(ns);
}

typedef bool (*over_fn)(cw_node_sync_t *ns);

static bool is_released(cw_node_sync_t *ns)
{
    return cw_node_released(ns);
}

static const _Atomic uint32_t *release_word(const cw_node_sync_t *ns)
{
    return &ns->area->released;
}

/** bell: changes, with a wake-up, when it is over. Sleeps grow, for the sake of those that come;
 *  not where a connection may be lost without an event. */
static void sleep_until(cw_node_sync_t *ns, over_fn over, _Atomic uint32_t *bell)
{
    // seq_cst, also before what `over` loads: pairs with cw_node_release() and cw_node_meet()
    atomic_fetch_add(&ns->area->sleepers, 1);
    atomic_thread_fence(memory_order_seq_cst);
    cw_wait_t w = CW_WAIT_FOR("a collective", bell, sizeof *bell);
    if (ns->deposits[0])
        w.on = &cw_wait_world;
    w.since_ns = cwu_now_ns();
    cw_wait_current = &w;
    bool connected = cw_world.nnodes > 1;
    for (uint64_t sleep_ns = 0;;) {
        uint32_t seen = atomic_load(bell);
        if (over(ns))
            break;
        uint64_t look_ns = cw_wait_may_sleep(&w);
        sleep_ns = connected ? ns->plan.first_ns : cwu_wait_longer(&ns->plan, sleep_ns);
        cw_wait_asleep = true;
        cwu_futex_wait((uint32_t *)bell, seen, look_ns < sleep_ns ? look_ns : sleep_ns);
        cw_wait_asleep = false;
        if (!cw_gathered())
            cw_gather_try();
        if (cw_world.nnodes > 1)
            connected = cw_progress_hooks.advance();
    }
    if (w.reported)
        cw_progress_hooks.moved(&w);
    cw_wait_current = NULL;
    atomic_fetch_sub_explicit(&ns->area->sleepers, 1, memory_order_relaxed);
}

/** Is a member missing that was last seen on this processor? */
static bool blocks_others(const cw_node_sync_t *ns, bool meeting)
{
    int cpu = sched_getcpu();
    uint32_t number = meeting ? ns->meeting : ns->number;
    unsigned odd = meeting ? number & 1 : 0, before = meeting ? !odd : 0;
    for (int i = 0; i < ns->nlocal; i++)
        if (atomic_load_explicit(&cw_node_deposit(ns, i, odd)->number, memory_order_relaxed) !=
                number &&
            atomic_load_explicit(&cw_node_deposit(ns, i, before)->cpu, memory_order_relaxed) == cpu)
            return true;
    return false;
}

/** False: it is time to sleep. round: the first one. */
static CW_ALWAYS_INLINE bool stay_awake(cw_node_sync_t *ns, over_fn over, bool meeting,
                                        uint32_t round)
{
    for (uint64_t since_ns = 0;; round++) {
        if (over(ns))
            return true;
        if (round == CWU_WAIT_LOOK && round < ns->plan.polls && blocks_others(ns, meeting))
            round = ns->plan.polls;
        switch (cwu_wait_step(&ns->plan, round, 0, &since_ns)) {
        case CWU_POLL:
            cwu_cpu_pause();
            break;
        case CWU_YIELD:
            cwu_yield();
            break;
        default:
            return false;
        }
    }
}

/** word: whose change this PE waits for. */
static void help_until(cw_node_sync_t *ns, over_fn over,
                       const _Atomic uint32_t *(*word)(const cw_node_sync_t *ns))
{
    cw_wait_t w = CW_WAIT_INIT("a collective");
    if (ns->deposits[0])
        w.on = &cw_wait_world;
    while (!over(ns)) {
        cw_wait_on_word(&w, (const void *)word(ns), sizeof(uint32_t));
        cw_wait_round(&w);
    }
    cw_wait_done(&w);
}

static bool must_help(const cw_node_sync_t *ns)
{
    // the rings that say that a wait may be abandoned are on doorbells
    return cw_abandoning || cw_wait_must_help() || (ns->helps && cw_world.observed);
}

/** Where PEs share processors, a wait polls only for the last few, that run elsewhere. */
static uint32_t first_round(const cw_node_sync_t *ns)
{
    bool polls = ns->roomy || (ns->missing < (uint32_t)ns->ncpus && ns->nlocal <= CW_COLL_RADIX &&
                               !blocks_others(ns, false));
    return polls ? 0 : ns->plan.polls;
}

void cw_node_await_release(cw_node_sync_t *ns)
{
    if (must_help(ns))
        help_until(ns, is_released, release_word);
    else if (!stay_awake(ns, is_released, false, first_round(ns)))
        sleep_until(ns, is_released, &ns->area->released);
    ns->meets = atomic_load_explicit(&ns->area->meets, memory_order_relaxed);
}

// ---------------------------------------------------------------- meetings

/** Counts of the next meeting do not matter: fewer than all. */
static bool is_met(cw_node_sync_t *ns)
{
    uint32_t n = (uint32_t)ns->nlocal;
    // pairs with the count of cw_node_meet()
    return atomic_load_explicit(&ns->area->arrived, memory_order_acquire) - ns->meeting * n < n;
}

static const _Atomic uint32_t *meeting_word(const cw_node_sync_t *ns)
{
    return &ns->area->arrived;
}

static void await_meeting(cw_node_sync_t *ns)
{
    uint32_t polls = 0;
    for (; polls < CWU_WAIT_LOOK && polls < ns->plan.polls; polls++) {
        if (is_met(ns))
            return;
        cwu_cpu_pause();
    }
    if (must_help(ns))
        help_until(ns, is_met, meeting_word);
    else if (!stay_awake(ns, is_met, true, polls))
        sleep_until(ns, is_met, &ns->area->bell);
}

static void wake_all(const cw_node_sync_t *ns)
{
    if (CW_UNLIKELY(atomic_load(&ns->area->sleepers))) {
        atomic_fetch_add(&ns->area->bell, 1);
        cwu_futex_wake((uint32_t *)&ns->area->bell, INT_MAX);
    }
    if (CW_UNLIKELY(atomic_load(&cw_hot.node->sleepers)))
        wake_helpers(ns);
}

void cw_node_meet(cw_node_sync_t *ns)
{
    if (CW_UNLIKELY(!ns->counted))
        count_cpus(ns);
    uint32_t number = ++ns->meeting, n = (uint32_t)ns->nlocal;
    appear(ns->deposit[number & 1], number);
    // Each count acquires those before it and releases this PE's actions, also reads of deposits;
    // seq_cst: the last one, before the test for sleepers.
    if (atomic_fetch_add(&ns->area->arrived, 1) + 1 == number * n)
        wake_all(ns);
    else
        await_meeting(ns);
}
