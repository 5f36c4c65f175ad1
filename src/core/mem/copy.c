// SPDX-License-Identifier: BSD-3-Clause
//
// The choice by the size of the last-level cache, and the copy by streaming stores. On processors
// other than x86-64, memcpy.
#include "core/mem/copy.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/machine.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define LINE 64u

static void stream_line(char *dest, const char *src)
{
    __m128i part[4];
    for (int i = 0; i < 4; i++)
        part[i] = _mm_loadu_si128((const __m128i *)(const void *)src + i);
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)(void *)dest + i, part[i]);
}

static void stream(char *dest, const char *src, size_t nbytes)
{
    size_t head = -(uintptr_t)dest % LINE, lines = (nbytes - head) / LINE;
    memcpy(dest, src, head);
    for (dest += head, src += head; lines > 0; lines--, dest += LINE, src += LINE)
        stream_line(dest, src);
    memcpy(dest, src, (nbytes - head) % LINE);
    _mm_sfence();  // streaming stores are in no order with those behind them
}
#else
static void stream(char *dest, const char *src, size_t nbytes)
{
    memcpy(dest, src, nbytes);
}
#endif

/** Bytes that the last-level cache holds; SIZE_MAX: not known. Threads that ask at the same time
 *  find the same. */
static size_t cache_nbytes(void)
{
    static _Atomic size_t known;
    size_t nbytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (nbytes == 0) {
        nbytes = (size_t)cwu_machine_cache("/sys/devices/system/cpu/cpu0/cache");
        if (nbytes == 0)
            nbytes = SIZE_MAX;
        atomic_store_explicit(&known, nbytes, memory_order_relaxed);
    }
    return nbytes;
}

void cw_copy_part(void *dest, const void *src, size_t nbytes, size_t traffic)
{
    if (nbytes >= CW_LONG_COPY && traffic >= cache_nbytes())
        stream(dest, src, nbytes);
    else
        memcpy(dest, src, nbytes);
}
