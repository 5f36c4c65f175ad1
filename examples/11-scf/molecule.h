// SPDX-License-Identifier: BSD-3-Clause
//
// A molecule of atoms with one s function each (STO-3G), its integrals in closed form, and the
// steps of Hartree-Fock that are small. Atomic units. No communication.
#ifndef MOLECULE_H
#define MOLECULE_H

#include <stdbool.h>

enum { MOLECULE_MOST = 40, MOLECULE_PRIMITIVES = 3 };

typedef struct molecule {
    int n;          // atoms, and functions
    int electrons;  // even
    const char *kind;
    double tolerance;             // hartree, of the expected energy
    double at[MOLECULE_MOST][3];  // bohr
    double charge[MOLECULE_MOST];
    double exponent[MOLECULE_MOST][MOLECULE_PRIMITIVES];
    double factor[MOLECULE_MOST][MOLECULE_PRIMITIVES];  // normalised
} molecule_t;

/** kind: "helium", "hydrogen" (two atoms at 1.4 bohr), "chain" (n hydrogen atoms, even, in
 *  pairs, along a line that is bent a little). */
bool molecule_make(molecule_t *mol, const char *kind, int n);
/** (ij|kl): repulsion of two pairs of functions. */
double molecule_repulsion(const molecule_t *mol, int i, int j, int k, int l);
/** Kinetic energy and attraction of the nuclei: [n * n]. */
void molecule_core(const molecule_t *mol, double *core);
/** Of all electrons and nuclei. */
double molecule_energy(const molecule_t *mol, const double *core, const double *fock,
                       const double *density);
/** The density of the lowest orbitals of a Fock matrix. */
void molecule_density(const molecule_t *mol, const double *fock, double *density);
/** Literature's energy, or for a chain that of the same method in one loop. */
bool molecule_expected(const molecule_t *mol, double *energy_p);

#endif
