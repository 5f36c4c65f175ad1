// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of rows. Of the sizes of numbers the compiler makes a load and a store.
#include "base/rows.h"

#include <string.h>

#define COPY_AS(nbytes)                                                                          \
    for (size_t i = 0; i < n; i++, dest += (uintptr_t)dest_stride, src += (uintptr_t)src_stride) \
    memcpy((void *)dest, (const void *)src, nbytes)

void cwu_copy_rows(uintptr_t dest, ptrdiff_t dest_stride, uintptr_t src, ptrdiff_t src_stride,
                   size_t nbytes, size_t n)
{
    switch (nbytes) {
    case 2:
        COPY_AS(2);
        break;
    case 4:
        COPY_AS(4);
        break;
    case 8:
        COPY_AS(8);
        break;
    case 16:
        COPY_AS(16);
        break;
    default:
        COPY_AS(nbytes);
    }
}
