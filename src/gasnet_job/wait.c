// SPDX-License-Identifier: BSD-3-Clause
//
// Waits of GASNet's calls. cw_wait_round polls for messages, helps and in the end sleeps; here is
// the mode that clients choose (gasnet_set_waitmode), and the test whether the job is to end.
#include <stdlib.h>

#include "base/wait.h"
#include "core/progress/hooks.h"
#include "gasnet_job/gas.h"

#define SLEEPS_AT_ONCE (1u << 30)

static _Atomic int wait_mode = GASNET_WAIT_SPINBLOCK;
static _Thread_local gas_thread_t *this_thread;
static gas_thread_t *_Atomic all_threads;  // keeps them reachable

gas_thread_t *gas_thread(void)
{
    gas_thread_t *me = this_thread;
    if (CW_LIKELY(me != NULL))
        return me;
    if (!(me = calloc(1, sizeof *me)))
        cwu_fatal("out of memory for the state of a thread");
    gas_thread_t *next = atomic_load_explicit(&all_threads, memory_order_relaxed);
    do
        me->next = next;
    while (!atomic_compare_exchange_weak(&all_threads, &next, me));
    this_thread = me;
    return me;
}

// ---------------------------------------------------------------- waits
const cw_wait_on_t gas_wait_collective = {.kind = CW_WAIT_OTHER};

GAS_API int gasnet_set_waitmode(int wait_mode_wanted)
{
    if (wait_mode_wanted < GASNET_WAIT_SPIN || wait_mode_wanted > GASNET_WAIT_SPINBLOCK) {
        cwu_error(
            "gasnet_set_waitmode: %d is no wait mode; give GASNET_WAIT_SPIN, _BLOCK or _SPINBLOCK",
            wait_mode_wanted);
        return GASNET_ERR_BAD_ARG;
    }
    atomic_store_explicit(&wait_mode, wait_mode_wanted, memory_order_relaxed);
    return GASNET_OK;
}

void gas_wait_begin(cw_wait_t *w)
{
    int mode = atomic_load_explicit(&wait_mode, memory_order_relaxed);
    if (CW_LIKELY(mode == GASNET_WAIT_SPINBLOCK))
        return;
    gas_thread()->spun = 0;
    // observers want to see the first round
    if (mode == GASNET_WAIT_BLOCK && cw_world.plain)
        w->round = SLEEPS_AT_ONCE;
}

void gas_wait_round(cw_wait_t *w)
{
    gas_exit_poll();
    cw_progress_hooks.attend();
    cw_wait_round(w);
    // as many polls more, but not for ever
    if (CW_UNLIKELY(atomic_load_explicit(&wait_mode, memory_order_relaxed) == GASNET_WAIT_SPIN) &&
        gas_thread()->spun < CWU_WAIT_MS && w->round > 1) {
        gas_thread()->spun++;
        w->round = 1;
    }
}

GAS_API void gasnet_causeway_block(unsigned round)
{
    cw_wait_t *w = &gas_thread()->wait;
    if (round == 0) {
        gas_enter("GASNET_BLOCKUNTIL");
        *w = (cw_wait_t)CW_WAIT_NOTIFIED("GASNET_BLOCKUNTIL");
        gas_wait_begin(w);
    }
    gas_wait_round(w);
}

GAS_API void gasnet_causeway_block_end(void)
{
    cw_wait_done(&gas_thread()->wait);
}
