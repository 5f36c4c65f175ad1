// SPDX-License-Identifier: BSD-3-Clause
//
// LU of the NAS Parallel Benchmarks over ARMCI: symmetric successive over-relaxation for the
// compressible Navier-Stokes equations, in wave fronts that run through the processes. See
// README.md.
#include <armci.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grid.h"

static const double omega = 1.2;

/** A class of the benchmark with its reference values. */
typedef struct problem {
    char name;
    int points, steps;
    double dt;
    double residual[STATES], error[STATES], integral;
} problem_t;

static const problem_t problems[] = {
    {'S',
     12,
     50,
     0.5,
     {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
      1.5029584435994323e-03, 3.4264073155896461e-02},
     {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
      5.8474222595157350e-05, 1.3103347914111294e-03},
     7.8418928865937083e+00},
    {'W',
     33,
     300,
     1.5e-3,
     {0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01,
      0.2826799444189e+02},
     {0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01,
      0.1084277417792e+01},
     0.1161399311023e+02},
    {'A',
     64,
     250,
     2.0,
     {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
      1.7845301160418537e+02, 1.8384760349464247e+03},
     {2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00,
      6.7139225687777051e+00, 7.0715315688392578e+01},
     2.6030925604886277e+01},
};

#define FOR_INTERIOR(g, x, y, z)                              \
    for (int z = 1; z < (g)->points - 1; z++)                 \
        for (int y = grid_from(g, 1); y < grid_to(g, 1); y++) \
            for (int x = grid_from(g, 0); x < grid_to(g, 0); x++)

// ---------------------------------------------------------------- fields
/** Exact at a point of the whole grid. */
static void exact(const grid_t *g, int x, int y, int z, state_t u)
{
    double h = 1.0 / (g->points - 1), at[DIMENSIONS] = {x * h, y * h, z * h};
    exact_solution(at, u);
}

/** Exact on the boundary; inside, blended from the boundary values of the three lines through the
 *  point. */
static void start_value(const grid_t *g, const int at[DIMENSIONS], state_t u)
{
    double blend[DIMENSIONS][STATES];
    int last = g->points - 1;
    exact(g, at[0], at[1], at[2], u);
    for (int d = 0; d < DIMENSIONS; d++)
        if (at[d] == 0 || at[d] == last)
            return;
    for (int d = 0; d < DIMENSIONS; d++) {
        state_t low, high;
        int end[DIMENSIONS] = {at[0], at[1], at[2]};
        double part = (double)at[d] / last;
        end[d] = 0;
        exact(g, end[0], end[1], end[2], low);
        end[d] = last;
        exact(g, end[0], end[1], end[2], high);
        for (int m = 0; m < STATES; m++)
            blend[d][m] = (1 - part) * low[m] + part * high[m];
    }
    for (int m = 0; m < STATES; m++) {
        double a = blend[0][m], b = blend[1][m], c = blend[2][m];
        u[m] = a + b + c - a * b - b * c - c * a + a * b * c;
    }
}

/** exactly: the exact solution, ghosts too; else the start of the iteration. */
static void fill(grid_t *g, int exactly)
{
    for (int z = 0; z < g->points; z++)
        for (int y = -GHOSTS; y < g->extent[1] + GHOSTS; y++)
            for (int x = -GHOSTS; x < g->extent[0] + GHOSTS; x++) {
                int at[DIMENSIONS] = {x + g->first[0], y + g->first[1], z};
                state_t *u = &g->u[grid_at(g, x, y, z)];
                if (at[0] < 0 || at[1] < 0 || at[0] >= g->points || at[1] >= g->points)
                    continue;
                if (exactly)
                    exact(g, at[0], at[1], at[2], *u);
                else
                    start_value(g, at, *u);
            }
}

/** The discrete equations' residual of u at a point. */
static void residual_at(const grid_t *g, int x, int y, int z, state_t r)
{
    const int at[DIMENSIONS] = {x + g->first[0], y + g->first[1], z};
    memset(r, 0, sizeof(state_t));
    for (int d = 0; d < DIMENSIONS; d++) {
        state_t *line[5];
        for (int i = -2; i <= 2; i++) {
            int there = at[d] + i >= 0 && at[d] + i < g->points;
            line[i + 2] =
                there ? &g->u[grid_at(g, x + (d == 0) * i, y + (d == 1) * i, z + (d == 2) * i)]
                      : NULL;
        }
        add_axis(&g->axis[d], d, line, at[d] == 1, at[d] == g->points - 2, r);
    }
}

