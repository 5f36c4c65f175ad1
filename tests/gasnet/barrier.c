// SPDX-License-Identifier: BSD-3-Clause
//
// The split-phase barrier over any number of hosts: what one node says reaches all, whichever node
// it is, and nothing of a phase before. No node leaves before the last has notified, and what a
// node has put before is visible behind the barrier. Nodes wait, try, and compute between the two
// halves in turn, so every process of a host advances the barrier at times.
#define EVERY_MAIN
#include "every.h"

#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

enum { PHASES = 120, KINDS = 5 };

/** What a node says in a phase, in which node `odd` differs from the others. */
static void choose(unsigned phase, unsigned node, int *id_p, int *flags_p)
{
    unsigned odd = phase / KINDS % nodes;
    *id_p = (int)phase;
    *flags_p = 0;
    if (phase % KINDS == 1)  // anonymous with the named ones
        *flags_p = node % 2 ? GASNET_BARRIERFLAG_ANONYMOUS : 0;
    else if (phase % KINDS == 2 && node == odd)
        *id_p = -1;
    else if (phase % KINDS == 4 && node == odd)
        *flags_p = GASNET_BARRIERFLAG_MISMATCH;
}

static int expected(unsigned phase)
{
    bool differs = phase % KINDS == 2 && nodes > 1;
    return differs || phase % KINDS == 4 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

static int end_phase(unsigned phase, int id, int flags)
{
    int rc;
    if ((me + phase) % 3)
        return gasnet_barrier_wait(id, flags);
    while ((rc = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY)
        sched_yield();
    return rc;
}

static void run(unsigned phase)
{
    int id, flags;
    choose(phase, me, &id, &flags);
    gasnet_put_val(next, theirs + 8 * (phase % 2), phase + 1, 8);
    if ((me * 7 + phase) % 29 == 0)
        usleep(500);
    gasnet_barrier_notify(id, flags);
    if ((me * 5 + phase) % 31 == 0)
        usleep(500);
    int rc = end_phase(phase, id, flags);
    CHECK(rc == expected(phase), "phase %u gives %d", phase, rc);
    uint64_t here = __atomic_load_n((uint64_t *)(void *)mine + phase % 2, __ATOMIC_RELAXED);
    CHECK(here == phase + 1, "phase %u: the word of the node before is %d", phase, (int)here);
}

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(NULL, 0, SEGMENT);
    for (unsigned phase = 0; phase < PHASES; phase++)
        run(phase);
    every_end("barrier");
}
