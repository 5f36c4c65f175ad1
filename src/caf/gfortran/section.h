// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments between array sections, of which one may be in another image. Both sides become one
// list of dimensions, of which a side has a stride in bytes or a vector of subscripts; a scalar
// that fills an array has strides of 0. What has no conversion and is mapped here is copied
// straight; what is of another node travels in pieces (core/bulk/pieces.h); a conversion goes
// through memory of its own only off the node, or where both sides overlap.
#ifndef GFT_SECTION_H
#define GFT_SECTION_H

#include "caf/gfortran/gft.h"

typedef struct gft_subscripts {
    const void *vector;  // NULL: by the stride
    int kind;            // bytes of a subscript
    ptrdiff_t lower;     // the one at the section's base
} gft_subscripts_t;

typedef struct gft_section {
    char *base;
    size_t elem_nbytes;
    int type, kind;  // gft_type_t
    int rank;
    struct {
        size_t extent;
        ptrdiff_t stride;  // bytes
        gft_subscripts_t by;
    } dim[GFT_MAX_DIMENSIONS];
} gft_section_t;

/** One in an image: base is its symmetric address. */
typedef struct gft_remote {
    gft_section_t section;
    int pe;
} gft_remote_t;

/** vectors: NULL, or one for each dimension. */
void gft_section_of(gft_section_t *s, const gft_descriptor_t *d, const gft_vector_t *vectors,
                    int kind);
size_t gft_section_nelems(const gft_section_t *s);
/** Elements of the same type and shape in contiguous memory. */
void gft_section_packed(gft_section_t *s, const gft_section_t *of, char *base);

/** Both are memory of this process, and do not overlap. */
void gft_section_assign(const gft_section_t *to, const gft_section_t *from);
void gft_section_put(const gft_remote_t *dest, const gft_section_t *src);
void gft_section_get(const gft_section_t *dest, const gft_remote_t *src);
void gft_section_move(const gft_remote_t *dest, const gft_remote_t *src);

// ---------------------------------------------------------------- conversion (convert.c)
/** Is an element of `src` the same bytes as one of `dest`? */
bool gft_is_same(const gft_section_t *dest, const gft_section_t *src);
/** n elements, of these strides in bytes. Fatal where the types do not convert. */
void gft_convert(const gft_section_t *dest_type, char *dest, ptrdiff_t dest_stride,
                 const gft_section_t *src_type, const char *src, ptrdiff_t src_stride, size_t n);

#endif
