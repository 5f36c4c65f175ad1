// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations as text. One operation a line (or up to a semicolon):
//
//     PE.THREAD KIND [dN] [aN] [xN] [fN] [nN] [cN]      or: barrier, gather (of all PEs)
//
// What the numbers are is the interface's part (shmem_ops.h, armci_ops.h), which defines KINDS(K)
// with the letters of each kind before this header, "*" for those of all PEs, and `fits` behind it.
// Number N lies in PE N % n.
#ifndef SIM_OPS_H
#define SIM_OPS_H

#include <stdio.h>
#include <string.h>

#include "oracle.h"

#define AS_ENUM(name, letters) OP_##name,
#define AS_TEXT(name, letters) #name,
#define AS_LETTERS(name, letters) letters,
typedef enum kind { KINDS(AS_ENUM) OP_KINDS } kind_t;
static const char *const kinds[] = {KINDS(AS_TEXT)}, *const letters[] = {KINDS(AS_LETTERS)};

typedef struct op {
    kind_t kind;
    int pe, thread, d, a, x, f, n, ctx, phase;
} op_t;
static op_t ops[OPS];
static int nops, npes;

/** Of all PEs at once: a barrier, or collectives before it. */
static bool ends_phase(kind_t k)
{
    return k < OP_KINDS && letters[k][0] == '*';
}

/** Does this operation fit those before it? */
static bool fits(const op_t *op);

// ---------------------------------------------------------------- text

/** The number that a letter stands for. */
static int *number_of(op_t *op, char letter)
{
    return letter == 'd'   ? &op->d
           : letter == 'a' ? &op->a
           : letter == 'x' ? &op->x
           : letter == 'f' ? &op->f
           : letter == 'c' ? &op->ctx
                           : &op->n;
}

static void write_op(const op_t *op, char *to, size_t nbytes)
{
    op_t copy = *op;
    if (ends_phase(op->kind)) {
        snprintf(to, nbytes, "%s", kinds[op->kind]);
        return;
    }
    int n = snprintf(to, nbytes, "%d.%d %s", op->pe, op->thread, kinds[op->kind]);
    for (const char *letter = letters[op->kind]; *letter; letter++)
        n += snprintf(to + n, nbytes - (size_t)n, " %c%d", *letter, *number_of(&copy, *letter));
    if (op->ctx)
        snprintf(to + n, nbytes - (size_t)n, " c%d", op->ctx);
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
        *number_of(&op, letter) = value;
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

static void add_op(op_t op)
{
    static int phase;
    if (nops == 0)
        phase = 0;
    if (!in_range(&op) || nops == OPS || phases(&op) >= PHASES - 1 || !fits(&op))
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

static bool has_thread(int pe, int thread, int phase)
{
    for (int i = 0; i < nops; i++)
        if (!ends_phase(ops[i].kind) && ops[i].thread == thread && (pe < 0 || ops[i].pe == pe) &&
            (phase < 0 || ops[i].phase == phase))
            return true;
    return false;
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
