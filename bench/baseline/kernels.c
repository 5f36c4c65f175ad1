// SPDX-License-Identifier: BSD-3-Clause
//
// Loads, stores and atomics behind one function call each (kernels.h).
#include "kernels.h"

#include <string.h>

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
