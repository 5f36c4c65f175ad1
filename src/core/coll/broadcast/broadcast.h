// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of broadcast share.
#ifndef CW_CORE_COLL_BROADCAST_H
#define CW_CORE_COLL_BROADCAST_H

#include "core/coll/call.h"

/** Is my dest to be written, and not what the data comes from? */
bool cw_broadcast_copies(const cw_coll_call_t *c);
/** Number, in the map, of the node that the root is on. */
int cw_broadcast_root_node(const cw_coll_call_t *c);
/** The last part between nodes: the message is in the dest of every leader but that of the root's
 *  node. Members load it from there, or from the root; synchronises at the end. */
void cw_broadcast_within_nodes(const cw_coll_call_t *c);

#endif
