// SPDX-License-Identifier: BSD-3-Clause
//
// Radix sort of the keys of one PE (local_sort.h).
#include "local_sort.h"

#include <string.h>

enum { DIGIT_BITS = 8, NDIGITS = 32 / DIGIT_BITS, RADIX = 1 << DIGIT_BITS };

// Moves the keys to the places of their digit; keys of equal digits keep their order.
static void distribute(uint32_t *to, const uint32_t *from, size_t n, int shift, size_t *count)
{
    size_t position = 0;
    for (int d = 0; d < RADIX; d++) {
        size_t these = count[d];
        count[d] = position;
        position += these;
    }
    for (size_t i = 0; i < n; i++)
        to[count[from[i] >> shift & (RADIX - 1)]++] = from[i];
}

void local_sort(uint32_t *keys, uint32_t *spare, size_t n)
{
    size_t count[NDIGITS][RADIX] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < NDIGITS; d++)
            count[d][keys[i] >> d * DIGIT_BITS & (RADIX - 1)]++;

    // The number of passes is even, so the keys end where they began.
    for (int d = 0; d < NDIGITS; d++) {
        uint32_t *from = d % 2 ? spare : keys, *to = d % 2 ? keys : spare;
        distribute(to, from, n, d * DIGIT_BITS, count[d]);
    }
}
