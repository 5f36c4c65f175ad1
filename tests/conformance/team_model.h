// SPDX-License-Identifier: BSD-3-Clause
//
// The model of a team: the list of its members in the world's numbers, made by the test itself. And
// odd placements of PEs on nodes, which the program sets for itself before it starts.
#ifndef CONFORMANCE_TEAM_MODEL_H
#define CONFORMANCE_TEAM_MODEL_H

#include "check.h"

enum { MODEL_MOST = 64 };

typedef struct model {
    int n;
    int pe[MODEL_MOST];
} model_t;

static inline model_t model_world(void)
{
    model_t m = {npes, {0}};
    for (int i = 0; i < npes; i++)
        m.pe[i] = i;
    return m;
}

static inline int model_rank(const model_t *m, int pe)
{
    for (int i = 0; i < m->n; i++)
        if (m->pe[i] == pe)
            return i;
    return -1;
}

/** True if the specification calls the triplet valid. */
static inline int model_valid(const model_t *parent, int start, int stride, int size)
{
    if (size < 1 || (stride == 0 && size > 1))
        return 0;
    for (long i = 0; i < size; i++)
        if (start + i * stride < 0 || start + i * stride >= parent->n)
            return 0;
    return 1;
}

static inline model_t model_strided(const model_t *parent, int start, int stride, int size)
{
    model_t m = {size, {0}};
    for (int i = 0; i < size; i++)
        m.pe[i] = parent->pe[start + i * stride];
    return m;
}

/** The PEs that share memory with this one. */
static inline model_t model_shared(void)
{
    static int word;
    model_t m = {0, {0}};
    for (int pe = 0; pe < npes; pe++)
        if (shmem_ptr(&word, pe))
            m.pe[m.n++] = pe;
    return m;
}

/** cyclic: PE p on node p mod 2. odd: PEs of no arithmetic sequence on either of two nodes. three:
 *  on three nodes, the third with one PE of every four. oshrun honours them only if CAUSEWAY_NODE
 *  is set. */
static inline void place_me(const char *how)
{
    const char *text = getenv("OSHRUN_PE");
    int pe = text ? atoi(text) : 0, node = 0;
    if (strcmp(how, "cyclic") == 0)
        node = pe % 2;
    else if (strcmp(how, "odd") == 0)
        node = pe == 1 || pe == 2 || pe % 7 == 5;
    else if (strcmp(how, "three") == 0)
        node = pe % 4 == 3 ? 2 : pe / 2 % 2;
    else
        return;
    char name[16];
    snprintf(name, sizeof name, "n%d", node);
    setenv("CAUSEWAY_NODE", name, 1);
}

#endif
