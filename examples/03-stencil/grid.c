// SPDX-License-Identifier: BSD-3-Clause
//
// The grid of PEs and the exchange of edges (grid.h).
#include "grid.h"

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static const enum side opposite[NSIDES] = {EAST, WEST, NORTH, SOUTH};

int grid_first(int n, int p, int c)
{
    return (int)((int64_t)n * c / p);
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

// The most square px * py = npes keeps the edges short.
static void choose_blocks(struct grid *g, int npes)
{
    g->py = 1;
    for (int d = 1; (int64_t)d * d <= npes; d++)
        if (npes % d == 0)
            g->py = d;
    g->px = npes / g->py;
}

static int pe_of_block(const struct grid *g, int cx, int cy)
{
    return cx < 0 || cy < 0 || cx >= g->px || cy >= g->py ? -1 : cy * g->px + cx;
}

int grid_create(struct grid *g, int n, int me, int npes)
{
    memset(g, 0, sizeof *g);
    g->n = n;
    choose_blocks(g, npes);
    g->cx = me % g->px;
    g->cy = me / g->px;
    g->x0 = grid_first(n, g->px, g->cx);
    g->y0 = grid_first(n, g->py, g->cy);
    g->nx = grid_first(n, g->px, g->cx + 1) - g->x0;
    g->ny = grid_first(n, g->py, g->cy + 1) - g->y0;
    g->neighbour[WEST] = pe_of_block(g, g->cx - 1, g->cy);
    g->neighbour[EAST] = pe_of_block(g, g->cx + 1, g->cy);
    g->neighbour[SOUTH] = pe_of_block(g, g->cx, g->cy - 1);
    g->neighbour[NORTH] = pe_of_block(g, g->cx, g->cy + 1);

    // Symmetric memory has one size on every PE: that of the largest block.
    int max_nx = n / g->px + 1, max_ny = n / g->py + 1;
    g->stride = (size_t)max_nx + 2;
    g->edge_room = (size_t)max_int(max_nx, max_ny);
    size_t cells = g->stride * ((size_t)max_ny + 2);
    g->u = shmem_calloc(cells, sizeof *g->u);
    g->inbox = shmem_calloc(2 * NSIDES * g->edge_room, sizeof *g->inbox);
    g->arrived = shmem_calloc(NSIDES, sizeof *g->arrived);
    g->f = calloc(cells, sizeof *g->f);
    g->outbox = calloc(g->edge_room, sizeof *g->outbox);
    return g->u && g->inbox && g->arrived && g->f && g->outbox ? 0 : -1;
}

void grid_destroy(struct grid *g)
{
    shmem_free(g->arrived);
    shmem_free(g->inbox);
    shmem_free(g->u);
    free(g->f);
    free(g->outbox);
}

static double *inbox_of(const struct grid *g, uint64_t exchange, enum side side)
{
    return g->inbox + ((exchange & 1) * NSIDES + side) * g->edge_room;
}

// Rows are contiguous and are sent as they are; columns are packed.
static void send_edge(struct grid *g, enum side side)
{
    const double *edge = g->outbox;
    size_t nelems = (size_t)g->ny;

    if (side == SOUTH || side == NORTH) {
        edge = grid_at(g, g->u, 1, side == SOUTH ? 1 : g->ny);
        nelems = (size_t)g->nx;
    } else {
        int i = side == WEST ? 1 : g->nx;
        for (int j = 1; j <= g->ny; j++)
            g->outbox[j - 1] = *grid_at(g, g->u, i, j);
    }
    shmem_putmem_signal(inbox_of(g, g->nexchanges, opposite[side]), edge, nelems * sizeof *edge,
                        &g->arrived[opposite[side]], g->nexchanges, SHMEM_SIGNAL_SET,
                        g->neighbour[side]);
}

static void receive_edge(struct grid *g, enum side side)
{
    // Not "equal": a faster neighbour may have sent its next edge already.
    shmem_signal_wait_until(&g->arrived[side], SHMEM_CMP_GE, g->nexchanges);
    const double *edge = inbox_of(g, g->nexchanges, side);

    if (side == SOUTH || side == NORTH)
        memcpy(grid_at(g, g->u, 1, side == SOUTH ? 0 : g->ny + 1), edge,
               (size_t)g->nx * sizeof *edge);
    else
        for (int j = 1, i = side == WEST ? 0 : g->nx + 1; j <= g->ny; j++)
            *grid_at(g, g->u, i, j) = edge[j - 1];
}

// Two buffers per side are enough, without any acknowledgement: a neighbour sends edge k + 2 only
// after it has received this PE's edge k + 1, which this PE sent after it had used edge k.
void grid_exchange(struct grid *g)
{
    g->nexchanges++;
    for (int side = 0; side < NSIDES; side++)
        if (g->neighbour[side] >= 0)
            send_edge(g, (enum side)side);
    for (int side = 0; side < NSIDES; side++)
        if (g->neighbour[side] >= 0)
            receive_edge(g, (enum side)side);
}

void grid_fetch_row(const struct grid *g, int row, double *out)
{
    int cy = 0;
    while (grid_first(g->n, g->py, cy + 1) <= row)
        cy++;
    int j = row - grid_first(g->n, g->py, cy) + 1;
    for (int cx = 0; cx < g->px; cx++) {
        int first = grid_first(g->n, g->px, cx);
        size_t nelems = (size_t)(grid_first(g->n, g->px, cx + 1) - first);
        shmem_getmem_nbi(out + first, grid_at(g, g->u, 1, j), nelems * sizeof *out,
                         pe_of_block(g, cx, cy));
    }
    shmem_quiet();
}
