// SPDX-License-Identifier: BSD-3-Clause
//
// What a program of operations (program.h) may observe. The model lies in memory that all PEs of a
// run share, outside of the simulated memory, and no step of it can be interrupted.
//
// Knowledge is what must be visible: of each block of data the epoch of a put, of each word of
// atomics the updates, of flags those raised. A thread knows what its quiets completed, and what
// came along with what it observed: an operation carries what was before its context's last fence
// to that PE, and what its thread knew at its last quiet. Puts of one block between two fences are
// one epoch, and each of them may be the last. So a read is permitted to see each put that was
// issued, of that epoch or a later one; an atomic sees a set of updates, all such sets of a word
// are subsets of one another, and contain what is known.
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

enum {
    PES = 4,
    THREADS = 3,
    CTXS = 3,
    OPS = 48,
    DATA = 6,
    ATOMICS = 8,
    SWAPS = 2,
    FLAGS = 16,
    PHASES = 8
};
#define UNSEEN __attribute__((no_sanitize_thread)) static  // no scheduling points in it

typedef struct knows {
    uint8_t epoch[DATA];  // 0: of the start
    uint64_t bits[ATOMICS], flags;
} knows_t;

typedef struct actor {  // a thread of a PE
    knows_t knows, quieted, pending[CTXS][PES], fenced[CTXS][PES];
    int swapped[SWAPS];
} actor_t;

typedef struct oracle {
    actor_t of[PES][THREADS];
    knows_t carried[OPS], behind[OPS], before[OPS];
    bool issued[OPS], outstanding[OPS], consumed[SWAPS][OPS + 1];
    uint8_t epoch[DATA];
    uint64_t seen[ATOMICS][2 * OPS];
    int nseen[ATOMICS];
    knows_t all[PHASES];
} oracle_t;
static oracle_t *oracle;

UNSEEN void learn(knows_t *to, const knows_t *from)
{
    for (int i = 0; i < DATA; i++)
        to->epoch[i] = from->epoch[i] > to->epoch[i] ? from->epoch[i] : to->epoch[i];
    for (int i = 0; i < ATOMICS; i++)
        to->bits[i] |= from->bits[i];
    to->flags |= from->flags;
}

/** An operation that changes memory of a PE begins; what it does itself is set in `effect`. Behind
 *  one of its words that is seen is what was before it, but not yet its other words. */
UNSEEN void oracle_issue(int op, int pe, int thread, int ctx, int dest, const knows_t *effect)
{
    actor_t *a = &oracle->of[pe][thread];
    knows_t *carried = &oracle->carried[op], *behind = &oracle->behind[op];
    *behind = a->quieted;
    learn(behind, &a->fenced[ctx][dest]);
    *carried = *effect;
    learn(carried, behind);
    learn(&a->pending[ctx][dest], carried);
    oracle->issued[op] = true;
}

UNSEEN void oracle_observe(int op, int pe, int thread)
{
    learn(&oracle->of[pe][thread].knows, &oracle->carried[op]);
}

/** What a thread did with a context to a PE, or to all (-1), is complete. */
UNSEEN void oracle_complete(int pe, int thread, int ctx, int only)
{
    actor_t *a = &oracle->of[pe][thread];
    for (int dest = 0; dest < PES; dest++)
        if (only < 0 || only == dest)
            learn(&a->knows, &a->pending[ctx][dest]);
    a->quieted = a->knows;
}

/** A thread has ended (or begins): the other knows what it knew, and answers for its operations. */
UNSEEN void oracle_follow(int pe, int thread, int of)
{
    actor_t *a = &oracle->of[pe][thread], *b = &oracle->of[pe][of];
    learn(&a->knows, &b->knows);
    for (int dest = 0; dest < PES; dest++)
        learn(&a->pending[0][dest], &b->pending[0][dest]);
}

/** Before a barrier: what this PE's first thread will have completed, all know behind it. */
UNSEEN void oracle_meet(int pe, int phase)
{
    actor_t *a = &oracle->of[pe][0];
    learn(&oracle->all[phase], &a->knows);
    for (int dest = 0; dest < PES; dest++)
        learn(&oracle->all[phase], &a->pending[0][dest]);
}

UNSEEN void oracle_met(int pe, int phase)
{
    actor_t *a = &oracle->of[pe][0];
    learn(&a->knows, &oracle->all[phase]);
    a->quieted = a->knows;
}

/** Is this set of updates of a word permitted? NULL, or what is wrong with it. */
UNSEEN const char *oracle_bits(int word, uint64_t bits, uint64_t issued, const knows_t *least)
{
    if (bits & ~issued)
        return "an update that has not been issued";
    if (least->bits[word] & ~bits)
        return "an update less than must be visible";
    for (int i = 0; i < oracle->nseen[word]; i++) {
        uint64_t other = oracle->seen[word][i];
        if ((other & ~bits) && (bits & ~other))
            return "updates in another order than another reader";
    }
    if (oracle->nseen[word] < 2 * OPS)
        oracle->seen[word][oracle->nseen[word]++] = bits;
    return NULL;
}

#endif
