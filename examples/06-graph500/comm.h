// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of the program, in two versions: comm_shmem.c needs OpenSHMEM alone, comm_mpi.c
// calls MPI. Puts and atomics are OpenSHMEM's in both. Link one of them.
#ifndef COMM_H
#define COMM_H

#include <stdint.h>

// Initialises both libraries, if there are two. A PE has the same number in either.
void comm_init(int *argc, char ***argv);
void comm_finalize(void);

// Completes this PE's puts and atomics at their targets, then waits for all PEs.
void comm_barrier(void);

// Reductions over all PEs; every PE gets the result.
int64_t comm_sum(int64_t mine);
int64_t comm_max(int64_t mine);
double comm_slowest(double seconds);

// Word i goes to PE i, in[i] comes from PE i. out and in have one word per PE.
void comm_alltoall(int64_t *in, const int64_t *out);

#endif
