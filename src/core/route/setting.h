// SPDX-License-Identifier: BSD-3-Clause
//
// How requests between nodes travel in this job. Threads: written at init, read by any.
#ifndef CW_CORE_ROUTE_SETTING_H
#define CW_CORE_ROUTE_SETTING_H

#include "core/route/topology.h"

typedef struct cw_route_setting {
    const cw_topology_t *topology;  // NULL: straight to the target's node
    size_t buffer_nbytes;           // of each of an edge's buffers
    uint32_t nbuffers;              // of each PE of a neighbour
} cw_route_setting_t;

extern cw_route_setting_t cw_route;

/** Sets cw_route and what nodes must agree on (core/world/agreement.h), before the node object is
 *  laid out. CW_EINVAL: reported. */
int cw_route_choose(uint32_t nnodes, uint32_t npes);
/** When the provider is known. CW_ENOTSUP: a topology needs a second client in the server;
 *  reported. */
int cw_route_allowed(bool one_client);

#endif
