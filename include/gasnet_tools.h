// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet tools: timers, memory barriers, atomics, locks, thread-specific pointers and other things
// that do not communicate. For programs of their own (link -lgasnet_tools-par or
// -lgasnet_tools-seq, or use pkg-config) and for clients of GASNet, which include it after
// <gasnet.h> or <gasnetex.h>. See gasnet_tools(7).
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H
#define _INCLUDED_GASNET_TOOLS_H 1

#include "causeway/gasnett_base.h"
#if !defined(GASNETT_LITE_MODE)
#include "causeway/gasnett_atomic.h"
#include "causeway/gasnett_lock.h"
#include "causeway/gasnett_util.h"
#endif

// ---------------------------------------------------------------- does the library fit the header?
#define GASNETT_LITE_CONFIG_STRING_                                                         \
    "RELEASE=" GASNETT_STRING_OF(GASNETT_RELEASE_VERSION_MAJOR) "."                         \
    GASNETT_STRING_OF(GASNETT_RELEASE_VERSION_MINOR) "."                                    \
    GASNETT_STRING_OF(GASNETT_RELEASE_VERSION_PATCH) ",SPEC="                               \
    GASNETT_STRING_OF(GASNETT_SPEC_VERSION_MAJOR) "."                                       \
    GASNETT_STRING_OF(GASNETT_SPEC_VERSION_MINOR) ",PTR="                                   \
    GASNETT_STRING_OF(GASNETT_PTR_CONFIG) "," GASNETT_STRING_OF(GASNETT_DEBUG_CONFIG) ","   \
    GASNETT_STRING_OF(GASNETT_THREAD_MODEL) "," GASNETT_STRING_OF(GASNETT_TIMER_CONFIG) "," \
    GASNETT_STRING_OF(GASNETT_MEMBAR_CONFIG)
#if defined(GASNETT_LITE_MODE)
#define GASNETT_CONFIG_STRING GASNETT_LITE_CONFIG_STRING_
#else
#define GASNETT_CONFIG_STRING                                                    \
    GASNETT_LITE_CONFIG_STRING_ "," GASNETT_STRING_OF(GASNETT_ATOMIC_CONFIG) "," \
    GASNETT_STRING_OF(GASNETT_ATOMIC32_CONFIG) "," GASNETT_STRING_OF(GASNETT_ATOMIC64_CONFIG)
#endif

// One library serves every mode, so what a program must not mix are releases and word sizes. A
// program that calls the check does not link with another.
#define GASNETT_LINKCONFIG_IDIOTCHECK(name) GASNETT_JOIN(gasnett_linkconfig_idiotcheck_, name)
GASNETT_BEGIN_EXTERNC
extern int GASNETT_LINKCONFIG_IDIOTCHECK(GASNETT_JOIN(RELEASE_MAJOR_,
                                                      GASNETT_RELEASE_VERSION_MAJOR));
extern int GASNETT_LINKCONFIG_IDIOTCHECK(GASNETT_JOIN(RELEASE_MINOR_,
                                                      GASNETT_RELEASE_VERSION_MINOR));
extern int GASNETT_LINKCONFIG_IDIOTCHECK(GASNETT_PTR_CONFIG);
GASNETT_PLEASE_INLINE(gasnett_linkconfig_idiotcheck) int gasnett_linkconfig_idiotcheck(void)
{
    return GASNETT_LINKCONFIG_IDIOTCHECK(
               GASNETT_JOIN(RELEASE_MAJOR_, GASNETT_RELEASE_VERSION_MAJOR)) +
           GASNETT_LINKCONFIG_IDIOTCHECK(
               GASNETT_JOIN(RELEASE_MINOR_, GASNETT_RELEASE_VERSION_MINOR)) +
           GASNETT_LINKCONFIG_IDIOTCHECK(GASNETT_PTR_CONFIG);
}
GASNETT_END_EXTERNC

#endif
