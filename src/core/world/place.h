// SPDX-License-Identifier: BSD-3-Clause
//
// Where every PE is: from what the bootstrap knows to slots and leaders. Fills the part of cw_world
// that says so; kept until the process ends, because a later epoch has the same placement, but for
// jobs over a part of an MPI's processes.
//
// Tables of many PEs lie in the node object (core/mem/tables.h), once for all PEs of the node:
// where the launcher gives the placement as runs, no PE makes one of its own before. Threads: the
// one that joins.
#ifndef CW_CORE_PLACE_H
#define CW_CORE_PLACE_H

#include "bootstrap/bootstrap.h"

#define CW_PLACE_MANY 1024  // PEs from which on the tables are shared

/** Asks the bootstrap and fills in everything, but for tables that are to be shared. A no-op when
 *  it is filled in already. [waits] */
int cw_place(void);

/** The second half: what concerns cw_world.pe alone. */
int cw_place_self(void);

/** Are the tables of this epoch still to be shared? */
bool cw_place_shares(void);
/** Bytes of the tables of all PEs. */
size_t cw_place_nbytes(void);
/** Writes what the tables say of the PEs [from, end). Other processes may write the same meanwhile.
 */
void cw_place_fill(void *tables, int from, int end);
/** Reads these tables from now on, which stay until the process ends. */
void cw_place_use(void *tables);

#endif
