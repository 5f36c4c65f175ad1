// SPDX-License-Identifier: BSD-3-Clause
//
// Where every PE is: fills in that part of cw_world. Kept until the process ends, since later
// epochs have the same placement, but for jobs over a part of an MPI's processes. Tables of many
// PEs lie in the node object (core/mem/tables.h). Threads: the one that joins.
#ifndef CW_CORE_PLACE_H
#define CW_CORE_PLACE_H

#include "bootstrap/bootstrap.h"

#define CW_PLACE_MANY 1024  // PEs from which on tables are shared

/** All but tables that are to be shared; a no-op when filled in. [waits] */
int cw_place(void);

/** What concerns cw_world.pe alone. */
int cw_place_self(void);

/** Are this epoch's tables still to be shared? */
bool cw_place_shares(void);
/** Of the tables of all PEs. */
size_t cw_place_nbytes(void);
/** Of the PEs [from, end). Other processes may write the same meanwhile. */
void cw_place_fill(void *tables, int from, int end);
/** Reads these from now on. */
void cw_place_use(void *tables);

#endif
