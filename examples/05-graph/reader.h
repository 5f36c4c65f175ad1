// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a graph file piece by piece: a Matrix Market coordinate file (square; values ignored), or a
// list of edges, two numbers from 0 per line, with comments after '#' or '%'. Only one PE uses it.
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct arc {
    int64_t from, to;  // counted from 0
};

struct reader {
    const char *path;
    FILE *file;
    int64_t line;      // for messages
    bool is_market;    // else an edge list
    bool symmetric;    // each entry stands for both directions
    int64_t nverts;    // known at once for Matrix Market, at the end for an edge list
    int64_t nentries;  // announced by a Matrix Market file
    int64_t nread;
};

// Both return -1 after a message on stderr.
int reader_open(struct reader *r, const char *path);
// Returns the number of arcs found, 0 at the end. `most` is at least 2.
int64_t reader_next(struct reader *r, struct arc *arcs, int64_t most);
void reader_close(struct reader *r);

#endif
