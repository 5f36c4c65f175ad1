// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks that each PE allocates from an area as it needs them, without the other PEs. Those of a
// whole page or more give their pages back when they are freed; a few MiB of small ones wait, and
// keep their pages if they are allocated again soon. The PEs of a node count together what they
// have allocated, so that a request beyond the machine's memory is refused instead of ending a PE.
//
// Threads: alloc and release from any; open and close from one. Blocking: never.
#ifndef CW_CORE_BLOCKS_H
#define CW_CORE_BLOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mem/arena.h"
#include "core/mem/large.h"

enum { CW_BLOCKS_WAITING = 16 };
/** Freed memory that still has pages. */
typedef struct cw_waiting_block {
    char *begin;
    size_t nbytes;
} cw_waiting_block_t;

typedef struct cw_blocks {
    cw_arena_t arena;
    cw_large_t large;
    pthread_mutex_t lock;    // guards all but used and most
    _Atomic uint64_t *used;  // bytes of all PEs of the node, in blocks
    uint64_t most;           // of them; 0: not known
    uint64_t mine;           // of them, of this PE
    cw_waiting_block_t waiting[CW_BLOCKS_WAITING];
    size_t nwaiting, waiting_nbytes;
} cw_blocks_t;

/** used: a word that all PEs of the node share, 0 at first, for these blocks alone. 0,
 *  CW_EINVAL or CW_ENOMEM. */
int cw_blocks_open(cw_blocks_t *blocks, void *area, size_t nbytes, _Atomic uint64_t *used);
/** Releases all. */
void cw_blocks_close(cw_blocks_t *blocks);
/** On a cache line. NULL: nbytes is 0, or there is no memory for it. */
void *cw_blocks_alloc(cw_blocks_t *blocks, size_t nbytes);
/** Where the network holds memory by chunks: those that lie whole in a block, the first one's
 *  number << 32 | how many; 0: none, or no block. Clients release them (cw_release_chunks) while
 *  the block is in use, but not used any more. [as release] */
uint64_t cw_blocks_chunks(cw_blocks_t *blocks, void *ptr);
/** False: not the start of a block in use. Pages go back to the system, soon, unless the network
 *  holds them: [the first waits until the node server knows that] */
bool cw_blocks_release(cw_blocks_t *blocks, void *ptr);

#endif
