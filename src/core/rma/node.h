// SPDX-License-Identifier: BSD-3-Clause
//
// What the collectives (and others in core) know of nodes: areas in the node object and puts to
// another node's control area. cw_node_put is in order with everything else this PE sends to that
// node on the default context and may wait. It leaves nothing for the user's next quiet to do:
// whoever needs its completion waits for an answer.
#ifndef CW_CORE_NODE_H
#define CW_CORE_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "core/sync/area.h"

/** This node's collective area, mapped here. */
cw_coll_area_t *cw_coll_local_area(void);
/** Its offset in the node object: the same on every node as far as the inter-node words go. */
uint64_t cw_coll_area_offset(void);
/** Offset of the rounds of team `id` in which the PE in that slot is told, as leader of its node:
 *  the same on every node. */
uint64_t cw_team_rounds_offset(int slot, int id);
/** The same of this node, mapped here. */
char *cw_team_rounds(int slot, int id);
/** Symmetric scratch in my slice. */
cw_coll_scratch_t *cw_coll_scratch(void);
/** Reads from the control area of any node's object, this one's included. Acquires what its writer
 *  released. */
void cw_node_read(int node, uint64_t control_offset, void *dest, size_t nbytes);
/** Writes into the control area of another node's object. */
void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes);

#endif
