// SPDX-License-Identifier: BSD-3-Clause
//
// Teams and MPI communicators of the same processes. Handles of communicators come as addresses,
// with the size that the program's mpi.h gives them. Every failure has been reported, but the lack
// of a free team number or of memory.
// Threads: the caller's, so it must be one that may call MPI.
#ifndef CW_CORE_MPI_H
#define CW_CORE_MPI_H

#include "core/sync/group.h"

/** The team of a communicator's processes, in the order of their ranks; NULL for MPI_COMM_NULL.
 *  Collective over the communicator. [waits] */
int cw_mpi_team(const void *comm, size_t comm_nbytes, const cw_group_t **team_p);
/** Are these different PEs of the job? */
bool cw_pes_are_distinct(const int *pes, int n);
/** The communicator of a team's PEs, in the order of their ranks; MPI_COMM_NULL when it fails.
 *  Collective over the team. [waits] */
int cw_mpi_comm(const cw_group_t *team, void *comm_p, size_t comm_nbytes);

/** Between MPI_Init and MPI_Finalize? */
bool cw_mpi_is_live(void);
/** The end of a program that has not called MPI_Finalize. Collective over all of MPI. [waits] */
void cw_mpi_end(void);

#endif
