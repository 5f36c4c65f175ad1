// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet tools, first part: versions, thread mode, compiler annotations, memory barriers, timers.
// Included by <gasnet_tools.h> only. This part alone is what GASNETT_LITE_MODE offers.
//
// Thread mode: GASNETT_THREAD_SAFE, GASNETT_THREAD_SINGLE or GASNETT_LITE_MODE may be defined
// before the header; clients of GASNet get it from GASNET_PAR (safe), GASNET_SEQ and GASNET_PARSYNC
// (single). Without any of them: safe where the compiler or an earlier <pthread.h> has defined
// what threads need.
#ifndef CAUSEWAY_GASNETT_BASE_H
#define CAUSEWAY_GASNETT_BASE_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "../gasnet_portable_platform.h"
#include "gasnet-names.h"

#if defined(GASNETT_LITE_MODE) + defined(GASNETT_THREAD_SAFE) + defined(GASNETT_THREAD_SINGLE) > 1
#error define at most one of GASNETT_THREAD_SAFE, GASNETT_THREAD_SINGLE and GASNETT_LITE_MODE
#endif
#if defined(GASNETT_THREAD_SAFE) && (defined(GASNET_SEQ) || defined(GASNET_PARSYNC))
#error GASNETT_THREAD_SAFE contradicts GASNET_SEQ and GASNET_PARSYNC
#endif
#if defined(GASNETT_THREAD_SINGLE) && defined(GASNET_PAR)
#error GASNETT_THREAD_SINGLE contradicts GASNET_PAR
#endif

#if defined(GASNETT_LITE_MODE)
#undef GASNETT_LITE_MODE
#define GASNETT_LITE_MODE 1
#define GASNETT_THREAD_MODEL LITE
#elif defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) ||                                \
    (!defined(GASNETT_THREAD_SINGLE) && !defined(GASNET_SEQ) && !defined(GASNET_PARSYNC) && \
     (defined(_REENTRANT) || defined(_THREAD_SAFE) || defined(PTHREAD_MUTEX_INITIALIZER)))
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#define GASNETT_THREAD_MODEL PAR
#else
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#define GASNETT_THREAD_MODEL SEQ
#endif

// Debug checks (of mutexes, read-write locks) are a matter of the client's compilation:
// -DGASNET_DEBUG turns them on.
#if defined(GASNET_DEBUG) && !defined(GASNET_NDEBUG)
#define GASNETT_DEBUG_CONFIG debug
#else
#define GASNETT_DEBUG_CONFIG nodebug
#endif

// The release whose interface this is: clients of the tools alone ask, too.
#ifndef GASNET_RELEASE_VERSION_MAJOR
#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#endif
#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 20
#define GASNETT_RELEASE_VERSION_MAJOR GASNET_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MINOR GASNET_RELEASE_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_PATCH GASNET_RELEASE_VERSION_PATCH

#define GASNETT_STRING_OF_(x) #x
#define GASNETT_STRING_OF(x) GASNETT_STRING_OF_(x)
#define GASNETT_JOIN_(a, b) a##b
#define GASNETT_JOIN(a, b) GASNETT_JOIN_(a, b)

// ---------------------------------------------------------------- annotations
// What compilers this library is for understand: all of these.
#define GASNETT_USE_BUILTIN_CONSTANT_P 1
#define GASNETT_USE_BUILTIN_EXPECT 1
#define GASNETT_USE_BUILTIN_PREFETCH 1
#define GASNETT_USE_BUILTIN_UNREACHABLE 1
#define GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE 1
#define GASNETT_USE_GCC_ATTRIBUTE_COLD 1
#define GASNETT_USE_GCC_ATTRIBUTE_CONST 1
#define GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED 1
#define GASNETT_USE_GCC_ATTRIBUTE_FALLTHROUGH 1
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT 1
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR 1
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR_ARG 1
#define GASNETT_USE_GCC_ATTRIBUTE_HOT 1
#define GASNETT_USE_GCC_ATTRIBUTE_MALLOC 1
#define GASNETT_USE_GCC_ATTRIBUTE_MAYALIAS 1
#define GASNETT_USE_GCC_ATTRIBUTE_NOINLINE 1
#define GASNETT_USE_GCC_ATTRIBUTE_NORETURN 1
#define GASNETT_USE_GCC_ATTRIBUTE_PURE 1
#define GASNETT_USE_GCC_ATTRIBUTE_USED 1
#define GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT 1
#define GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC 1

#if defined(__cplusplus)
#define GASNETT_EXTERNC extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#else
#define GASNETT_EXTERNC extern
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

#define GASNETT_INLINE(fnname) static __inline__ __attribute__((__always_inline__, __unused__))
#define GASNETT_PLEASE_INLINE(fnname) static __inline__ __attribute__((__unused__))
#define GASNETT_NEVER_INLINE(fnname, definition) __attribute__((__noinline__)) definition
#define GASNETT_RESTRICT __restrict__
#define GASNETT_USED __attribute__((__used__))
#define GASNETT_NORETURN __attribute__((__noreturn__))
#define GASNETT_NORETURNP(fnname) 
#define GASNETT_MALLOC __attribute__((__malloc__))
#define GASNETT_MALLOCP(fnname) 
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(fnname) 
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(fnname) 
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_FORMAT_PRINTF(fnname, fmtarg, firstvararg, declarator) \
    __attribute__((__format__(__printf__, fmtarg, firstvararg))) declarator
