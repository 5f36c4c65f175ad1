// SPDX-License-Identifier: BSD-3-Clause
//
// Radix sort of the keys of one PE.
#ifndef LOCAL_SORT_H
#define LOCAL_SORT_H

#include <stddef.h>
#include <stdint.h>

// Sorts n keys by their digits, lowest first; `spare` has room for n keys and is left undefined.
void local_sort(uint32_t *keys, uint32_t *spare, size_t n);

#endif
