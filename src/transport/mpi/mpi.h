// SPDX-License-Identifier: BSD-3-Clause
//
// The door of the MPI transport: what the table of transports takes from it.
#ifndef CWT_MPI_MPI_H
#define CWT_MPI_MPI_H

#include "transport/transport.h"

extern const cwt_ops_t cwt_mpi;
/** cwt_describe for this transport. */
int mpw_describe(void (*line)(const char *text));

#endif
