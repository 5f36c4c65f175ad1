// SPDX-License-Identifier: BSD-3-Clause
//
// Array sections and their assignments, row by row.
#include "caf/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy/rows.h"
#include "base/error.h"
#include "caf/transfer.h"
#include "core/bulk/pieces.h"
#include "core/bulk/strided.h"

// ---------------------------------------------------------------- one section
size_t caf_section_nelems(const caf_section_t *s)
{
    size_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->dim[i].extent;
    return n;
}

void caf_section_packed(caf_section_t *s, const caf_section_t *of, char *base)
{
    ptrdiff_t stride = (ptrdiff_t)of->elem_nbytes;
    *s = *of;
    s->base = base;
    for (int i = 0; i < s->rank; i++) {
        s->dim[i].by = (caf_subscripts_t){0};
        s->dim[i].stride = stride;
        stride *= (ptrdiff_t)s->dim[i].extent;
    }
}

static ptrdiff_t subscript(const caf_subscripts_t *by, size_t i)
{
    switch (by->kind) {
    case 1:
        return ((const int8_t *)by->vector)[i];
    case 2:
        return ((const int16_t *)by->vector)[i];
    case 4:
        return ((const int32_t *)by->vector)[i];
    case 8:
        return (ptrdiff_t)((const int64_t *)by->vector)[i];
    default:
        return (ptrdiff_t)((const __int128 *)by->vector)[i];
    }
}

/** How far the i-th element of a dimension is from the base. */
static ptrdiff_t distance(ptrdiff_t stride, const caf_subscripts_t *by, size_t i)
{
    return by->vector ? (subscript(by, i) - by->lower) * stride : (ptrdiff_t)i * stride;
}

char *caf_section_element(const caf_section_t *s, const size_t *index)
{
    char *at = s->base;
    for (int i = 0; i < s->rank; i++)
        at += distance(s->dim[i].stride, &s->dim[i].by, index[i]);
    return at;
}

// ---------------------------------------------------------------- two sections of one shape
typedef struct side {
    char *base;
    struct {
        ptrdiff_t stride;
        caf_subscripts_t by;
    } dim[CAF_MAX_DIMENSIONS];
} side_t;

typedef struct pair {
    int rank;
    size_t extent[CAF_MAX_DIMENSIONS];
    side_t to, from;
    const caf_section_t *to_type, *from_type;
} pair_t;

/** Dimensions of one element are left out: the ranks of both sides may differ by these. */
static int add_side(const caf_section_t *s, side_t *side, size_t *extent)
{
    int rank = 0;
    side->base = s->base;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i].extent == 1) {
            side->base += distance(s->dim[i].stride, &s->dim[i].by, 0);
            continue;
        }
        extent[rank] = s->dim[i].extent;
        side->dim[rank].stride = s->dim[i].stride;
        side->dim[rank++].by = s->dim[i].by;
    }
    return rank;
}

static bool joins(const side_t *side, int i, size_t extent)
{
    return !side->dim[i].by.vector && !side->dim[i + 1].by.vector &&
           side->dim[i + 1].stride == side->dim[i].stride * (ptrdiff_t)extent;
}

/** Neighbouring dimensions that are one on both sides become one. */
static void join_dimensions(pair_t *p)
{
    for (int i = 0; i + 1 < p->rank;) {
        if (!joins(&p->to, i, p->extent[i]) || !joins(&p->from, i, p->extent[i])) {
            i++;
            continue;
        }
        p->extent[i] *= p->extent[i + 1];
        p->rank--;
        for (int k = i + 1; k < p->rank; k++) {
            p->extent[k] = p->extent[k + 1];
            p->to.dim[k] = p->to.dim[k + 1];
            p->from.dim[k] = p->from.dim[k + 1];
        }
    }
}

/** Of sides that check_shapes() has passed, or whose shapes are one. */
static void make_pair(pair_t *p, const caf_section_t *to, const caf_section_t *from)
{
    size_t extent[CAF_MAX_DIMENSIONS];
    memset(p, 0, sizeof *p);
    p->to_type = to;
    p->from_type = from;
    p->rank = add_side(to, &p->to, p->extent);
    if (add_side(from, &p->from, extent) == 0)  // a scalar for all elements
        memset(p->from.dim, 0, sizeof p->from.dim);
    join_dimensions(p);
}

