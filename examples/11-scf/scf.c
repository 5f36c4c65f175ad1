// SPDX-License-Identifier: BSD-3-Clause
//
// Restricted Hartree-Fock for atoms with s functions, over ARMCI: processes draw pairs of functions
// from a shared counter and accumulate into a distributed Fock matrix. See README.md.
#define _POSIX_C_SOURCE 200809L
#include <armci.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../number.h"
#include "molecule.h"

enum { ROUNDS = 200 };
static const double converged = 1e-10;  // hartree, between two rounds

static int me, nprocs;

/** An n x n matrix in whole rows: process p has rows first_row(p) .. first_row(p + 1) - 1. */
typedef struct shared_matrix {
    void **rows;  // [nprocs]
} shared_matrix_t;

static int first_row(int proc, int n)
{
    return (int)((long)n * proc / nprocs);
}

static void create(shared_matrix_t *m, int n)
{
    armci_size_t nbytes =
        (armci_size_t)(first_row(me + 1, n) - first_row(me, n)) * n * (armci_size_t)sizeof(double);
    m->rows = malloc((size_t)nprocs * sizeof *m->rows);
    if (!m->rows || ARMCI_Malloc(m->rows, nbytes) != 0)
        ARMCI_Error("no memory for a matrix", 1);
}

static void destroy(shared_matrix_t *m)
{
    ARMCI_Free(m->rows[me]);
    free(m->rows);
}

static void clear(const shared_matrix_t *m, int n)
{
    size_t nrows = (size_t)(first_row(me + 1, n) - first_row(me, n));
    if (nrows)
        memset(m->rows[me], 0, nrows * (size_t)n * sizeof(double));
    ARMCI_Barrier();
}

static void read_all(const shared_matrix_t *m, int n, double *all)
{
    for (int proc = 0; proc < nprocs; proc++) {
        int first = first_row(proc, n), nrows = first_row(proc + 1, n) - first;
        if (nrows)
            ARMCI_Get(m->rows[proc], all + (size_t)first * (size_t)n,
                      (armci_size_t)nrows * n * (armci_size_t)sizeof(double), proc);
    }
}

static void add_row(const shared_matrix_t *m, int n, int row, double *values)
{
    double one = 1.0;
    int proc = 0;
    while (row >= first_row(proc + 1, n))
        proc++;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, values,
              (double *)m->rows[proc] + (size_t)(row - first_row(proc, n)) * (size_t)n,
              n * (armci_size_t)sizeof(double), proc);
}

// ---------------------------------------------------------------- the Fock matrix
/** The two-electron part of one task: what all integrals (ij|kl) of a pair i, j add to row i. */
static void two_electron(const molecule_t *mol, int i, int j, const double *density, double *row)
{
    int n = mol->n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double integral = molecule_repulsion(mol, i, j, k, l);
            row[j] += density[k * n + l] * integral;        // Coulomb
            row[k] -= 0.5 * density[j * n + l] * integral;  // exchange
        }
}

static void build_fock(const molecule_t *mol, const double *density, const shared_matrix_t *fock,
                       void **counter, int *tasks_p)
{
    int n = mol->n;
    double *row = ARMCI_Malloc_local((armci_size_t)((size_t)n * sizeof *row));
    if (!row)
        ARMCI_Error("no memory for a row of the Fock matrix", 1);
    clear(fock, n);
    long task = 0;
    while (ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, counter[0], 1, 0), task < (long)n * n) {
        two_electron(mol, (int)(task / n), (int)(task % n), density, row);
        add_row(fock, n, (int)(task / n), row);
        ++*tasks_p;
    }
    ARMCI_Barrier();
    if (me == 0)
        *(long *)counter[0] = 0;
    ARMCI_Free_local(row);
}

// ---------------------------------------------------------------- the iteration
typedef struct outcome {
    double energy;
    int rounds, tasks;
} outcome_t;

/** Repeats until the energy stays: every process solves the same small eigenvalue problem, and the
 *  integrals, which are the work, are shared. */
static outcome_t iterate(const molecule_t *mol, void **counter)
{
    int n = mol->n;
    size_t elements = (size_t)n * (size_t)n;
    double *core = malloc(4 * elements * sizeof *core), *density = core + elements,
           *full = density + elements, *two = full + elements;
    shared_matrix_t fock;
    outcome_t out = {0};
    double before = 0;
    create(&fock, n);
    molecule_core(mol, core);
    memset(density, 0, elements * sizeof *density);
    for (out.rounds = 1; out.rounds <= ROUNDS; out.rounds++) {
        build_fock(mol, density, &fock, counter, &out.tasks);
        read_all(&fock, n, two);
        for (size_t i = 0; i < elements; i++)
            full[i] = core[i] + two[i];
        out.energy = molecule_energy(mol, core, full, density);
        if (out.rounds > 2 && fabs(out.energy - before) < converged)
            break;
        before = out.energy;
        ARMCI_Barrier();  // all have read the matrix
        molecule_density(mol, full, density);
    }
    destroy(&fock);
    free(core);
    return out;
}

static int parse(int argc, char **argv, int *atoms_p, const char **kind_p)
{
    int option;
    while ((option = getopt(argc, argv, "n:m:h")) != -1) {
        if (option == 'n')
            *atoms_p = (int)whole_number(optarg, 1, MOLECULE_MOST);
        else if (option == 'm')
            *kind_p = optarg;
        else
            return 0;
    }
    return *atoms_p > 0 && optind == argc;
}

static int run(const char *kind, int atoms)
{
    molecule_t mol;
    double expected, seconds;
    void **counter = malloc((size_t)nprocs * sizeof *counter);
    if (!molecule_make(&mol, kind, atoms) || !counter)
        return 2;
    if (ARMCI_Malloc(counter, me == 0 ? sizeof(long) : 0) != 0)
        ARMCI_Error("no memory for the counter", 1);
    if (me == 0)
        *(long *)counter[0] = 0;
    ARMCI_Barrier();
    seconds = armci_timer();
    outcome_t out = iterate(&mol, counter);
    seconds = armci_timer() - seconds;
    printf("process %d: %d tasks in %d rounds\n", me, out.tasks, out.rounds);
    fflush(stdout);
    armci_msg_barrier();
    int good = out.rounds <= ROUNDS && molecule_expected(&mol, &expected) &&
               fabs(out.energy - expected) < mol.tolerance;
    if (me == 0 && !good)
        printf("FAILED: energy %.9f after %d rounds, expected %.9f\n", out.energy, out.rounds,
               expected);
    if (me == 0)
        printf("RESULT program=scf pes=%d verified=%s seconds=%.6f rate=%.6f unit=Mintegral/s "
               "energy=%.8f rounds=%d\n",
               nprocs, good ? "yes" : "no", seconds, 1e-6 * pow(mol.n, 4) * out.rounds / seconds,
               out.energy, out.rounds);
    ARMCI_Free(counter[me]);
    free(counter);
    return !good;
}

int main(int argc, char **argv)
{
    int atoms = 10;
    const char *kind = "chain";
    ARMCI_Init();
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    int status = parse(argc, argv, &atoms, &kind) ? run(kind, atoms) : 2;
    if (status == 2 && me == 0)
        fprintf(stderr,
                "usage: scf [-m helium|hydrogen|chain] [-n atoms of the chain, even, at most "
                "%d]\n",
                MOLECULE_MOST);
    ARMCI_Finalize();
    return status;
}
