// SPDX-License-Identifier: BSD-3-Clause
/*
 * LU-style sweeps, after the NAS parallel benchmark: symmetric Gauss-Seidel on a 7-point operator
 * in a cube. Each point needs new values of its western, southern and lower neighbour (and the
 * other three on the way back), so the PEs, a grid over x and y, work as a pipeline: plane by
 * plane, each waits for the edges of two neighbours and passes its own on. Edges travel by put,
 * fence and a word that says for which sweep they are: no barrier inside. An edge may be
 * overwritten one sweep later because that sweep cannot reach its writer before its reader has
 * finished.
 * Every point sees the same operands in the same order however the grid is cut, so the result must
 * equal that of a serial run bit by bit.
 */
#include "kernel.h"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEST, SOUTH, EAST, NORTH, SIDES };

struct block {
    int n;             // points along each side of the cube
    int x0, y0;        // first point of this block
    int nx, ny;        // its size; n planes in z
    int max_x, max_y;  // the largest block of all, for symmetric sizes
    int pe[SIDES];     // neighbours, -1 at the rim
    double *u;         // [n][ny][nx], symmetric
    double *ghost[SIDES]; // WEST, EAST: [n][max_y]; SOUTH, NORTH: [n][max_x]
    long *arrived[SIDES]; // [n]: number of the sweep the edge in ghost[] belongs to; NULL in a
                           // serial run
};

/** In numbers of the whole cube. Something that no symmetry can hide: two sawteeth. */
static double source(int x, int y, int z)
{
    return (x + 2 * y + 3 * z) % 7 - 3 + 0.1 * ((x * x + 5 * y) % 11);
}

static double at(const struct block *b, int i, int j, int k)
{
    if (k < 0 || k >= b->n)
        return 0;
    if (i < 0)
        return b->ghost[WEST][(size_t)k * (size_t)b->max_y + (size_t)j];
    if (i >= b->nx)
        return b->ghost[EAST][(size_t)k * (size_t)b->max_y + (size_t)j];
    if (j < 0)
        return b->ghost[SOUTH][(size_t)k * (size_t)b->max_x + (size_t)i];
    if (j >= b->ny)
        return b->ghost[NORTH][(size_t)k * (size_t)b->max_x + (size_t)i];
    return b->u[((size_t)k * (size_t)b->ny + (size_t)j) * (size_t)b->nx + (size_t)i];
}

static double average(const struct block *b, int i, int j, int k)
{
    return (source(b->x0 + i, b->y0 + j, k) + at(b, i - 1, j, k) + at(b, i, j - 1, k) +
            at(b, i, j, k - 1) + at(b, i + 1, j, k) + at(b, i, j + 1, k) + at(b, i, j, k + 1)) /
           6.05;
}

static void relax_plane(struct block *b, int k, bool forward)
{
    double *plane = b->u + (size_t)k * (size_t)b->ny * (size_t)b->nx;
    for (int n = 0; n < b->ny; n++) {
        int j = forward ? n : b->ny - 1 - n;
        for (int m = 0; m < b->nx; m++) {
            int i = forward ? m : b->nx - 1 - m;
            double *u = &plane[(size_t)j * (size_t)b->nx + (size_t)i];
            *u += 1.2 * (average(b, i, j, k) - *u);
        }
    }
}

/** My edge of plane k on `side`, written as the ghost of the neighbour there. */
static void send_edge(struct block *b, int side, int k, long sweep, double *column)
{
    int to = b->pe[side], opposite = (side + 2) % SIDES;
    if (to < 0)
        return;
    const double *plane = b->u + (size_t)k * (size_t)b->ny * (size_t)b->nx, *edge = column;
    bool x_side = side == WEST || side == EAST;
    int length = x_side ? b->ny : b->nx, stride = x_side ? b->max_y : b->max_x;
    if (x_side)
        for (int j = 0; j < b->ny; j++)
            column[j] = plane[(size_t)j * (size_t)b->nx + (side == EAST ? (size_t)b->nx - 1 : 0)];
    else
        edge = plane + (side == NORTH ? (size_t)(b->ny - 1) * (size_t)b->nx : 0);
    shmem_double_put(b->ghost[opposite] + (size_t)k * (size_t)stride, edge, (size_t)length, to);
    shmem_fence();
    shmem_long_p(&b->arrived[opposite][k], sweep, to);
}

static void wait_edge(struct block *b, int side, int k, long sweep)
{
    if (b->pe[side] >= 0)
        shmem_long_wait_until(&b->arrived[side][k], SHMEM_CMP_GE, sweep);
}

static void sweep(struct block *b, long number, double *column)
{
    bool forward = number % 2 == 1;
    int from = forward ? WEST : EAST, to = forward ? EAST : WEST;
    for (int step = 0; step < b->n; step++) {
        int k = forward ? step : b->n - 1 - step;
        wait_edge(b, from, k, number);
        wait_edge(b, from + 1, k, number); // SOUTH or NORTH
        relax_plane(b, k, forward);
        send_edge(b, to, k, number, column);
        send_edge(b, to + 1, k, number, column);
    }
}

