// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of ARMCI in programs as text (ops.h):
//
// dN is a block of data, written by one thread, with puts and accumulates of many kinds; aN a word
// that each of several adds a bit of its own to, by accumulates where N is even, else by
// read-modify-writes; xN a word that is swapped; fN a flag that is raised once; nN a process to
// fence, notify, or hear a notification of, a mutex, or a number. A wait comes behind what it waits
// for in the text, so no program can wait for ever.
#ifndef SIM_ARMCI_OPS_H
#define SIM_ARMCI_OPS_H

#define KINDS(K)                                                                                   \
    K(put, "d")                                                                                    \
    K(put_nbi, "d") K(put_nb, "d") K(put_s, "d") K(put_s_nb, "d") K(put_v, "d") K(value, "d")      \
        K(collect, "d") K(acc, "d") K(acc_nbi, "d") K(acc_s, "d") K(bump, "d") K(put_flag, "df")   \
            K(get, "d") K(get_nbi, "d") K(get_nb, "d") K(get_s, "d") K(get_s_nb, "d")              \
                K(get_v, "d") K(get_value, "d") K(peek, "d") K(look, "d") K(add, "a")              \
                    K(add_nbi, "a") K(fetch_add, "a") K(fetch, "a") K(fetch_nb, "a") K(swap, "x")  \
                        K(raise, "f") K(wait, "f") K(test, "f") K(notify, "n") K(notify_wait, "n") \
                            K(fence, "n") K(fence_all, "") K(wait_nb, "") K(wait_all, "")          \
                                K(section, "n") K(delay, "n") K(barrier, "*") K(gather, "*")
#include "ops.h"

enum { BLOCK = 300, MUTEXES = 3, MOST_BITS = 30 };
static const int lengths[DATA] = {1, 1, 3, 40, 40, BLOCK};

static bool writes(kind_t k)
{
    return k <= OP_put_flag;
}

static bool reads(kind_t k)
{
    return k >= OP_get && k <= OP_look;
}

static bool adds(kind_t k)
{
    return k == OP_add || k == OP_add_nbi || k == OP_fetch_add;
}

static bool raises(kind_t k)
{
    return k == OP_raise || k == OP_put_flag;
}

static bool is_same_thread(const op_t *a, const op_t *b)
{
    return a->pe == b->pe && a->thread == b->thread;
}

/** How many operations before number `end` add to a word. */
static int adds_before(int word, int end)
{
    int n = 0;
    for (int i = 0; i < end; i++)
        n += adds(ops[i].kind) && ops[i].a == word;
    return n;
}

/** The version that a block has behind the operations before number `end`. */
static int version_before(int d, int end)
{
    int n = 0;
    for (int i = 0; i < end; i++)
        n += writes(ops[i].kind) && ops[i].d == d;
    return n;
}

/** Notifications from one process to another that nothing before waits for. */
static int open_notifications(int from, int to)
{
    int n = 0;
    for (int i = 0; i < nops; i++)
        if (ops[i].kind == OP_notify && ops[i].pe == from)
            n += ops[i].n == to;
        else if (ops[i].kind == OP_notify_wait && ops[i].pe == to)
            n -= ops[i].n == from;
    return n;
}

static bool fits_number(const op_t *op)
{
    switch (op->kind) {
    case OP_notify:
        return op->thread == 0 && op->n < npes && op->n != op->pe;
    case OP_notify_wait:
        return op->thread == 0 && op->n < npes && open_notifications(op->n, op->pe) > 0;
    case OP_fence:
        return op->n < npes;
    case OP_section:
        return op->n < MUTEXES;
    default:
        return true;
    }
}

static bool fits(const op_t *op)
{
    bool raised = false;
    kind_t k = op->kind;
    if (op->n < 0 || !fits_number(op))
        return false;
    if ((k == OP_value || k == OP_get_value || k == OP_bump || k == OP_peek) && lengths[op->d] != 1)
        return false;
    if (adds(k) && ((k == OP_fetch_add) != op->a % 2 || adds_before(op->a, nops) >= MOST_BITS))
        return false;
    if ((k == OP_put_flag && op->d % npes != op->f % npes) ||
        (k == OP_look && op->d % npes != op->pe))
        return false;
    for (int i = 0; i < nops; i++) {
        if (writes(k) && writes(ops[i].kind) && ops[i].d == op->d && !is_same_thread(&ops[i], op))
            return false;
        raised |= raises(ops[i].kind) && ops[i].f == op->f;
    }
    if (raises(k))
        return !raised;
    if (k == OP_wait || k == OP_test)
        return raised && op->f % npes == op->pe;
    return true;
}

#endif
