// SPDX-License-Identifier: BSD-3-Clause
//
// What a program of ARMCI's operations (armci_ops.h) may observe, beside oracle.h.
//
// Operations of a thread on one location take effect in the order of its calls, whatever they are:
// so each write of a block makes its next version, a put by storing it, an accumulate by adding
// one, and the thread that writes reads exactly what it wrote last. Others see a version that is
// not older than what they know of: what a fence, a barrier, a notification or the release of a
// mutex has completed, and what came with that. Elements of a block are locations of their own.
#ifndef SIM_ARMCI_ORACLE_H
#define SIM_ARMCI_ORACLE_H

#include "armci_ops.h"

// ---------------------------------------------------------------- what all processes share

/** What the model knows beside oracle.h, which all processes share, too. */
typedef struct shared {
    int writer[DATA][OPS + 1];                // of each version
    uint8_t complete[OPS];                    // which one was complete before it
    uint8_t seen[PES][THREADS][DATA][BLOCK];  // by each thread, of each element
    long sections[MUTEXES];
    knows_t released[MUTEXES], notified[PES][PES][OPS];
    int nnotified[PES][PES], nheard[PES][PES];
} shared_t;
static shared_t *shared;

static void refuse(int op, const char *what, long value)
{
    char line[80];
    write_op(&ops[op], line, sizeof line);
    print_program();
    sim_failed(__FILE__, __LINE__, line, "%s (%ld)", what, value);
}

static long first_value(int d)
{
    return (long)(d + 1) << 16;
}

// ---------------------------------------------------------------- what is permitted

UNSEEN knows_t *known_to(const op_t *op)
{
    return &oracle->of[op->pe][op->thread].knows;
}

UNSEEN bool is_writer(const op_t *op)
{
    for (int i = 0; i < nops; i++)
        if (writes(ops[i].kind) && ops[i].d == op->d)
            return is_same_thread(&ops[i], op);
    return false;
}

/** What comes with an element of a version: not the others of the block, nor a flag behind it. */
UNSEEN void observe_version(const op_t *op, int version)
{
    int writer = shared->writer[op->d][version];
    knows_t with = oracle->carried[writer];
    with.epoch[op->d] = shared->complete[writer];
    if (raises(ops[writer].kind))
        with.flags &= ~(UINT64_C(1) << ops[writer].f);
    learn(known_to(op), &with);
}

UNSEEN void check_version(int at, int i, long value, const knows_t *least, bool waited)
{
    const op_t *op = &ops[at];
    uint8_t *seen = &shared->seen[op->pe][op->thread][op->d][i];
    long version = value - first_value(op->d);
    if (version < 0 || version > oracle->epoch[op->d])
        refuse(at, "a value that was not put", value);
    if (version < least->epoch[op->d])
        refuse(at, "the value of a write before one that must be visible", version);
    if (waited && version < *seen)
        refuse(at, "an older value than the one that this thread has read before", version);
    if (op->kind != OP_look && is_writer(op) && version != version_before(op->d, at))
        refuse(at, "not what this thread wrote last before it, but version", version);
    if (version > 0)
        observe_version(op, (int)version);
    if (version > *seen)
        *seen = (uint8_t)version;
}

UNSEEN void check_data(int at, const long *values, const knows_t *least, bool waited)
{
    for (int i = 0; i < lengths[ops[at].d]; i++)
        check_version(at, i, values[i], least, waited);
}

UNSEEN uint64_t bit_of(int op)
{
    return UINT64_C(1) << adds_before(ops[op].a, op);
}

/** Of a word, the bits that were issued; by the thread of an operation, before or behind it. */
UNSEEN uint64_t issued_bits(int word)
{
    uint64_t bits = 0;
    for (int i = 0; i < nops; i++)
        if (adds(ops[i].kind) && ops[i].a == word && oracle->issued[i])
            bits |= bit_of(i);
    return bits;
}

UNSEEN uint64_t own_bits(int at, int begin, int end)
{
    uint64_t bits = 0;
    for (int i = begin; i < end; i++)
        if (adds(ops[i].kind) && ops[i].a == ops[at].a && is_same_thread(&ops[i], &ops[at]))
            bits |= bit_of(i);
    return bits;
}

UNSEEN void check_word(int at, long value, const knows_t *least)
{
    const op_t *op = &ops[at];
    uint64_t bits = (uint64_t)value, mine = adds(op->kind) ? bit_of(at) : 0,
             issued = issued_bits(op->a);
    const char *wrong = oracle_bits(op->a, bits, issued, least);
    if (!wrong && own_bits(at, 0, at) & ~bits)
        wrong = "an update of its own thread is missing, which came before it";
    if (!wrong && own_bits(at, at, nops) & bits)
        wrong = "an update of its own thread, which comes behind it";
    if (!wrong && mine)
        wrong = oracle_bits(op->a, bits | mine, issued, least);
    if (wrong)
        refuse(at, wrong, value);
    for (int i = 0; i < nops; i++)
        if (adds(ops[i].kind) && ops[i].a == op->a && bit_of(i) & (bits | mine))
            oracle_observe(i, op->pe, op->thread);
}

UNSEEN void check_swap(int at, long value)
{
    int x = ops[at].x;
    if (value < 0 || value > nops ||
        (value &&
         (ops[value - 1].kind != OP_swap || ops[value - 1].x != x || !oracle->issued[value - 1])))
        refuse(at, "a value that was not stored", value);
    if (oracle->consumed[x][value])
        refuse(at, "a value that another swap has taken", value);
    oracle->consumed[x][value] = true;
}

UNSEEN void issue(int at, int dest, const knows_t *effect)
{
    oracle_issue(at, ops[at].pe, ops[at].thread, 0, dest, effect);
}

#endif
