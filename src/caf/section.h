// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments between array sections, of which one may be in another image. Both sides become one
// list of dimensions, of which a side has a stride in bytes or a vector of subscripts; a scalar
// that fills an array has strides of 0. What has no conversion and is mapped here is copied
// straight; what is of another node travels in pieces (core/bulk/pieces.h); a conversion goes
// through memory of its own only off the node, or where both sides overlap.
#ifndef CAF_SECTION_H
#define CAF_SECTION_H

#include "caf/caf.h"

enum { CAF_MAX_DIMENSIONS = 15 };

/** Types of elements. */
typedef enum caf_type {
    CAF_UNKNOWN,
    CAF_INTEGER,
    CAF_LOGICAL,
    CAF_REAL,
    CAF_COMPLEX,
    CAF_DERIVED,
    CAF_CHARACTER
} caf_type_t;

typedef struct caf_subscripts {
    const void *vector;  // NULL: by the stride
    int kind;            // bytes of a subscript
    ptrdiff_t lower;     // the one at the section's base
} caf_subscripts_t;

typedef struct caf_section {
    char *base;
    size_t elem_nbytes;
    int type, kind;  // caf_type_t
    int rank;
    struct {
        size_t extent;
        ptrdiff_t stride;  // bytes
        caf_subscripts_t by;
    } dim[CAF_MAX_DIMENSIONS];
} caf_section_t;

/** One in an image: base is its symmetric address, or the image's of a target (target.c). */
typedef struct caf_remote {
    caf_section_t section;
    int pe;
    bool is_target;
} caf_remote_t;

size_t caf_section_nelems(const caf_section_t *s);
/** Where the element of these indices lies, from 0. */
char *caf_section_element(const caf_section_t *s, const size_t *index);
/** The bytes from the first to the last one of a section that has elements. */
void caf_section_span(const caf_section_t *s, uintptr_t *begin_p, uintptr_t *end_p);
/** Elements of the same type and shape in contiguous memory. */
void caf_section_packed(caf_section_t *s, const caf_section_t *of, char *base);

/** Both are memory of this process, and do not overlap. */
void caf_section_assign(const caf_section_t *to, const caf_section_t *from);
void caf_section_put(const caf_remote_t *dest, const caf_section_t *src);
void caf_section_get(const caf_section_t *dest, const caf_remote_t *src);
void caf_section_move(const caf_remote_t *dest, const caf_remote_t *src);

// ---------------------------------------------------------------- collective_section.c
/** Of the current team. source_image, result_image: from 1; result_image 0: all. [waits] */
void caf_section_co_broadcast(const caf_status_t *status, const caf_section_t *section,
                              int source_image);
/** In other images than result_image the section keeps its value, or has a partial result. fn:
 *  NULL, there is none for the type: fatal. [waits] */
void caf_section_co_reduce(const caf_status_t *status, const char *call,
                           const caf_section_t *section, int result_image, cw_reduce_fn fn);

// ---------------------------------------------------------------- targets (target.c)
/** This image has a coarray in which there may be pointers: others may follow them. */
void caf_target_open(void);
void caf_target_close(void);
/** Fatal, in the statement's name, where the kernel lets no other process reach that memory. */
void caf_target_want(const char *statement, const void *addr, int pe);
/** The image was killed, and with it its targets: what was read is 0. [waits] */
bool caf_target_is_gone(const char *statement, const caf_remote_t *target);
void caf_target_read(void *to, const void *addr, size_t nbytes, int pe);
/** Of sections whose shapes fit; complete on return. */
void caf_target_put(const caf_remote_t *dest, const caf_section_t *src);
void caf_target_get(const caf_section_t *dest, const caf_remote_t *src);

// ---------------------------------------------------------------- conversion (convert.c)
/** Is an element of `src` the same bytes as one of `dest`? */
bool caf_is_same(const caf_section_t *dest, const caf_section_t *src);
/** n elements, of these strides in bytes. Fatal where the types do not convert. */
void caf_convert(const caf_section_t *dest_type, char *dest, ptrdiff_t dest_stride,
                 const caf_section_t *src_type, const char *src, ptrdiff_t src_stride, size_t n);

#endif
