// SPDX-License-Identifier: BSD-3-Clause
//
// The same results computed by one PE alone, with other algorithms and from the file itself, to
// verify the distributed ones.
#ifndef SERIAL_H
#define SERIAL_H

#include "graph.h"

struct serial {
    int64_t nverts;
    int64_t *first[2], *to[2];  // rows along and against the arcs
    int64_t *queue, *level;
};

void serial_read(struct serial *s, const char *path);
void serial_destroy(struct serial *s);

// PE 0 alone, while the others wait. Both get the distributed result and return the number of
// vertices for which it is wrong.
int64_t serial_check_search(struct serial *s, const struct graph *g, const struct search *d);
int64_t serial_check_components(struct serial *s, const struct graph *g,
                                const struct components *c);

#endif
