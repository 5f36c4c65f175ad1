// SPDX-License-Identifier: BSD-3-Clause
//
// A central counter (one for 32 members, and one above them) and one release word that all poll.
//
// With more PEs than processors, the number of context switches decides. Here the last arriver
// releases all members at once and runs on into the next synchronisation without giving up its
// processor. Trees and per-member flags, where a parent must be scheduled between its children and
// the release, measured slower from four PEs on and no faster below.
//
// A PE spins only while it waits for PEs that run elsewhere; never for a PE last seen on its own
// processor, which can run only when this one yields. With four PEs on two processors that halves
// the context switches, and two PEs that a busy machine puts on one processor do not spin against
// each other.
#include "core/sync/node_sync.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/env.h"
#include "base/futex.h"
#include "base/thread.h"
#include "core/mem/gather.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/rma/context.h"

#define ROOMY_SPINS 1000u  // with a processor for every PE
#define FIRST_SPINS 30u    // of them, before the PE checks which others ran on its processor
#define LAST_SPINS 80u     // with fewer processors: about one context switch
#define ROOMY_YIELDS 100u
#define CROWDED_YIELDS 200u
#define SLEEP_NS 1000000000u  // a safeguard: the release wakes every sleeper

static void publish_cpus(cw_coll_area_t *area)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_SET(0, &set);
    for (int cpu = 0; cpu < CW_COLL_CPUS && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            atomic_fetch_or_explicit(&cw_coll_cpus(area)[cpu / 64], UINT64_C(1) << cpu % 64,
                                     memory_order_relaxed);
}

/** Counts the union of the processors that PEs may run on: PEs bound to one processor each do not
 *  make a node crowded. Repeated until all PEs have come and published theirs. */
static void count_cpus(cw_node_sync_t *ns)
{
    ns->counted = cw_gather_try();
    ns->ncpus = 0;
    for (int i = 0; i < CW_COLL_CPUS / 64; i++)
        ns->ncpus += __builtin_popcountll(atomic_load_explicit(&ns->cpus[i], memory_order_relaxed));
    int crowd = cw_world.machine_pes > ns->nlocal ? cw_world.machine_pes : ns->nlocal;
    bool roomy = crowd <= ns->ncpus;
    ns->spins = cwu_env.spin >= 0 ? (uint32_t)cwu_env.spin : roomy ? ROOMY_SPINS : 0;
    ns->yields = cwu_env.yields >= 0 ? (uint32_t)cwu_env.yields
                 : roomy             ? ROOMY_YIELDS
                                     : CROWDED_YIELDS;
    if (ns->patient && !ns->spins)
        ns->yields = 0;
}

/** CW_COLL_RADIX members count on one word; on the last there may be fewer. */
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
        .deposit = cw_coll_deposit(area, nnodes, nslots, slot),
        .deposits = cw_coll_deposit(area, nnodes, nslots, 0),
        .pes = pes,
        .cpus = cw_coll_cpus(area),
    };
    find_counter(ns);
    publish_cpus(area);
}

void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, const int *pes, int mine,
                       int nlocal, int nnodes)
{
    *ns = (cw_node_sync_t){
        .area = cw_coll_before(pes[0], &cell->area),
        .mine = mine,
        .nlocal = nlocal,
        .nnodes = nnodes,
        .helps = cw_world.nnodes > 1 || cw_world.observed,
        .counter = cw_coll_before(pes[mine - mine % CW_COLL_RADIX], &cell->counter),
        .deposit = &cell->deposit,
        .pes = pes,
        .cpus = cw_coll_cpus(cw_coll_local_area()),
    };
    find_counter(ns);
}

/** A member clears what it owns: once the last synchronisation has released it, no PE counts on its
 *  words any more. Only the area is still read, by members that wait for the release. */
void cw_node_sync_leave(cw_node_sync_t *ns)
{
    if (ns->mine % CW_COLL_RADIX == 0)
        atomic_store_explicit(&ns->counter->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->deposit->number, 0, memory_order_relaxed);
    if (ns->mine != 0) {
        // releases this PE's last read of the area; seq_cst: before the test for sleepers
        atomic_fetch_add(&ns->area->left, 1);
        cw_local_stored(ns->pes[0]);
    }
}

bool cw_node_sync_left(cw_node_sync_t *ns)
{
    if (ns->mine != 0)
        return true;
    // pairs with cw_node_sync_leave
    if (atomic_load_explicit(&ns->area->left, memory_order_acquire) != (uint32_t)ns->nlocal - 1)
        return false;
    // Visible to the members of the next team with this number: they synchronise to agree on it.
    atomic_store_explicit(&ns->area->left, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->area->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&ns->area->released, 0, memory_order_relaxed);
    return true;
}

/** Counts once; returns how many of n counts are missing in this synchronisation. Counters wrap, so
 *  the difference is taken in 32 bits. */
