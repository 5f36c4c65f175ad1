// SPDX-License-Identifier: BSD-3-Clause
//
// Memory behind allocated pages, where the network registers chunks. Owners touch whole chunks when
// they allocate, to have them on their NUMA node.
//
// Threads: cw_backing_known: the server's, once; else one at a time, as the allocator.
#ifndef CW_CORE_BACKING_H
#define CW_CORE_BACKING_H

#include <stdbool.h>
#include <stddef.h>

/** Says to the node's PEs whether the network needs memory behind pages. */
void cw_backing_known(bool needed);
/** Backs a block of this PE's heap if needed; fatal without memory. [waits for known] */
void cw_backing_allocated(const void *ptr, size_t nbytes);
/** Must pages for other nodes stay in place? [waits for known] */
bool cw_backing_is_needed(void);
/** A new heap, untouched. */
void cw_backing_reset(void);

#endif
