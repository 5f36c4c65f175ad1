// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of blocks of the node object, for changes that no single instruction makes. One table a
// node, for its PEs and its server; blocks share locks by a hash. The network's writes and single
// atomics take none. One lock at a time, never across a wait. Threads: any. Blocking: spins
// briefly, then sleeps.
#ifndef CW_CORE_BLOCK_LOCK_H
#define CW_CORE_BLOCK_LOCK_H

#include "base/compiler.h"
#include "base/lock.h"
#include "core/mem/segment.h"

#define CW_BLOCK_SHIFT 13u
#define CW_BLOCK_NBYTES (UINT64_C(1) << CW_BLOCK_SHIFT)
#define CW_BLOCK_LOCKS_SHIFT 8u

typedef struct cw_block_lock {
    cwu_lock_t lock;  // guards the blocks of its hash
} CW_CACHE_ALIGNED cw_block_lock_t;
_Static_assert(sizeof(cw_block_lock_t) == 64, "one cache line, shared between processes");

extern cw_section_t cw_block_section;

/** offset: in the node object. */
static inline cwu_lock_t *cw_block_lock(uint64_t offset)
{
    // neighbours, and blocks at any one distance, get different locks
    uint64_t which =
        (offset >> CW_BLOCK_SHIFT) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CW_BLOCK_LOCKS_SHIFT);
    return &((cw_block_lock_t *)(void *)(cw_segment.base + cw_block_section.offset))[which].lock;
}

/** Looks whether other processes live while it waits. */
void cw_block_lock_take(cwu_lock_t *lock);

#endif
