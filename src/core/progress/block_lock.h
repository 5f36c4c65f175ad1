// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of the node object's memory by blocks: who reads, changes and writes back what no
// instruction of the processor does at once, takes the lock of the block that it lies in. One table
// a node, for all of its PEs and its server; blocks share locks by a hash. What the network writes
// and single atomics are not held back.
//
// One lock at a time, for as long as the work on a block takes, never across a wait. Threads: any.
// Blocking: spins briefly, then sleeps.
#ifndef CW_CORE_BLOCK_LOCK_H
#define CW_CORE_BLOCK_LOCK_H

#include "base/compiler.h"
#include "base/lock.h"
#include "core/mem/segment.h"

#define CW_BLOCK_SHIFT 13u
#define CW_BLOCK_NBYTES (UINT64_C(1) << CW_BLOCK_SHIFT)
#define CW_BLOCK_LOCKS_SHIFT 8u

typedef struct cw_block_lock {
    cwu_lock_t lock;  // guards the blocks of that hash
} CW_CACHE_ALIGNED cw_block_lock_t;
_Static_assert(sizeof(cw_block_lock_t) == 64, "one cache line, shared between processes");

/** The table, in the node object. */
extern cw_section_t cw_block_section;

/** The lock of the block of that offset in the node object. */
static inline cwu_lock_t *cw_block_lock(uint64_t offset)
{
    // neighbours, and blocks at any one distance, come to different locks
    uint64_t which =
        (offset >> CW_BLOCK_SHIFT) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CW_BLOCK_LOCKS_SHIFT);
    return &((cw_block_lock_t *)(void *)(cw_segment.base + cw_block_section.offset))[which].lock;
}

/** cwu_lock between processes: looks whether the others live while it waits. */
void cw_block_lock_take(cwu_lock_t *lock);

#endif
