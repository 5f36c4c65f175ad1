// SPDX-License-Identifier: BSD-3-Clause
//
// The compressible Navier-Stokes equations as the LU benchmark discretises them. Constants and
// discretisation: NAS Parallel Benchmarks, report RNR-94-007.
#include "physics.h"

#include <math.h>
#include <string.h>

static const double c1 = 1.4, c2 = 0.4, c34 = 0.1, c1345 = 1.4 * 0.1 * 1.0 * 1.4, c15 = 1.4 * 1.4,
                    dissipation = 0.25;

axis_t axis_make(int dimension, int points)
{
    double h = 1.0 / (points - 1);
    return (axis_t){.diffusion = dimension == 2 ? 1.0 : 0.75,
                    .t1 = 1 / (h * h),
                    .t2 = 1 / (2 * h),
                    .t3 = 1 / h};
}

void exact_solution(const double at[DIMENSIONS], state_t u)
{
    static const double c[STATES][13] = {
        {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
        {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
        {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
        {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
        {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};
    for (int m = 0; m < STATES; m++) {
        u[m] = c[m][0];
        for (int d = 0; d < DIMENSIONS; d++) {
            double x = at[d];
            u[m] += x * (c[m][1 + d] + x * (c[m][4 + d] + x * (c[m][7 + d] + x * c[m][10 + d])));
        }
    }
}

static double momentum2(const state_t u)
{
    return u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
}

double pressure(const state_t u)
{
    return c2 * (u[4] - 0.5 * momentum2(u) / u[0]);
}

// ---------------------------------------------------------------- the residual
static void flux(int d, const state_t u, state_t f)
{
    double velocity = u[1 + d] / u[0], q = 0.5 * momentum2(u) / u[0];
    f[0] = u[1 + d];
    for (int m = 1; m < 4; m++)
        f[m] = u[m] * velocity;
    f[1 + d] += c2 * (u[4] - q);
    f[4] = (c1 * u[4] - c2 * q) * velocity;
}

/** Viscous flux between two neighbours; times t3. */
static void viscous_flux(int d, const state_t before, const state_t behind, state_t f)
{
    double squares = 0, along = 0;
    f[0] = 0;
    for (int m = 1; m < 4; m++) {
        double b = before[m] / before[0], a = behind[m] / behind[0];
        f[m] = a - b;
        squares += a * a - b * b;
        if (m == 1 + d) {
            along = a * a - b * b;
            f[m] *= 4.0 / 3.0;
        }
    }
    f[4] = 0.5 * (1 - c15) * squares + along / 6 +
           c15 * (behind[4] / behind[0] - before[4] / before[0]);
}

/** The fourth difference, which near the boundary does without points that are not there. */
static double fourth_difference(state_t *const line[5], int first, int last, int m)
{
    double middle = line[2][0][m], before = line[1][0][m], behind = line[3][0][m];
    if (first)
        return 5 * middle - 4 * behind + line[4][0][m];
    if (last)
        return line[0][0][m] - 4 * before + 5 * middle;
    double sum = 6 * middle - 4 * before - 4 * behind;
    if (line[0])
        sum += line[0][0][m];
    if (line[4])
        sum += line[4][0][m];
    return sum;
}

void add_axis(const axis_t *axis, int d, state_t *const line[5], int first, int last,
              state_t residual)
{
    state_t f_before, f_behind, v_before, v_behind;
    flux(d, *line[1], f_before);
    flux(d, *line[3], f_behind);
    viscous_flux(d, *line[1], *line[2], v_before);
    viscous_flux(d, *line[2], *line[3], v_behind);
    for (int m = 0; m < STATES; m++)
        residual[m] +=
            -axis->t2 * (f_behind[m] - f_before[m]) +
            axis->t3 * axis->t3 * c34 * (v_behind[m] - v_before[m]) +
            axis->diffusion * axis->t1 * (line[1][0][m] - 2 * line[2][0][m] + line[3][0][m]) -
            dissipation * fourth_difference(line, first, last, m);
}

// ---------------------------------------------------------------- Jacobians
static void flux_jacobian(int d, const state_t u, block_t a)
{
    int v = 1 + d;
    double r = 1 / u[0], w = u[v] * r, s = momentum2(u) * r * r;
    memset(a, 0, sizeof(block_t));
    a[0][v] = 1;
    for (int m = 1; m < 4; m++) {
        a[m][0] = -u[m] * r * w;
        a[m][m] += w;
        a[m][v] += u[m] * r;
    }
    a[v][0] += 0.5 * c2 * s;
    for (int m = 1; m < 4; m++)
        a[v][m] -= c2 * u[m] * r;
    a[v][4] = c2;
    a[4][0] = (c2 * s - c1 * u[4] * r) * w;
    for (int m = 1; m < 4; m++)
        a[4][m] = -c2 * u[m] * r * w;
    a[4][v] += c1 * u[4] * r - 0.5 * c2 * s;
    a[4][4] = c1 * w;
}

static void viscous_jacobian(int d, const state_t u, block_t n)
{
    double r = 1 / u[0], r2 = r * r;
    memset(n, 0, sizeof(block_t));
    for (int m = 1; m < 4; m++) {
        double c = m == 1 + d ? 4.0 / 3.0 * c34 : c34;
        n[m][0] = -c * u[m] * r2;
        n[m][m] = c * r;
        n[4][0] -= (c - c1345) * u[m] * u[m] * r2 * r;
        n[4][m] = (c - c1345) * u[m] * r2;
    }
    n[4][0] -= c1345 * u[4] * r2;
    n[4][4] = c1345 * r;
}

void neighbour_block(const axis_t *axis, int d, int sign, const state_t u, block_t block)
{
    block_t n;
    flux_jacobian(d, u, block);
    viscous_jacobian(d, u, n);
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            block[i][j] = sign * axis->t2 * block[i][j] -
                          axis->t1 * (n[i][j] + (i == j ? axis->diffusion : 0));
}

void add_own_block(const axis_t *axis, int d, const state_t u, block_t block)
{
    block_t n;
    viscous_jacobian(d, u, n);
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            block[i][j] += 2 * axis->t1 * (n[i][j] + (i == j ? axis->diffusion : 0));
}

void solve_block(block_t a, state_t b)
{
    for (int p = 0; p < STATES; p++) {
        double pivot = 1 / a[p][p];
        for (int i = p + 1; i < STATES; i++) {
            double factor = a[i][p] * pivot;
            for (int j = p + 1; j < STATES; j++)
                a[i][j] -= factor * a[p][j];
            b[i] -= factor * b[p];
        }
    }
    for (int i = STATES - 1; i >= 0; i--) {
        for (int j = i + 1; j < STATES; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}
