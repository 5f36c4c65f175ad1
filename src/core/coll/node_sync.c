// SPDX-License-Identifier: BSD-3-Clause
//
// A central counter (one per 32 slots, and one above them) and one release word that all poll.
//
// Why so simple: with more PEs than processors what counts is how often the scheduler must switch, and here the last
// arriver releases everybody at once and runs on into the next barrier without giving up its processor. Trees and
// per-slot flags, where a parent must be scheduled between its children and the release, measured slower from four
// PEs on and no faster below.
//
// Who spins: a PE that waits for others which run elsewhere; never one that waits for a PE last seen on its own
// processor, which could only come if this one yields. With four PEs on two processors that halves the switches, and
// two PEs that a busy machine squeezes onto one processor do not spin against each other.
#include "core/coll/node_sync.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/futex.h"
#include "core/core.h"
#include "core/wait.h"

#define ROOMY_SPINS 1000u  // a processor for every PE
#define FIRST_SPINS 30u    // of them, before a look at who runs where
#define LAST_SPINS 80u     // pauses, about one context switch
#define ROOMY_YIELDS 100u
#define CROWDED_YIELDS 200u
#define SLEEP_NS 1000000000u  // nobody relies on it: the release wakes every sleeper

static void publish_cpus(cw_coll_area_t *area)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_SET(0, &set);
    for (int cpu = 0; cpu < CW_COLL_CPUS && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            atomic_fetch_or_explicit(&area->cpus[cpu / 64], UINT64_C(1) << cpu % 64, memory_order_relaxed);
}

/** PEs bound to one processor each still make a roomy node: what counts is the union. */
static void count_cpus(cw_node_sync_t *ns)
{
    for (int i = 0; i < CW_COLL_CPUS / 64; i++)
        ns->ncpus += __builtin_popcountll(atomic_load_explicit(&ns->area->cpus[i], memory_order_relaxed));
    int crowd = cw_world.machine_pes > ns->nslots ? cw_world.machine_pes : ns->nslots;
    bool roomy = crowd <= ns->ncpus;
    ns->spins = cwu_env.spin >= 0 ? (uint32_t)cwu_env.spin : roomy ? ROOMY_SPINS : 0;
    ns->yields = cwu_env.yields >= 0 ? (uint32_t)cwu_env.yields : roomy ? ROOMY_YIELDS : CROWDED_YIELDS;
}

void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, int slot, int nslots, int nnodes)
{
    int group = slot / CW_COLL_RADIX, ngroups = cw_coll_ngroups(nslots);
    int last = nslots - (ngroups - 1) * CW_COLL_RADIX;
    *ns = (cw_node_sync_t){
        .area = area,
        .slot = slot,
        .nslots = nslots,
        .nnodes = nnodes,
        .group = cw_coll_group(area, nnodes, group),
        .group_size = (uint32_t)(group == ngroups - 1 ? last : CW_COLL_RADIX),
        .ngroups = (uint32_t)ngroups,
        .deposits = cw_coll_deposit(area, nnodes, nslots, 0),
    };
    publish_cpus(area);
}

/** How many of n are still missing in this epoch, me counted; counters wrap, so the difference is taken in 32
 * bits. */
static inline uint32_t count_me(_Atomic uint32_t *arrived, uint32_t epoch, uint32_t n)
{
    // acq_rel: each arrival acquires those before it and releases them to those after it, so the last one has
    // all.
    uint32_t before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel);
    return epoch * n - before - 1;
}

bool cw_node_arrive(cw_node_sync_t *ns)
{
    if (__builtin_expect(!ns->ncpus, 0))
        count_cpus(ns);
    ns->epoch++;
    cw_coll_deposit_t *mine = &ns->deposits[ns->slot];
    atomic_store_explicit(&mine->cpu, sched_getcpu(), memory_order_relaxed);
    atomic_store_explicit(&mine->epoch, ns->epoch, memory_order_relaxed);  // a hint too: count_me() is what counts
    ns->others_left = count_me(&ns->group->arrived, ns->epoch, ns->group_size);
    if (ns->others_left)
        return false;
    if (ns->ngroups > 1 && (ns->others_left = count_me(&ns->area->arrived, ns->epoch, ns->ngroups)))
        return false;
    if (ns->nnodes > 1 && ns->slot != 0) {
        atomic_thread_fence(memory_order_seq_cst);  // the count before the look at the sleepers: pairs with announce()
        cw_local_stored(cw_world.leader_of_node[cw_world.node]);
    }
    return true;
}

static inline bool all_arrived(const cw_node_sync_t *ns)
{
    const _Atomic uint32_t *word = ns->ngroups > 1 ? &ns->area->arrived : &ns->group->arrived;
    uint32_t n = ns->ngroups > 1 ? ns->ngroups : ns->group_size;
    return atomic_load_explicit(word, memory_order_acquire) == ns->epoch * n;  // pairs with count_me()
}

void cw_node_await_all(cw_node_sync_t *ns)
{
    cw_wait_t w = CW_WAIT_INIT("a collective (PEs of this node)");
    while (!all_arrived(ns))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_node_release(cw_node_sync_t *ns)
{
    // seq_cst on both sides: either the sleeper's look at `released` sees this, or the look at `sleepers`
    // below sees the sleeper. As a release it pairs with released().
    atomic_exchange(&ns->area->released, ns->epoch);
    if (atomic_load(&ns->area->sleepers))
        cwu_futex_wake((uint32_t *)&ns->area->released, INT_MAX);
    if (ns->nnodes > 1 && atomic_load(&cw_hot.node->sleepers))
        cw_wake_node();  // those that had to help meanwhile
}

static inline bool released(const cw_node_sync_t *ns)
{
    return atomic_load_explicit(&ns->area->released, memory_order_acquire) == ns->epoch;
}

static void sleep_until_released(cw_node_sync_t *ns)
{
    uint32_t seen;
    atomic_fetch_add(&ns->area->sleepers, 1);  // seq_cst: pairs with cw_node_release()
    while ((seen = atomic_load(&ns->area->released)) != ns->epoch)
        cwu_futex_wait((uint32_t *)&ns->area->released, seen, SLEEP_NS);
    atomic_fetch_sub_explicit(&ns->area->sleepers, 1, memory_order_relaxed);
}

/** Is somebody missing who was last seen on this processor? */
static bool blocks_others(const cw_node_sync_t *ns)
{
    int cpu = sched_getcpu();
    for (int slot = 0; slot < ns->nslots; slot++)
        if (atomic_load_explicit(&ns->deposits[slot].epoch, memory_order_relaxed) != ns->epoch &&
            atomic_load_explicit(&ns->deposits[slot].cpu, memory_order_relaxed) == cpu)
            return true;
    return false;
}

static bool spin_for(const cw_node_sync_t *ns, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        if (released(ns))
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
    bool few = ns->others_left < (uint32_t)ns->ncpus && ns->nslots <= CW_COLL_RADIX;
    return few && !blocks_others(ns) && spin_for(ns, LAST_SPINS);
}

void cw_node_await_release(cw_node_sync_t *ns)
{
    if (ns->nnodes > 1 && cw_wait_must_help()) {
        cw_wait_t w = CW_WAIT_INIT("a collective");
        while (!released(ns))
            cw_wait_round(&w);
        cw_wait_done(&w);
        return;
    }
    if (spin(ns))
        return;
    for (uint32_t i = 0; i < ns->yields; i++) {
        if (released(ns))
            return;
        sched_yield();
    }
    sleep_until_released(ns);
}
