// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of any type and rank, as the compiler of the module passes them. It is known when the
// library runs, not when this file is compiled.
#ifndef PRF_DESCRIPTOR_H
#define PRF_DESCRIPTOR_H

#include "caf/descriptor.h"

/** What the module says it was compiled by. */
enum { PRF_GFORTRAN = 1, PRF_FLANG = 2 };

/** text_length: of characters, else 0. The section's kind is set; 0: it has none. */
void prf_describe(caf_section_t *s, const char *call, const void *descriptor, int compiler,
                  int text_length);

/** flang's, which is the one that C sees (ISO_Fortran_binding.h of flang). */
typedef struct prf_flang {
    char *data;
    size_t elem_nbytes;
    int32_t version;
    uint8_t rank;
    int8_t type;
    uint8_t attribute, extra;
    struct {
        ptrdiff_t lbound, extent, stride;  // stride in bytes
    } dim[CAF_MAX_DIMENSIONS];
} prf_flang_t;
_Static_assert(offsetof(prf_flang_t, dim) == 24, "as the compiler lays it out");
int prf_type_of_flang(int type);

/** A scalar, or elements that follow each other. */
typedef struct prf_row {
    void *data;
    size_t nelems, elem_nbytes;
    int type;  // caf_type_t; of characters also another one, and bytes
} prf_row_t;
/** Is it one, with elements? */
static CW_ALWAYS_INLINE bool prf_is_row(const void *descriptor, int compiler, prf_row_t *row)
{
    if (compiler == PRF_GFORTRAN) {
        const caf_descriptor_t *d = descriptor;
        *row = (prf_row_t){d->data, caf_row_of(d), d->dtype.elem_nbytes, d->dtype.type};
        return row->nelems != 0;
    }
    const prf_flang_t *d = descriptor;
    if (compiler != PRF_FLANG || d->rank > 1 ||
        (d->rank == 1 && d->dim[0].stride != (ptrdiff_t)d->elem_nbytes))
        return false;
    *row = (prf_row_t){d->data, d->rank ? (size_t)d->dim[0].extent : 1, d->elem_nbytes,
                       prf_type_of_flang(d->type)};
    return row->nelems != 0;
}

#endif