/** The forcing that makes the exact solution stationary. */
static void set_forcing(grid_t *g)
{
    fill(g, 1);
    FOR_INTERIOR(g, x, y, z)
    residual_at(g, x, y, z, g->forcing[grid_at(g, x, y, z)]);
}

/** v = residual of u - forcing; ghosts of u are filled first. */
static void set_residual(grid_t *g)
{
    grid_exchange(g);
    FOR_INTERIOR(g, x, y, z)
    {
        long at = grid_at(g, x, y, z);
        residual_at(g, x, y, z, g->v[at]);
        for (int m = 0; m < STATES; m++)
            g->v[at][m] -= g->forcing[at][m];
    }
}

// ---------------------------------------------------------------- the sweeps
/** sum += (block of the neighbour at `from` along d) v there. */
static void add_neighbour(const grid_t *g, int d, int sign, long from, state_t sum)
{
    block_t block;
    neighbour_block(&g->axis[d], d, sign, g->u[from], block);
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            sum[i] += block[i][j] * g->v[from][j];
}

/** One point of the lower sweep (sign -1), which has v of the neighbours before it, or of the upper
 *  one (+1). */
static void relax(grid_t *g, int x, int y, int z, int sign, double dt)
{
    long here = grid_at(g, x, y, z);
    state_t sum = {0};
    block_t own = {{0}};
    add_neighbour(g, 2, sign, grid_at(g, x, y, z + sign), sum);
    add_neighbour(g, 1, sign, grid_at(g, x, y + sign, z), sum);
    add_neighbour(g, 0, sign, grid_at(g, x + sign, y, z), sum);
    for (int d = 0; d < DIMENSIONS; d++)
        add_own_block(&g->axis[d], d, g->u[here], own);
    for (int i = 0; i < STATES; i++) {
        for (int j = 0; j < STATES; j++)
            own[i][j] = dt * own[i][j] + (i == j);
        sum[i] *= omega * dt;
        if (sign < 0)
            sum[i] = g->v[here][i] - sum[i];
    }
    solve_block(own, sum);
    for (int i = 0; i < STATES; i++)
        g->v[here][i] = sign < 0 ? sum[i] : g->v[here][i] - sum[i];
}

/** A plane at a time: it needs the planes of the neighbours in the south-west (or north-east). */
static void sweep(grid_t *g, int sign, double dt)
{
    int first = sign < 0 ? 1 : g->points - 2, end = sign < 0 ? g->points - 1 : 0;
    for (int z = first; z != end; z -= sign) {
        grid_receive_plane(g, sign < 0 ? WEST : EAST, z);
        grid_receive_plane(g, sign < 0 ? SOUTH : NORTH, z);
        int x0 = grid_from(g, 0), x1 = grid_to(g, 0), y0 = grid_from(g, 1), y1 = grid_to(g, 1);
        for (int j = 0; j < y1 - y0; j++)
            for (int i = 0; i < x1 - x0; i++)
                relax(g, sign < 0 ? x0 + i : x1 - 1 - i, sign < 0 ? y0 + j : y1 - 1 - j, z, sign,
                      dt);
        grid_send_plane(g, sign < 0 ? EAST : WEST, z);
        grid_send_plane(g, sign < 0 ? NORTH : SOUTH, z);
    }
}

static void step(grid_t *g, double dt)
{
    const double relaxation = 1 / (omega * (2 - omega));
    FOR_INTERIOR(g, x, y, z)
    {
        for (int m = 0; m < STATES; m++)
            g->v[grid_at(g, x, y, z)][m] *= dt;
    }
    sweep(g, -1, dt);
    sweep(g, 1, dt);
    FOR_INTERIOR(g, x, y, z)
    {
        long at = grid_at(g, x, y, z);
        for (int m = 0; m < STATES; m++)
            g->u[at][m] += relaxation * g->v[at][m];
    }
    set_residual(g);
}

