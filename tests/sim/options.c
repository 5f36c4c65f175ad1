// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of a scene.
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"sc", "tso", "c11"};
static const char *const strategies[] = {"random", "pct", "exhaustive", "forced"};

const char *sim_model_name(sim_model_t model)
{
    return models[model];
}

const char *sim_strategy_word(sim_strategy_t strategy)
{
    return strategies[strategy];
}

const char *sim_strategy_name(void)
{
    static char text[48];
    if (sim->strategy == SIM_PCT)
        snprintf(text, sizeof text, "pct (depth %d)", sim->depth);
    else if (sim->strategy == SIM_RANDOM)
        snprintf(text, sizeof text, "random (mean %u)", sim->mean_quantum);
    else if (sim->wanted_strategy == SIM_EXHAUSTIVE)
        snprintf(text, sizeof text, "exhaustive (preemptions %d)", sim_options()->preemptions);
    else
        snprintf(text, sizeof text, "forced");
    return text;
}

static int number_of(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    fprintf(stderr, "sim: %s is not one of", word);
    for (int i = 0; i < n; i++)
        fprintf(stderr, " %s", words[i]);
    fprintf(stderr, "\n");
    exit(2);
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--seed K] [--runs N | --seconds N] [--points MILLIONS] [--stride N]\n"
            "          [--same] [--model sc|tso|c11] [--strategy random|pct|exhaustive]\n"
            "          [--depth N] [--preemptions N]\n"
            "          [--findings N] [--set NAME=value] [--cpu N] [--trace] [--verbose]\n"
            "          [--coverage FILE] [--weaken ADDRESS,...]\n",
            program);
    exit(2);
}

void sim_parse(int argc, char **argv, options_t *opt)
{
    opt->stride = 1;
    opt->cpu = -1;
    opt->most_findings = 1;
    opt->preemptions = 1;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--trace") == 0)
            opt->trace = true;
        else if (strcmp(name, "--verbose") == 0)
            opt->verbose = true;
        else if (strcmp(name, "--same") == 0)
            opt->same = true;
        else if (!value || ++i == argc)
            usage(argv[0]);
        else if (strcmp(name, "--seed") == 0)
            opt->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--runs") == 0)
            opt->runs = strtoull(value, NULL, 10);
        else if (strcmp(name, "--points") == 0)
            opt->points = strtoull(value, NULL, 10) * 1000000;
        else if (strcmp(name, "--stride") == 0)
            opt->stride = strtoull(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0)
            opt->seconds = atoi(value);
        else if (strcmp(name, "--model") == 0)
            opt->model = number_of(value, models, 3);
        else if (strcmp(name, "--strategy") == 0)
            opt->strategy = number_of(value, strategies, 3);
        else if (strcmp(name, "--depth") == 0)
            opt->depth = atoi(value) > SIM_CHANGES ? SIM_CHANGES : atoi(value);
        else if (strcmp(name, "--preemptions") == 0)
            opt->preemptions = atoi(value);
        else if (strcmp(name, "--findings") == 0)
            opt->most_findings = atoi(value);
        else if (strcmp(name, "--cpu") == 0)
            opt->cpu = atoi(value);
        else if (strcmp(name, "--coverage") == 0)
            opt->coverage = value;
        else if (strcmp(name, "--weaken") == 0)
            opt->weaken = value;
        else if (strcmp(name, "--set") == 0 && opt->nsets < 16)
            opt->sets[opt->nsets++] = argv[i];
        else
            usage(argv[0]);
    }
}
