// SPDX-License-Identifier: BSD-3-Clause
//
// The server's rest in the provider's wait object. Where the network writes without an event
// (core/progress/arrivals.h) a timer wakes it while PEs of the node sleep, to compare their words.
//
// The period is that of naps (base/waits.def). Without a sleeper for 10 ms the timer stops; later
// ones test their own words for up to 10 ms, until the server finds them.
#include "core/server/rest.h"

#include "base/clock.h"
#include "base/wait.h"
#include "core/mem/segment.h"
#include "core/progress/arrivals.h"
#include "core/progress/wait.h"
#include "core/world/world.h"

// timers between wake-ups of a sleeper that has published no word
#define ALL_EVERY 4u

static bool has_sleepers(void)
{
    // seq_cst: pairs with announce(), which counts the sleeper before it reads the mode
    return atomic_load(&cw_segment.control->hot.sleepers) != 0;
}

/** Announces whether the server watches. False: a PE that has not seen that it does not went to
 *  sleep meanwhile. */
static bool set_mode(cw_arrivals_mode_t mode)
{
    if (mode == CW_ARRIVALS_EVENTS || cw_arrivals_mode() == mode)
        return true;
    atomic_store(&cw_segment.control->arrivals.mode, (uint32_t)mode);
    return mode == CW_ARRIVALS_WATCHED || !has_sleepers();
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t sleep_ns(cw_arrivals_mode_t mode, uint64_t quiet_ns)
{
    if (mode == CW_ARRIVALS_WATCHED)
        return cwu_wait_nap_ns(quiet_ns);
    return mode == CW_ARRIVALS_EVENTS ? CWU_WAIT_NS(SAFEGUARD) : CWU_WAIT_NS(LATE);
}

/** *slept_p: when a PE was last seen asleep. */
static cw_arrivals_mode_t mode_at(uint64_t now, uint64_t *slept_p)
{
    if (cw_arrivals_mode() == CW_ARRIVALS_EVENTS)
        return CW_ARRIVALS_EVENTS;
    if (has_sleepers())
        *slept_p = now;
    return now - *slept_p < CWU_WAIT_NS(LATE) ? CW_ARRIVALS_WATCHED : CW_ARRIVALS_UNWATCHED;
}

void cw_server_rest(cwt_server_t *server, uint64_t limit_ns)
{
    static uint64_t slept_ns;  // the server's thread only
    uint64_t start = cwu_now_ns(), quiet = 0;
    for (uint32_t timers = 1; quiet < limit_ns; timers++, quiet = cwu_now_ns() - start) {
        cw_arrivals_mode_t mode = mode_at(start + quiet, &slept_ns);
        if (!set_mode(mode))
            continue;
        if (cw_transport->server_block(server, min(sleep_ns(mode, quiet), limit_ns - quiet)) != 0)
            return;
        if (mode == CW_ARRIVALS_WATCHED && cw_wake_changed(timers % ALL_EVERY == 0) > 0)
            return;
    }
}
