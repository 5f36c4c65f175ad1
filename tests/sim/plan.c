// SPDX-License-Identifier: BSD-3-Clause
//
// A run's plan: all that the seed decides, the same on each machine. A scene's start-up is that of
// the seed's block, from sim_begin on the run is the seed's own; so a start-up serves a whole block
// of runs (snap.c).
#include "driver.h"
#include "fault.h"

#include <string.h>

// Runs that end have taken up to 6 million: a thread that polls takes 100,000 steps while another
// sleeps for half a millisecond, and the network may refuse the other's calls some times in a row.
enum { MOST_STEPS = 16000000 };

static void draw_changes(uint64_t *draw, uint64_t from, uint64_t to)
{
    sim->next_change = 0;
    for (sim->nchanges = 0; sim->nchanges < sim->depth - 1; sim->nchanges++) {
        uint64_t at = from + sim_random(draw) % (to - from + 1);
        int i = sim->nchanges;
        for (; i > 0 && sim->changes[i - 1] > at; i--)
            sim->changes[i] = sim->changes[i - 1];
        sim->changes[i] = at;
    }
}

/** Strategy and its numbers, for steps from `from` to `to`. */
static void draw_strategy(uint64_t *draw, uint64_t from, uint64_t to)
{
    static const uint32_t means[] = {1, 2, 4, 8, 20, 60, 200};
    uint64_t b = sim_random(draw), c = sim_random(draw);
    sim->random = sim_random(draw);
    sim->scene_random = sim_random(draw);
    sim->strategy = sim->wanted_strategy >= 0 ? (sim_strategy_t)sim->wanted_strategy
                                              : (sim_strategy_t)(b % 4 == 0 ? SIM_RANDOM : SIM_PCT);
    sim->mean_quantum = means[c % 7];
    sim->depth = sim->wanted_depth ? sim->wanted_depth : 1 + (int)((c >> 8) % 5);
    if (sim->strategy == SIM_PCT)
        draw_changes(draw, from, to);
}

uint64_t sim_block(uint64_t seed, const run_plan_t *p)
{
    enum { RUNS = 32 };  // more save little: a start-up takes as long as 5 to 50 runs behind it
    return p->begins ? seed / RUNS : seed;
}

void sim_plan(uint64_t seed, const run_plan_t *p)
{
    const options_t *opt = sim_options();
    uint64_t block = sim_block(seed, p), draw = block * UINT64_C(0x9e3779b97f4a7c15) + 1;
    struct sim_net *net = sim->net;
    void *pool = sim->pool;
    memset(sim, 0, offsetof(sim_world_t, trace));
    sim->net = net;
    sim->pool = pool;
    sim->tracing = opt->trace && !p->calibrates;
    sim->ntrace = 0;
    sim->seed = seed;
    sim->block = block;
    sim->scene = &sim_scene;
    sim->most_steps = sim_scene.most_steps ? sim_scene.most_steps : MOST_STEPS;
    sim->plan_steps = p->steps;
    sim->plan_begun = p->begun;
    memcpy(sim->plan_uses, p->uses, sizeof p->uses);
    sim->wanted_strategy = p->calibrates ? SIM_FORCED : opt->strategy;
    sim->wanted_depth = opt->depth;
    uint64_t a = sim_random(&draw);
    sim->model = p->calibrates                     ? SIM_SC
                 : opt->model >= 0                 ? (sim_model_t)opt->model
                 : opt->strategy == SIM_EXHAUSTIVE ? SIM_SC
                                                   : (sim_model_t)(a % 3);
    draw_strategy(&draw, 0, p->begins ? p->begun : p->steps);
    if (sim->strategy == SIM_EXHAUSTIVE && p->begins)
        sim->strategy = SIM_FORCED;  // the start-up
    sim->errand = sim->ended_pe = sim->begun_by = -1;
    sim->now_ns = 1000000;
    sim_net_reset();
    sim_net_draw(block);
    sim_model_reset();
}

void sim_plan_scene(void)
{
    if (sim->wanted_strategy == SIM_FORCED)
        return;
    uint64_t draw = sim->seed * UINT64_C(0xd1342543de82ef95) + 3;
    uint64_t length = sim->plan_steps > sim->plan_begun ? sim->plan_steps - sim->plan_begun : 1;
    draw_strategy(&draw, sim->steps, sim->steps + length);
    sim->lowest = 0;
    for (int i = 0; i < sim->nthreads; i++) {
        sim->threads[i].priority = 0;
        sim->threads[i].run_steps = sim->threads[i].spent = 0;
    }
    sim_net_draw(sim->seed);
    sim_fault_draw(sim->seed);
}
