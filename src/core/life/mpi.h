// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM teams and MPI communicators of the same processes, and the end of MPI. Handles of
// communicators are passed by address, with the size that the program's mpi.h gives them, or 0
// where they came in a register, whose first bytes they are. Calls
// return 0 or CW_E…; every failure has been reported but the lack of a free team number or of
// memory.
// Threads: the caller's, which must be one that may call MPI.
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

/** Frees what cw_mpi_comm made, unless MPI is finalised. Collective over the team. [waits] */
void cw_mpi_free(void *comm_p);
/** MPI_INFO_NULL, as it passes in a register. */
int cw_mpi_no_info(void **info_p);
/** The job that is joined next consists of the communicator's processes, in the order of their
 *  ranks; comm lives until then. If a job has been joined, it must be that one. 0, or CW_E…,
 *  reported (call names it). Collective over the communicator. [waits] */
int cw_mpi_choose(const char *call, const void *comm, size_t comm_nbytes);

/** Initialises the MPI that the program is linked with, unless the program has, for a front end
 *  whose reference does so: with that thread level, before it joins the job. Does nothing under
 *  oshrun, whose processes MPI takes for jobs of their own. It is finalised when the process ends,
 *  or by cw_mpi_end_started. 0, or CW_E…, reported. Collective. [waits] */
int cw_mpi_start(const char *call, int thread_level);
/** Finalises what cw_mpi_start has initialised, if the job is left. [waits] */
void cw_mpi_end_started(void);

/** Is MPI initialised, and not finalised? */
bool cw_mpi_is_live(void);
/** The thread level for a program that names none when it joins: that of its MPI. In a job that has
 *  been joined already, and without an MPI, CW_THREAD_SINGLE. */
int cw_mpi_thread_level(void);
/** Does MPI connect the nodes of this job? Then it is finalised after the job is left. */
bool cw_mpi_is_road(void);
/** Finalises MPI for a program that does not. Collective over MPI_COMM_WORLD. [waits] */
void cw_mpi_end(void);

#endif
