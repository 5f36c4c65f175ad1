// SPDX-License-Identifier: BSD-3-Clause
//
// Loads, stores and atomics behind one function call each (kernels.h).
#include "kernels.h"

#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

void kernel_store(long *dst, long value)
{
    __atomic_store_n(dst, value, __ATOMIC_RELAXED);
}

long kernel_load(const long *src)
{
    return __atomic_load_n(src, __ATOMIC_RELAXED);
}

void kernel_copy(void *dst, const void *src, size_t nbytes)
{
    memcpy(dst, src, nbytes);
}

void kernel_stream(void *dst, const void *src, size_t nbytes)
{
#ifdef __x86_64__
    __m128i *to = dst;
    const __m128i *from = src;
    for (size_t i = 0; i < nbytes / sizeof *to; i += 4) {
        __m128i a = _mm_load_si128(from + i), b = _mm_load_si128(from + i + 1);
        __m128i c = _mm_load_si128(from + i + 2), d = _mm_load_si128(from + i + 3);
        _mm_stream_si128(to + i, a);
        _mm_stream_si128(to + i + 1, b);
        _mm_stream_si128(to + i + 2, c);
        _mm_stream_si128(to + i + 3, d);
    }
    _mm_sfence();
#else
    memcpy(dst, src, nbytes);
#endif
}

void kernel_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

long kernel_fetch_add(long *dst, long value)
{
    return __atomic_fetch_add(dst, value, __ATOMIC_SEQ_CST);
}

long kernel_cswap(long *dst, long expected, long value)
{
    __atomic_compare_exchange_n(dst, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

long kernel_swap(long *dst, long value)
{
    return __atomic_exchange_n(dst, value, __ATOMIC_SEQ_CST);
}
