// SPDX-License-Identifier: BSD-3-Clause
//
// Laplace's equation on a square by a five-point stencil: Gauss-Seidel in two colours, in place, in
// floats of 4 bytes, until a sweep changes no point by more than a limit. See README.md.
#define _POSIX_C_SOURCE 200809L  // clock_gettime
#include <math.h>
#include <string.h>

#include "units.h"

enum { CHECK_EVERY = 8 };  // sweeps between two questions whether all units are done

/** This unit's rows of the square, with a row of its neighbours above and below:
 *
 *      row 0            the last row of the unit above, or the border
 *      rows 1 ... n     its own
 *      row n + 1        the first row of the unit below, or the border
 *
 *  Each row has a point of the border at both ends. */
typedef struct part {
    size_t side;      // points of the square's side, without the border
    size_t first, n;  // of this unit's rows
    size_t width;     // of a row in memory
    float *rows;
    dart_gptr_t gptr;  // the segment that they are in
} part_t;

static size_t first_row(size_t side, int unit)
{
    return side * (size_t)unit / (size_t)nunits;
}

// ---------------------------------------------------------------- the equation
/** The upper border is 1, the others are 0. `first`: the number of row 1 in the square. */
static void fill(float *rows, size_t width, size_t nrows, size_t first)
{
    memset(rows, 0, (nrows + 2) * width * sizeof *rows);
    for (size_t i = 0; first == 0 && i < width; i++)
        rows[i] = 1;
}

/** All points of one colour of a row become the mean of their neighbours, which have the other one.
 *  Returns the largest change. */
static float relax(float *row, size_t width, size_t begin)
{
    const float *above = row - width, *below = row + width;
    float most = 0;
    for (size_t i = begin; i < width - 1; i += 2) {
        float mean = 0.25F * ((above[i] + below[i]) + (row[i - 1] + row[i + 1]));
        float change = fabsf(mean - row[i]);
        most = change > most ? change : most;
        row[i] = mean;
    }
    return most;
}

static float half_sweep(float *rows, size_t width, size_t nrows, size_t first, size_t colour)
{
    float most = 0;
    for (size_t r = 1; r <= nrows; r++) {
        float change = relax(rows + r * width, width, 1 + (first + r + colour) % 2);
        most = change > most ? change : most;
    }
    return most;
}

// ---------------------------------------------------------------- units
static void make(part_t *p, size_t side)
{
    size_t most = side / (size_t)nunits + 1;
    p->side = side;
    p->first = first_row(side, me);
    p->n = first_row(side, me + 1) - p->first;
    p->width = side + 2;
    void *rows;
    p->gptr = allocate((most + 2) * p->width, DART_TYPE_FLOAT, &rows);
    p->rows = rows;
    fill(p->rows, p->width, p->n, p->first);
}

/** A row of a unit's part. */
static dart_gptr_t place(const part_t *p, int unit, size_t row)
{
    dart_gptr_t gptr = p->gptr;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    dart_gptr_incaddr(&gptr, (int64_t)(row * p->width * sizeof(float)));
    return gptr;
}

/** The outer rows of this unit become visible to its neighbours. Those may still be at work on the
 *  colour of this half of the sweep: they read the other one, which the puts do not change. */
static void exchange(const part_t *p)
{
    if (me > 0) {
        size_t below = p->first - first_row(p->side, me - 1) + 1;
        must(dart_put(place(p, me - 1, below), p->rows + p->width, p->width, DART_TYPE_FLOAT,
                      DART_TYPE_FLOAT),
             "dart_put");
    }
    if (me < nunits - 1)
        must(dart_put(place(p, me + 1, 0), p->rows + p->n * p->width, p->width, DART_TYPE_FLOAT,
                      DART_TYPE_FLOAT),
             "dart_put");
    must(dart_flush_all(p->gptr), "dart_flush_all");
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
}

/** Returns the number of sweeps. */
static int solve(part_t *p, float limit, int most_sweeps)
{
    float change, all = limit;
    int sweep = 0;
    while (all >= limit && sweep < most_sweeps) {
        change = 0;
        for (size_t colour = 0; colour < 2; colour++) {
            float c = half_sweep(p->rows, p->width, p->n, p->first, colour);
            change = c > change ? c : change;
            exchange(p);
        }
        if (++sweep % CHECK_EVERY == 0)
            must(dart_allreduce(&change, &all, 1, DART_TYPE_FLOAT, DART_OP_MAX, DART_TEAM_ALL),
                 "dart_allreduce");
    }
    return sweep;
}

/** Unit 0 does the same alone and compares each point of all units: the order of the updates does
 *  not depend on their number, so no bit may differ. Returns the number of wrong points. */
static size_t count_errors(const part_t *p, int sweeps)
{
    const size_t n = p->side, width = p->width;
    float *alone = malloc((n + 2) * width * sizeof *alone), *row = malloc(width * sizeof *row);
    size_t errors = 0;
    if (!alone || !row)
        must(DART_ERR_NOMEM, "malloc");
    fill(alone, width, n, 0);
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (size_t colour = 0; colour < 2; colour++)
            half_sweep(alone, width, n, 0, colour);
    for (int unit = 0; unit < nunits; unit++) {
        size_t first = first_row(n, unit), end = first_row(n, unit + 1);
        for (size_t r = first; r < end; r++) {
            must(dart_get_blocking(row, place(p, unit, r - first + 1), width, DART_TYPE_FLOAT,
                                   DART_TYPE_FLOAT),
                 "dart_get_blocking");
            for (size_t i = 0; i < width; i++)
                errors += memcmp(&row[i], &alone[(r + 1) * width + i], sizeof *row) != 0;
        }
    }
    free(alone);
    free(row);
    return errors;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const size_t side = argc > 1 ? (size_t)whole_number(argv[1], 1, 1 << 15) : 256;
    const int most_sweeps = argc > 2 ? (int)whole_number(argv[2], 1, 1 << 30) : 1 << 20;
    const float limit = 1e-3F;
    size_t errors = 0;
    part_t p;
    if (side < (size_t)nunits || most_sweeps < 1 || argc > 3)
        return refuse("stencil [side [sweeps]], a side of at least one point a unit and at most "
                      "32768");
    make(&p, side);
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
    double start = now();
    int sweeps = solve(&p, limit, most_sweeps);
    double seconds = now() - start;
    if (me == 0) {
        errors = count_errors(&p, sweeps);
        printf("%zu x %zu points, %d sweeps\n", side, side, sweeps);
        if (errors)
            fprintf(stderr, "stencil: FAILED: %zu points are wrong\n", errors);
        printf("RESULT program=dart-stencil pes=%d verified=%s seconds=%.6f rate=%.3f "
               "unit=Mpoint/s\n",
               nunits, errors ? "no" : "yes", seconds,
               1e-6 * (double)side * (double)side * sweeps / seconds);
    }
    return finish(p.gptr, errors);
}
