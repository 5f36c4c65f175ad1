// SPDX-License-Identifier: BSD-3-Clause
//
// Which MPI has this process loaded, and the plugin that speaks with it. Threads: any.
#ifndef CW_BOOTSTRAP_MPI_FIND_H
#define CW_BOOTSTRAP_MPI_FIND_H

#include "bootstrap/bootstrap.h"
#include "bootstrap/mpi_plugin.h"

/** The plugin for an MPI that is between MPI_Init and MPI_Finalize. CW_ENOENT (not reported): there is no such MPI;
 *  CW_ENOTSUP or CW_ESYS, reported: there is, but no plugin fits or can be loaded. */
int cwb_mpi_find(const cwb_mpi_plugin_t **plugin_p);

#endif
