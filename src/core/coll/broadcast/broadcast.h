// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of broadcast share.
#ifndef CW_CORE_COLL_BROADCAST_H
#define CW_CORE_COLL_BROADCAST_H

#include "core/coll/call.h"

/** Is this PE's dest to be written, and not the source of the data? */
bool cw_broadcast_copies(const cw_coll_call_t *c);
/** The number of the root's node in the map. */
int cw_broadcast_root_node(const cw_coll_call_t *c);
/** Several nodes: are the root's words free (publish.c)? One node: is it faster than loads? The
 *  same on all members of a group with scratch. */
bool cw_broadcast_can_publish(const cw_coll_call_t *c);
/** Last: members load from their leader's dest, on the root's node from the root. Synchronises at
 *  the end. */
void cw_broadcast_within_nodes(const cw_coll_call_t *c);

#endif
