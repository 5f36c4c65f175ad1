// SPDX-License-Identifier: BSD-3-Clause
//
// What the collectives (and others in core) know of nodes: areas in the node object and puts to another node's
// control area. cw_node_put is in order with everything else this PE sends to that node on the default context and
// may wait. It leaves nothing for the user's next quiet to do: whoever needs its completion waits for an answer.
#ifndef CW_CORE_NODE_H
#define CW_CORE_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "core/coll/area.h"

/** This node's collective area, mapped here. */
cw_coll_area_t *cw_coll_local_area(void);
/** Its offset in the node object: the same on every node as far as the inter-node words go. */
uint64_t cw_coll_area_offset(void);
/** Symmetric scratch of CW_COLL_SCRATCH bytes in my slice. */
void *cw_coll_scratch(void);
/** Writes into the control area of another node's object. */
void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes);

#endif
