// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cheapest function that does each operation, in a file of its own: what any library behind a
 * call must pay at least.
 */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include <stddef.h>

void kernel_store(long *dst, long value);
long kernel_load(const long *src);
void kernel_copy(void *dst, const void *src, size_t nbytes);
// The same past the caches, where the compiler knows such stores; a multiple of 64 B, aligned.
void kernel_stream(void *dst, const void *src, size_t nbytes);
void kernel_fence(void);
long kernel_fetch_add(long *dst, long value);
long kernel_cswap(long *dst, long expected, long value);
long kernel_swap(long *dst, long value);

#endif
