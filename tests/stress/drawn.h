// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by programs of random calls over sets of PEs, whose results every PE computes by itself.
// All PEs draw the same numbers, so all know the next call and the data of every PE in it.
#ifndef DRAWN_H
#define DRAWN_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/random.h"

enum { GUARD = 64 };  // bytes behind a destination that must not change

static int me, npes, round_no;
static size_t largest;
static unsigned char *source, *dest;

/** Word i of the data of `pe` in this round. */
static uint64_t word(int pe, size_t i)
{
    uint64_t x = ((uint64_t)round_no << 40) ^ ((uint64_t)pe << 28) ^ i;
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

/** The first byte from `from` on that was written though it should not have been, or -1. */
static long first_touched(size_t from)
{
    for (size_t i = from; i < from + GUARD; i++)
        if (dest[i] != 0xa5)
            return (long)i;
    return -1;
}

/** Starts a program COMMAND ROUNDS [SEED [LARGEST]]; returns the rounds. */
static int draw_begin(int argc, char **argv, uint64_t seed)
{
    random_state = seed + 1000003u * (argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    largest = argc > 3 ? strtoull(argv[3], NULL, 10) : 200000;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    return argc > 1 ? atoi(argv[1]) : 100;
}

static void draw_end(const char *program, int rounds)
{
    if (me == 0)
        printf("%s: %d rounds on %d PEs ok\n", program, rounds, npes);
    shmem_finalize();
}

#endif
