// SPDX-License-Identifier: BSD-3-Clause
//
// Where every PE is: from the bootstrap's node numbers to slots and leaders. Fills the part of
// cw_world that says so; kept until the process ends, because a later epoch has the same
// placement, but for jobs over a part of an MPI's processes. Threads: the one that joins.
#ifndef CW_CORE_PLACE_H
#define CW_CORE_PLACE_H

#include "bootstrap/bootstrap.h"

/** Asks the bootstrap and fills in everything. A no-op when it is filled in already. [waits] */
int cw_place(void);

/** The second half, from the tables of all PEs to what concerns cw_world.pe alone. */
int cw_place_self(void);

#endif
