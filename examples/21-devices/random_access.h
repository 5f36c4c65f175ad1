// SPDX-License-Identifier: BSD-3-Clause
//
// Random updates by one block: each is an atomic XOR on a word of some PE's table.
#ifndef RANDOM_ACCESS_H
#define RANDOM_ACCESS_H

#include <causeway/device.h>

typedef struct updates {
    uint64_t *table;  // symmetric
    uint64_t words;   // of a PE, a power of two
    uint64_t first, count;
} updates_t;

CWD_FN uint64_t random_of(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
    return i ^ (i >> 31);
}

CWD_FN void update(const cwd_world_t *w, const updates_t *u)
{
    for (uint64_t i = CWD_THREAD(); i < u->count; i += CWD_THREADS()) {
        uint64_t r = random_of(u->first + i);
        int pe = (int)((r >> 40) % (uint64_t)w->npes);
        cwd_uint64_atomic_xor(w, u->table + (r & (u->words - 1)), r, pe);
    }
    cwd_quiet(w);
}

#endif
