// SPDX-License-Identifier: BSD-3-Clause
//
// Notes as words that grow, or as one word of an active set.
#include "core/sync/notes.h"

#include "core/progress/wait.h"
#include "core/sync/fused.h"
#include "core/sync/marked.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

enum { STREAM = 0, FIRST_STEP = 1, STEP_BIT = 32 };

static bool is_of_set(const cw_notes_t *notes)
{
    return !notes->reached;
}

static long step_bit(int step)
{
    return 1L << (STEP_BIT + step);
}

cw_notes_t cw_notes_begin(const cw_group_t *group)
{
    if (!group->sync)
        return (cw_notes_t){.words = cw_group_words(group) + CW_PSYNC_NOTES};
    long *reached = cw_group_reached(group);
    return (cw_notes_t){.words = cw_group_words(group), .reached = reached, .base = *reached};
}

void cw_notes_end(cw_notes_t *notes, long most)
{
    // All due notes have come; others follow a synchronisation, which releases this.
    if (is_of_set(notes))
        __atomic_store_n(notes->words, 0, __ATOMIC_RELAXED);
    else
        *notes->reached += most;
}

void cw_notes_count(const cw_notes_t *notes, int pe, long count)
{
    if (is_of_set(notes))
        cw_coll_add_word(pe, notes->words, 1);
    else
        cw_coll_raise_word(pe, &notes->words[STREAM], notes->base + count);
}

void cw_notes_await_count(const cw_notes_t *notes, long count)
{
    if (!is_of_set(notes)) {
        cw_coll_await_at_least(&notes->words[STREAM], notes->base + count);
        return;
    }
    cw_wait_t w = CW_WAIT_FOR("a collective (data from another node)", notes->words, sizeof(long));
    while ((long)(uint32_t)__atomic_load_n(notes->words, __ATOMIC_ACQUIRE) < count)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_notes_step(const cw_notes_t *notes, int pe, int step)
{
    if (is_of_set(notes))
        cw_coll_add_word(pe, notes->words, step_bit(step));
    else
        cw_coll_raise_word(pe, &notes->words[FIRST_STEP + step], notes->base + 1);
}

void cw_notes_step_put(const cw_notes_t *notes, int pe, int step, void *dest, const void *src,
                       size_t nbytes)
{
    if (is_of_set(notes) || nbytes > CW_MARKED_MOST) {
        cw_coll_put(pe, dest, src, nbytes, true);
        cw_notes_step(notes, pe, step);
    } else {
        cw_coll_put_marked(pe, dest, src, nbytes, &notes->words[FIRST_STEP + step],
                           notes->base + 1);
    }
}

void cw_notes_await_step(const cw_notes_t *notes, int step)
{
    if (!is_of_set(notes)) {
        cw_coll_await_at_least(&notes->words[FIRST_STEP + step], notes->base + 1);
        return;
    }
    cw_wait_t w = CW_WAIT_FOR("a collective (data from another node)", notes->words, sizeof(long));
    while (!(__atomic_load_n(notes->words, __ATOMIC_ACQUIRE) & step_bit(step)))
        cw_wait_round(&w);
    cw_wait_done(&w);
}
