// SPDX-License-Identifier: BSD-3-Clause
//
// The Kronecker generator of Graph500. Every edge depends on its number and the seed alone, so any
// PE can make any edge, and the graph is the same for any number of PEs.
#ifndef KRONECKER_H
#define KRONECKER_H

#include <stdint.h>

struct edge {
    uint32_t a, b;
};

// A good mixer (splitmix64): consecutive numbers give independent ones.
static inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Permutes the numbers of scale bits: without it, vertices of low numbers would be the busy ones.
static inline uint32_t scramble(uint64_t v, int scale, uint64_t seed)
{
    uint64_t mask = (UINT64_C(1) << scale) - 1;
    int half = scale > 1 ? scale / 2 : 1;
    for (int round = 0; round < 3; round++) {
        v = (v * (mix(seed + (uint64_t)round) | 1) + mix(seed ^ (uint64_t)round)) & mask;
        v ^= v >> half;
    }
    return (uint32_t)v;
}

// Chooses a quarter of the adjacency matrix, scale times, with probabilities 57, 19, 19 and 5 %.
static inline struct edge kronecker(uint64_t number, int scale, uint64_t seed)
{
    uint64_t row = 0, column = 0, draw = mix(seed ^ mix(number));
    for (int bit = 0; bit < scale; bit++) {
        draw = mix(draw + (uint64_t)bit);
        unsigned percent = (unsigned)((draw >> 32) * 100 >> 32);
        row |= (uint64_t)(percent >= 76) << bit;
        column |= (uint64_t)((percent >= 57 && percent < 76) || percent >= 95) << bit;
    }
    return (struct edge){scramble(row, scale, seed), scramble(column, scale, seed)};
}

#endif
