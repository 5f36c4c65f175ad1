// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the driver: options (options.c), runs (driver.c), reports (report.c).
#ifndef SIM_DRIVER_H
#define SIM_DRIVER_H

#include "world.h"

typedef struct options {
    uint64_t seed, runs, stride;
    uint64_t points;  // no more runs behind so many, from sim_begin on; 0: as many as there are
    int seconds;  // 0: `runs` runs
    int model, strategy, depth, preemptions, cpu;
    int most_findings;
    bool trace, verbose, same;
    int nsets;
    char *sets[16];  // variables for the PEs
    const char *coverage, *weaken;  // sites.h
} options_t;

typedef struct run_plan {
    uint64_t steps, begun;  // of a run, as far as is known
    bool begins;            // the scene calls sim_begin
    uint64_t uses[SIM_FAULTS];  // of memory and descriptors, by the PE that has most
    bool calibrates;        // the run that tells so
} run_plan_t;

const options_t *sim_options(void);
void sim_parse(int argc, char **argv, options_t *opt);
void sim_plan(uint64_t seed, const run_plan_t *p);
/** The runs with one start-up. */
uint64_t sim_block(uint64_t seed, const run_plan_t *p);
const char *sim_model_name(sim_model_t model);
const char *sim_strategy_name(void);
const char *sim_strategy_word(sim_strategy_t strategy);

/** What each thread does, with stacks, to stdout. */
void sim_report(bool verbose);
void sim_show_trace(void);

#endif
