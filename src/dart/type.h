// SPDX-License-Identifier: BSD-3-Clause
//
// Data types: numbers below DART_TYPE_LAST, and those that programs make, which are places in a
// table behind these. A type says how elements of a base type lie in memory:
//
//     custom    behind each other, num_bytes each; its own base type
//     strided   blocks of blocklen elements, one every `stride` elements
//     indexed   sets of blocks; block i of a set is offset[i] elements behind its begin, and a set
//               is as far behind the one before as the blocks of one reach. A block of no element
//               has no place, as in MPI
//
// Threads: any. Blocking: never.
#ifndef DRT_TYPE_H
#define DRT_TYPE_H

#include "dart/drt.h"

/** Bytes of an element of the types below DART_TYPE_LAST; 0: none. */
extern const uint8_t drt_basic_nbytes[] CW_HIDDEN;

static CW_ALWAYS_INLINE bool drt_is_basic(dart_datatype_t type)
{
    return (uintptr_t)type - 1 < (uintptr_t)DART_TYPE_LAST - 1;
}

/** A block of an indexed type, in bytes. */
typedef struct drt_block {
    size_t at, nbytes;
} drt_block_t;

/** A type that is not basic. */
typedef struct drt_type {
    dart_datatype_t base;       // of a custom type: the type itself
    size_t elem_nbytes;         // of the base
    size_t nelems;              // of a block, or of a set; transfers take whole ones. 0: custom
    size_t stride;              // bytes from a block, or set, to the next
    size_t nblocks;             // of a set; 0: strided
    size_t reach;               // bytes from the begin of a block, or set, to its end
    drt_block_t blocks[];       // [nblocks]
} drt_type_t;

/** NULL: basic, or no type. */
const drt_type_t *drt_type_find(dart_datatype_t type);
/** The type of the elements, and their size; false: no type. */
bool drt_base_of(dart_datatype_t type, dart_datatype_t *base_p, size_t *elem_nbytes_p);
/** Bytes of nelem elements that lie behind each other. False: the type has gaps, or is none, or
 *  there is no such number of bytes. */
bool drt_nbytes(size_t nelem, dart_datatype_t type, size_t *nbytes_p);
/** Where that is false: the code, with its message. */
dart_ret_t drt_refuse_size(const char *call, size_t nelem, dart_datatype_t type) CW_COLD;
/** Bytes from the first to the last of nelem elements. False: they are no whole blocks. */
bool drt_span(size_t nelem, dart_datatype_t type, size_t *span_p);

/** The blocks of nelem elements, one after the other. */
typedef struct drt_walk {
    const drt_type_t *type;  // NULL: they lie behind each other
    char *base;
    char *at;                // what comes next
    size_t run;              // bytes there
    size_t left;             // bytes in all
    size_t block, set;       // that follows
} drt_walk_t;

drt_walk_t drt_walk(void *base, size_t nelem, dart_datatype_t type);
/** Makes sure that there is a run; false: it is over. */
bool drt_walk_next(drt_walk_t *walk);
static inline void drt_walk_take(drt_walk_t *walk, size_t nbytes)
{
    walk->at += nbytes;
    walk->run -= nbytes;
    walk->left -= nbytes;
}

#endif
