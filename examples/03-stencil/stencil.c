// SPDX-License-Identifier: BSD-3-Clause
//
// Poisson's equation on the unit square by the five-point stencil: red-black over-relaxation on a
// grid that is cut into blocks, one per PE. Neighbours exchange the edges of their blocks by puts
// with a signal. The solution is known (field.h), so the program verifies itself; on request it
// writes the field as an image.
#define _GNU_SOURCE  // getopt_long
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "field.h"
#include "grid.h"

enum { CHECK_EVERY = 20 };  // sweeps between two checks of the residual

struct options {
    int n;
    int max_sweeps;  // 0: 20 n
    double tolerance;
    const char *image;
};

// Symmetric, for the reductions.
static double local_max, global_max;
static int local_fail, global_fail;

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static double max_over_pes(double value)
{
    local_max = value;
    shmem_sync_all();  // every PE has read the last result and may receive the next
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, &global_max, &local_max, 1);
    return global_max;
}

// Fills f and returns the largest |f| of all PEs.
static double fill_source(struct grid *g, double h)
{
    double largest = 0;
    for (int j = 1; j <= g->ny; j++)
        for (int i = 1; i <= g->nx; i++) {
            double f = field_source((g->x0 + i) * h, (g->y0 + j) * h);
            *grid_at(g, g->f, i, j) = f * h * h;
            largest = fmax(largest, fabs(f));
        }
    return max_over_pes(largest);
}

// Relaxes the unknowns of one colour. All neighbours of a red point are black, and vice versa, so
// neither the order inside a colour nor the cut into blocks changes the result.
static void relax_colour(struct grid *g, int colour, double omega)
{
    for (int j = 1; j <= g->ny; j++) {
        double *mid = grid_at(g, g->u, 0, j);
        const double *south = mid - g->stride, *north = mid + g->stride;
        const double *f = grid_at(g, g->f, 0, j);
        int first = 1 + ((g->x0 + g->y0 + j + 1 + colour) & 1);
        for (int i = first; i <= g->nx; i += 2) {
            double average = 0.25 * (south[i] + north[i] + mid[i - 1] + mid[i + 1] + f[i]);
            mid[i] += omega * (average - mid[i]);
        }
    }
}

// The largest defect of the equation on this PE's block.
static double residual(struct grid *g, double h)
{
    double largest = 0;
    for (int j = 1; j <= g->ny; j++) {
        const double *mid = grid_at(g, g->u, 0, j);
        const double *south = mid - g->stride, *north = mid + g->stride;
        const double *f = grid_at(g, g->f, 0, j);
        for (int i = 1; i <= g->nx; i++)
            largest = fmax(largest,
                           fabs(f[i] + south[i] + north[i] + mid[i - 1] + mid[i + 1] - 4 * mid[i]));
    }
    return largest / (h * h);
}

// Returns the number of sweeps; *relative_p is the residual that was reached.
static int solve(struct grid *g, const struct options *o, double h, double source,
                 double *relative_p)
{
    double omega = 2 / (1 + sin(pi * h));  // the optimum for this matrix
    int sweeps = 0;
    do {
        for (int k = 0; k < CHECK_EVERY; k++, sweeps++)
            for (int colour = 0; colour < 2; colour++) {
                relax_colour(g, colour, omega);
                grid_exchange(g);
            }
        *relative_p = max_over_pes(residual(g, h)) / source;
    } while (*relative_p > o->tolerance && sweeps < o->max_sweeps);
    return sweeps;
}

static double distance_to_exact(struct grid *g, double h)
{
    double largest = 0;
    for (int j = 1; j <= g->ny; j++)
        for (int i = 1; i <= g->nx; i++) {
            double u = field_exact((g->x0 + i) * h, (g->y0 + j) * h);
            largest = fmax(largest, fabs(*grid_at(g, g->u, i, j) - u));
        }
    return max_over_pes(largest);
}

// Blue for negative, white for zero, red for positive.
static void colour_of(double value, unsigned char rgb[3])
{
    double v = fmax(-1, fmin(1, value));
    double fade = 1 - fabs(v);
    unsigned char full = (unsigned char)lrint(255 - 60 * fabs(v));
    unsigned char weak = (unsigned char)lrint(255 * fade);
    rgb[0] = v < 0 ? weak : full;
    rgb[1] = weak;
    rgb[2] = v < 0 ? full : weak;
}

