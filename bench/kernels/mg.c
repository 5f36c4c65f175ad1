// SPDX-License-Identifier: BSD-3-Clause
/*
 * MG-style V-cycles, after the NAS parallel benchmark: Poisson's equation in the unit cube, 2^k - 1
 * points a side, grids coarsened down to one point. Every grid is cut into boxes over a 3-D grid of
 * PEs; coarse grids leave PEs without points, so a PE's neighbours change from grid to grid. A PE
 * fetches the rim of its box, and the points it needs of a finer or coarser grid, from their owners
 * by non-blocking gets.
 * The right side is a sum of sine waves: for these the solution of the discrete equation is known
 * in closed form.
 */
#include "kernel.h"

#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MAX_LEVELS = 11, SMOOTHINGS = 2, MAX_CYCLES = 30 };

struct box {
    int lo[3], hi[3]; // points lo to hi - 1, numbered from 0
};

struct level {
    int n; // points a side
    struct box mine;
    size_t room;  // points of the largest box, for symmetric sizes
    double *u, *f, *r; // symmetric: solution, right side, residual; each box without gaps, x
                        // fastest
};

static int dims[3];
static struct level levels[MAX_LEVELS];
static double *work; // private: a box with its rim

// Modes of the right side: sin(a pi x) sin(b pi y) sin(c pi z) each.
static const int modes[3][3] = {{1, 1, 1}, {3, 1, 2}, {2, 5, 3}};

static int side(const struct box *b, int d)
{
    return b->hi[d] - b->lo[d];
}

static size_t points(const struct box *b)
{
    return (size_t)side(b, 0) * (size_t)side(b, 1) * (size_t)side(b, 2);
}

static struct box box_of(const struct level *l, int pe)
{
    int c[3] = {pe % dims[0], pe / dims[0] % dims[1], pe / (dims[0] * dims[1])};
    struct box b;
    for (int d = 0; d < 3; d++) {
        b.lo[d] = kernel_first(l->n, dims[d], c[d]);
        b.hi[d] = kernel_first(l->n, dims[d], c[d] + 1);
    }
    return b;
}

static size_t index_in(const struct box *b, int x, int y, int z)
{
    return ((size_t)(z - b->lo[2]) * (size_t)side(b, 1) + (size_t)(y - b->lo[1])) *
               (size_t)side(b, 0) +
           (size_t)(x - b->lo[0]);
}

static struct box overlap(const struct box *a, const struct box *b)
{
    struct box o;
    for (int d = 0; d < 3; d++) {
        o.lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
        o.hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
        o.hi[d] = o.hi[d] > o.lo[d] ? o.hi[d] : o.lo[d];
    }
    return o;
}

/** The part of a PE along dimension d that has point i. */
static int owner(int n, int d, int i)
{
    int c = (int)((long)i * dims[d] / n);
    while (kernel_first(n, dims[d], c) > i)
        c--;
    while (kernel_first(n, dims[d], c + 1) <= i)
        c++;
    return c;
}

/** Rows of `field` that PE pe has of `want`, into `to`, which is all of `want`. */
static void fetch_from(const struct level *l, const double *field, const struct box *want,
                       double *to, int pe)
{
    struct box theirs = box_of(l, pe), part = overlap(want, &theirs);
    if (points(&part) == 0)
        return;
    size_t length = (size_t)side(&part, 0);
    for (int z = part.lo[2]; z < part.hi[2]; z++)
        for (int y = part.lo[1]; y < part.hi[1]; y++) {
            const double *from = field + index_in(&theirs, part.lo[0], y, z);
            double *row = to + index_in(want, part.lo[0], y, z);
            if (pe == shmem_my_pe())
                memcpy(row, from, length * sizeof *row);
            else
                shmem_double_get_nbi(row, from, length, pe);
        }
}

/** The values of `field` in the box [lo, hi), zero outside the cube, into `work`. All PEs' values
 *  must be there. */
static const double *fetch(const struct level *l, const double *field, const struct box *want)
{
    struct box cube = {{0, 0, 0}, {l->n, l->n, l->n}}, inside = overlap(want, &cube);
    memset(work, 0, points(want) * sizeof *work);
    if (points(&inside) == 0)
        return work;
    int first[3], last[3];
    for (int d = 0; d < 3; d++) {
        first[d] = owner(l->n, d, inside.lo[d]);
        last[d] = owner(l->n, d, inside.hi[d] - 1);
    }
    for (int cz = first[2]; cz <= last[2]; cz++)
        for (int cy = first[1]; cy <= last[1]; cy++)
            for (int cx = first[0]; cx <= last[0]; cx++)
                fetch_from(l, field, want, work, (cz * dims[1] + cy) * dims[0] + cx);
    shmem_quiet();
    return work;
}

