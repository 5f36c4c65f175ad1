// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks that a PE allocates from an area by itself; all of a node fit the machine's memory. Freed
// ones of a page or more give their pages back, small ones later.
//
// Threads: alloc, chunks and release any, others one. Blocking: the lock, and [waits].
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
    _Atomic uint64_t *used;  // bytes in blocks of all PEs of the node
    uint64_t most;           // limit of *used; 0: not known
    uint64_t mine;           // share of this PE in *used
    cw_waiting_block_t waiting[CW_BLOCKS_WAITING];
    size_t nwaiting, waiting_nbytes;
} cw_blocks_t;

/** used: a word for these blocks alone, which the node's PEs share, 0 at first. 0, CW_EINVAL or
 *  CW_ENOMEM. */
int cw_blocks_open(cw_blocks_t *blocks, void *area, size_t nbytes, _Atomic uint64_t *used);
void cw_blocks_close(cw_blocks_t *blocks);
/** On a cache line. NULL: nbytes is 0, or no room. */
void *cw_blocks_alloc(cw_blocks_t *blocks, size_t nbytes);
/** Registered chunks that lie whole in a block: first << 32 | number; 0: none, or no block. Clients
 *  drop them (cw_release_chunks) before release. [waits as release] */
uint64_t cw_blocks_chunks(cw_blocks_t *blocks, void *ptr);
/** False: no block in use starts there. Unless pinned, pages go back to the system. [the first call
 *  waits until the server knows whether they are] */
bool cw_blocks_release(cw_blocks_t *blocks, void *ptr);

#endif