// ---------------------------------------------------------------- results
/** Root of the mean square over the interior, of v or of the difference from the exact solution. */
static void norm(const grid_t *g, int of_error, double *result)
{
    memset(result, 0, sizeof(state_t));
    FOR_INTERIOR(g, x, y, z)
    {
        state_t value;
        long at = grid_at(g, x, y, z);
        exact(g, x + g->first[0], y + g->first[1], z, value);
        for (int m = 0; m < STATES; m++) {
            double d = of_error ? value[m] - g->u[at][m] : g->v[at][m];
            result[m] += d * d;
        }
    }
    armci_msg_dgop(result, STATES, "+");
    for (int m = 0; m < STATES; m++)
        result[m] = sqrt(result[m] / pow(g->points - 2, 3));
}

/** Weight of a point in a sum over cells along one axis: cells on one side of it, or on both. */
static int weight(int at, int from, int to)
{
    return at < from || at > to ? 0 : at == from || at == to ? 1 : 2;
}

/** The pressure, integrated over the six faces of a box inside the domain. */
static double surface_integral(const grid_t *g)
{
    const int from[DIMENSIONS] = {1, 1, 2},
              to[DIMENSIONS] = {g->points - 2, g->points - 3, g->points - 2};
    double h = 1.0 / (g->points - 1), sum = 0;
    for (int z = 0; z < g->points; z++)
        for (int y = 0; y < g->extent[1]; y++)
            for (int x = 0; x < g->extent[0]; x++) {
                const int at[DIMENSIONS] = {x + g->first[0], y + g->first[1], z};
                int faces = 0;
                for (int d = 0; d < DIMENSIONS; d++) {
                    int a = (d + 1) % DIMENSIONS, b = (d + 2) % DIMENSIONS;
                    faces += ((at[d] == from[d]) + (at[d] == to[d])) *
                             weight(at[a], from[a], to[a]) * weight(at[b], from[b], to[b]);
                }
                if (faces)
                    sum += faces * pressure(g->u[grid_at(g, x, y, z)]);
            }
    armci_msg_dgop(&sum, 1, "+");
    return 0.25 * h * h * sum;
}

static int compare(int me, const char *what, double value, double expected)
{
    double off = fabs((value - expected) / expected);
    int good = off <= 1e-8;
    if (me == 0)
        printf("%s%s %.13e, reference %.13e, off by %.1e\n", good ? "" : "FAILED: ", what, value,
               expected, off);
    return good;
}

static int verify(const grid_t *g, const problem_t *p)
{
    state_t residual, error;
    int good = 1;
    norm(g, 0, residual);
    norm(g, 1, error);
    for (int m = 0; m < STATES; m++)
        good &= compare(g->me, "residual", residual[m], p->residual[m]);
    for (int m = 0; m < STATES; m++)
        good &= compare(g->me, "error", error[m], p->error[m]);
    return good & compare(g->me, "surface integral", surface_integral(g), p->integral);
}

static const problem_t *parse(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "S";
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name[0] && !name[1] && argc <= 2)
            return &problems[i];
    return NULL;
}

int main(int argc, char **argv)
{
    ARMCI_Init();
    int me = armci_msg_me(), nprocs = armci_msg_nproc();
    const problem_t *p = parse(argc, argv);
    if (!p) {
        if (me == 0)
            fprintf(stderr, "usage: lu [class: S, W or A]\n");
        ARMCI_Finalize();
        return 2;
    }
    grid_t g;
    grid_create(&g, p->points, nprocs, me);
    set_forcing(&g);
    fill(&g, 0);
    ARMCI_Barrier();
    set_residual(&g);
    double start = armci_timer();
    for (int i = 1; i <= p->steps; i++) {
        step(&g, p->dt);
        if (me == 0 && (i == 1 || i % 50 == 0)) {
            printf("step %d of %d\n", i, p->steps);
            fflush(stdout);
        }
    }
    ARMCI_Barrier();
    double seconds = armci_timer() - start;
    int good = verify(&g, p);
    if (me == 0)
        printf("RESULT program=lu pes=%d verified=%s seconds=%.6f rate=%.6f unit=Mpoint/s "
               "class=%c\n",
               nprocs, good ? "yes" : "no", seconds, 1e-6 * pow(p->points, 3) * p->steps / seconds,
               p->name);
    grid_destroy(&g);
    ARMCI_Finalize();
    return !good;
}
