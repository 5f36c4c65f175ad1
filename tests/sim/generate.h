// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of OpenSHMEM's operations by seed: their stories.
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "program.h"
#include "stories.h"

static int draw_thread(int threads)
{
    return draw(3) ? 0 : draw(threads);
}

static int draw_ctx(void)
{
    return draw(2) ? 0 : draw(CTXS);
}

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

static void tell_one(story_t *s, int threads)
{
    int what = draw(6);
    if (what < 3 && next_flag < FLAGS - 2 * PES)
        tell_message(s, threads);
    else if (what < 5)
        tell_race(s, threads);
    else
        tell_noise(s, threads);
}

static void generate_some(void)
{
    generate(MOST_THREADS, tell_one);
}

/** SIM_PROGRAM's, or the seed's; SIM_PRINT only shows it. */
static void run_random(void)
{
    run_program(getenv("SIM_PROGRAM"), generate_some, MOST_THREADS > 1);
}

#endif
