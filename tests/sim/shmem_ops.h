// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of OpenSHMEM in programs as text (ops.h):
//
// dN is a block of data, written by one thread with one context; aN a word of updates, each of
// which changes one bit (by add, or, xor or and, by the word's number); xN a word that is swapped;
// fN a flag that is raised once; nN a number; cN the context: 0 the default one, 1 the thread's
// own, 2 the PE's. A wait comes behind what raises its flag in the text, so no program can wait for
// ever.
#ifndef SIM_SHMEM_OPS_H
#define SIM_SHMEM_OPS_H

#define KINDS(K)                                                                                   \
    K(put, "d")                                                                                    \
    K(put_nbi, "d") K(iput, "d") K(p, "d") K(put_signal, "df") K(put_signal_nbi, "df") K(get, "d") \
        K(get_nbi, "d") K(iget, "d") K(g, "d") K(set, "f") K(raise, "f") K(wait, "f") K(test, "f") \
            K(update, "a") K(fetch_update, "a") K(fetch_update_nbi, "a") K(fetch, "a")             \
                K(swap, "x") K(cswap, "x") K(fence, "") K(quiet, "") K(session, "")                \
                    K(session_end, "") K(delay, "n") K(barrier, "*") K(gather, "*")
#include "ops.h"

enum { BLOCK = 40 };
static const int lengths[DATA] = {1, 1, 1, 1, 3, BLOCK};

static bool puts_data(kind_t k)
{
    return k <= OP_put_signal_nbi;
}

static bool gets_data(kind_t k)
{
    return k == OP_get || k == OP_get_nbi || k == OP_iget || k == OP_g;
}

static bool raises(kind_t k)
{
    return k == OP_put_signal || k == OP_put_signal_nbi || k == OP_set || k == OP_raise;
}

static bool updates(kind_t k)
{
    return k == OP_update || k == OP_fetch_update || k == OP_fetch_update_nbi;
}

static bool swaps(kind_t k)
{
    return k == OP_swap || k == OP_cswap;
}

/** Does this operation fit those before it? */
static bool fits(const op_t *op)
{
    bool raised = false;
    if ((op->kind == OP_p || op->kind == OP_g) && lengths[op->d] != 1)
        return false;
    if (puts_data(op->kind) && raises(op->kind) && op->d % npes != op->f % npes)
        return false;
    for (int i = 0; i < nops; i++) {
        const op_t *was = &ops[i];
        if (puts_data(op->kind) && puts_data(was->kind) && was->d == op->d &&
            (was->pe != op->pe || was->thread != op->thread || was->ctx != op->ctx))
            return false;
        raised |= raises(was->kind) && was->f == op->f;
    }
    if (raises(op->kind))
        return !raised;
    if (op->kind == OP_wait || op->kind == OP_test)
        return raised && op->f % npes == op->pe;
    return true;
}

#endif