// ---------------------------------------------------------------- shapes
/** The next dimension of another extent than 1, or the rank. */
static int next_dimension(const caf_section_t *s, int i)
{
    while (i < s->rank && s->dim[i].extent == 1)
        i++;
    return i;
}

/** Does each dimension of one side have the extent of the other side's? */
static bool is_same_shape(const caf_section_t *a, const caf_section_t *b)
{
    int i = next_dimension(a, 0), k = next_dimension(b, 0);
    while (i < a->rank && k < b->rank && a->dim[i].extent == b->dim[k].extent) {
        i = next_dimension(a, i + 1);
        k = next_dimension(b, k + 1);
    }
    return i == a->rank && k == b->rank;
}

/** gfortran 12 counts a vector that goes down below zero. */
static bool is_countable(const caf_section_t *s)
{
    bool countable = true;
    for (int i = 0; i < s->rank; i++)
        countable = countable && s->dim[i].extent <= PTRDIFF_MAX;
    return countable;
}

static bool has_vector(const caf_section_t *s)
{
    bool has = false;
    for (int i = 0; i < s->rank; i++)
        has = has || s->dim[i].by.vector;
    return has;
}

static void check_shapes(const caf_section_t *to, const caf_section_t *from)
{
    if (CW_LIKELY(from->rank > 0 ? is_same_shape(to, from) : is_countable(to)))
        return;
    caf_fatal("assignment of a section", "%zu elements of rank %d get %zu of rank %d%s",
              caf_section_nelems(to), to->rank, caf_section_nelems(from), from->rank,
              has_vector(to) || has_vector(from)
                  ? "; if a vector of subscripts is a section with a stride, x(v(::2))[i], assign "
                    "it to a variable first; if a dimension without bounds stands behind a single "
                    "subscript beside a vector, x(1, v, :)[i], give it bounds (faults of gfortran "
                    "12)"
                  : "");
}

/** A row: elements of the first dimension, or one element where that has subscripts. */
typedef struct row {
    char *to, *from;
    ptrdiff_t to_stride, from_stride;
    size_t n;
} row_t;
typedef void row_fn(void *arg, const pair_t *p, const row_t *row);

static char *place(const side_t *side, int first, int rank, const size_t *index)
{
    char *at = side->base;
    for (int i = first; i < rank; i++)
        at += distance(side->dim[i].stride, &side->dim[i].by, index[i]);
    return at;
}

static void each_row(const pair_t *p, row_fn *fn, void *arg)
{
    const bool whole = p->rank > 0 && !p->to.dim[0].by.vector && !p->from.dim[0].by.vector;
    const int first = whole ? 1 : 0;
    size_t index[CAF_MAX_DIMENSIONS] = {0};
    row_t row = {.n = 1};
    for (int i = 0; i < p->rank; i++)
        if (p->extent[i] == 0)
            return;
    if (whole)
        row = (row_t){NULL, NULL, p->to.dim[0].stride, p->from.dim[0].stride, p->extent[0]};
    for (;;) {
        int i = first;
        row.to = place(&p->to, first, p->rank, index);
        row.from = place(&p->from, first, p->rank, index);
        fn(arg, p, &row);
        while (i < p->rank && ++index[i] == p->extent[i])
            index[i++] = 0;
        if (i == p->rank)
            return;
    }
}

// ---------------------------------------------------------------- memory that is mapped here
static void copy_row(void *arg, const pair_t *p, const row_t *row)
{
    const size_t nbytes = p->to_type->elem_nbytes;
    const ptrdiff_t dense = (ptrdiff_t)nbytes;
    (void)arg;
    if (row->to_stride == dense && row->from_stride == dense) {
        cw_copy(row->to, row->from, row->n * nbytes);
        return;
    }
    cwu_copy_rows((uintptr_t)row->to, row->to_stride, (uintptr_t)row->from, row->from_stride,
                  nbytes, row->n);
}

static void convert_row(void *arg, const pair_t *p, const row_t *row)
{
    (void)arg;
    caf_convert(p->to_type, row->to, row->to_stride, p->from_type, row->from, row->from_stride,
                row->n);
}

