// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI of this process and its plugin. The library links no MPI: the site's is found in the
// process, or loaded where a program has none and its launcher is that of an MPI. What depends on
// mpi.h is in a plugin for each family (mpi-FAMILY.so), which has a table of functions for each
// room that uses one (bootstrap/mpi_plugin.h, transport/mpi/plugin.h).
// Threads: any, but for start and end. Errors: 0 or CW_E…, reported where not said otherwise.
#ifndef CW_BASE_MPI_FIND_H
#define CW_BASE_MPI_FIND_H

#include <stdbool.h>
#include <stdint.h>

/** What each table of a plugin begins with. */
typedef struct cwu_mpi_table {
    uint32_t version;
} cwu_mpi_table_t;

/** True when an MPI library is part of this process, initialised or not. It may use the launcher at
 *  any time. */
bool cwu_mpi_is_loaded(void);
/** True between MPI_Init and MPI_Finalize of this process. */
bool cwu_mpi_is_live(void);
/** The thread level of such an MPI, in MPI's order: 0 (single) to 3 (multiple). 0 without one. */
int cwu_mpi_thread_level(void);

/** Initialises the MPI that the program is linked with, or that CAUSEWAY_MPI_LIBRARY names, or that
 *  of the launcher, with MPI_THREAD_MULTIPLE; cwu_mpi_end_own finalises it. CW_ENOENT (not
 *  reported): no launcher of an MPI has started this process. In the program's first thread.
 *  Collective over the launcher's processes. */
int cwu_mpi_start(void);
/** Initialises the MPI that the program is linked with, with that thread level of MPI's, for call;
 *  cwu_mpi_end_own finalises it. CW_ENOENT (not reported): the program has no MPI, or has
 *  initialised it, finalised or not. In the program's first thread. Collective, as above. */
int cwu_mpi_start_linked(int level, const char *call);
/** True when one of these two has initialised the MPI of this process. */
bool cwu_mpi_is_own(void);
/** Finalises what these two have initialised, unless the program did. */
void cwu_mpi_end_own(void);
/** Calls MPI_Finalize for a program that ends without doing so. Does nothing in a thread other than
 *  the one that called MPI_Init, and while MPI is in use. */
void cwu_mpi_end(void);
/** MPI connects the nodes from now on, or does so no more. A process that is ended in the middle of
 *  the job has not left it, and others will not come to MPI_Finalize. */
void cwu_mpi_use(bool uses);

/** That table of the plugin for an MPI that is between MPI_Init and MPI_Finalize. CW_ENOENT (not
 *  reported): there is no such MPI; CW_ENOTSUP, CW_ESYS or CW_EMISMATCH: there is, but no plugin
 *  fits or can be loaded. */
int cwu_mpi_plugin(const char *symbol, uint32_t version, const void **table_p);

/** Keeps Open MPI 4's component for an external PMIx loaded, if there is one. MPI_Finalize unloads
 *  it, while its thread may still be about to run one of its functions: PMIx does not end with MPI
 *  when this library uses it too. */
void cwu_mpi_keep_pmix_glue(void);

#endif
