// SPDX-License-Identifier: BSD-3-Clause
//
// Large pages (2 MiB) in large blocks of the node object, for faster first touches and random
// accesses; owners ask where they allocate. Threads: as the allocator.
#ifndef CW_CORE_LARGE_H
#define CW_CORE_LARGE_H

#include <stdbool.h>
#include <stddef.h>

/** Pages of an allocator that may be large, as one range: each costs the kernel a mapping. */
typedef struct cw_large {
    char *from, *end;  // NULL: none
} cw_large_t;

/** Is CAUSEWAY_HUGEPAGES set to this? */
bool cw_large_is(const char *setting);
/** Whole large pages in a new block, and between such blocks, may be large; with
 *  CAUSEWAY_HUGEPAGES=2M those in it become large now. */
void cw_large_allocated(cw_large_t *large, const void *ptr, size_t nbytes);
/** As above for a range of which little may be used (GASNet's segment): none becomes large now. */
void cw_large_reserved(const void *ptr, size_t nbytes);

#endif
