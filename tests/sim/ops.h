// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations as text. One operation a line (or up to a semicolon):
//
//     PE.THREAD KIND [dN] [aN] [xN] [fN] [nN] [cN]      or: barrier, gather (of all PEs)
//
// dN is a block of data, written by one thread with one context; aN a word of updates, each of
// which changes one bit (by add, or, xor or and, by the word's number); xN a word that is swapped;
// fN a flag that is raised once; nN a number; cN the context: 0 the default one, 1 the thread's
// own, 2 the PE's. Number N lies in PE N % n. A wait comes behind what raises its flag in the text,
// so no program can wait for ever.
#ifndef SIM_OPS_H
#define SIM_OPS_H

#include <stdio.h>
#include <string.h>

#include "oracle.h"

#define KINDS(K)                                                                              \
    K(put) K(put_nbi) K(iput) K(p) K(put_signal) K(put_signal_nbi) K(get) K(get_nbi) K(iget)  \
    K(g) K(set) K(raise) K(wait) K(test) K(update) K(fetch_update) K(fetch_update_nbi)        \
    K(fetch) K(swap) K(cswap) K(fence) K(quiet) K(session) K(session_end) K(delay)            \
    K(barrier) K(gather)
#define AS_ENUM(name) OP_##name,
#define AS_TEXT(name) #name,
typedef enum kind { KINDS(AS_ENUM) OP_KINDS } kind_t;
static const char *const kinds[] = {KINDS(AS_TEXT)};

typedef struct op {
    kind_t kind;
    int pe, thread, d, a, x, f, n, ctx, phase;
} op_t;
static op_t ops[OPS];
static int nops, npes;

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

/** Of all PEs at once: a barrier, or collectives before it. */
static bool ends_phase(kind_t k)
{
    return k == OP_barrier || k == OP_gather;
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

// ---------------------------------------------------------------- text

static void write_op(const op_t *op, char *to, size_t nbytes)
{
    if (ends_phase(op->kind)) {
        snprintf(to, nbytes, "%s", kinds[op->kind]);
        return;
    }
    int n = snprintf(to, nbytes, "%d.%d %s", op->pe, op->thread, kinds[op->kind]);
    const struct {
        char letter;
        bool is;
        int value;
    } words[] = {{'d', puts_data(op->kind) || gets_data(op->kind), op->d},
                 {'a', updates(op->kind) || op->kind == OP_fetch, op->a},
                 {'x', swaps(op->kind), op->x},
                 {'f', raises(op->kind) || op->kind == OP_wait || op->kind == OP_test, op->f},
                 {'n', op->kind == OP_delay, op->n},
                 {'c', op->ctx != 0, op->ctx}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].is)
            n += snprintf(to + n, nbytes - (size_t)n, " %c%d", words[i].letter, words[i].value);
}

static kind_t kind_named(const char *name)
{
    for (int k = 0; k < OP_KINDS; k++)
        if (strcmp(name, kinds[k]) == 0)
            return (kind_t)k;
    return OP_KINDS;
}

static op_t read_op(const char *line)
{
    op_t op = {.kind = OP_KINDS};
    char name[24] = "";
    int used = 0;
    if (sscanf(line, " %23s", name) == 1 && ends_phase(kind_named(name)))
        return (op_t){.kind = kind_named(name)};
    if (sscanf(line, "%d.%d %23s%n", &op.pe, &op.thread, name, &used) != 3)
        return op;
    op.kind = kind_named(name);
    for (char letter; sscanf(line + used, " %c", &letter) == 1;) {
        int value = 0, more = 0;
        if (sscanf(line + used, " %*c%d%n", &value, &more) != 1)
            return (op_t){.kind = OP_KINDS};
        used += more;
        *(letter == 'd'   ? &op.d
          : letter == 'a' ? &op.a
          : letter == 'x' ? &op.x
          : letter == 'f' ? &op.f
          : letter == 'c' ? &op.ctx
                          : &op.n) = value;
    }
    return op;
}

static bool in_range(const op_t *op)
{
    return op->kind != OP_KINDS && op->pe >= 0 && op->pe < npes && op->thread >= 0 &&
           op->thread < THREADS && op->ctx >= 0 && op->ctx < CTXS && op->d >= 0 && op->d < DATA &&
           op->a >= 0 && op->a < ATOMICS && op->x >= 0 && op->x < SWAPS && op->f >= 0 &&
           op->f < FLAGS;
}

static int phases(const op_t *op)
{
    int n = ends_phase(op->kind);
    for (int i = 0; i < nops; i++)
        n += ends_phase(ops[i].kind);
    return n;
}

/** Does this operation fit those before it? */
static bool fits(const op_t *op)
{
    bool raised = false;
    if (!in_range(op) || nops == OPS || phases(op) >= PHASES - 1)
        return false;
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

static void add_op(op_t op)
{
    static int phase;
    if (nops == 0)
        phase = 0;
    if (!fits(&op))
        return;
    op.phase = phase;
    phase += ends_phase(op.kind);
    ops[nops++] = op;
}

static void read_program(const char *text)
{
    nops = 0;
    for (; *text; text += strcspn(text, ";\n"), text += *text != 0) {
        char line[80];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, ";\n"), text);
        add_op(read_op(line));
    }
}

static void print_program(void)
{
    for (int i = 0; i < nops; i++) {
        char line[80];
        write_op(&ops[i], line, sizeof line);
        printf("program: %s\n", line);
    }
    fflush(stdout);
}

#endif
