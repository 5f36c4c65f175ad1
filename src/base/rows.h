// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of rows: n of nbytes each, from src on by src_stride to dest on by dest_stride (bytes).
// Addresses are numbers: behind the last row they may point anywhere. Words of 2, 4, 8 bytes are
// stored at once. Source and dest do not overlap. Threads: any.
#ifndef CWU_ROWS_H
#define CWU_ROWS_H

#include <stddef.h>
#include <stdint.h>

void cwu_copy_rows(uintptr_t dest, ptrdiff_t dest_stride, uintptr_t src, ptrdiff_t src_stride,
                   size_t nbytes, size_t n);

#endif
