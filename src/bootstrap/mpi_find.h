// SPDX-License-Identifier: BSD-3-Clause
//
// Which MPI has this process loaded, and the plugin that speaks with it. Threads: any.
#ifndef CW_BOOTSTRAP_MPI_FIND_H
#define CW_BOOTSTRAP_MPI_FIND_H

#include "bootstrap/bootstrap.h"
#include "bootstrap/mpi_plugin.h"

/** The plugin for an MPI that is between MPI_Init and MPI_Finalize. CW_ENOENT (not reported): there
 *  is no such MPI; CW_ENOTSUP or CW_ESYS, reported: there is, but no plugin fits or can be
 *  loaded. */
int cwb_mpi_find(const cwb_mpi_plugin_t **plugin_p);

/** Open MPI 4 speaks with an external PMIx through a component that MPI_Finalize unloads. Its own
 *  thread may still be about to run a function of it, unless PMIx ended with MPI, which it does not
 *  where we use it too: keeps the component loaded. Where there is none, nothing happens. */
void cwb_mpi_keep_pmix_glue(void);

#endif
