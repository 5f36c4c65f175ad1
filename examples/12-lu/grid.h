// SPDX-License-Identifier: BSD-3-Clause
//
// The grid over the processes: blocks of columns in x and y, whole in z. A block has two ghost
// points on each side in x and y. Neighbours put what the ghosts hold into inboxes, and notify.
#ifndef LU_GRID_H
#define LU_GRID_H

#include "physics.h"

enum { GHOSTS = 2, SIDES = 4 };
enum { WEST, EAST, SOUTH, NORTH };

typedef struct grid {
    int points;                          // along each axis
    int me, px, py;                      // processes along x and y
    int first[2], extent[2];             // of my block, in x and y
    int neighbour[SIDES];                // -1: the boundary
    state_t *u, *v, *forcing;            // [points][extent y + 4][extent x + 4]
    void **halo[SIDES], **plane[SIDES];  // [processes] inboxes: of u, of planes of v
    double *pack;
    axis_t axis[DIMENSIONS];
} grid_t;

/** Ends the job where there are too many processes for the grid. Collective. */
void grid_create(grid_t *g, int points, int nprocs, int me);
void grid_destroy(grid_t *g);

/** Of a point: x and y count from the first one of the block, and ghosts are negative or beyond. */
static inline long grid_at(const grid_t *g, int x, int y, int z)
{
    return ((long)z * (g->extent[1] + 2 * GHOSTS) + y + GHOSTS) * (g->extent[0] + 2 * GHOSTS) + x +
           GHOSTS;
}

/** The interior points of the block: [from, to) along an axis (0: x, 1: y). */
static inline int grid_from(const grid_t *g, int axis)
{
    return g->first[axis] == 0 ? 1 : 0;
}
static inline int grid_to(const grid_t *g, int axis)
{
    return g->first[axis] + g->extent[axis] == g->points ? g->extent[axis] - 1 : g->extent[axis];
}

/** Fills the ghosts of u. Collective. */
void grid_exchange(grid_t *g);
/** Sends the points of a plane of v at one side to the neighbour there; receives those that the
 *  neighbour at a side has sent into the ghosts. */
void grid_send_plane(grid_t *g, int side, int z);
void grid_receive_plane(grid_t *g, int side, int z);

#endif
