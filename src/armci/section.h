// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of arrays: what the strided calls move. A section is made of its arguments: counts are
// checked, levels without effect are left out, and levels that are contiguous on both sides are
// merged, so that a section of whole rows is one row. What is left are rows of equal length in
// planes, and perhaps planes of planes:
//
//     aci_section_t s = aci_section(call, proc, src, src_stride, dst, dst_stride, count, levels);
//     for (aci_planes_t w = aci_planes(&s); w.more; aci_planes_next(&w))
//         ... s.n[0] rows of s.row bytes, from w.src by s.src_stride[0] to w.dst by s.dst_stride[0]
//
// Addresses are numbers: behind the last row they may point anywhere. Threads: any.
#ifndef ACI_SECTION_H
#define ACI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ACI_LEVELS = 8 };  // ARMCI_MAX_STRIDE_LEVEL

typedef struct aci_section {
    uintptr_t src, dst;
    size_t row;            // bytes
    size_t rows;           // in all; 0: there is nothing to do
    int levels;            // at least 1
    size_t n[ACI_LEVELS];  // rows of a plane, planes of a block, and so on
    intptr_t src_stride[ACI_LEVELS], dst_stride[ACI_LEVELS];  // bytes
} aci_section_t;

/** Fatal: a count is negative, too many levels, a total beyond 64 bits. */
void aci_section_make(aci_section_t *s, const char *call, int proc, const void *src,
                      const int *src_stride, void *dst, const int *dst_stride, const int *count,
                      int levels);
static inline aci_section_t aci_section(const char *call, int proc, const void *src,
                                        const int *src_stride, void *dst, const int *dst_stride,
                                        const int *count, int levels)
{
    aci_section_t s;
    aci_section_make(&s, call, proc, src, src_stride, dst, dst_stride, count, levels);
    return s;
}
/** One side is a buffer without gaps. */
void aci_section_dense(aci_section_t *s, const char *call, bool dense_src, const void *src,
                       void *dst, const int *stride, const int *count, int levels);
/** Where the lowest byte of the source (or the destination) is, and how many bytes lie from it to
 *  the highest one. Fatal: more than memory can be. */
uintptr_t aci_section_extent(const char *call, int proc, const aci_section_t *s, bool dst,
                             size_t *nbytes_p);
/** In checking mode: rows of the written side that overlap. Fatal. */
void aci_section_check_rows(const char *call, int proc, const aci_section_t *s);

typedef struct aci_planes {
    const aci_section_t *s;
    uintptr_t src, dst;
    bool more;
    size_t at[ACI_LEVELS];  // from 1 on
} aci_planes_t;

static inline aci_planes_t aci_planes(const aci_section_t *s)
{
    aci_planes_t w;
    w.s = s;
    w.src = s->src;
    w.dst = s->dst;
    w.more = s->rows > 0;
    for (int level = 1; level < s->levels; level++)
        w.at[level] = 0;
    return w;
}

static inline void aci_planes_next(aci_planes_t *w)
{
    const aci_section_t *s = w->s;
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

/** Copies a section of memory that is mapped here, with these distances added to its addresses. */
void aci_section_copy(const aci_section_t *s, uintptr_t src_delta, uintptr_t dst_delta);

#endif