static struct box with_rim(const struct box *b)
{
    struct box rim = *b;
    for (int d = 0; d < 3; d++) {
        rim.lo[d]--;
        rim.hi[d]++;
    }
    return rim;
}

/** Of a box copied with its rim: the sum of the six neighbours of a point. */
static double neighbours(const double *copy, const struct box *rim, int x, int y, int z)
{
    return copy[index_in(rim, x - 1, y, z)] + copy[index_in(rim, x + 1, y, z)] +
           copy[index_in(rim, x, y - 1, z)] + copy[index_in(rim, x, y + 1, z)] +
           copy[index_in(rim, x, y, z - 1)] + copy[index_in(rim, x, y, z + 1)];
}

#define EACH_POINT(b)                                \
    for (int z = (b)->lo[2]; z < (b)->hi[2]; z++)     \
        for (int y = (b)->lo[1]; y < (b)->hi[1]; y++) \
            for (int x = (b)->lo[0]; x < (b)->hi[0]; x++)

/** A damped Jacobi step (u gets better), or the residual alone (into r). Equation: (6 u -
 *  neighbours) / h^2 = f. */
static void relax(struct level *l, bool residual_only)
{
    struct box rim = with_rim(&l->mine);
    double h2 = 1 / ((double)(l->n + 1) * (l->n + 1));
    shmem_barrier_all(); // all PEs have written u
    const double *copy = points(&l->mine) ? fetch(l, l->u, &rim) : NULL;
    shmem_barrier_all(); // all PEs have read it
    EACH_POINT(&l->mine)
    {
        size_t i = index_in(&l->mine, x, y, z);
        double next = (neighbours(copy, &rim, x, y, z) + h2 * l->f[i]) / 6;
        if (residual_only)
            l->r[i] = 6 * (next - l->u[i]) / h2;
        else
            l->u[i] += 6.0 / 7 * (next - l->u[i]);
    }
}

/** Right side of the coarser grid: the residual, weighted over the 27 points around. */
static void restrict_residual(const struct level *fine, struct level *coarse)
{
    struct box want;
    for (int d = 0; d < 3; d++) {
        want.lo[d] = 2 * coarse->mine.lo[d];
        want.hi[d] = 2 * coarse->mine.hi[d] + 1;
    }
    shmem_barrier_all();
    if (points(&coarse->mine) == 0)
        return;
    const double *r = fetch(fine, fine->r, &want);
    EACH_POINT(&coarse->mine)
    {
        double sum = 0;
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    sum += r[index_in(&want, 2 * x + 1 + i, 2 * y + 1 + j, 2 * z + 1 + k)] /
                           (double)(8 << (abs(i) + abs(j) + abs(k)));
        coarse->f[index_in(&coarse->mine, x, y, z)] = sum;
        coarse->u[index_in(&coarse->mine, x, y, z)] = 0;
    }
}

/** The neighbours of fine point i on the coarser grid: itself twice where it is one of them. */
static void parents(int i, int p[2])
{
    p[0] = i % 2 ? i / 2 : i / 2 - 1;
    p[1] = i / 2;
}

/** Adds the coarser grid's correction, interpolated along each dimension. */
static void correct(struct level *fine, const struct level *coarse)
{
    struct box want;
    for (int d = 0; d < 3; d++) {
        want.lo[d] = (fine->mine.lo[d] - 1) / 2 - 1;
        want.hi[d] = fine->mine.hi[d] / 2 + 1;
    }
    shmem_barrier_all();
    if (points(&fine->mine) == 0)
        return;
    const double *c = fetch(coarse, coarse->u, &want);
    EACH_POINT(&fine->mine)
    {
        int px[2], py[2], pz[2];
        double sum = 0;
        parents(x, px);
        parents(y, py);
        parents(z, pz);
        for (int i = 0; i < 8; i++)
            sum += c[index_in(&want, px[i & 1], py[i >> 1 & 1], pz[i >> 2])];
        fine->u[index_in(&fine->mine, x, y, z)] += sum / 8;
    }
}

