// SPDX-License-Identifier: BSD-3-Clause
//
// Depth first over all choices of a run between sim_begin and sim_end. Each costs something unless
// it is the first of its alternatives, and the sum is bounded (--preemptions):
//
// - at a point, the thread that runs goes on; another thread, or the network, costs 1;
// - where it waits or ends, each other that can run is next, for nothing; where it yields, the next
//   in turn is, and another costs 1; behind a turn of yields, a step of the network is;
// - of several operations of the network the oldest channel's is first; another costs 1;
// - memory: a store is visible at once, a load returns the newest; later and older cost 1.
//
// Points that matter are those before accesses of memory that several threads use, one of which
// writes. Which memory that is, runs show: where one shows more, the search begins anew.
#include "exhaust.h"

#include <stdio.h>
#include <string.h>

sim_search_t *sim_search;

uint32_t sim_choose(uint32_t n, int cost)
{
    sim_search_t *s = sim_search;
    if (n <= 1 || s->spent + cost > s->most || s->grown)  // grown: the run ends by itself
        return 0;
    if (s->at == s->n) {
        if (s->n == SIM_CHOICES) {
            s->overflow = true;
            return 0;
        }
        s->way[s->n++] = (sim_choice_t){0, (uint16_t)n, (uint8_t)cost, sim->steps};
    }
    const sim_choice_t *c = &s->way[s->at++];
    if (c->n != n || c->step != sim->steps)
        sim_stop(SIM_STUCK,
                 "choice %u has %u alternatives at step %llu, and had %u at step %llu before",
                 s->at - 1, n, (unsigned long long)sim->steps, c->n, (unsigned long long)c->step);
    s->spent += c->taken ? c->cost : 0;
    return c->taken;
}

// ---------------------------------------------------------------- memory that matters

static sim_granule_t *granule(sim_key_t key)
{
    uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48) % SIM_GRANULES;
    for (uint32_t tries = 0; tries < SIM_GRANULES; tries++, i = (i + 1) % SIM_GRANULES) {
        sim_granule_t *g = &sim_search->granules[i];
        if (g->key == key || g->key == 0)
            return g;
    }
    return NULL;
}

static bool one_matters(sim_key_t key, bool writes)
{
    sim_granule_t *g = granule(key);
    if (!g) {
        sim_search->overflow = true;
        return true;
    }
    if (g->key == 0)
        *g = (sim_granule_t){.key = key, .thread = (int16_t)sim_me};
    bool did = g->shared && g->written;
    g->written |= writes;
    g->shared |= g->thread != sim_me;
    if (g->shared && g->written && !did)
        sim_search->grown = true;
    return g->shared && g->written;
}

bool sim_matters(const void *at, size_t nbytes, bool writes)
{
    if (!at)
        return sim->model != SIM_SC;
    bool any = false;
    sim_key_t key = sim_key(at);
    for (sim_key_t k = key >> 3; k <= (key + nbytes - 1) >> 3; k++)
        any |= one_matters(k, writes);
    return any;
}

// ---------------------------------------------------------------- by the driver

/** The next way: the last choice that has another alternative within the bound takes it. */
static bool next_way(void)
{
    sim_search_t *s = sim_search;
    for (int spent = s->spent; s->n > 0; s->n--) {
        sim_choice_t *c = &s->way[s->n - 1];
        spent -= c->taken ? c->cost : 0;
        if (c->taken + 1 < c->n && spent + c->cost <= s->most) {
            c->taken++;
            return true;
        }
    }
    return false;
}

/** 1: a finding; 0: there are more ways; -1: there are none. */
static int one_way(sim_verdict_t (*run)(void), int (*finding)(void), uint64_t *runs)
{
    sim_search->at = 0;
    sim_search->spent = 0;
    ++*runs;
    if (run() != SIM_DONE)
        return finding();
    if (sim_search->grown) {
        sim_search->grown = false;
        sim_search->n = 0;
        *runs = 0;
        return 0;
    }
    return next_way() ? 0 : -1;
}

int sim_explore_all(sim_verdict_t (*run)(void), int (*finding)(void), uint64_t (*now_ns)(void))
{
    const options_t *opt = sim_options();
    uint64_t start = now_ns(), runs = 0;
    int state = 0;
    bool over = false;
    memset(sim_search, 0, sizeof *sim_search);
    sim_search->most = opt->preemptions;
    while (state == 0 && !over) {
        state = one_way(run, finding, &runs);
        over = sim_search->overflow ||
               (opt->seconds && now_ns() - start >= (uint64_t)opt->seconds * 1000000000u);
    }
    double seconds = (double)(now_ns() - start) / 1e9;
    printf("%s: %s%llu schedules with <= %d preemptions under %s, in %.1f s%s\n", sim_scene.name,
           state < 0   ? "all "
           : state > 0 ? "a finding after "
                       : "not exhausted, ",
           (unsigned long long)runs, sim_search->most, sim_model_name(sim->model), seconds,
           sim_search->overflow ? "; there is no room for more choices" : "");
    return state < 0 ? 0 : state > 0 ? 1 : 3;
}