static void cut(struct block *b, int n, int px, int py, int pe)
{
    int cx = pe % px, cy = pe / px;
    b->n = n;
    b->x0 = kernel_first(n, px, cx);
    b->y0 = kernel_first(n, py, cy);
    b->nx = kernel_first(n, px, cx + 1) - b->x0;
    b->ny = kernel_first(n, py, cy + 1) - b->y0;
    b->max_x = (n + px - 1) / px;
    b->max_y = (n + py - 1) / py;
    b->pe[WEST] = cx > 0 ? pe - 1 : -1;
    b->pe[EAST] = cx < px - 1 ? pe + 1 : -1;
    b->pe[SOUTH] = cy > 0 ? pe - px : -1;
    b->pe[NORTH] = cy < py - 1 ? pe + px : -1;
}

static size_t ghost_length(const struct block *b, int side)
{
    return (size_t)b->n * (size_t)(side == WEST || side == EAST ? b->max_y : b->max_x);
}

static void *alone(size_t nbytes)
{
    void *p = calloc(1, nbytes);
    if (!p) {
        fprintf(stderr, "lu: no memory for the serial run\n");
        shmem_global_exit(EXIT_FAILURE);
    }
    return p;
}

/** The whole cube in one block, no communication. */
static double *serial(int n, long nsweeps)
{
    struct block b = {0};
    cut(&b, n, 1, 1, 0);
    b.u = alone(sizeof(double) * (size_t)n * (size_t)n * (size_t)n);
    for (int side = 0; side < SIDES; side++)
        b.ghost[side] = alone(sizeof(double) * ghost_length(&b, side));
    for (long s = 1; s <= nsweeps; s++)
        sweep(&b, s, NULL);
    for (int side = 0; side < SIDES; side++)
        free(b.ghost[side]);
    return b.u;
}

/** PE 0 fetches every block and compares it with the serial run. Returns the number of points that
 *  differ. */
static long compare(struct block *mine, int px, int py, const double *right)
{
    long wrong = 0;
    size_t n = (size_t)mine->n, room = n * (size_t)mine->max_x * (size_t)mine->max_y;
    double *copy = alone(sizeof(double) * room);
    for (int pe = 0; pe < px * py; pe++) {
        struct block b = {0};
        cut(&b, mine->n, px, py, pe);
        shmem_double_get(copy, mine->u, n * (size_t)b.nx * (size_t)b.ny, pe);
        b.u = copy;
        for (int k = 0; k < b.n; k++)
            for (int j = 0; j < b.ny; j++)
                for (int i = 0; i < b.nx; i++) {
                    double expected =
                        right[((size_t)k * n + (size_t)(b.y0 + j)) * n + (size_t)(b.x0 + i)];
                    double got = at(&b, i, j, k);
                    wrong += memcmp(&expected, &got, sizeof got) != 0;
                }
    }
    free(copy);
    return wrong;
}

int main(int argc, char **argv)
{
    long n = 48, iterations = 10;
    const struct kernel_opt opts[] = {
        {"-n", 2, 1024, &n, "points along each side of the cube"},
        {"-i", 1, 10000, &iterations, "iterations, a sweep each way"}};
    kernel_parse(argc, argv, "lu", opts, 2);
    shmem_init();
    int dims[2], me = shmem_my_pe();
    kernel_factor(shmem_n_pes(), 2, dims);
    if (n < dims[0]) {
        if (me == 0)
            fprintf(stderr, "lu: %d x %d PEs need a cube of at least %d points a side: raise -n\n",
                    dims[0], dims[1], dims[0]);
        shmem_finalize(); // not global_exit, which another PE might call before PE 0 has spoken
        return EXIT_FAILURE;
    }
    struct block b = {0};
    cut(&b, (int)n, dims[0], dims[1], me);
    b.u = kernel_alloc(sizeof(double) * (size_t)n * (size_t)b.max_x * (size_t)b.max_y);
    for (int side = 0; side < SIDES; side++) {
        b.ghost[side] = kernel_alloc(sizeof(double) * ghost_length(&b, side));
        b.arrived[side] = kernel_alloc(sizeof(long) * (size_t)n);
    }
    double *column = alone(sizeof(double) * (size_t)b.max_y);
    shmem_barrier_all();
    double start = kernel_seconds();
    for (long s = 1; s <= 2 * iterations; s++)
        sweep(&b, s, column);
    double seconds = kernel_max(kernel_seconds() - start);
    long wrong = 0;
    if (me == 0) {
        double *right = serial((int)n, 2 * iterations);
        wrong = compare(&b, dims[0], dims[1], right);
        free(right);
        printf("cube of %ld points a side on %d x %d PEs, %ld sweeps each way\n", n, dims[0],
               dims[1], iterations);
        printf("%ld points differ from the serial run\n", wrong);
    }
    free(column);
    double points = 2.0 * (double)iterations * (double)n * (double)n * (double)n;
    return kernel_end("lu", wrong == 0, seconds, points / seconds / 1e6, "Mpoint/s");
}
