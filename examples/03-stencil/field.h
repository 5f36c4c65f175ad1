// SPDX-License-Identifier: BSD-3-Clause
//
// The problem that the stencil solves, and its known solution:
//
//   -(u_xx + u_yy) = f   in the unit square,   u = 0 on its edge,
//
// with f chosen so that u is a sum of sine waves, A sin(a pi x) sin(b pi y) each.
// Such a wave is an eigenvector of the five-point stencil as well, so the solution
// on the grid is known too: each amplitude grows by a factor that is close to 1.
#ifndef FIELD_H
#define FIELD_H

#include <math.h>

struct wave {
    double amplitude;
    int a, b;  // half waves in x and y
};

static const struct wave waves[] = {{1.0, 1, 1}, {-0.8, 3, 2}, {0.5, 2, 5}, {0.25, 7, 4}};
enum { NWAVES = sizeof waves / sizeof waves[0] };
static const double pi = 3.14159265358979323846;

static inline double wave_at(const struct wave *w, double x, double y)
{
    return w->amplitude * sin(w->a * pi * x) * sin(w->b * pi * y);
}

// u: the solution of the differential equation.
static inline double field_exact(double x, double y)
{
    double u = 0;
    for (int k = 0; k < NWAVES; k++)
        u += wave_at(&waves[k], x, y);
    return u;
}

// f: each wave times its eigenvalue.
static inline double field_source(double x, double y)
{
    double f = 0;
    for (int k = 0; k < NWAVES; k++)
        f += (waves[k].a * waves[k].a + waves[k].b * waves[k].b) * pi * pi *
             wave_at(&waves[k], x, y);
    return f;
}

// The largest possible difference between u and the solution on a grid of mesh width h: for each
// wave, the eigenvalue of the differential operator over that of the stencil, less 1.
static inline double field_error_bound(double h)
{
    double bound = 0;
    for (int k = 0; k < NWAVES; k++) {
        double a = waves[k].a * pi, b = waves[k].b * pi;
        double sa = 2 / h * sin(a * h / 2), sb = 2 / h * sin(b * h / 2);
        bound += fabs(waves[k].amplitude) * ((a * a + b * b) / (sa * sa + sb * sb) - 1);
    }
    return bound;
}

#endif
