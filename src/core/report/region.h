// SPDX-License-Identifier: BSD-3-Clause
//
// This PE's own record (core/report/record.h), for statistics and trace. Threads: opened and closed
// by the thread that joins and leaves.
#ifndef CW_CORE_REGION_H
#define CW_CORE_REGION_H

#include "core/report/record.h"

extern cw_view_t cw_mine;

/** For each of its users. CW_ENOMEM: reported. */
int cw_region_open(void);
void cw_region_close(void);

/** Nodes to which the default context has a connection. */
int cw_nodes_touched(void);
/** Brings the figures of other rooms up to date. */
void cw_figures_take(void);

#endif
