// SPDX-License-Identifier: BSD-3-Clause
#include "core/wait.h"

#include <sched.h>

#include "base/clock.h"
#include "base/futex.h"
#include "core/core.h"
#include "core/ctx.h"
#include "core/segment.h"
#include "core/server.h"

#define FIRST_SLEEP_NS 200000u
#define LONGEST_SLEEP_NS 10000000u

#define SERVER_CROWDED_SPIN 20

static uint32_t spin_rounds, yield_rounds;
long cw_wait_server_spin;

void cw_wait_init(void)
{
    cpu_set_t set;
    int ncpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    bool roomy = cw_world.machine_pes <= ncpus;
    // Long enough to see an answer that comes at once (a flag: 2 rounds; a round trip over loopback: 10 to 20), no
    // longer: two PEs that happen to share a core hand it over only after the spin, and the scheduler lets them share
    // one for long. Measured there, half round trip: 2000 spins 54 us, 50 spins 2.8 us; over tcp 200 spins 95 us, 20
    // spins 21 us. On cores of their own the length makes no difference. A yield that finds nobody costs little.
    uint32_t spins = cw_world.nnodes > 1 ? 20 : 50, yields = cw_world.nnodes > 1 ? 2000 : 400;
    spin_rounds = cwu_env.spin >= 0 ? (uint32_t)cwu_env.spin : roomy ? spins : 0;
    yield_rounds = cwu_env.yields >= 0 ? (uint32_t)cwu_env.yields : roomy ? yields : 40;
    cw_wait_server_spin = roomy || cwu_env.server_spin_set ? cwu_env.server_spin : SERVER_CROWDED_SPIN;
}

static inline cw_slot_t *my_slot(void)
{
    return &cw_segment.slots[cw_world.slot];
}

#define OWN_TRANSFERS_EVERY 8u  // rounds: what this PE waits for comes through the server, mostly

/** What a waiting PE does for others, and now and then for its own transfers in flight. */
static void help(uint32_t round)
{
    if (cw_world.nnodes == 1)
        return;
    cw_server_poll();
    if (cw_ctx_default.client && round % OWN_TRANSFERS_EVERY == OWN_TRANSFERS_EVERY - 1)
        cw_ctx_progress(&cw_ctx_default);
}

static void announce(cw_wait_t *w)
{
    cw_slot_t *me = my_slot();
    w->announced = 1;
    w->sleep_ns = FIRST_SLEEP_NS;
    atomic_fetch_add(&me->waiting, 1);
    atomic_fetch_add(&cw_hot.node->sleepers, 1);  // seq_cst: before the caller's next look at its condition
    w->bell = atomic_load_explicit(&me->doorbell, memory_order_acquire);
}

void cw_wait_round(cw_wait_t *w)
{
    uint32_t round = w->round++;
    help(round);
    if (round < spin_rounds) {
        cwu_cpu_pause();
    } else if (round < spin_rounds + yield_rounds) {
        sched_yield();
    } else if (!w->announced) {
        announce(w);
    } else {
        cw_slot_t *me = my_slot();
        atomic_store(&me->asleep, 1);  // before the kernel compares the doorbell; pairs with ring()
        cwu_futex_wait((uint32_t *)&me->doorbell, w->bell, w->sleep_ns);
        w->bell = atomic_load_explicit(&me->doorbell, memory_order_acquire);
        if (w->sleep_ns < LONGEST_SLEEP_NS)
            w->sleep_ns *= 2;
    }
}

void cw_wait_end(cw_wait_t *w)
{
    w->announced = 0;
    atomic_fetch_sub_explicit(&cw_hot.node->sleepers, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&my_slot()->waiting, 1, memory_order_relaxed);
}

static void ring(cw_slot_t *slot)
{
    if (atomic_load_explicit(&slot->waiting, memory_order_relaxed) == 0)
        return;
    atomic_fetch_add(&slot->doorbell, 1);
    if (atomic_load(&slot->asleep) && atomic_exchange(&slot->asleep, 0))
        cwu_futex_wake((uint32_t *)&slot->doorbell, INT_MAX);
}

void cw_wake(int pe)
{
    if (cw_segment.slots)
        ring(&cw_segment.slots[cw_world.slot_of_pe[pe]]);
}

void cw_wake_node(void)
{
    for (int s = 0; s < cw_world.nslots; s++)
        ring(&cw_segment.slots[s]);
}

bool cw_wait_must_help(void)
{
    return cw_world.hosts_server || cw_hot.last != 0;
}

void cw_progress(void)
{
    static _Thread_local uint32_t round;
    help(round++);
}