// PE 0 gets the field row by row, so it never holds more than one row of it.
static int write_image(const struct grid *g, const char *path, double scale)
{
    size_t n = (size_t)g->n;
    double *row = malloc(n * sizeof *row);
    unsigned char *pixels = malloc(3 * n);
    FILE *out = fopen(path, "wb");
    int fail = !row || !pixels || !out;

    if (!fail)
        fprintf(out, "P6\n%d %d\n255\n", g->n, g->n);
    for (int j = g->n - 1; !fail && j >= 0; j--) {
        grid_fetch_row(g, j, row);
        for (size_t i = 0; i < n; i++)
            colour_of(row[i] / scale, pixels + 3 * i);
        fail = fwrite(pixels, 3, n, out) != n;
    }
    if (out && fclose(out) != 0)
        fail = 1;
    if (fail)
        fprintf(stderr, "stencil: cannot write the image to %s\n", path);
    free(pixels);
    free(row);
    return fail;
}

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: stencil [-n N] [-t TOL] [-s SWEEPS] [-i FILE]\n"
            "Solves Poisson's equation on an N x N grid and checks it against the known solution.\n"
            "  -n, --size=N         unknowns along each side, 8..32768 (default 512)\n"
            "  -t, --tolerance=TOL  stop when the residual is below TOL times the source (default "
            "1e-8)\n"
            "  -s, --sweeps=SWEEPS  give up after so many sweeps (default 20 N)\n"
            "  -i, --image=FILE     write the field to FILE as a PPM image\n"
            "  -h, --help           print this text and exit\n");
}

static int number(const char *text, double least, double most, double *value_p)
{
    char *end;
    errno = 0;
    *value_p = strtod(text, &end);
    return !errno && end != text && !*end && *value_p >= least && *value_p <= most;
}

static void parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {
        {"size", required_argument, NULL, 'n'},   {"tolerance", required_argument, NULL, 't'},
        {"sweeps", required_argument, NULL, 's'}, {"image", required_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "n:t:s:i:h", options, NULL)) != -1;) {
        double v = 0;
        int good = 1;
        if (c == 'n' && (good = number(optarg, 8, 32768, &v)))
            o->n = (int)v;
        else if (c == 't' && (good = number(optarg, 1e-12, 1, &v)))
            o->tolerance = v;
        else if (c == 's' && (good = number(optarg, 1, 1e9, &v)))
            o->max_sweeps = (int)v;
        else if (c == 'i')
            o->image = optarg;
        else {
            if (!good)
                fprintf(stderr, "stencil: unusable value '%s'\n", optarg);
            usage(c == 'h' ? stdout : stderr);
            exit(c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "stencil: unusable argument '%s'\n", argv[optind]);
        usage(stderr);
        exit(EXIT_FAILURE);
    }
    if (!o->max_sweeps)
        o->max_sweeps = 20 * o->n;
}

static void report(const struct grid *g, int sweeps, double relative, double error, double bound,
                   int ok)
{
    printf("grid of %d x %d unknowns in %d x %d blocks\n", g->n, g->n, g->px, g->py);
    printf("%d sweeps, relative residual %.2e\n", sweeps, relative);
    printf("largest error %.3e, known discretisation error at most %.3e\n", error, bound);
    if (!ok)
        fprintf(stderr, "stencil: FAILED: not converged, or too far from the known solution\n");
}

int main(int argc, char **argv)
{
    struct options o = {512, 0, 1e-8, NULL};
    parse(argc, argv, &o);

    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    struct grid g;
    if (grid_create(&g, o.n, me, npes) != 0 || g.nx == 0 || g.ny == 0) {
        fprintf(stderr, "stencil: PE %d: a grid of side %d on %d PEs %s\n", me, o.n, npes,
                g.nx == 0 || g.ny == 0
                    ? "leaves this PE without work: choose a larger --size"
                    : "does not fit: choose a smaller --size or raise SHMEM_SYMMETRIC_SIZE");
        shmem_global_exit(EXIT_FAILURE);
    }
    double h = 1.0 / (o.n + 1);
    double source = fill_source(&g, h);

    shmem_barrier_all();
    double start = now_seconds();
    double relative;
    int sweeps = solve(&g, &o, h, source, &relative);
    shmem_barrier_all();
    double seconds = now_seconds() - start;

    double error = distance_to_exact(&g, h);
    double bound = field_error_bound(h);
    int ok = relative <= o.tolerance && error <= bound + source * o.tolerance;

    // Meanwhile the other PEs wait in the reduction; PE 0 reads their memory without their help.
    local_fail = me == 0 && o.image && write_image(&g, o.image, 2.0);
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, &global_fail, &local_fail, 1);
    ok = ok && !global_fail;
    if (me == 0) {
        report(&g, sweeps, relative, error, bound, ok);
        printf("RESULT program=stencil pes=%d verified=%s seconds=%.6f rate=%.3f unit=Mpoint/s\n",
               npes, ok ? "yes" : "no", seconds, 1e-6 * sweeps * (double)o.n * o.n / seconds);
    }
    grid_destroy(&g);
    shmem_finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
