// SPDX-License-Identifier: BSD-3-Clause
//
// From a descriptor of gfortran to a section.
#include "caf/descriptor.h"

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

void caf_section_of(caf_section_t *s, const caf_descriptor_t *d, const caf_vector_t *vectors,
                    int kind)
{
    s->base = d->data;
    s->elem_nbytes = d->dtype.elem_nbytes;
    s->type = d->dtype.type;
    s->kind = kind;
    s->rank = d->dtype.rank;
    for (int i = 0; i < s->rank; i++) {
        const caf_dim_t *dim = &d->dim[i];
        // of a component, neighbours are further apart than an element is long
        const ptrdiff_t unit = dim->stride * (d->span > 0 ? d->span : (ptrdiff_t)s->elem_nbytes);
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
