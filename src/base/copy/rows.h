// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of many pieces of one size. Rows: n of nbytes each, from src on by src_stride to dest on
// by dest_stride (bytes). Lists: n of nbytes each, from src[i] + src_delta to dest[i] + dest_delta.
// Addresses of rows are numbers: behind the last row they may point anywhere. Words of 2, 4, 8
// bytes are stored at once. Source and dest do not overlap. Threads: any.
#ifndef CWU_ROWS_H
#define CWU_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define CWU_SMALL_COPY ((size_t)64)  // bytes that a call of memcpy costs more than

void cwu_copy_rows(uintptr_t dest, ptrdiff_t dest_stride, uintptr_t src, ptrdiff_t src_stride,
                   size_t nbytes, size_t n);
void cwu_copy_lists(void *const *dest, uintptr_t dest_delta, void *const *src, uintptr_t src_delta,
                    size_t nbytes, size_t n);

/** The first and the last `half` bytes (a constant) of [half, 2 * half]: all are read before the
 *  first is stored. */
static CW_ALWAYS_INLINE void cwu_copy_ends(char *dest, const char *src, size_t nbytes, size_t half)
{
    char begin[CWU_SMALL_COPY / 2], end[CWU_SMALL_COPY / 2];
    memcpy(begin, src, half);
    memcpy(end, src + nbytes - half, half);
    memcpy(dest, begin, half);
    memcpy(dest + nbytes - half, end, half);
}

/** Of at most CWU_SMALL_COPY bytes. */
static CW_ALWAYS_INLINE void cwu_copy_small(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 8)
        memcpy(dest, src, 8);
    else if (nbytes > 32)
        cwu_copy_ends(dest, src, nbytes, 32);
    else if (nbytes > 16)
        cwu_copy_ends(dest, src, nbytes, 16);
    else if (nbytes > 8)
        cwu_copy_ends(dest, src, nbytes, 8);
    else if (nbytes == 4)
        memcpy(dest, src, 4);
    else if (nbytes > 4)
        cwu_copy_ends(dest, src, nbytes, 4);
    else if (nbytes == 2)
        memcpy(dest, src, 2);
    else
        for (size_t i = 0; i < nbytes; i++)
            ((char *)dest)[i] = ((const char *)src)[i];
}

/** memcpy, but that it may store 2, 4 and 8 bytes twice, as halves that overlap: a flag that its
 *  owner has seen and cleared in between would rise again. */
static inline void cwu_copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes > CWU_SMALL_COPY)
        memcpy(dest, src, nbytes);
    else
        cwu_copy_small(dest, src, nbytes);
}

#endif
