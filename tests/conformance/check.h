// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the conformance tests: start and end, the ring of PEs, and the type tables as the
// specification lists them (written again here, so that a mistake in the library's own table is
// found).
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

static int me, npes, next, prev;  // in the ring

__attribute__((unused)) static void check_ring(void)
{
    me = shmem_my_pe();
    npes = shmem_n_pes();
    next = (me + 1) % npes;
    prev = (me + npes - 1) % npes;
    check_as("PE", me, npes);
}

// With -DCHECK_CONTEXT=OPTIONS a test uses a context created with these options where it would use
// the default context, and calls that complete the default context complete that one too.
#ifdef CHECK_CONTEXT
static shmem_ctx_t check_ctx;
static inline void check_quiet(void)
{
    shmem_ctx_quiet(check_ctx);
    shmem_quiet();
}
static inline void check_fence(void)
{
    shmem_ctx_fence(check_ctx);
    shmem_fence();
}
static inline void check_barrier_all(void)
{
    shmem_ctx_quiet(check_ctx);
    shmem_barrier_all();
}
#define shmem_quiet() check_quiet()
#define shmem_fence() check_fence()
#define shmem_barrier_all() check_barrier_all()
#undef SHMEM_CTX_DEFAULT
#define SHMEM_CTX_DEFAULT check_ctx
#endif

__attribute__((unused)) static void check_begin(void)
{
    shmem_init();
    check_ring();
#ifdef CHECK_CONTEXT
    CHECK(shmem_ctx_create(CHECK_CONTEXT, &check_ctx) == 0, "shmem_ctx_create(%ld)",
          (long)(CHECK_CONTEXT));
#endif
}

/** Returns the exit status. Each PE has printed its own failures. */
__attribute__((unused)) static int check_end(void)
{
    int failed = checks_failed != 0;
#ifdef CHECK_CONTEXT
    shmem_ctx_destroy(check_ctx);
#endif
    shmem_finalize();
    return failed;
}

/** Value k of a type: all bits of integers in use, floating point exact. */
__attribute__((unused)) static uint64_t mixed(long k)
{
    return UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(k + 1);
}
#define VALUE(T, k) \
    _Generic((T)0, float: (T)((k)*0.5 + 1), double: (T)((k)*0.25 + 1), \
             long double: (T)((k)*0.125 + 1), default: (T)mixed(k))

// -------------------------------------------------------- tables of the specification, version 1.6
#define RMA_TYPES(X)                                                                              \
    X(float, float) X(double, double) X(longdouble, long double) X(char, char)                    \
    X(schar, signed char) X(short, short) X(int, int) X(long, long) X(longlong, long long)        \
    X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int)                       \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)    \
    X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) \
    X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define AMO_TYPES(X)                                                                               \
    X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) \
    X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t)       \
    X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define AMO_EXTENDED_TYPES(X) X(float, float) X(double, double) AMO_TYPES(X)
#define AMO_BITWISE_TYPES(X)                                                       \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) \
    X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
#define SIZES(X) X(8) X(16) X(32) X(64) X(128)

#endif
