// SPDX-License-Identifier: BSD-3-Clause
//
// GASNETT_LITE_MODE: timers and barriers, nothing that depends on threads.
#define GASNETT_LITE_MODE
#include <gasnet_tools.h>
#include <stdio.h>

#if defined(gasnett_atomic_init) || defined(gasnett_mutex_lock) || defined(GASNETT_THREAD_SAFE)
#error lite mode offers more than it should
#endif

int main(void)
{
    gasnett_tick_t before = gasnett_ticks_now();
    gasnett_local_mb();
    gasnett_weak_wmb();
    printf("%s: %s\n", GASNETT_CONFIG_STRING,
           gasnett_ticks_now() >= before ? "time goes on" : "FAIL: the clock went back");
    return 0;
}