#define GASNETT_FORMAT_PRINTF_FUNCPTR(fnname, fmtarg, firstvararg, declarator) \
    __attribute__((__format__(__printf__, fmtarg, firstvararg))) declarator
#if defined(__cplusplus) && __cplusplus >= 201703L
#define GASNETT_FALLTHROUGH [[fallthrough]];
#else
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#endif
#define GASNETT_CURRENT_FUNCTION __func__
#define GASNETT_PREDICT_TRUE(expr) __builtin_expect(!!(expr), 1)
#define GASNETT_PREDICT_FALSE(expr) __builtin_expect(!!(expr), 0)
#ifndef if_pf
#define if_pf(cond) if (GASNETT_PREDICT_FALSE(cond))
#define if_pt(cond) if (GASNETT_PREDICT_TRUE(cond))
#endif
#define gasnett_constant_p(expr) __builtin_constant_p(expr)
#define gasnett_unreachable() __builtin_unreachable()
// The expression is evaluated: it must have no effects.
#define gasnett_assume(expr) ((expr) ? (void)0 : __builtin_unreachable())

#define GASNETT_UNUSED_ARGS1(a) ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b) ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c) ((void)(a), GASNETT_UNUSED_ARGS2(b, c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) ((void)(a), GASNETT_UNUSED_ARGS3(b, c, d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e) ((void)(a), GASNETT_UNUSED_ARGS4(b, c, d, e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f) ((void)(a), GASNETT_UNUSED_ARGS5(b, c, d, e, f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g) \
    ((void)(a), GASNETT_UNUSED_ARGS6(b, c, d, e, f, g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h) \
    ((void)(a), GASNETT_UNUSED_ARGS7(b, c, d, e, f, g, h))

// Puts the text into the object file, for ident(1) and strings(1).
#define GASNETT_IDENT(identName, identText) \
    extern char const identName[];          \
    GASNETT_USED char const identName[] = identText

// ---------------------------------------------------------------- system
#if defined(__powerpc64__)
#define GASNETT_CACHE_LINE_BYTES 128
#else
#define GASNETT_CACHE_LINE_BYTES 64
#endif
#if defined(__x86_64__) || defined(__i386__)
#define GASNETT_PAGESHIFT 12
#else
#define GASNETT_PAGESHIFT 16 // the largest that kernels of these machines use
#endif
#define GASNETT_PAGESIZE (1 << GASNETT_PAGESHIFT)
#if defined(PLATFORM_ARCH_64)
#define GASNETT_PTR_CONFIG 64bit
#else
#define GASNETT_PTR_CONFIG 32bit
#endif
#define GASNETT_SYSTEM_TUPLE \
    GASNETT_STRING_OF(PLATFORM_ARCH_FAMILYNAME) "-" GASNETT_STRING_OF(PLATFORM_OS_FAMILYNAME)
#define GASNETT_CONFIGURE_ARGS "meson"
#define GASNETT_PLATFORM_COMPILER_IDSTR PLATFORM_COMPILER_IDSTR
#define GASNETT_PLATFORM_COMPILER_FAMILYID PLATFORM_COMPILER_FAMILYID
#define GASNETT_PLATFORM_COMPILER_ID PLATFORM_COMPILER_ID
#define GASNETT_PLATFORM_COMPILER_VERSION PLATFORM_COMPILER_VERSION
// GASNETT_CONFIGURE_MISMATCH is never defined: headers and library do not depend on the compiler
// that built the library.

// ---------------------------------------------------------------- memory barriers
// rmb: later loads see what was globally complete. wmb: earlier stores are globally complete before
// any later load or store. ThreadSanitizer does not know fences; there the compiler must not see
// them as such.
#define gasnett_compiler_fence() __asm__ __volatile__("" ::: "memory")
#if !defined(__SANITIZE_THREAD__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if !defined(__SANITIZE_THREAD__)
#define gasnett_local_wmb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gasnett_local_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define gasnett_local_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#elif defined(__x86_64__)
#define gasnett_local_wmb() __asm__ __volatile__("mfence" ::: "memory")
#define gasnett_local_rmb() gasnett_compiler_fence()
#define gasnett_local_mb() __asm__ __volatile__("mfence" ::: "memory")
#else
#define gasnett_local_wmb() __sync_synchronize()
#define gasnett_local_rmb() __sync_synchronize()
#define gasnett_local_mb() __sync_synchronize()
#endif
#if defined(GASNETT_THREAD_SINGLE)
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#else
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#endif
#define GASNETT_MEMBAR_CONFIG membars_builtin

// ---------------------------------------------------------------- timers
// A tick is a nanosecond of the system's monotonic clock, so ticks of all threads of a machine may
// be compared.
GASNETT_BEGIN_EXTERNC

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX UINT64_MAX
#define GASNETT_TIMER_CONFIG timers_monotonic
gasnett_tick_t gasnett_ticks_now(void);
#define gasnett_ticks_to_ns(ticks) ((uint64_t)(ticks))
#define gasnett_ticks_to_us(ticks) ((uint64_t)(ticks) / 1000)
/** Microseconds: the smallest difference between two readings, and the cost of a reading; measured
 *  at the first call. */
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);
/** Wall-clock time in microseconds since 1970. */
uint64_t gasnett_gettimeofday_us(void);
/** Sleeps for that long, signals notwithstanding. Returns 0, or errno. */
int gasnett_nsleep(uint64_t ns_delay);

GASNETT_END_EXTERNC

#endif
