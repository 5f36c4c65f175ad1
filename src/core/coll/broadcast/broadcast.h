// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of broadcast share.
#ifndef CW_CORE_COLL_BROADCAST_H
#define CW_CORE_COLL_BROADCAST_H

#include "core/coll/call.h"

/** Is the dest of this PE to be written, and other than the source of the data? */
bool cw_broadcast_copies(const cw_coll_call_t *c);
/** The number in the map of the root's node. */
int cw_broadcast_root_node(const cw_coll_call_t *c);
/** On several nodes: are the words free by which the root would publish (publish.c)? On one: does
 *  that take less time than loads? The same on all members of a group with scratch. */
bool cw_broadcast_can_publish(const cw_coll_call_t *c);
/** The last part: the message is in the dest of every leader, except on the root's node. Members
 *  load it from there, or from the root. Synchronises at the end. */
void cw_broadcast_within_nodes(const cw_coll_call_t *c);

#endif
