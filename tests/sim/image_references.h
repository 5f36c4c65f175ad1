// SPDX-License-Identifier: BSD-3-Clause
//
// What gfortran 12 calls for a pointer component of a coarray, for scenes.
#ifndef SIM_IMAGE_REFERENCES_H
#define SIM_IMAGE_REFERENCES_H

#include "image_calls.h"

enum { DERIVED = 5 };
enum { COMPONENT, ARRAY, RANGE = 3 };

/** As gfortran 12 has it. */
typedef struct vector {
    array_t of;
    ptrdiff_t stride, lbound, ubound;
} vector_t;
/** type :: box; integer(8), pointer :: p(:); end type */
typedef struct box {
    vector_t p;
    void *token;
} box_t;
typedef struct reference {
    struct reference *next;
    int type;
    size_t item_nbytes;
    union {
        struct {
            ptrdiff_t offset, token_offset;
        } c;
        struct {
            unsigned char mode[15];
            int static_type;
            ptrdiff_t dim[15][3];  // begin, end, stride
        } a;
    } u;
} reference_t;
void _gfortran_caf_get_by_ref(void *token, int image, vector_t *dest, reference_t *refs,
                              int dest_kind, int src_kind, bool may_overlap,
                              bool dest_reallocatable, int *stat, int src_type);
void _gfortran_caf_send_by_ref(void *token, int image, vector_t *src, reference_t *refs,
                               int dest_kind, int src_kind, bool may_overlap,
                               bool dest_reallocatable, int *stat, int dest_type);

static inline vector_t vector(int64_t *data, size_t n)
{
    array_t of = integer(data);
    of.rank = 1;
    of.offset = -1;
    return (vector_t){.of = of, .stride = 1, .lbound = 1, .ubound = (ptrdiff_t)n};
}

/** boxes[image]%p(begin:end:step) */
typedef struct part {
    reference_t component, array;
    int image;
    size_t begin, step, n;  // begin: from 0
} part_t;

static inline void name(part_t *p)
{
    p->component =
        (reference_t){&p->array, COMPONENT, sizeof(vector_t), {.c = {0, offsetof(box_t, token)}}};
    p->array = (reference_t){NULL, ARRAY, NBYTES, {.a = {.mode = {RANGE}}}};
    p->array.u.a.dim[0][0] = (ptrdiff_t)p->begin + 1;
    p->array.u.a.dim[0][1] = (ptrdiff_t)(p->begin + 1 + (p->n - 1) * p->step);
    p->array.u.a.dim[0][2] = (ptrdiff_t)p->step;
}

#endif
