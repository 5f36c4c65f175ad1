// SPDX-License-Identifier: BSD-3-Clause
//
// How requests between nodes travel in this job. Threads: written at init, read by any.
#ifndef CW_CORE_ROUTE_SETTING_H
#define CW_CORE_ROUTE_SETTING_H

#include "core/route/topology.h"

typedef struct cw_route_setting {
    const cw_topology_t *topology;  // NULL: straight to the target's node
    size_t buffer_nbytes;           // of each buffer of an edge,
    uint32_t nbuffers;              // and how many each PE of a neighbour has
} cw_route_setting_t;

extern cw_route_setting_t cw_route;

/** Fills in cw_route from the settings, and what nodes must agree on (core/world/agreement.h).
 *  Before the node object is laid out. CW_EINVAL: reported. */
int cw_route_choose(uint32_t nnodes, uint32_t npes);
/** When the provider is known: may a server open a client of its own beside? CW_ENOTSUP: not where
 *  a topology is on; reported. */
int cw_route_allowed(bool one_client);

#endif
