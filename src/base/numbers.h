// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic on arrays of numbers: sums and multiples, for accumulates. Plain loops, which the
// compiler vectorizes. Integers wrap. A number may lie at any address. Source and dest are the same
// memory, or do not overlap. Threads: any; nothing here is atomic.
#ifndef CWU_NUMBERS_H
#define CWU_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What an array holds. A complex number is two parts, real and imaginary. */
typedef enum cw_number {
    CW_INT32,
    CW_INT64,
    CW_FLOAT,
    CW_DOUBLE,
    CW_PARTS,  // types that have one part
    CW_COMPLEX_FLOAT = CW_PARTS,
    CW_COMPLEX_DOUBLE,
    CW_NUMBERS
} cwu_number_t;

#define CW_NUMBER_MAX 16u  // bytes of the largest

/** Bytes, a power of two. */
static inline size_t cwu_number_size(cwu_number_t type)
{
    static const uint8_t nbytes[CW_NUMBERS] = {4, 8, 4, 8, 8, 16};
    return nbytes[type];
}

/** The type of its parts: itself unless it is complex. */
static inline cwu_number_t cwu_number_part(cwu_number_t type)
{
    return type < CW_PARTS ? type : type == CW_COMPLEX_FLOAT ? CW_FLOAT : CW_DOUBLE;
}

/** Are nbytes no whole number of them? */
static inline bool cwu_number_splits(uint64_t nbytes, cwu_number_t type)
{
    return (nbytes & (cwu_number_size(type) - 1)) != 0;
}

/** Does multiplying by that number change nothing? */
bool cwu_number_is_one(cwu_number_t type, const void *number);

// nbytes: whole numbers.
/** dest += src, part by part: type has one part. */
void cwu_numbers_add(cwu_number_t type, void *dest, const void *src, size_t nbytes);
/** dest += scale * src; scale is a number of that type. */
void cwu_numbers_add_scaled(cwu_number_t type, const void *scale, void *dest, const void *src,
                            size_t nbytes);
/** n rows of nbytes, from src on by src_stride to dest on by dest_stride: dest += scale * src.
 *  scale: NULL for one, and type has one part then. */
void cwu_numbers_add_rows(cwu_number_t type, const void *scale, void *dest, ptrdiff_t dest_stride,
                          const void *src, ptrdiff_t src_stride, size_t nbytes, size_t n);
/** dest = scale * src. */
void cwu_numbers_scale(cwu_number_t type, const void *scale, void *dest, const void *src,
                       size_t nbytes);

#endif
