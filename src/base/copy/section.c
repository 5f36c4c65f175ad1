// SPDX-License-Identifier: BSD-3-Clause
//
// Sections: their levels in normal form.
#include "base/copy/section.h"

static size_t width(intptr_t stride)
{
    return stride < 0 ? 0 - (size_t)stride : (size_t)stride;
}

void cwu_section_add(cwu_section_t *s, size_t n, intptr_t dst_stride, intptr_t src_stride)
{
    int level = s->levels++;
    if (dst_stride < 0 && src_stride < 0) {
        s->dst += (n - 1) * (uintptr_t)dst_stride;
        s->src += (n - 1) * (uintptr_t)src_stride;
        dst_stride = (intptr_t)width(dst_stride);
        src_stride = (intptr_t)width(src_stride);
    }
    for (; level > 0 && width(dst_stride) < width(s->dst_stride[level - 1]) &&
           width(src_stride) < width(s->src_stride[level - 1]);
         level--) {
        s->n[level] = s->n[level - 1];
        s->dst_stride[level] = s->dst_stride[level - 1];
        s->src_stride[level] = s->src_stride[level - 1];
    }
    s->n[level] = n;
    s->dst_stride[level] = dst_stride;
    s->src_stride[level] = src_stride;
}

/** The level `next` goes on where `last` ends, on one side; last -1: where a row ends. */
static bool goes_on(const cwu_section_t *s, const intptr_t *stride, int last, int next)
{
    intptr_t end;
    if (last < 0)
        return stride[next] == (intptr_t)s->row;
    return !__builtin_mul_overflow(stride[last], (intptr_t)s->n[last], &end) && stride[next] == end;
}

void cwu_section_end(cwu_section_t *s)
{
    int last = -1;
    for (int i = 0; i < s->levels; i++) {
        if (goes_on(s, s->src_stride, last, i) && goes_on(s, s->dst_stride, last, i)) {
            *(last < 0 ? &s->row : &s->n[last]) *= s->n[i];
            continue;
        }
        last++;
        s->n[last] = s->n[i];
        s->src_stride[last] = s->src_stride[i];
        s->dst_stride[last] = s->dst_stride[i];
    }
    if (last < 0) {
        last = 0;
        s->n[0] = 1;
        s->src_stride[0] = s->dst_stride[0] = 0;
    }
    s->levels = last + 1;
    for (int i = 0; i < s->levels; i++)
        s->rows *= s->n[i];
}

void cwu_section_of_ints(cwu_section_t *s, uintptr_t dst, const int *dst_stride, uintptr_t src,
                         const int *src_stride, size_t row, const int *count, int levels)
{
    cwu_section_begin(s, dst, src, row, row > 0);
    for (int i = 0; i < levels && row > 0; i++)
        if (count[i] > 1)
            cwu_section_add(s, (size_t)count[i], dst_stride[i], src_stride[i]);
    cwu_section_end(s);
}