void caf_section_assign(const caf_section_t *to, const caf_section_t *from)
{
    pair_t pair;
    make_pair(&pair, to, from);
    each_row(&pair, caf_is_same(to, from) ? copy_row : convert_row, NULL);
}

// ---------------------------------------------------------------- ranges
typedef struct span {
    uintptr_t begin, end;
} span_t;

static span_t span_of(const caf_section_t *s)
{
    span_t span = {(uintptr_t)s->base, (uintptr_t)s->base + s->elem_nbytes};
    for (int i = 0; i < s->rank; i++) {
        ptrdiff_t low = 0, high = 0;
        for (size_t k = 0; s->dim[i].by.vector && k < s->dim[i].extent; k++) {
            ptrdiff_t at = distance(s->dim[i].stride, &s->dim[i].by, k);
            low = k == 0 || at < low ? at : low;
            high = k == 0 || at > high ? at : high;
        }
        if (!s->dim[i].by.vector && s->dim[i].extent) {
            ptrdiff_t last = s->dim[i].stride * (ptrdiff_t)(s->dim[i].extent - 1);
            low = last < 0 ? last : 0;
            high = last > 0 ? last : 0;
        }
        span.begin += (uintptr_t)low;
        span.end += (uintptr_t)high;
    }
    return span;
}

void caf_section_span(const caf_section_t *s, uintptr_t *begin_p, uintptr_t *end_p)
{
    const span_t span = span_of(s);
    *begin_p = span.begin;
    *end_p = span.end;
}

static bool overlap(const caf_section_t *a, const caf_section_t *b)
{
    span_t x = span_of(a), y = span_of(b);
    return x.begin < y.end && y.begin < x.end;
}

static char *buffer(size_t nelems, size_t elem_nbytes)
{
    char *memory = malloc(nelems * elem_nbytes + 1);
    if (!memory)
        cwu_fatal("out of memory for a section of %zu elements of %zu bytes", nelems, elem_nbytes);
    return memory;
}

/** Both sides are here; they may overlap. */
static void assign_here(const caf_section_t *to, const caf_section_t *from)
{
    if (!overlap(to, from)) {
        caf_section_assign(to, from);
        return;
    }
    caf_section_t packed;
    char *memory = buffer(caf_section_nelems(from), from->elem_nbytes);
    caf_section_packed(&packed, from, memory);
    caf_section_assign(&packed, from);
    caf_section_assign(to, &packed);
    free(memory);
}

// ---------------------------------------------------------------- memory of other nodes
typedef struct travel {
    cw_pieces_t *pieces;
    size_t most;  // bytes that are packed
    int pe;
    bool put;
} travel_t;

static void travel_bytes(const travel_t *t, char *remote, char *local, size_t nbytes)
{
    if (nbytes <= t->most)
        cw_pieces_add(t->pieces, remote, local, nbytes);
    else if (t->put)
        cw_put(&cw_ctx_default, remote, local, nbytes, t->pe);
    else
        cw_get_nbi(&cw_ctx_default, local, remote, nbytes, t->pe);
}

/** A long row is one transfer, of which a message says the stride once. False: it is none. */
static bool travel_strided(const travel_t *t, const row_t *row, size_t nbytes)
{
    if (row->n * nbytes < CW_PIECE_MAX || (t->put ? row->to_stride : row->from_stride) <= 0)
        return false;
    if (t->put)
        cw_put_strided(&cw_ctx_default, row->to, row->from, row->to_stride, row->from_stride,
                       nbytes, row->n, t->pe);
    else
        cw_get_strided(&cw_ctx_default, row->to, row->from, row->to_stride, row->from_stride,
                       nbytes, row->n, t->pe);
    return true;
}

