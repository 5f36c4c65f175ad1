// SPDX-License-Identifier: BSD-3-Clause
//
// Where a network card registers memory, the pages must exist and stay: the node server registers
// data and heaps in chunks, each when another node first uses it (transport/ofi/server/region.c).
// The memory of a page lies where it was first touched, so the owner touches what it allocates,
// whole chunks, before others can use it; the server touches only what no owner had to.
//
// Threads: known: the server's, once. The rest as the allocator: one at a time.
#ifndef CW_CORE_BACKING_H
#define CW_CORE_BACKING_H

#include <stdbool.h>
#include <stddef.h>

/** The server knows the network: does it need memory behind the pages that it reaches? Tells all
 *  PEs of the node. */
void cw_backing_known(bool needed);
/** This PE has allocated a block of its heap: gives it memory if the network needs that. Fatal if
 *  there is none. [waits until the server knows] */
void cw_backing_allocated(const void *ptr, size_t nbytes);
/** Must pages that other nodes use stay where they are? [waits until the server knows] */
bool cw_backing_is_needed(void);
/** A new heap: nothing of it has been touched. */
void cw_backing_reset(void);

#endif
