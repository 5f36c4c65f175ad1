// SPDX-License-Identifier: BSD-3-Clause
//
// Programs by seed. A program is a few short stories, each of which can be checked by itself (data
// behind a flag, updates of a word by several threads), mixed with one another, between barriers.
// What stories there are is the interface's part (generate.h, armci_generate.h).
#ifndef SIM_STORIES_H
#define SIM_STORIES_H

#include <stdlib.h>

#include "ops.h"

enum { STORY = 10, STORIES = 6 };
typedef struct story {
    op_t op[STORY];
    int n, next;
} story_t;
static uint64_t generator;
static int next_flag;  // no flag from here on is raised yet

static int draw(int n)
{
    generator = generator * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((generator >> 33) % (uint64_t)n);
}

static op_t *tell(story_t *s, kind_t kind, int pe, int thread, int ctx)
{
    op_t *op = &s->op[s->n < STORY ? s->n++ : STORY - 1];
    *op = (op_t){.kind = kind, .pe = pe, .thread = thread, .ctx = ctx};
    return op;
}

static kind_t one_of(const kind_t *list, int n)
{
    return list[draw(n)];
}

#define ONE_OF(...) \
    one_of((const kind_t[]){__VA_ARGS__}, (int)(sizeof((kind_t[]){__VA_ARGS__}) / sizeof(kind_t)))

/** Adds what the stories tell, in any order that keeps each one's own. */
static void mix(story_t *stories, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += stories[i].n;
    while (left > 0) {
        story_t *s = &stories[draw(n)];
        if (s->next == s->n)
            continue;
        add_op(s->op[s->next++]);
        left--;
    }
}

/** A program of the run's seed; `tell_one` tells a story of up to so many threads. */
static void generate(int threads, void (*tell_one)(story_t *, int))
{
    static story_t stories[STORIES];
    generator = sim_seed() * UINT64_C(0x9e3779b97f4a7c15) + 12345;
    nops = next_flag = 0;
    threads = 1 + draw(threads);
    int phases = 1 + draw(3) / 2;
    for (int phase = 0; phase < phases; phase++) {
        int n = 2 + draw(3);
        for (int i = 0; i < n; i++) {
            stories[i] = (story_t){.n = 0};
            tell_one(&stories[i], threads);
        }
        mix(stories, n);
        if (phase + 1 < phases)
            add_op((op_t){.kind = draw(2) ? OP_barrier : OP_gather});
    }
    SIM_CHECK(!getenv("SIM_PRINT"), "%s", (print_program(), "printed"));
}

#endif
