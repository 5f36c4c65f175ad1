// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of ARMCI's operations by seed: their stories.
#ifndef SIM_ARMCI_GENERATE_H
#define SIM_ARMCI_GENERATE_H

#include "armci_program.h"
#include "stories.h"

/** One process does the half of it: what its threads do at a time matters most. */
static int draw_process(void)
{
    return draw(2) ? 0 : draw(npes);
}

/** A block in another process, as far as there is one. */
static int data_away_from(int pe)
{
    int d = draw(DATA);
    return d % npes == pe ? (d + 1) % DATA : d;
}

static void write_of(story_t *s, int d, int pe, int thread)
{
    kind_t kind = ONE_OF(OP_put, OP_put, OP_put_nbi, OP_put_nb, OP_put_s, OP_put_s_nb, OP_put_v,
                         OP_collect, OP_acc, OP_acc, OP_acc_nbi, OP_acc_s);
    if (lengths[d] == 1 && draw(3) == 0)
        kind = ONE_OF(OP_value, OP_bump);
    tell(s, kind, pe, thread, 0)->d = d;
}

static void read_of(story_t *s, int d, int pe, int thread)
{
    kind_t kind = ONE_OF(OP_get, OP_get, OP_get_nbi, OP_get_nb, OP_get_s, OP_get_s_nb, OP_get_v);
    if (lengths[d] == 1 && draw(3) == 0)
        kind = ONE_OF(OP_get_value, OP_peek);
    if (d % npes == pe && draw(2))
        kind = OP_look;
    tell(s, kind, pe, thread, 0)->d = d;
}

static void add_to(story_t *s, int a, int pe, int thread)
{
    tell(s, a % 2 ? OP_fetch_add : ONE_OF(OP_add, OP_add_nbi), pe, thread, 0)->a = a;
}

/** The order of one thread's operations on a block: writes and reads of all kinds. */
static void tell_order(story_t *s, int threads)
{
    int pe = draw_process(), thread = draw(threads), d = data_away_from(pe), a = draw(ATOMICS);
    for (int i = 3 + draw(STORY - 3); i > 0; i--)
        switch (draw(8)) {
        case 0:
        case 1:
            read_of(s, d, pe, thread);
            break;
        case 2:
            add_to(s, a, pe, thread);
            break;
        case 3:
            tell(s, a % 2 || draw(2) ? OP_fetch : OP_fetch_nb, pe, thread, 0)->a = a;
            break;
        case 4:
            tell(s, ONE_OF(OP_wait_nb, OP_wait_all), pe, thread, 0);
            break;
        default:
            write_of(s, d, pe, thread);
        }
}

/** Writes of a block or a word, a fence, a flag; a reader that waits for it, in its process. */
static void tell_message(story_t *s, int threads)
{
    int pe = draw_process(), thread = draw(threads), d = data_away_from(pe), a = draw(ATOMICS);
    int flag = next_flag, to = d % npes, with_flag = draw(3) == 0;
    if (with_flag || draw(4))
        flag += (to - flag % npes + npes) % npes;
    next_flag = flag + 1;
    for (int i = 1 + draw(2); i > 0; i--)
        write_of(s, d, pe, thread);
    if (draw(2))
        add_to(s, a, pe, thread);
    if (with_flag) {
        tell(s, OP_put_flag, pe, thread, 0)->d = d;
    } else {
        tell(s, draw(3) ? OP_fence : OP_fence_all, pe, thread, 0)->n = to;
        tell(s, OP_raise, pe, thread, 0);
    }
    s->op[s->n - 1].f = flag;
    int reader = flag % npes, reading = draw(threads);
    tell(s, draw(5) ? OP_wait : OP_test, reader, reading, 0)->f = flag;
    read_of(s, d, reader, reading);
    tell(s, OP_fetch, reader, reading, 0)->a = a;
}

/** The same by a notification. */
static void tell_notification(story_t *s)
{
    int pe = draw_process(), d = data_away_from(pe), to = d % npes;
    for (int i = 1 + draw(2); i > 0; i--)
        write_of(s, d, pe, 0);
    tell(s, OP_notify, pe, 0, 0)->n = to;
    tell(s, OP_notify_wait, to, 0, 0)->n = pe;
    read_of(s, d, to, 0);
}

/** Updates or swaps of one word, or sections of one mutex, by several. */
static void tell_race(story_t *s, int threads)
{
    int a = draw(ATOMICS), x = draw(SWAPS), what = draw(5), mutex = draw(MUTEXES);
    for (int i = 2 + draw(4); i > 0; i--) {
        int pe = draw_process(), thread = draw(threads);
        if (what == 0)
            tell(s, OP_swap, pe, thread, 0)->x = x;
        else if (what == 1)
            tell(s, OP_section, pe, thread, 0)->n = mutex;
        else if (draw(4) == 0)
            tell(s, draw(2) ? OP_fetch : OP_fetch_nb, pe, thread, 0)->a = a;
        else
            add_to(s, a, pe, thread);
    }
}

static void tell_one(story_t *s, int threads)
{
    int what = draw(8);
    if (what < 3)
        tell_order(s, threads);
    else if (what < 5 && next_flag < FLAGS - 2 * PES)
        tell_message(s, threads);
    else if (what == 5)
        tell_notification(s);
    else
        tell_race(s, threads);
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
