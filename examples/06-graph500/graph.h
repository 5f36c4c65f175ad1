// SPDX-License-Identifier: BSD-3-Clause
//
// A graph spread over the PEs: vertex v belongs to PE v mod P and has number v / P there.
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_VERTEX = -1 };

struct graph {
    int scale, me, npes;
    int64_t nverts, nedges;  // of the whole graph; edges as generated,
                             // with loops and repetitions
    uint64_t seed;
    int64_t nlocal;       // vertices of this PE
    int64_t *begin;       // [nlocal + 1] rows of the neighbours
    uint32_t *neighbour;  // [begin[nlocal]] every edge stands in the rows of both
                          // loops are left out
};

// A message from one PE to the owner of a vertex.
struct note {
    uint32_t to, from;  // vertices
    int32_t level;      // of `from`
};

// A search's result, local vertices only.
struct tree {
    int64_t *parent;  // NO_VERTEX: not reached
    int32_t *level;
};

static inline int owner_of(const struct graph *g, uint32_t v)
{
    return (int)(v % (uint32_t)g->npes);
}

static inline int64_t local_of(const struct graph *g, uint32_t v)
{
    return (int64_t)(v / (uint32_t)g->npes);
}

static inline uint32_t global_of(const struct graph *g, int64_t local)
{
    return (uint32_t)(local * g->npes + g->me);
}

// build.c. Collective.
void graph_build(struct graph *g, int scale, int64_t edge_factor, uint64_t seed);
void graph_free(struct graph *g);

// exchange.c: the mailbox. A PE posts notes to any PE and, after all PEs have called deliver, takes
// those that it was sent. No PE may receive more than `capacity` notes between two deliveries.
// Collective: open, deliver, close.
struct mailbox;
struct mailbox *mailbox_open(int npes, int64_t capacity);
void mailbox_post(struct mailbox *box, int pe, struct note note);
const struct note *mailbox_deliver(struct mailbox *box, int64_t *count);
void mailbox_close(struct mailbox *box);

// search.c. Collective. Returns the number of levels.
int32_t search(const struct graph *g, struct mailbox *box, uint32_t root, const struct tree *t);

// validate.c. Collective: the number of violations of Graph500's rules in the whole graph. *edges:
// those of the component, *reached: its vertices.
int64_t validate(const struct graph *g, struct mailbox *box, uint32_t root, const struct tree *t,
                 int64_t *reached, int64_t *edges);

void *need(void *memory);  // ends the job when there is none

#endif
