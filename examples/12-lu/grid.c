// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks, inboxes and what travels between neighbours.
#include "grid.h"

#include <armci.h>
#include <string.h>

static int first_of(int points, int part, int parts)
{
    return (int)((long)points * part / parts);
}

static int opposite(int side)
{
    return side ^ 1;
}

static int axis_of(int side)
{
    return side / 2;
}

/** As square as the number of processes permits. */
static void cut(grid_t *g, int nprocs)
{
    g->px = 1;
    for (int p = 1; p * p <= nprocs; p++)
        if (nprocs % p == 0)
            g->px = p;
    g->py = nprocs / g->px;
    int place[2] = {g->me % g->px, g->me / g->px}, parts[2] = {g->px, g->py};
    for (int axis = 0; axis < 2; axis++) {
        g->first[axis] = first_of(g->points, place[axis], parts[axis]);
        g->extent[axis] = first_of(g->points, place[axis] + 1, parts[axis]) - g->first[axis];
        int step = axis == 0 ? 1 : g->px;
        g->neighbour[2 * axis] = place[axis] > 0 ? g->me - step : -1;
        g->neighbour[2 * axis + 1] = place[axis] + 1 < parts[axis] ? g->me + step : -1;
    }
    if (g->points / g->py < 2 * GHOSTS)
        ARMCI_Error("too many processes for so small a grid", nprocs);
}

static void *allocate(size_t n, size_t nbytes)
{
    void *p = calloc(n, nbytes);
    if (!p)
        ARMCI_Error("out of memory", 1);
    return p;
}

void grid_create(grid_t *g, int points, int nprocs, int me)
{
    *g = (grid_t){.points = points, .me = me};
    cut(g, nprocs);
    size_t all =
        (size_t)points * (size_t)(g->extent[0] + 2 * GHOSTS) * (size_t)(g->extent[1] + 2 * GHOSTS);
    g->u = allocate(all, sizeof(state_t));
    g->v = allocate(all, sizeof(state_t));
    g->forcing = allocate(all, sizeof(state_t));
    size_t longest = 0;
    for (int side = 0; side < SIDES; side++) {
        size_t across = (size_t)g->extent[1 - axis_of(side)] * (size_t)points * sizeof(state_t);
        int used = g->neighbour[side] >= 0;
        g->halo[side] = allocate((size_t)nprocs, sizeof(void *));
        g->plane[side] = allocate((size_t)nprocs, sizeof(void *));
        if (ARMCI_Malloc(g->halo[side], used ? (armci_size_t)(GHOSTS * across) : 0) ||
            ARMCI_Malloc(g->plane[side], used ? (armci_size_t)across : 0))
            ARMCI_Error("no memory for the inboxes", 1);
        longest = across > longest ? across : longest;
    }
    g->pack = allocate(GHOSTS, longest);
    for (int d = 0; d < DIMENSIONS; d++)
        g->axis[d] = axis_make(d, points);
}

void grid_destroy(grid_t *g)
{
    for (int side = 0; side < SIDES; side++) {
        ARMCI_Free(g->halo[side][g->me]);
        ARMCI_Free(g->plane[side][g->me]);
        free(g->halo[side]);
        free(g->plane[side]);
    }
    free(g->u);
    free(g->v);
    free(g->forcing);
    free(g->pack);
}

/** Copies `depth` columns of points at a side, of z from .. to, out of (or into) a field. outside:
 *  the ghosts, not the points within. Returns how many states. */
static long copy_side(const grid_t *g, state_t *field, int side, int depth, int outside, int from,
                      int to, double *buffer, int out)
{
    int axis = axis_of(side), far = side % 2, extent = g->extent[axis];
    int begin = far ? extent - (outside ? 0 : depth) : outside ? -depth : 0;
    long n = 0;
    for (int z = from; z < to; z++)
        for (int across = 0; across < g->extent[1 - axis]; across++)
            for (int i = begin; i < begin + depth; i++) {
                long at = axis == 0 ? grid_at(g, i, across, z) : grid_at(g, across, i, z);
                if (out)
                    memcpy(buffer + STATES * n++, field[at], sizeof(state_t));
                else
                    memcpy(field[at], buffer + STATES * n++, sizeof(state_t));
            }
    return n;
}

// An inbox is used again only when its owner has taken what was in it: between two exchanges each
// process receives planes from all its neighbours, which these send after they have emptied theirs.
void grid_exchange(grid_t *g)
{
    for (int side = 0; side < SIDES; side++) {
        int to = g->neighbour[side];
        if (to < 0)
            continue;
        long n = copy_side(g, g->u, side, GHOSTS, 0, 0, g->points, g->pack, 1);
        ARMCI_Put(g->pack, g->halo[opposite(side)][to], n * (long)sizeof(state_t), to);
        armci_notify(to);
    }
    for (int side = 0; side < SIDES; side++) {
        int from = g->neighbour[side], count;
        if (from < 0)
            continue;
        armci_notify_wait(from, &count);
        copy_side(g, g->u, side, GHOSTS, 1, 0, g->points, g->halo[side][g->me], 0);
    }
}

/** Where a plane's states lie in an inbox. */
static double *slot(const grid_t *g, void *inbox, int side, int z)
{
    return (double *)inbox + (long)z * g->extent[1 - axis_of(side)] * STATES;
}

void grid_send_plane(grid_t *g, int side, int z)
{
    int to = g->neighbour[side];
    if (to < 0)
        return;
    long n = copy_side(g, g->v, side, 1, 0, z, z + 1, g->pack, 1);
    ARMCI_Put(g->pack, slot(g, g->plane[opposite(side)][to], side, z), n * (long)sizeof(state_t),
              to);
    armci_notify(to);
}

void grid_receive_plane(grid_t *g, int side, int z)
{
    int from = g->neighbour[side], count;
    if (from < 0)
        return;
    armci_notify_wait(from, &count);
    copy_side(g, g->v, side, 1, 1, z, z + 1, slot(g, g->plane[side][g->me], side, z), 0);
}
