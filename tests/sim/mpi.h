// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated MPI (mpi.c), for scenes with SIM_MPI in the environment of their PEs.
#ifndef SIM_MPI_H
#define SIM_MPI_H

#include <stdbool.h>

bool sim_mpi_is_there(void);
/** The handle of its plugin, if that is the path of one. */
void *sim_mpi_open(const char *path);
/** A function of it, or NULL; handle NULL: of the program. */
void *sim_mpi_symbol(void *handle, const char *name);

#endif
