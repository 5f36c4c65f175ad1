// SPDX-License-Identifier: BSD-3-Clause
//
// Sections from the arguments of strided calls; their extents.
#include "armci/section.h"

#include "armci/aci.h"

_Static_assert(ACI_LEVELS == ARMCI_MAX_STRIDE_LEVEL, "section.h");
_Static_assert((int)ACI_LEVELS <= (int)CWU_SECTION_LEVELS, "base/copy/section.h");

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

/** False: the section is empty. */
static bool is_some(const char *call, int proc, const int *count, int levels)
{
    check_levels(call, proc, levels);
    if (CW_UNLIKELY(!count))
        aci_fail(call, "the counts are NULL, to process %d", proc);
    return total(call, proc, count, levels) > 0;
}

/** The strides of one side, which may be NULL where each level has one row. */
static CW_COLD void check_strides(const char *call, int proc, const char *side, const int *stride,
                                  const int *count, int levels)
{
    for (int i = 0; i < levels && !stride; i++)
        if (count[i + 1] > 1)
            aci_fail(call, "the strides of the %s are NULL, to process %d", side, proc);
}

void aci_section_make(cwu_section_t *s, const char *call, int proc, const void *src,
                      const int *src_stride, void *dst, const int *dst_stride, const int *count,
                      int levels)
{
    bool some = is_some(call, proc, count, levels);
    if (CW_UNLIKELY(some && (!src_stride || !dst_stride))) {
        check_strides(call, proc, "source", src_stride, count, levels);
        check_strides(call, proc, "destination", dst_stride, count, levels);
    }
    cwu_section_of_ints(s, (uintptr_t)dst, dst_stride, (uintptr_t)src, src_stride,
                        some ? (size_t)count[0] : 0, count + 1, levels);
}

void aci_section_dense(cwu_section_t *s, const char *call, bool dense_src, const void *src,
                       void *dst, const int *stride, const int *count, int levels)
{
    bool some = is_some(call, cw_world.pe, count, levels);
    cwu_section_begin(s, (uintptr_t)dst, (uintptr_t)src, (size_t)count[0], some);
    intptr_t dense = (intptr_t)s->row;
    for (int i = 0; i < levels && s->rows > 0; i++) {
        if (count[i + 1] > 1)
            cwu_section_add(s, (size_t)count[i + 1], dense_src ? stride[i] : dense,
                            dense_src ? dense : stride[i]);
        dense *= count[i + 1];
    }
    cwu_section_end(s);
}

uintptr_t aci_section_extent(const char *call, int proc, const cwu_section_t *s, bool dst,
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

// ---------------------------------------------------------------- rows that overlap
/** A level of the written side. */
typedef struct level {
    size_t step, n;
    size_t below;  // bytes that the narrower levels and the row span
    intptr_t stride;
} level_t;

/** The levels, the narrowest first. */
static void sort_levels(level_t *levels, const cwu_section_t *s)
{
    for (int i = 0; i < s->levels; i++) {
        const intptr_t stride = s->dst_stride[i];
        const level_t level = {.step = (size_t)(stride < 0 ? -stride : stride), s->n[i], 0, stride};
        int at = i;
        for (; at > 0 && levels[at - 1].step > level.step; at--)
            levels[at] = levels[at - 1];
        levels[at] = level;
    }
    size_t below = s->row;
    for (int i = 0; i < s->levels; i++) {
        levels[i].below = below;
        below += levels[i].step * (levels[i].n - 1);
    }
}

/** Do two rows overlap, `apart` bytes from each other by the wider levels, at whatever distance by
 *  the first `nlevels`? `other`: they are not the same row. *most: how many tries are left; false
 *  where there are no more. */
static bool overlap(const level_t *levels, int nlevels, intptr_t apart, bool other, int *most)
{
    if (nlevels == 0)
        return other;
    const level_t *level = &levels[nlevels - 1];
    const intptr_t reach = (intptr_t)level->below - 1, step = (intptr_t)level->step,
                   last = (intptr_t)level->n - 1;
    if (step == 0)
        return last > 0 || overlap(levels, nlevels - 1, apart, other, most);
    // only where |apart + i * step| <= reach can the narrower levels bring them together
    const intptr_t first = -((reach + apart) / step), end = (reach - apart) / step;
    for (intptr_t i = first > -last ? first : -last; i <= (end < last ? end : last); i++) {
        const intptr_t at = apart + i * step;
        if (at >= -reach && at <= reach && (*most)-- > 0 &&
            overlap(levels, nlevels - 1, at, other || i, most))
            return true;
    }
    return false;
}

void aci_section_check_rows(const char *call, int proc, const cwu_section_t *s)
{
    enum { TRIES = 10000 };
    level_t levels[CWU_SECTION_LEVELS];
    sort_levels(levels, s);
    int most = TRIES, i = 0;
    while (i < s->levels && (levels[i].n == 1 || levels[i].step >= levels[i].below))
        i++;
    if (i < s->levels && levels[s->levels - 1].below < INTPTR_MAX / 2 &&
        overlap(levels, s->levels, 0, false, &most))
        aci_fail(call,
                 "destination, process %d: a stride of %lld bytes steps over %zu bytes: they are "
                 "written more than once",
                 proc, (long long)levels[i].stride, levels[i].below);
}
