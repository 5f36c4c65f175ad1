// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the MPI that this process has loaded, and the plugin for it. Threads: any.
#ifndef CW_BOOTSTRAP_MPI_FIND_H
#define CW_BOOTSTRAP_MPI_FIND_H

#include "bootstrap/bootstrap.h"
#include "bootstrap/mpi_plugin.h"

/** The plugin for an MPI that is between MPI_Init and MPI_Finalize. CW_ENOENT (not reported): there
 *  is no such MPI; CW_ENOTSUP or CW_ESYS, reported: there is, but no plugin fits or can be
 *  loaded. */
int cwb_mpi_find(const cwb_mpi_plugin_t **plugin_p);

/** Keeps Open MPI 4's component for an external PMIx loaded, if there is one. MPI_Finalize unloads
 *  it, while its thread may still be about to run one of its functions: PMIx does not end with MPI
 *  when this library uses it too. */
void cwb_mpi_keep_pmix_glue(void);

#endif
