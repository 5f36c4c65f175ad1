// SPDX-License-Identifier: BSD-3-Clause
//
// What the tables of a plugin for an MPI have in common (base/mpi/find.h); linked into each plugin,
// not into the library.
#ifndef CW_BASE_MPI_PLUGIN_H
#define CW_BASE_MPI_PLUGIN_H

#include <mpi.h>

#include "base/compiler.h"
#include "base/mpi/facts.h"

/** The processes of the job: MPI_COMM_WORLD, or what the bootstrap has chosen for it. */
extern MPI_Comm cwu_mpi_base CW_HIDDEN;

/** The text of MPI's error, on one line. */
void cwu_mpi_describe(int code, char text[CWU_MPI_TEXT_MAX]) CW_HIDDEN;
/** A communicator over all processes of the job whose errors return, and what is known of the MPI.
 *  MPI_Finalize calls each `ending` before anything else. Collective. */
int cwu_mpi_open_world(void (*ending)(void), MPI_Comm *comm_p, cwu_mpi_facts_t *facts_p) CW_HIDDEN;

/** The progress of windows, too, also for other processes: between begin and end. */
int cwu_mpi_begin_progress(MPI_Request *unending_p) CW_HIDDEN;
int cwu_mpi_progress(MPI_Request unending) CW_HIDDEN;
int cwu_mpi_end_progress(MPI_Request *unending_p) CW_HIDDEN;

/** To be called around the making of a window over `comm`, by all its processes: parts of
 *  MPI_COMM_WORLD that make windows at the same time do so in turns where the MPI needs that.
 *  Returns MPI's code; `*turn_p` is for the end. */
int cwu_mpi_begin_window(MPI_Comm comm, int *turn_p) CW_HIDDEN;
void cwu_mpi_end_window(int turn) CW_HIDDEN;

#endif
