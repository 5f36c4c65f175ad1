// SPDX-License-Identifier: BSD-3-Clause
//
// Integrals over s functions, which all have a closed form, and the dense steps of Hartree-Fock.
#define _DEFAULT_SOURCE
#include "molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_ROUNDS = 200 };
static const double pi = 3.14159265358979323846;

// ---------------------------------------------------------------- molecules
/** STO-3G of hydrogen and helium: three Gaussian functions stand for one exponential. */
static void set_atom(molecule_t *mol, int i, double charge, double x, double y)
{
    static const double exponents[2][MOLECULE_PRIMITIVES] = {{3.42525091, 0.62391373, 0.16885540},
                                                             {6.36242139, 1.15892300, 0.31364979}};
    static const double factors[MOLECULE_PRIMITIVES] = {0.15432897, 0.53532814, 0.44463454};
    mol->at[i][0] = x;
    mol->at[i][1] = y;
    mol->at[i][2] = 0;
    mol->charge[i] = charge;
    mol->electrons += (int)charge;
    for (int p = 0; p < MOLECULE_PRIMITIVES; p++) {
        mol->exponent[i][p] = exponents[(int)charge - 1][p];
        mol->factor[i][p] = factors[p] * pow(2 * mol->exponent[i][p] / pi, 0.75);
    }
}