static void travel_row(void *arg, const pair_t *p, const row_t *row)
{
    const travel_t *t = arg;
    const size_t nbytes = p->to_type->elem_nbytes;
    const ptrdiff_t dense = (ptrdiff_t)nbytes;
    if (row->to_stride == dense && row->from_stride == dense) {
        travel_bytes(t, t->put ? row->to : row->from, t->put ? row->from : row->to,
                     row->n * nbytes);
        return;
    }
    if (travel_strided(t, row, nbytes))
        return;
    if (nbytes <= t->most) {
        cw_pieces_add_rows(t->pieces,
                           &(cw_rows_t){(uintptr_t)row->to, (uintptr_t)row->from, row->to_stride,
                                        row->from_stride, nbytes, row->n});
        return;
    }
    for (size_t i = 0; i < row->n; i++) {
        char *to = row->to + (ptrdiff_t)i * row->to_stride,
             *from = row->from + (ptrdiff_t)i * row->from_stride;
        travel_bytes(t, t->put ? to : from, t->put ? from : to, nbytes);
    }
}

/** Elements of one type; gets are complete when it returns. */
static void travel(const caf_section_t *to, const caf_section_t *from, int pe, bool put)
{
    const span_t span = span_of(put ? to : from);
    const size_t total = caf_section_nelems(to) * to->elem_nbytes;
    cw_pieces_t pieces;
    travel_t t = {&pieces, cw_pieces_most(put, total), pe, put};
    pair_t pair;
    if (put)
        caf_before_write(pe, span.begin, span.end);
    else
        caf_before_read(pe, span.begin, span.end);
    make_pair(&pair, to, from);
    cw_pieces_begin(&pieces, &cw_ctx_default, pe, put, total);
    each_row(&pair, travel_row, &t);
    cw_pieces_end(&pieces);
    if (!put)
        caf_complete();
}

static caf_section_t mapped_section(const caf_remote_t *remote, char *base)
{
    caf_section_t section = remote->section;
    section.base = base;
    return section;
}

void caf_section_put(const caf_remote_t *dest, const caf_section_t *src)
{
    check_shapes(&dest->section, src);
    if (dest->is_target) {
        caf_target_put(dest, src);
        return;
    }
    char *here = caf_mapped(dest->section.base, dest->pe);
    if (here) {
        caf_section_t to = mapped_section(dest, here);
        assign_here(&to, src);
        cw_ctx_stored(&cw_ctx_default, dest->pe);
        return;
    }
    if (caf_is_same(&dest->section, src)) {
        travel(&dest->section, src, dest->pe, true);
        return;
    }
    caf_section_t packed = dest->section;
    packed.rank = src->rank;  // a scalar is converted once
    for (int i = 0; i < src->rank; i++)
        packed.dim[i].extent = src->dim[i].extent;
    char *memory = buffer(caf_section_nelems(src), packed.elem_nbytes);
    caf_section_packed(&packed, &packed, memory);
    caf_section_assign(&packed, src);
    travel(&dest->section, &packed, dest->pe, true);
    free(memory);
}

void caf_section_get(const caf_section_t *dest, const caf_remote_t *src)
{
    check_shapes(dest, &src->section);
    if (src->is_target) {
        caf_target_get(dest, src);
        return;
    }
    char *here = caf_mapped(src->section.base, src->pe);
    if (here) {
        caf_section_t from = mapped_section(src, here);
        assign_here(dest, &from);
        cw_get_done();
        return;
    }
    if (caf_is_same(dest, &src->section) && src->section.rank > 0) {
        travel(dest, &src->section, src->pe, false);
        return;
    }
    caf_section_t packed;
    char *memory = buffer(caf_section_nelems(&src->section), src->section.elem_nbytes);
    caf_section_packed(&packed, &src->section, memory);
    travel(&packed, &src->section, src->pe, false);
    caf_section_assign(dest, &packed);
    free(memory);
}

void caf_section_move(const caf_remote_t *dest, const caf_remote_t *src)
{
    check_shapes(&dest->section, &src->section);
    char *here = src->is_target ? NULL : caf_mapped(src->section.base, src->pe);
    if (here) {
        caf_section_t from = mapped_section(src, here);
        caf_section_put(dest, &from);
        return;
    }
    caf_section_t packed;
    char *memory = buffer(caf_section_nelems(&src->section), src->section.elem_nbytes);
    caf_section_packed(&packed, &src->section, memory);
    if (src->is_target)
        caf_target_get(&packed, src);
    else
        travel(&packed, &src->section, src->pe, false);
    caf_section_put(dest, &packed);
    free(memory);
}
