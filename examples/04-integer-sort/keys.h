// SPDX-License-Identifier: BSD-3-Clause
//
// Keys, and the digests of them that verification compares. A key depends only on its number in the
// whole set, so the same set is sorted on any number of PEs.
#ifndef KEYS_H
#define KEYS_H

#include <stdint.h>

enum distribution { UNIFORM, GAUSS };

// A bijective scrambler of 64-bit words (the finaliser of splitmix64).
static inline uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint32_t make_key(uint64_t index, uint64_t seed, enum distribution d)
{
    uint64_t r = scramble(index + seed * UINT64_C(0x9e3779b97f4a7c15));
    if (d == UNIFORM)
        return (uint32_t)(r >> 32);
    // Four 16-bit numbers added up: a bell, with many equal keys in its middle.
    uint64_t sum = (r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48);
    return (uint32_t)sum;
}

// The digests before and after are equal if the sorted keys are a permutation of the given ones.
// The sum of scrambled keys distinguishes sets that agree in plain sum and xor by chance.
struct digest {
    uint64_t count, sum, scrambled, xored;
};

static inline void digest_add(struct digest *d, uint32_t key)
{
    d->count++;
    d->sum += key;
    d->scrambled += scramble(key + UINT64_C(1));
    d->xored ^= scramble(key + UINT64_C(2));
}

#endif
