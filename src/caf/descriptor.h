// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays as gfortran lays them out: what its programs pass to the doors.
#ifndef CAF_DESCRIPTOR_H
#define CAF_DESCRIPTOR_H

#include "caf/section.h"

typedef struct caf_dtype {
    size_t elem_nbytes;
    int32_t version;
    int8_t rank;
    int8_t type;  // caf_type_t
    int16_t attribute;
} caf_dtype_t;

typedef struct caf_dim {
    ptrdiff_t stride, lbound, ubound;  // stride in units of the span
} caf_dim_t;

typedef struct caf_descriptor {
    char *data;
    ptrdiff_t offset;
    caf_dtype_t dtype;
    ptrdiff_t span;  // bytes between neighbours of stride 1
    caf_dim_t dim[CAF_MAX_DIMENSIONS];
} caf_descriptor_t;
_Static_assert(offsetof(caf_descriptor_t, dim) == 40 && sizeof(caf_dim_t) == 24,
               "as the compiler lays it out");

/** How a dimension is indexed, where one of them is by a vector. */
typedef struct caf_vector {
    size_t nvec;  // 0: by the triplet
    union {
        struct {
            const void *vector;
            int kind;
        } v;
        struct {
            ptrdiff_t lower, upper, stride;
        } triplet;
    } u;
} caf_vector_t;
_Static_assert(sizeof(caf_vector_t) == 32, "as the compiler lays it out");

/** How many elements of a scalar, or of an array of one dimension whose elements follow each other;
 *  0: none, or it is another array. */
static CW_ALWAYS_INLINE size_t caf_row_of(const caf_descriptor_t *d)
{
    if (d->dtype.rank == 0)
        return 1;
    const caf_dim_t *dim = d->dim;
    const bool follow = dim->stride == 1 && d->span == (ptrdiff_t)d->dtype.elem_nbytes;
    if (d->dtype.rank != 1 || !follow || dim->ubound < dim->lbound)
        return 0;
    return (size_t)(dim->ubound - dim->lbound) + 1;
}

/** vectors: NULL, or one for each dimension. */
void caf_section_of(caf_section_t *s, const caf_descriptor_t *d, const caf_vector_t *vectors,
                    int kind);

#endif
