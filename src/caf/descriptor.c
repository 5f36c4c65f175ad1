// SPDX-License-Identifier: BSD-3-Clause
//
// From a descriptor of gfortran to a section.
#include "caf/descriptor.h"

#include <sys/uio.h>
#include <unistd.h>

static size_t extent_of(ptrdiff_t lower, ptrdiff_t upper, ptrdiff_t step)
{
    ptrdiff_t n = step ? (upper - lower + step) / step : 0;
    return n > 0 ? (size_t)n : 0;
}

/** Of a vector without elements nvec is 0, too: then an address is in place of the lower bound,
 *  which in a triplet with elements is a subscript of the array, and a kind in that of the upper
 *  one. */
static bool is_empty_vector(const caf_vector_t *v, const caf_dim_t *dim)
{
    enum { FIRST_ADDRESS = 1 << 16 };
    const int kind = v->u.v.kind;
    return v->u.triplet.lower > dim->ubound && v->u.triplet.lower >= FIRST_ADDRESS &&
           (kind == 1 || kind == 2 || kind == 4 || kind == 8 || kind == 16);
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/** An array as a variable has it, whose elements follow each other: how many. 0: it is none. */
static size_t whole_of(const caf_descriptor_t *d)
{
    size_t n = 1;
    for (int i = 0; i < d->dtype.rank; i++) {
        if (d->dim[i].stride != (ptrdiff_t)n)
            return 0;
        n *= extent_of(d->dim[i].lbound, d->dim[i].ubound, 1);
    }
    return n;
}

/** Is that a block of malloc for nbytes? Then how many it has, else 0. In front of a block glibc
 *  keeps its size and three flags; what is in front of other memory may not be there. */
static size_t block_of(char *data, size_t nbytes)
{
    enum { WORD = 8, UNIT = 16, LEAST = 32, PAGE = 4096, FLAGS = 7, MAPPED = 2 };
    size_t front;
    const struct iovec to = {&front, sizeof front}, from = {data - WORD, sizeof front};
    if ((uintptr_t)data % UNIT != 0 ||
        process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof front)
        return 0;
    const size_t size = front & ~(size_t)FLAGS, fits = round_up(nbytes + WORD, UNIT),
                 least = fits > LEAST ? fits : LEAST;
    if (front & MAPPED)
        return size == round_up(least + WORD, PAGE) ? size - 2 * (size_t)WORD : 0;
    return size == least || size == least + UNIT ? size - WORD : 0;
}

/** Where gfortran's own functions allocate a variable, x = pack(...), it leaves the span as it was
 *  on the stack. Such a variable is a block of just its elements. */
static ptrdiff_t span_of(const caf_descriptor_t *d)
{
    const ptrdiff_t nbytes = (ptrdiff_t)d->dtype.elem_nbytes;
    if (CW_LIKELY(d->span == nbytes) || d->span < nbytes || d->dtype.rank == 0)
        return nbytes;
    const size_t n = whole_of(d), block = n > 1 ? block_of(d->data, n * (size_t)nbytes) : 0;
    return block && (size_t)d->span > (block - (size_t)nbytes) / (n - 1) ? nbytes : d->span;
}

void caf_section_of(caf_section_t *s, const caf_descriptor_t *d, const caf_vector_t *vectors,
                    int kind)
{
    s->base = d->data;
    s->elem_nbytes = d->dtype.elem_nbytes;
    s->type = d->dtype.type;
    s->kind = kind;
    s->rank = d->dtype.rank;
    const ptrdiff_t span = span_of(d);
    for (int i = 0; i < s->rank; i++) {
        const caf_dim_t *dim = &d->dim[i];
        // of a component, neighbours are further apart than an element is long
        const ptrdiff_t unit = dim->stride * span;
        s->dim[i].by = (caf_subscripts_t){0};
        s->dim[i].stride = unit;
        s->dim[i].extent = extent_of(dim->lbound, dim->ubound, 1);
        if (!vectors)
            continue;
        if (vectors[i].nvec) {
            s->dim[i].extent = vectors[i].nvec;
            s->dim[i].by =
                (caf_subscripts_t){vectors[i].u.v.vector, vectors[i].u.v.kind, dim->lbound};
        } else if (is_empty_vector(&vectors[i], dim)) {
            s->dim[i].extent = 0;
        } else {
            s->base += (vectors[i].u.triplet.lower - dim->lbound) * unit;
            s->dim[i].stride = vectors[i].u.triplet.stride * unit;
            s->dim[i].extent = extent_of(vectors[i].u.triplet.lower, vectors[i].u.triplet.upper,
                                         vectors[i].u.triplet.stride);
        }
    }
}
