// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of arrays: what strided calls move. A section is made of levels, which are normalised:
// those that run backwards on both sides are turned round, one that is narrower on both sides comes
// before another, and those that are contiguous on both sides are merged, so that a section of
// whole rows is one row. What is left are rows of equal length in planes, and perhaps planes of
// planes:
//
//     cwu_section_t s;
//     cwu_section_begin(&s, dst, src, row, some);
//     for each level of more than one: cwu_section_add(&s, n, dst_stride, src_stride);
//     cwu_section_end(&s);
//     for (cwu_planes_begin(&w, &s); w.more; cwu_planes_next(&w))
//         ... s.n[0] rows of s.row bytes, from w.src by s.src_stride[0] to w.dst by s.dst_stride[0]
//
// Addresses are numbers: behind the last row they may point anywhere. Levels are filled in as they
// come, and neither structure is passed by value: clearing or copying all of them would cost as
// much as a small section. Threads: any.
#ifndef CWU_SECTION_H
#define CWU_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWU_SECTION_LEVELS = 32 };

typedef struct cwu_section {
    uintptr_t src, dst;
    size_t row;                    // bytes
    size_t rows;                   // in all; 0: there is nothing to do
    int levels;                    // at least 1
    size_t n[CWU_SECTION_LEVELS];  // rows of a plane, planes of a block, and so on
    intptr_t src_stride[CWU_SECTION_LEVELS], dst_stride[CWU_SECTION_LEVELS];  // bytes
} cwu_section_t;

/** some: false, there is nothing to do. */
static inline void cwu_section_begin(cwu_section_t *s, uintptr_t dst, uintptr_t src, size_t row,
                                     bool some)
{
    s->src = src;
    s->dst = dst;
    s->levels = 0;
    s->rows = some;
    s->row = some ? row : 0;
}

/** At most CWU_SECTION_LEVELS times, n > 1. */
void cwu_section_add(cwu_section_t *s, size_t n, intptr_t dst_stride, intptr_t src_stride);
void cwu_section_end(cwu_section_t *s);
/** The whole of it, from counts and strides in C's int; rows of 0 bytes: there is nothing to do.
 *  Levels of one need no strides. */
void cwu_section_of_ints(cwu_section_t *s, uintptr_t dst, const int *dst_stride, uintptr_t src,
                         const int *src_stride, size_t row, const int *count, int levels);

// ---------------------------------------------------------------- a walk over the planes
typedef struct cwu_planes {
    const cwu_section_t *s;
    uintptr_t src, dst;
    bool more;
    size_t at[CWU_SECTION_LEVELS];  // from 1 on
} cwu_planes_t;

static inline void cwu_planes_begin(cwu_planes_t *w, const cwu_section_t *s)
{
    w->s = s;
    w->src = s->src;
    w->dst = s->dst;
    w->more = s->rows > 0;
    for (int level = 1; level < s->levels; level++)
        w->at[level] = 0;
}

static inline void cwu_planes_next(cwu_planes_t *w)
{
    const cwu_section_t *s = w->s;
    for (int level = 1; level < s->levels; level++) {
        w->src += (uintptr_t)s->src_stride[level];
        w->dst += (uintptr_t)s->dst_stride[level];
        if (++w->at[level] < s->n[level])
            return;
        w->at[level] = 0;
        w->src -= s->n[level] * (uintptr_t)s->src_stride[level];
        w->dst -= s->n[level] * (uintptr_t)s->dst_stride[level];
    }
    w->more = false;
}

#endif
