// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of GASNet-1 share: src/gasnet_job has everything but the parts of attaching.
#ifndef GAS1_GAS1_H
#define GAS1_GAS1_H

#include "core/am/am.h"
#include "gasnet_job/gas.h"

enum { GAS1_AM_CLIENT = 0 };  // number of this client of messages (core/am/am.h)
_Static_assert(GAS1_AM_CLIENT < CW_AM_CLIENTS, "a table of handlers");

/** GASNET_OK, or GASNET_ERR_BAD_ARG, which is reported. */
int gas1_check_table(const gasnet_handlerentry_t *table, int numentries);
void gas1_register_handlers(gasnet_handlerentry_t *table, int numentries);
/** While attaching. */
void gas1_barrier_open(void);

#endif