bool molecule_make(molecule_t *mol, const char *kind, int n)
{
    *mol = (molecule_t){.kind = kind, .tolerance = 2e-6};
    if (strcmp(kind, "helium") == 0) {
        mol->n = 1;
        set_atom(mol, 0, 2, 0, 0);
    } else if (strcmp(kind, "hydrogen") == 0) {
        mol->n = 2;
        set_atom(mol, 0, 1, 0, 0);
        set_atom(mol, 1, 1, 1.4, 0);
    } else if (strcmp(kind, "chain") == 0 && n >= 2 && n <= MOLECULE_MOST && n % 2 == 0) {
        mol->n = n;
        mol->tolerance = 1e-8;
        for (int i = 0; i < n; i++)
            set_atom(mol, i, 1, 1.8 * i - 0.4 * (i % 2), 0.5 * (i / 2 % 2));
    } else {
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- integrals
/** Boys' function of order 0. */
static double boys(double t)
{
    return t < 1e-12 ? 1 - t / 3 : 0.5 * sqrt(pi / t) * erf(sqrt(t));
}

static double distance2(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/** The product of two Gaussian functions is one. */
typedef struct product {
    double exponent, reduced, factor, at[3];
} product_t;

static product_t multiply(const molecule_t *mol, int i, int p, int j, int q)
{
    double a = mol->exponent[i][p], b = mol->exponent[j][q];
    product_t out = {.exponent = a + b, .reduced = a * b / (a + b)};
    out.factor = mol->factor[i][p] * mol->factor[j][q] *
                 exp(-out.reduced * distance2(mol->at[i], mol->at[j]));
    for (int d = 0; d < 3; d++)
        out.at[d] = (a * mol->at[i][d] + b * mol->at[j][d]) / (a + b);
    return out;
}

#define FOR_PRODUCTS(name, i, j)                                       \
    for (int name##_p = 0; name##_p < MOLECULE_PRIMITIVES; name##_p++) \
        for (int name##_q = 0; name##_q < MOLECULE_PRIMITIVES; name##_q++)

static double overlap(const molecule_t *mol, int i, int j)
{
    double sum = 0;
    FOR_PRODUCTS(ab, i, j)
    {
        product_t ab = multiply(mol, i, ab_p, j, ab_q);
        sum += ab.factor * pow(pi / ab.exponent, 1.5);
    }
    return sum;
}

double molecule_repulsion(const molecule_t *mol, int i, int j, int k, int l)
{
    double sum = 0;
    FOR_PRODUCTS(ab, i, j)
    {
        product_t ab = multiply(mol, i, ab_p, j, ab_q);
        FOR_PRODUCTS(cd, k, l)
        {
            product_t cd = multiply(mol, k, cd_p, l, cd_q);
            double both = ab.exponent + cd.exponent, times = ab.exponent * cd.exponent;
            sum += ab.factor * cd.factor * 2 * pow(pi, 2.5) / (times * sqrt(both)) *
                   boys(times / both * distance2(ab.at, cd.at));
        }
    }
    return sum;
}

void molecule_core(const molecule_t *mol, double *core)
{
    for (int i = 0; i < mol->n; i++)
        for (int j = 0; j < mol->n; j++) {
            double sum = 0, apart = distance2(mol->at[i], mol->at[j]);
            FOR_PRODUCTS(ab, i, j)
            {
                product_t ab = multiply(mol, i, ab_p, j, ab_q);
                sum += ab.factor * pow(pi / ab.exponent, 1.5) * ab.reduced *
                       (3 - 2 * ab.reduced * apart);
                for (int c = 0; c < mol->n; c++)
                    sum -= mol->charge[c] * ab.factor * 2 * pi / ab.exponent *
                           boys(ab.exponent * distance2(ab.at, mol->at[c]));
            }
            core[i * mol->n + j] = sum;
        }
}

double molecule_energy(const molecule_t *mol, const double *core, const double *fock,
                       const double *density)
{
    double sum = 0;
    for (int i = 0; i < mol->n * mol->n; i++)
        sum += 0.5 * density[i] * (core[i] + fock[i]);
    for (int i = 0; i < mol->n; i++)
        for (int j = 0; j < i; j++)
            sum += mol->charge[i] * mol->charge[j] / sqrt(distance2(mol->at[i], mol->at[j]));
    return sum;
}

// ---------------------------------------------------------------- eigenvalues
/** Rotates rows and columns p and q so that element (p, q) becomes 0. */
static void rotate(double *m, double *vectors, int n, int p, int q)
{
    double apart = (m[q * n + q] - m[p * n + p]) / (2 * m[p * n + q]);
    double t = (apart < 0 ? -1 : 1) / (fabs(apart) + sqrt(apart * apart + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int i = 0; i < n; i++) {
        double ip = m[i * n + p], iq = m[i * n + q];
        m[i * n + p] = c * ip - s * iq;
        m[i * n + q] = s * ip + c * iq;
    }
    for (int i = 0; i < n; i++) {
        double pi_ = m[p * n + i], qi = m[q * n + i], vp = vectors[i * n + p],
               vq = vectors[i * n + q];
        m[p * n + i] = c * pi_ - s * qi;
        m[q * n + i] = s * pi_ + c * qi;
        vectors[i * n + p] = c * vp - s * vq;
        vectors[i * n + q] = s * vp + c * vq;
    }
}

/** Jacobi's method: m becomes diagonal; the columns of vectors are the eigenvectors. */
static void eigen(double *m, double *vectors, int n)
{
    memset(vectors, 0, (size_t)n * (size_t)n * sizeof *vectors);
    for (int i = 0; i < n; i++)
        vectors[i * n + i] = 1;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                off += m[p * n + q] * m[p * n + q];
                if (fabs(m[p * n + q]) > 1e-16)
                    rotate(m, vectors, n, p, q);
            }
        if (off < 1e-28)
            return;
    }
}

/** out = left right, or left^T right. */
static void matmul(const double *left, bool transposed, const double *right, double *out, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (transposed ? left[k * n + i] : left[i * n + k]) * right[k * n + j];
            out[i * n + j] = sum;
        }
}

/** The matrix that makes the functions orthogonal: overlap^(-1/2). */
static void orthogonalise(const molecule_t *mol, double *x, double *work)
{
    int n = mol->n;
    double *s = work, *u = work + n * n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = overlap(mol, i, j);
    eigen(s, u, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += u[i * n + k] * u[j * n + k] / sqrt(s[k * n + k]);
            x[i * n + j] = sum;
        }
}

/** The rank of an orbital by its energy. */
static int rank_of(const double *energies, int n, int orbital)
{
    int rank = 0;
    for (int k = 0; k < n; k++) {
        double mine = energies[orbital * n + orbital], other = energies[k * n + k];
        rank += other < mine || (other == mine && k < orbital);
    }
    return rank;
}

void molecule_density(const molecule_t *mol, const double *fock, double *density)
{
    int n = mol->n, elements = n * n;
    double *x = malloc(5 * (size_t)elements * sizeof *x), *a = x + elements, *b = a + elements,
           *vectors = b + elements, *orbitals = vectors + elements;
    if (!x)
        abort();
    orthogonalise(mol, x, a);  // a and b
    matmul(fock, false, x, b, n);
    matmul(x, true, b, a, n);
    eigen(a, vectors, n);
    matmul(x, false, vectors, orbitals, n);
    memset(density, 0, (size_t)elements * sizeof *density);
    for (int k = 0; k < n; k++)
        if (rank_of(a, n, k) < mol->electrons / 2)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    density[i * n + j] += 2 * orbitals[i * n + k] * orbitals[j * n + k];
    free(x);
}

// ---------------------------------------------------------------- the expected energy
/** The same iteration in this process, with each distinct integral computed once. */
static double serial_energy(const molecule_t *mol)
{
    int n = mol->n;
    size_t pairs = (size_t)n * (size_t)n;
    double *core = malloc((3 * pairs + pairs * pairs) * sizeof *core), *density = core + pairs,
           *fock = density + pairs, *all = fock + pairs, energy = 0, before = 1;
    if (!core)
        abort();
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l <= k; l++) {
                    double value = molecule_repulsion(mol, i, j, k, l);
                    size_t ij = (size_t)(i * n + j), ji = (size_t)(j * n + i),
                           kl = (size_t)(k * n + l), lk = (size_t)(l * n + k);
                    all[ij * pairs + kl] = all[ij * pairs + lk] = value;
                    all[ji * pairs + kl] = all[ji * pairs + lk] = value;
                }
    molecule_core(mol, core);
    memset(density, 0, pairs * sizeof *density);
    for (int round = 0; round < SERIAL_ROUNDS && fabs(energy - before) > 1e-12; round++) {
        before = energy;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = core[i * n + j];
                for (int k = 0; k < n; k++)
                    for (int l = 0; l < n; l++)
                        sum += density[k * n + l] *
                               (all[(size_t)(i * n + j) * pairs + (size_t)(k * n + l)] -
                                0.5 * all[(size_t)(i * n + k) * pairs + (size_t)(j * n + l)]);
                fock[i * n + j] = sum;
            }
        energy = molecule_energy(mol, core, fock, density);
        molecule_density(mol, fock, density);
    }
    free(core);
    return energy;
}

bool molecule_expected(const molecule_t *mol, double *energy_p)
{
    if (strcmp(mol->kind, "helium") == 0)
        *energy_p = -2.80778396;  // STO-3G, from the literature
    else if (strcmp(mol->kind, "hydrogen") == 0)
        *energy_p = -1.11671433;  // Szabo and Ostlund, 1.4 bohr
    else
        *energy_p = serial_energy(mol);
    return true;
}
