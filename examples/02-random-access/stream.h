// SPDX-License-Identifier: BSD-3-Clause
//
// The pseudo-random stream of the RandomAccess benchmark: x(0) = 1 and
// x(k+1) = x(k) * 2 in the Galois field of 2^64 elements, modulo
// X^64 + X^2 + X + 1. Multiplication makes jumping ahead cheap: x(k) = 2^k.
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

// Doubling: the bit that leaves at the top comes back as X^2 + X + 1.
static inline uint64_t stream_next(uint64_t x)
{
    return (x << 1) ^ ((x >> 63) ? UINT64_C(7) : 0);
}

static inline uint64_t stream_multiply(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    for (; b; b >>= 1, a = stream_next(a))
        if (b & 1)
            product ^= a;
    return product;
}

// The k-th element, by squaring: 64 multiplications at most.
static inline uint64_t stream_start(int64_t k)
{
    uint64_t result = 1, power = 2;
    for (; k; k >>= 1, power = stream_multiply(power, power))
        if (k & 1)
            result = stream_multiply(result, power);
    return result;
}

#endif
