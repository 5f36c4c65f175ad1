// SPDX-License-Identifier: BSD-3-Clause
//
// Large pages (2 MiB) behind large blocks of the node object: a first touch takes a tenth of the
// time, and random accesses miss the processor's table of pages less often. The owner asks for
// them where it allocates, since the pages of a block are its to touch first.
//
// Threads: as the allocator whose blocks they are: one at a time.
#ifndef CW_CORE_LARGE_H
#define CW_CORE_LARGE_H

#include <stdbool.h>
#include <stddef.h>

/** The pages that may be large, of one allocator: one range, so that the kernel has not a mapping
 *  for each block. */
typedef struct cw_large {
    char *from, *end;  // NULL: none so far
} cw_large_t;

/** Is CAUSEWAY_HUGEPAGES set to this? */
bool cw_large_is(const char *setting);
/** A block was allocated: where it fills whole large pages, they may be large, and those between
 *  such blocks too; with CAUSEWAY_HUGEPAGES=2M they are, at once. */
void cw_large_allocated(cw_large_t *large, const void *ptr, size_t nbytes);
/** A range was reserved that may be larger than what is used of it, such as a segment of GASNet:
 *  its pages may be large, and are made so by no setting. */
void cw_large_reserved(const void *ptr, size_t nbytes);

#endif
