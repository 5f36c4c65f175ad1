// SPDX-License-Identifier: BSD-3-Clause
//
// The exhaustive search: all ways of a scene with few deviations from the plainest one (exhaust.c).
#ifndef SIM_EXHAUST_H
#define SIM_EXHAUST_H

#include "driver.h"

enum { SIM_CHOICES = 1 << 16, SIM_GRANULES = 1 << 16 };

typedef struct sim_choice {
    uint16_t taken, n;  // of n alternatives
    uint8_t cost;       // of each but the first
    uint64_t step;      // where in the run
} sim_choice_t;

/** Eight bytes of memory that threads have used since the scene began, in any run. */
typedef struct sim_granule {
    sim_key_t key;
    int16_t thread;
    bool shared, written;
} sim_granule_t;

typedef struct sim_search {
    uint32_t n, at;  // choices of this way; the next one of this run
    int most, spent;
    bool overflow;  // more choices in a run, or more memory, than there is room for
    bool grown;     // there is memory that threads share and that was not known
    sim_choice_t way[SIM_CHOICES];
    sim_granule_t granules[SIM_GRANULES];
} sim_search_t;
extern sim_search_t *sim_search;

/** Less than n; the first costs nothing, and the others are left out where they cost too much. */
uint32_t sim_choose(uint32_t n, int cost);
/** Of n: by the seed, or in an exhaustive search each, at this cost. */
static inline uint32_t sim_any(uint32_t n, int cost)
{
    return sim->strategy == SIM_EXHAUSTIVE ? sim_choose(n, cost) : sim_below(n);
}

bool sim_matters(const void *at, size_t nbytes, bool writes);
/** A scheduling point before an access; at NULL: of no memory. */
static inline void sim_point_at(const void *at, size_t nbytes, bool writes)
{
    if (sim->strategy != SIM_EXHAUSTIVE || sim_matters(at, nbytes, writes)) {
        sim_point();
        return;
    }
    sim_pass();
}

/** By the driver: all ways, by the function that makes one run. 0: no finding. */
int sim_explore_all(sim_verdict_t (*run)(void), int (*finding)(void), uint64_t (*now_ns)(void));

#endif
