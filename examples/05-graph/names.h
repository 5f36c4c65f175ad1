// SPDX-License-Identifier: BSD-3-Clause
//
// Names of vertices for the printout: line k of a file is the name of the k-th vertex. Only the PE
// that prints has them; without names, vertices are printed as numbers.
#ifndef NAMES_H
#define NAMES_H

#include <stdint.h>

struct names {
    char **name;
    int64_t n;
};

// Returns 0, or -1 after a message.
int names_read(struct names *names, const char *path, int64_t n);
void names_destroy(struct names *names);
// The vertex of that name, or -1.
int64_t names_find(const struct names *names, const char *name);
// `base` is the number of the first vertex in the graph file.
void names_print(const struct names *names, int64_t v, int base);

#endif