static void cycle(int k, int coarsest)
{
    struct level *l = &levels[k];
    for (int s = 0; s < (k == coarsest ? 20 : SMOOTHINGS); s++)
        relax(l, false);
    if (k == coarsest)
        return;
    relax(l, true);
    restrict_residual(l, &levels[k + 1]);
    cycle(k + 1, coarsest);
    correct(l, &levels[k + 1]);
    for (int s = 0; s < SMOOTHINGS; s++)
        relax(l, false);
}

static double wave(const int mode[3], double h, int x, int y, int z)
{
    return sin(mode[0] * PI * h * (x + 1)) * sin(mode[1] * PI * h * (y + 1)) *
           sin(mode[2] * PI * h * (z + 1));
}

/** The discrete operator times this wave is this number times the wave. */
static double eigenvalue(const int mode[3], double h)
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += 4 * pow(sin(mode[d] * PI * h / 2) / h, 2);
    return sum;
}

static double largest_residual(struct level *l)
{
    double largest = 0;
    relax(l, true);
    for (size_t i = 0; i < points(&l->mine); i++)
        largest = fmax(largest, fabs(l->r[i]));
    return kernel_max(largest);
}

static double largest_error(const struct level *l)
{
    double h = 1.0 / (l->n + 1), largest = 0;
    EACH_POINT(&l->mine)
    {
        double exact = 0;
        for (int m = 0; m < 3; m++)
            exact += wave(modes[m], h, x, y, z) / eigenvalue(modes[m], h) * 100;
        largest = fmax(largest, fabs(l->u[index_in(&l->mine, x, y, z)] - exact));
    }
    return kernel_max(largest);
}

static int set_up(int log_n)
{
    size_t most = 0;
    for (int k = 0; k < log_n; k++) {
        struct level *l = &levels[k];
        l->n = (1 << (log_n - k)) - 1;
        l->mine = box_of(l, shmem_my_pe());
        l->room = 1;
        for (int d = 0; d < 3; d++)
            l->room *= (size_t)((l->n + dims[d] - 1) / dims[d]);
        l->u = kernel_alloc(l->room * sizeof(double));
        l->f = kernel_alloc(l->room * sizeof(double));
        l->r = kernel_alloc(l->room * sizeof(double));
        // The largest copy at this level: a box with its rim; below the top also the finer grid
        // behind a box.
        size_t copy = 1;
        for (int d = 0; d < 3; d++)
            copy *= (size_t)((l->n + dims[d] - 1) / dims[d]) * (k ? 2 : 1) + 3;
        most = copy > most ? copy : most;
    }
    work = malloc(most * sizeof *work);
    return work ? 0 : -1;
}

int main(int argc, char **argv)
{
    long log_n = 6;
    const struct kernel_opt opts[] = {
        {"-k", 3, 10, &log_n, "logarithm (base 2) of the points a side, plus one"}};
    kernel_parse(argc, argv, "mg", opts, 1);
    shmem_init();
    kernel_factor(shmem_n_pes(), 3, dims);
    if (set_up((int)log_n)) {
        fprintf(stderr, "mg: PE %d has no memory for its copy of a box\n", shmem_my_pe());
        shmem_global_exit(EXIT_FAILURE);
    }
    struct level *top = &levels[0];
    double h = 1.0 / (top->n + 1), before, now;
    EACH_POINT(&top->mine)
    for (int m = 0; m < 3; m++)
        top->f[index_in(&top->mine, x, y, z)] += 100 * wave(modes[m], h, x, y, z);
    before = now = largest_residual(top);
    int cycles = 0;
    shmem_barrier_all();
    double start = kernel_seconds();
    for (; cycles < MAX_CYCLES && now > 1e-8 * before; cycles++) {
        cycle(0, (int)log_n - 1);
        now = largest_residual(top);
    }
    double seconds = kernel_max(kernel_seconds() - start), error = largest_error(top);
    if (shmem_my_pe() == 0) {
        printf("%d points a side on %d x %d x %d PEs\n", top->n, dims[0], dims[1], dims[2]);
        printf("%d cycles, residual down to %.2e of what it was, largest error %.2e\n", cycles,
               now / before, error);
    }
    double done = (double)cycles * pow(top->n, 3);
    return kernel_end("mg", now <= 1e-8 * before && error < 1e-6, seconds, done / seconds / 1e6,
                      "Mpoint/s");
}
