// SPDX-License-Identifier: BSD-3-Clause
//
// The equations at one point: the exact solution, fluxes and their Jacobians. A state is the five
// conserved quantities: density, three components of momentum, energy. No communication.
#ifndef LU_PHYSICS_H
#define LU_PHYSICS_H

enum { STATES = 5, DIMENSIONS = 3 };

typedef double state_t[STATES];
typedef double block_t[STATES][STATES];

/** Spacing of the grid along one axis, as the discretisation uses it. */
typedef struct axis {
    double diffusion, t1, t2, t3;  // of the artificial diffusion; 1/h^2, 1/(2h), 1/h
} axis_t;

axis_t axis_make(int dimension, int points);
/** The prescribed solution at a point of the unit cube. */
void exact_solution(const double at[DIMENSIONS], state_t u);
/** Pressure. */
double pressure(const state_t u);

/** Adds what one axis contributes to the residual of a point that has two neighbours, and up to two
 *  more that are there: line[2] is the point. first, last: is there no line[0], no line[4]? */
void add_axis(const axis_t *axis, int dimension, state_t *const line[5], int first, int last,
              state_t residual);

/** The block of the implicit system for the neighbour before (sign -1) or behind (+1) along an
 *  axis, without the time step. */
void neighbour_block(const axis_t *axis, int dimension, int sign, const state_t u, block_t block);
/** Adds one axis's part of the block of the point itself, without the time step. */
void add_own_block(const axis_t *axis, int dimension, const state_t u, block_t block);
/** Solves block x = b; x replaces b, and the block is destroyed. */
void solve_block(block_t block, state_t b);

#endif
