// SPDX-License-Identifier: BSD-3-Clause
//
// The clock of the start-up phases.
#include "core/world/startup.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    uint64_t begin_ns;
    _Atomic uint64_t launcher_ns;
    _Atomic uint64_t phase_ns[CW_PHASES];
    _Atomic int exchange;  // cw_exchange_t of the first need
    _Atomic int fabric;    // cw_fabric_t
} startup;

void cw_startup_begin(void)
{
    for (int i = 0; i < CW_PHASES; i++)
        atomic_store_explicit(&startup.phase_ns[i], 0, memory_order_relaxed);
    atomic_store_explicit(&startup.exchange, CW_EXCHANGE_UNUSED, memory_order_relaxed);
    atomic_store_explicit(&startup.fabric, CW_FABRIC_NONE, memory_order_relaxed);
    startup.begin_ns = cwu_now_ns();
}

void cw_startup_launched(uint64_t launcher_ns)
{
    atomic_store_explicit(&startup.launcher_ns, launcher_ns, memory_order_relaxed);
}

uint64_t cw_startup_add(cw_phase_t phase, uint64_t start_ns)
{
    uint64_t now = cwu_now_ns();
    atomic_fetch_add_explicit(&startup.phase_ns[phase], now - start_ns, memory_order_relaxed);
    return now;
}

void cw_startup_exchange(cw_exchange_t state)
{
    int first = CW_EXCHANGE_UNUSED;
    atomic_compare_exchange_strong_explicit(&startup.exchange, &first, state, memory_order_relaxed,
                                            memory_order_relaxed);
}

bool cw_startup_fabric(cw_fabric_t state)
{
    int first = CW_FABRIC_NONE;
    return atomic_compare_exchange_strong_explicit(&startup.fabric, &first, state,
                                                   memory_order_relaxed, memory_order_relaxed);
}

uint64_t cw_startup_begin_ns(void)
{
    return startup.begin_ns;
}

/** Since the kernel started this process, mostly in ticks of 10 ms; 0: not known. */
static uint64_t process_age_ns(void)
{
    char line[1024];
    FILE *f = fopen("/proc/self/stat", "re");
    bool read = f && fgets(line, sizeof line, f);
    if (f)
        fclose(f);
    const char *after_name = read ? strrchr(line, ')') : NULL;  // the name may hold anything
    unsigned long long ticks = 0;
    if (!after_name ||
        sscanf(after_name,
               ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &ticks) != 1)
        return 0;
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t now = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
    uint64_t born = (uint64_t)ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
    return now > born ? now - born : 0;
}

/** Reads /proc without the launcher's time: only on request. */
static uint64_t launch_ns(void)
{
    uint64_t since = atomic_load_explicit(&startup.launcher_ns, memory_order_relaxed);
    if (since)
        return startup.begin_ns > since ? startup.begin_ns - since : 0;
    uint64_t age = process_age_ns(), in_life = cwu_now_ns() - startup.begin_ns;
    return age > in_life ? age - in_life : 0;
}

uint64_t cw_startup_ns(cw_phase_t phase)
{
    if (phase == CW_PHASE_LAUNCH)
        return launch_ns();
    return atomic_load_explicit(&startup.phase_ns[phase], memory_order_relaxed);
}

const char *cw_startup_name(cw_phase_t phase)
{
    static const char *const names[CW_PHASES] = {
        [CW_PHASE_LAUNCH] = "launch",
        [CW_PHASE_BOOTSTRAP] = "bootstrap",
        [CW_PHASE_NODE_OBJECT] = "node_object",
        [CW_PHASE_NODE_WAIT] = "node_wait",
        [CW_PHASE_FABRIC_LOAD] = "fabric_load",
        [CW_PHASE_ENDPOINT] = "endpoint",
        [CW_PHASE_EXCHANGE_POST] = "exchange_post",
        [CW_PHASE_EXCHANGE_WAIT] = "exchange_wait",
        [CW_PHASE_FIRST_CONNECTION] = "first_connection",
        [CW_PHASE_STATIC_CONNECT] = "static_connect",
        [CW_PHASE_INIT] = "init",
    };
    return names[phase];
}

const char *cw_startup_exchange_name(void)
{
    static const char *const names[] = {[CW_EXCHANGE_UNUSED] = "unused",
                                        [CW_EXCHANGE_READY] = "ready",
                                        [CW_EXCHANGE_WAITED] = "waited",
                                        [CW_EXCHANGE_BLOCKING] = "blocking"};
    return names[atomic_load_explicit(&startup.exchange, memory_order_relaxed)];
}

const char *cw_startup_fabric_name(void)
{
    static const char *const names[] = {[CW_FABRIC_NONE] = "none",
                                        [CW_FABRIC_HELPER] = "helper",
                                        [CW_FABRIC_ON_DEMAND] = "on_demand"};
    return names[atomic_load_explicit(&startup.fabric, memory_order_relaxed)];
}
