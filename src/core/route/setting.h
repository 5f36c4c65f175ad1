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

#endif
