// SPDX-License-Identifier: BSD-3-Clause
//
// Teams and communicators of the same processes, and the end of MPI. Communicators are passed by
// address, with their size in the program's mpi.h, or 0 for the first bytes of a register. Calls
// return 0 or CW_E…, reported but for the lack of team numbers or memory. Threads: one that may
// call MPI.
#ifndef CW_CORE_MPI_H
#define CW_CORE_MPI_H

#include "core/sync/group.h"

/** Of a communicator's processes, in order; NULL for MPI_COMM_NULL. Collective over the
 *  communicator. [waits] */
int cw_mpi_team(const void *comm, size_t comm_nbytes, const cw_group_t **team_p);
/** Are they different PEs of this job? */
bool cw_pes_are_distinct(const int *pes, int n);
/** Of a team's PEs, in order; MPI_COMM_NULL on failure. Collective over the team. [waits] */
int cw_mpi_comm(const cw_group_t *team, void *comm_p, size_t comm_nbytes);

/** What cw_mpi_comm made, unless MPI is finalised. Collective over the team. [waits] */
void cw_mpi_free(void *comm_p);
/** MPI_INFO_NULL, as it passes in a register. */
int cw_mpi_no_info(void **info_p);
/** The next job consists of the communicator's processes, in order; comm lives until then. A job
 *  that has been joined must be that one. Collective over the communicator. [waits] */
int cw_mpi_choose(const char *call, const void *comm, size_t comm_nbytes);

/** Initialises the program's MPI, unless the program has; before joining, for front ends whose
 *  reference does so. Not under oshrun, whose processes MPI takes for jobs of their own. Finalised
 *  at the end of the process, or by cw_mpi_end_started. Collective. [waits] */
int cw_mpi_start(const char *call, int thread_level);
/** Finalises that, if the job is left. [waits] */
void cw_mpi_end_started(void);

/** Initialised, and not finalised? */
bool cw_mpi_is_live(void);
/** For a program that names none when it joins: its MPI's; without MPI, or after joining,
 *  CW_THREAD_SINGLE. */
int cw_mpi_thread_level(void);
/** Does MPI connect this job's nodes? Then it is finalised after the job is left. */
bool cw_mpi_is_road(void);
/** For a program that does not finalise MPI. Collective over MPI_COMM_WORLD. [waits] */
void cw_mpi_end(void);

#endif
