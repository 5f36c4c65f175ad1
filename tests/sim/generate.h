// SPDX-License-Identifier: BSD-3-Clause
//
// Programs by seed. A program is a few short stories, each of which can be checked by itself (data
// behind a flag, updates of a word by several threads), mixed with one another, between barriers.
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "program.h"

enum { STORY = 10, STORIES = 6 };
typedef struct story {
    op_t op[STORY];
    int n, next;
} story_t;
static uint64_t generator;
static int next_flag;

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

static int draw_thread(int threads)
{
    return draw(3) ? 0 : draw(threads);
}

static int draw_ctx(void)
{
    return draw(2) ? 0 : draw(CTXS);
}

static kind_t one_of(const kind_t *list, int n)
{
    return list[draw(n)];
}

#define ONE_OF(...) \
    one_of((const kind_t[]){__VA_ARGS__}, (int)(sizeof((kind_t[]){__VA_ARGS__}) / sizeof(kind_t)))

/** A block in another PE, as far as there is one. */
static int data_away_from(int pe)
{
    int d = draw(DATA);
    return d % npes == pe ? (d + 1) % DATA : d;
}

static void put_of(story_t *s, int d, int pe, int thread, int ctx)
{
    kind_t kind = lengths[d] == 1 && draw(2) ? OP_p : ONE_OF(OP_put, OP_put, OP_put_nbi, OP_iput);
    tell(s, kind, pe, thread, ctx)->d = d;
}

static void get_of(story_t *s, int d, int pe, int thread)
{
    kind_t kind = lengths[d] == 1 && draw(2) ? OP_g : ONE_OF(OP_get, OP_get, OP_iget);
    tell(s, kind, pe, thread, draw_ctx())->d = d;
}

static void update_of(story_t *s, int a, int pe, int thread, int ctx)
{
    kind_t kind = ONE_OF(OP_update, OP_update, OP_fetch_update, OP_fetch_update_nbi);
    tell(s, kind, pe, thread, ctx)->a = a;
}

/** Data or updates, an order, a flag; a reader that waits for it, in the flag's PE. */
static void tell_message(story_t *s, int threads)
{
    int pe = draw(npes), thread = draw_thread(threads), ctx = draw_ctx(), d = data_away_from(pe);
    int flag = next_flag, a = draw(ATOMICS), updates_too = draw(3);
    if (draw(4))  // flags lie where the data are: that is what a fence speaks of
        flag += (d % npes - flag % npes + npes) % npes;
    next_flag = flag + 1;
    if (draw(4) == 0)
        tell(s, OP_session, pe, thread, ctx);
    if (updates_too != 1)
        put_of(s, d, pe, thread, ctx);
    for (int i = updates_too ? 1 + draw(2) : 0; i > 0; i--)
        update_of(s, a, pe, thread, ctx);
    int reader = flag % npes, reading = draw_thread(threads);
    if (draw(4) == 0 && flag % npes == d % npes) {
        tell(s, ONE_OF(OP_put_signal, OP_put_signal_nbi), pe, thread, ctx)->d = d;
    } else {
        tell(s, ONE_OF(OP_fence, OP_fence, OP_quiet), pe, thread, ctx);
        tell(s, ONE_OF(OP_set, OP_raise), pe, thread, draw(8) ? ctx : draw_ctx());
    }
    s->op[s->n - 1].f = flag;
    tell(s, draw(5) ? OP_wait : OP_test, reader, reading, 0)->f = flag;
    if (updates_too != 1)
        get_of(s, d, reader, reading);
    if (updates_too)
        tell(s, OP_fetch, reader, reading, 0)->a = a;
}

/** Updates or swaps of one word by several. */
static void tell_race(story_t *s, int threads)
{
    int a = draw(ATOMICS), x = draw(SWAPS), swap = draw(3) == 0;
    for (int i = 2 + draw(4); i > 0; i--) {
        int pe = draw(npes), thread = draw_thread(threads), ctx = draw_ctx();
        if (swap)
            tell(s, ONE_OF(OP_swap, OP_cswap), pe, thread, ctx)->x = x;
        else
            update_of(s, a, pe, thread, ctx);
    }
}

/** Transfers of one thread, which disturb others; reads of its own behind a quiet. */
static void tell_noise(story_t *s, int threads)
{
    int pe = draw(npes), thread = draw_thread(threads), ctx = draw_ctx(), d = data_away_from(pe);
    for (int i = 1 + draw(4); i > 0; i--)
        switch (draw(6)) {
        case 0:
            update_of(s, draw(ATOMICS), pe, thread, ctx);
            break;
        case 1:
            tell(s, OP_fence, pe, thread, draw_ctx());
            break;
        case 2:
            tell(s, OP_get_nbi, pe, thread, ctx)->d = draw(DATA);
            break;
        case 3:
            tell(s, OP_delay, pe, thread, 0)->n = 1 + draw(20);
            break;
        default:
            put_of(s, d, pe, thread, ctx);
        }
    tell(s, OP_quiet, pe, thread, ctx);
    if (draw(2))
        get_of(s, d, pe, thread);
}

static void generate(int threads)
{
    static story_t stories[STORIES];
    generator = sim_seed() * UINT64_C(0x9e3779b97f4a7c15) + 12345;
    nops = next_flag = 0;
    threads = 1 + draw(threads);
    int phases = 1 + draw(3) / 2;
    for (int phase = 0; phase < phases; phase++) {
        int n = 2 + draw(3), left = 0;
        for (int i = 0; i < n; i++) {
            stories[i] = (story_t){.n = 0};
            int what = draw(6);
            if (what < 3 && next_flag < FLAGS - 2 * PES)
                tell_message(&stories[i], threads);
            else if (what < 5)
                tell_race(&stories[i], threads);
            else
                tell_noise(&stories[i], threads);
            left += stories[i].n;
        }
        while (left > 0) {
            story_t *s = &stories[draw(n)];
            if (s->next == s->n)
                continue;
            add_op(s->op[s->next++]);
            left--;
        }
        if (phase + 1 < phases)
            add_op((op_t){.kind = draw(2) ? OP_barrier : OP_gather});
    }
}

static void generate_some(void)
{
    generate(MOST_THREADS);
    SIM_CHECK(!getenv("SIM_PRINT"), "%s", (print_program(), "printed"));
}

/** SIM_PROGRAM's, or the seed's; SIM_PRINT only shows it. */
static void run_random(void)
{
    run_program(getenv("SIM_PROGRAM"), generate_some, MOST_THREADS > 1);
}

#endif
