// SPDX-License-Identifier: BSD-3-Clause
//
// Pseudo-random numbers: the same sequence from the same random_state in every run and on every PE.
#ifndef TESTS_FRAME_RANDOM_H
#define TESTS_FRAME_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;  // never 0; one thread draws

static inline uint64_t random_word(void)
{
    random_state ^= random_state << 13;  // xorshift64
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/** 0 to bound - 1, of the better bits. */
static inline uint64_t draw(uint64_t bound)
{
    return (random_word() >> 8) % bound;
}

#endif
