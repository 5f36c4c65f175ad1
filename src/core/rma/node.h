// SPDX-License-Identifier: BSD-3-Clause
//
// Control areas of the nodes' objects, read and written by PEs of any node, on the default context.
// cw_node_put is in order with everything else that this PE sends to that node there. It leaves
// nothing for the user's next quiet to do: a caller that needs its completion waits for a reply.
// Blocking: both may wait. Errors: a node that cannot be reached ends the job.
#ifndef CW_CORE_NODE_H
#define CW_CORE_NODE_H

#include <stddef.h>
#include <stdint.h>

/** Reads from the control area of any node's object, this one's included. Acquires what its writer
 *  released. */
void cw_node_read(int node, uint64_t control_offset, void *dest, size_t nbytes);
/** Writes into the control area of another node's object. */
void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes);

#endif
