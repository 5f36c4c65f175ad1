// SPDX-License-Identifier: BSD-3-Clause
//
// Sections from the arguments of strided calls; their extents; copies within the node.
#include "armci/section.h"

#include <string.h>

#include "armci/aci.h"
#include "base/rows.h"

_Static_assert(ACI_LEVELS == ARMCI_MAX_STRIDE_LEVEL, "section.h");

/** A level goes on where the level below ends, on one side. */
static bool goes_on(const intptr_t *stride, int level, size_t row, const size_t *n)
{
    intptr_t end;
    if (level == 0)
        return stride[0] == (intptr_t)row;
    return !__builtin_mul_overflow(stride[level - 1], (intptr_t)n[level - 1], &end) &&
           stride[level] == end;
}

/** Adds a level of n > 1 units, or makes those below longer by it. */
static void add_level(aci_section_t *s, size_t n, intptr_t src_stride, intptr_t dst_stride)
{
    int level = s->levels;
    s->n[level] = n;
    s->src_stride[level] = src_stride;
    s->dst_stride[level] = dst_stride;
    if (!goes_on(s->src_stride, level, s->row, s->n) ||
        !goes_on(s->dst_stride, level, s->row, s->n))
        s->levels++;
    else if (level == 0)
        s->row *= n;
    else
        s->n[level - 1] *= n;
}

/** Bytes of the whole section. */
static size_t total(const char *call, int proc, const int *count, int levels)
{
    size_t all = 1;
    bool empty = false, huge = false;
    for (int i = 0; i <= levels; i++) {
        if (CW_UNLIKELY(count[i] < 0))
            aci_fail(call, "count[%d] is %d, to process %d", i, count[i], proc);
        empty |= count[i] == 0;
        huge |= count[i] > 0 && __builtin_mul_overflow(all, (size_t)count[i], &all);
    }
    if (CW_UNLIKELY(huge && !empty))
        aci_fail(call, "the counts of %d levels, to process %d, multiply to more than 64 bits",
                 levels, proc);
    return empty ? 0 : all;
}

static void check_levels(const char *call, int proc, int levels)
{
    if (CW_UNLIKELY(levels < 0 || levels > ACI_LEVELS))
        aci_fail(call, "%d levels of strides, to process %d; 0 to %d are possible", levels, proc,
                 ACI_LEVELS);
}

/** An empty section, or one row. Levels are filled in as they come: clearing all of them would cost
 *  as much as a small section. */
static void begin(aci_section_t *s, const char *call, int proc, const void *src, void *dst,
                  const int *count, int levels)
{
    check_levels(call, proc, levels);
    if (CW_UNLIKELY(!count))
        aci_fail(call, "the counts are NULL, to process %d", proc);
    size_t nbytes = total(call, proc, count, levels);
    s->src = (uintptr_t)src;
    s->dst = (uintptr_t)dst;
    s->levels = 0;
    s->rows = nbytes > 0;
    s->row = nbytes ? (size_t)count[0] : 0;
}

static void end(aci_section_t *s)
{
    if (s->levels == 0) {
        s->n[0] = 1;
        s->src_stride[0] = s->dst_stride[0] = 0;
        s->levels = 1;
    }
    for (int i = 0; i < s->levels; i++)
        s->rows *= s->n[i];
}

void aci_section_make(aci_section_t *s, const char *call, int proc, const void *src,
                      const int *src_stride, void *dst, const int *dst_stride, const int *count,
                      int levels)
{
    begin(s, call, proc, src, dst, count, levels);
    for (int i = 0; i < levels && s->rows > 0; i++) {
        if (count[i + 1] == 1)
            continue;
        if (CW_UNLIKELY(!src_stride || !dst_stride))
            aci_fail(call, "the strides of the %s are NULL, to process %d",
                     src_stride ? "destination" : "source", proc);
        add_level(s, (size_t)count[i + 1], src_stride[i], dst_stride[i]);
    }
    end(s);
}

void aci_section_dense(aci_section_t *s, const char *call, bool dense_src, const void *src,
                       void *dst, const int *stride, const int *count, int levels)
{
    begin(s, call, cw_world.pe, src, dst, count, levels);
    intptr_t dense = (intptr_t)s->row;
    for (int i = 0; i < levels && s->rows > 0; i++) {
        if (count[i + 1] > 1)
            add_level(s, (size_t)count[i + 1], dense_src ? dense : stride[i],
                      dense_src ? stride[i] : dense);
        dense *= count[i + 1];
    }
    end(s);
}

uintptr_t aci_section_extent(const char *call, int proc, const aci_section_t *s, bool dst,
                             size_t *nbytes_p)
{
    const intptr_t *stride = dst ? s->dst_stride : s->src_stride;
    intptr_t low = 0, high = 0;
    bool huge = false;
    for (int i = 0; i < s->levels; i++) {
        intptr_t way;
        huge |= __builtin_mul_overflow(stride[i], (intptr_t)s->n[i] - 1, &way);
        intptr_t *end = way < 0 ? &low : &high;
        huge |= __builtin_add_overflow(*end, way, end);
    }
    intptr_t nbytes;
    huge |= __builtin_sub_overflow(high, low, &nbytes) ||
            __builtin_add_overflow(nbytes, (intptr_t)s->row, &nbytes);
    if (CW_UNLIKELY(huge))
        aci_fail(call, "the %s section, of process %d, is larger than any memory",
                 dst ? "destination's" : "source's", proc);
    *nbytes_p = (size_t)nbytes;
    return (dst ? s->dst : s->src) + (uintptr_t)low;
}

void aci_section_check_rows(const char *call, int proc, const aci_section_t *s)
{
    size_t below = s->row;
    for (int i = 0; i < s->levels; i++) {
        size_t step = (size_t)(s->dst_stride[i] < 0 ? -s->dst_stride[i] : s->dst_stride[i]);
        if (s->n[i] > 1 && step < below)
            aci_fail(call,
                     "destination, process %d: a stride of %lld bytes steps over %zu bytes: they "
                     "are written more than once",
                     proc, (long long)s->dst_stride[i], below);
        below += step * (s->n[i] - 1);
    }
}

// ---------------------------------------------------------------- copies
void aci_section_copy(const aci_section_t *s, uintptr_t src_delta, uintptr_t dst_delta)
{
    for (aci_planes_t w = aci_planes(s); w.more; aci_planes_next(&w))
        cwu_copy_rows(w.dst + dst_delta, s->dst_stride[0], w.src + src_delta, s->src_stride[0],
                      s->row, s->n[0]);
}
