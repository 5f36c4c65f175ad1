// SPDX-License-Identifier: BSD-3-Clause
//
// The list of references that leads from a coarray to a component of it, as the compiler lays it
// out, and the way along it in another image.
#ifndef GFT_REFERENCE_H
#define GFT_REFERENCE_H

#include "caf/gfortran/gft.h"

typedef enum gft_reference_type {
    GFT_COMPONENT,
    GFT_ARRAY,        // with a descriptor
    GFT_STATIC_ARRAY  // of known shape: subscripts count from 0, those of higher dimensions in
                      // elements
} gft_reference_type_t;

/** How a dimension is indexed. */
typedef enum gft_mode {
    GFT_NO_DIMENSION,
    GFT_BY_VECTOR,
    GFT_FULL,
    GFT_RANGE,
    GFT_SINGLE,
    GFT_OPEN_END,
    GFT_OPEN_START
} gft_mode_t;

typedef union gft_index {
    struct {
        ptrdiff_t start, end, stride;
    } s;
    struct {
        const void *vector;
        size_t nvec;
        int kind;
    } v;
} gft_index_t;

typedef struct gft_reference {
    struct gft_reference *next;
    int type;  // gft_reference_type_t
    size_t item_nbytes;
    union {
        struct {
            ptrdiff_t offset;
            ptrdiff_t token_offset;  // not 0: the component is allocatable or a pointer
        } c;
        struct {
            unsigned char mode[CAF_MAX_DIMENSIONS];  // gft_mode_t
            int static_array_type;
            gft_index_t dim[CAF_MAX_DIMENSIONS];
        } a;
    } u;
} gft_reference_t;
_Static_assert(offsetof(gft_reference_t, u) == 24 && sizeof(gft_index_t) == 24,
               "as the compiler lays it out");

typedef enum gft_way { GFT_FOUND, GFT_NOT_ALLOCATED } gft_way_t;

/** Follows the references from the coarray, at that symmetric address, in the image of remote.pe:
 *  place, shape and size of elements of remote.section. Of a component that is not allocated its
 *  base is where the token lies. */
gft_way_t gft_follow(const char *statement, const caf_coarray_t *coarray, void *addr,
                     const gft_reference_t *refs, caf_remote_t *remote);

#endif
