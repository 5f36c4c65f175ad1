// SPDX-License-Identifier: BSD-3-Clause
//
// The grid of unknowns, cut into px * py blocks, one for each PE, and the exchange of the blocks'
// edges. All PEs make the calls marked "collective".
#ifndef GRID_H
#define GRID_H

#include <stddef.h>
#include <stdint.h>

enum side { WEST, EAST, SOUTH, NORTH, NSIDES };

struct grid {
    int n;                  // unknowns along each side of the square
    int px, py;             // blocks along x and y, px * py = number of PEs
    int cx, cy;             // this PE's block
    int x0, y0;             // unknowns before the block in x and y
    int nx, ny;             // unknowns of the block
    size_t stride;          // doubles from a row to the next, the same on every PE
    double *u;              // symmetric: (ny + 2) rows with a ring of neighbours' values
    double *f;              // the right-hand side, times h^2, laid out as u
    int neighbour[NSIDES];  // PE or -1

    // Edges arrive here. Two buffers for each side, used in turn: see grid_exchange.
    size_t edge_room;   // doubles in one buffer
    double *inbox;      // symmetric: [2][NSIDES][edge_room]
    double *outbox;     // one column, packed
    uint64_t *arrived;  // symmetric: [NSIDES], the number of the last exchange that arrived
    uint64_t nexchanges;
};

static inline double *grid_at(const struct grid *g, double *base, int i, int j)
{
    return base + (size_t)j * g->stride + (size_t)i;  // i, j from 0 (ring) to nx + 1, ny + 1
}

// Collective. Returns 0, or -1 if the symmetric heap has no room.
int grid_create(struct grid *g, int n, int me, int npes);
void grid_destroy(struct grid *g);

// The part of `n` unknowns that belongs to part `c` of `p`.
int grid_first(int n, int p, int c);

// Collective. Sends the edges of u to the neighbours and fills the ring with theirs.
void grid_exchange(struct grid *g);

// PE 0 only, while all others wait in a barrier: gets row `row` of the whole grid.
void grid_fetch_row(const struct grid *g, int row, double *out);

#endif
