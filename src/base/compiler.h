// SPDX-License-Identifier: BSD-3-Clause
//
// What the code asks of gcc and clang beyond C17, in one place: no other file of the library spells
// an attribute out. src/gasnet_tools and the public headers stand alone and have their own.
#ifndef CWU_COMPILER_H
#define CWU_COMPILER_H

// Which way a branch of a hot path goes.
#define CW_LIKELY(x) __builtin_expect(!!(x), 1)
#define CW_UNLIKELY(x) __builtin_expect(!!(x), 0)
// The same so rarely that nothing is moved into other registers for what follows otherwise.
#define CW_MOSTLY(x) __builtin_expect_with_probability(!!(x), 1, .99)

// Where the code of a function goes. CW_ALWAYS_INLINE includes the keyword: static CW_ALWAYS_INLINE
// int f(void). CW_COLD code stands apart from hot code, and branches to it are unlikely.
#define CW_ALWAYS_INLINE inline __attribute__((always_inline))
#define CW_NOINLINE __attribute__((noinline))
#define CW_COLD __attribute__((cold))

// Loops over data that are to be vectorized: gcc does so from O3 on. The second is for the same
// function with wider registers, to be called where CW_HAS_AVX2(): glibc keeps what it has asked
// the processor at its start. The compiler's own library would ask again when it is loaded, and in
// a virtual machine each question costs an exit.
#if defined(__GNUC__) && !defined(__clang__)
#define CW_VECTORIZED __attribute__((optimize("O3")))
#else
#define CW_VECTORIZED
#endif
#if defined(__x86_64__)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define CW_HAS_AVX2() CPU_FEATURE_ACTIVE(AVX2)
#else
#define CW_HAS_AVX2() __builtin_cpu_supports("avx2")
#endif
#define CW_VECTORIZED_WIDE CW_VECTORIZED __attribute__((target("avx2")))
#else
#define CW_HAS_AVX2() 0
#define CW_VECTORIZED_WIDE CW_VECTORIZED
#endif

// Which lock guards what, and what a function does with it: clang's -Wthread-safety holds the code
// to it, gcc knows nothing of it. They follow a declaration, since they name its parameters, or go
// before a static function.
#if defined(__clang__)
#define CW_LOCK_TYPE __attribute__((capability("lock")))
#define CW_GUARDED_BY(lock) __attribute__((guarded_by(lock)))
#define CW_REQUIRES(lock) __attribute__((requires_capability(lock)))
#define CW_ACQUIRES(lock) __attribute__((acquire_capability(lock)))
#define CW_RELEASES(lock) __attribute__((release_capability(lock)))
#define CW_TRY_ACQUIRES(lock) __attribute__((try_acquire_capability(true, lock)))
#define CW_ASSERTS(lock) __attribute__((assert_capability(lock)))
#define CW_LOCK_UNCHECKED __attribute__((no_thread_safety_analysis))
#else
#define CW_LOCK_TYPE
#define CW_GUARDED_BY(lock)
#define CW_REQUIRES(lock)
#define CW_ACQUIRES(lock)
#define CW_RELEASES(lock)
#define CW_TRY_ACQUIRES(lock)
#define CW_ASSERTS(lock)
#define CW_LOCK_UNCHECKED
#endif

// A type of so many bytes that is passed in one register.
#define CW_VECTOR(nbytes) __attribute__((vector_size(nbytes)))

// Data that one core writes often starts a cache line of its own.
#define CW_CACHE_LINE 64

/** Do all other processors see a processor's stores in the order in which it makes them? */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
#define CW_STORES_IN_ORDER 1
#else
#define CW_STORES_IN_ORDER 0
#endif
#define CW_CACHE_ALIGNED __attribute__((aligned(CW_CACHE_LINE)))

// The arguments of printf, numbered from 1; `first` is 0 for a va_list.
#define CW_PRINTF(format_arg, first) __attribute__((format(printf, format_arg, first)))

// Symbols. CW_HIDDEN is for declarations of data: -fvisibility=hidden covers definitions only, and
// each access to data that may be elsewhere goes through the global offset table.
#define CW_HIDDEN __attribute__((visibility("hidden")))
#define CW_EXPORTED __attribute__((visibility("default")))
#define CW_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#define CW_ALIAS(name) __attribute__((alias(name)))
#define CW_WEAK __attribute__((weak))
#define CW_WEAK_ALIAS(name) __attribute__((weak, alias(name)))

// Variables of some KiB, all zero, that most processes do not touch: in the shared library they lie
// behind the others (src/large.ld), which so share few pages. Each page that is written costs a
// process some microseconds at its start.
#define CW_LARGE __attribute__((section(".bss.large")))

#define CW_USED __attribute__((used))
#define CW_UNUSED __attribute__((unused))
#define CW_CLEANUP(function) __attribute__((cleanup(function)))
#define CW_CONSTRUCTOR(priority) __attribute__((constructor(priority)))
#define CW_AT_LOAD __attribute__((constructor))
// A variable that every process writes at load: in a page that relocation has written already, it
// costs no page fault.
#define CW_WRITTEN_AT_LOAD __attribute__((section(".data")))
#define CW_DESTRUCTOR __attribute__((destructor))
#define CW_NO_SANITIZE __attribute__((no_sanitize_address, no_sanitize_thread))

#endif
