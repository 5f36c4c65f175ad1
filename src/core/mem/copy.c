// SPDX-License-Identifier: BSD-3-Clause
//
// The choice between memcpy and streaming stores (on x86-64 only).
#include "core/mem/copy.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/copy/rows.h"
#include "base/machine.h"

#if defined(__x86_64__)
#include <emmintrin.h>

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
    size_t head = -(uintptr_t)dest % CW_CACHE_LINE, lines = (nbytes - head) / CW_CACHE_LINE;
    memcpy(dest, src, head);
    for (dest += head, src += head; lines > 0; lines--, dest += CW_CACHE_LINE, src += CW_CACHE_LINE)
        stream_line(dest, src);
    memcpy(dest, src, (nbytes - head) % CW_CACHE_LINE);
    _mm_sfence();  // orders the streaming stores before later ones
}
#else
static void stream(char *dest, const char *src, size_t nbytes)
{
    memcpy(dest, src, nbytes);
}
#endif

/** Of the last-level cache; SIZE_MAX: not known. Threads may ask at the same time. */
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

static void copy_long_rows(const cwu_section_t *s, uintptr_t dst, uintptr_t src)
{
    for (size_t i = 0; i < s->n[0]; i++) {
        cw_copy_part((void *)dst, (const void *)src, s->row, 2 * s->row * s->rows);
        dst += (uintptr_t)s->dst_stride[0];
        src += (uintptr_t)s->src_stride[0];
    }
}

void cw_copy_section(const cwu_section_t *s, uintptr_t dst_delta, uintptr_t src_delta)
{
    cwu_planes_t w;
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w))
        if (s->row >= CW_LONG_COPY)
            copy_long_rows(s, w.dst + dst_delta, w.src + src_delta);
        else
            cwu_copy_rows(w.dst + dst_delta, s->dst_stride[0], w.src + src_delta, s->src_stride[0],
                          s->row, s->n[0]);
}

void cw_copy_lists(void *const *dst, uintptr_t dst_delta, void *const *src, uintptr_t src_delta,
                   size_t nbytes, size_t n)
{
    if (nbytes < CW_LONG_COPY) {
        cwu_copy_lists(dst, dst_delta, src, src_delta, nbytes, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        cw_copy_part((void *)((uintptr_t)dst[i] + dst_delta),
                     (const void *)((uintptr_t)src[i] + src_delta), nbytes, 2 * nbytes * n);
}