static inline uint32_t count(_Atomic uint32_t *arrived, uint32_t number, uint32_t n)
{
    // acq_rel: each arrival acquires those before it and releases them to those after it, so the
    // last one acquires all.
    uint32_t before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel);
    return number * n - before - 1;
}

void cw_node_sync_patient(cw_node_sync_t *ns)
{
    ns->patient = true;
    count_cpus(ns);
}

bool cw_node_arrive(cw_node_sync_t *ns)
{
    if (CW_UNLIKELY(!ns->counted))
        count_cpus(ns);
    ns->number++;
    cw_coll_deposit_t *mine = ns->deposit;
    atomic_store_explicit(&mine->cpu, sched_getcpu(), memory_order_relaxed);
    // a hint, too: count() decides
    atomic_store_explicit(&mine->number, ns->number, memory_order_relaxed);
    ns->missing = count(&ns->counter->arrived, ns->number, ns->counter_members);
    if (ns->missing)
        return false;
    if (ns->ncounters > 1 && (ns->missing = count(&ns->area->arrived, ns->number, ns->ncounters)))
        return false;
    if (ns->nnodes > 1 && ns->mine != 0) {
        // the count before the test for sleepers: pairs with announce() in wait.c
        atomic_thread_fence(memory_order_seq_cst);
        cw_local_stored(ns->pes[0]);
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
    if (ns->deposits)
        w.on = &cw_wait_world;
    while (!cw_node_all_arrived(ns))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Wakes members that wait on their doorbells, because they help their server or are observed. */
static void wake_helpers(const cw_node_sync_t *ns)
{
    for (int i = 0; i < ns->nlocal; i++)
        cw_wake(ns->pes[i]);
}

void cw_node_release(cw_node_sync_t *ns)
{
    // seq_cst on both sides: either the sleeper's load of `released` sees this store, or the load
    // of `sleepers` below sees the sleeper. As a release it pairs with cw_node_released().
    atomic_exchange(&ns->area->released, ns->number);
    if (atomic_load(&ns->area->sleepers))
        cwu_futex_wake((uint32_t *)&ns->area->released, INT_MAX);
    if (atomic_load(&cw_hot.node->sleepers))
        wake_helpers(ns);
}

static void sleep_until_released(cw_node_sync_t *ns)
{
    uint32_t seen;
    atomic_fetch_add(&ns->area->sleepers, 1);  // seq_cst: pairs with cw_node_release()
    while ((seen = atomic_load(&ns->area->released)) != ns->number) {
        uint64_t look_ns = cw_progress_hooks.mind_neighbours();
        cwu_futex_wait((uint32_t *)&ns->area->released, seen,
                       look_ns < SLEEP_NS ? look_ns : SLEEP_NS);
        if (!cw_gathered())
            cw_gather_try();
    }
    atomic_fetch_sub_explicit(&ns->area->sleepers, 1, memory_order_relaxed);
}

/** Is a member missing that was last seen on this processor? */
static bool blocks_others(const cw_node_sync_t *ns)
{
    int cpu = sched_getcpu();
    for (int i = 0; i < ns->nlocal; i++) {
        const cw_coll_deposit_t *deposit = cw_node_deposit(ns, i);
        if (atomic_load_explicit(&deposit->number, memory_order_relaxed) != ns->number &&
            atomic_load_explicit(&deposit->cpu, memory_order_relaxed) == cpu)
            return true;
    }
    return false;
}

static bool spin_for(const cw_node_sync_t *ns, uint32_t nspins)
{
    for (uint32_t i = 0; i < nspins; i++) {
        if (cw_node_released(ns))
            return true;
        cwu_cpu_pause();
    }
    return false;
}

static bool spin(const cw_node_sync_t *ns)
{
    if (ns->spins)
        return spin_for(ns, ns->spins < FIRST_SPINS ? ns->spins : FIRST_SPINS) ||
               (!blocks_others(ns) && spin_for(ns, ns->spins));
    bool few = ns->missing < (uint32_t)ns->ncpus && ns->nlocal <= CW_COLL_RADIX;
    return few && !blocks_others(ns) && spin_for(ns, LAST_SPINS);
}

void cw_node_await_release(cw_node_sync_t *ns)
{
    if (cw_wait_must_help() || (ns->helps && cw_world.observed)) {
        cw_wait_t w = CW_WAIT_FOR("a collective", &ns->area->released, sizeof ns->area->released);
        if (ns->deposits)
            w.on = &cw_wait_world;
        while (!cw_node_released(ns))
            cw_wait_round(&w);
        cw_wait_done(&w);
        return;
    }
    if (spin(ns))
        return;
    for (uint32_t i = 0; i < ns->yields && !cwu_yield_is_dear(); i++) {
        if (cw_node_released(ns))
            return;
        cwu_yield();
    }
    sleep_until_released(ns);
}
