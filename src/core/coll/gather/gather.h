// SPDX-License-Identifier: BSD-3-Clause
//
// What fcollect and collect share: each PE's block goes to every PE.
#ifndef CW_CORE_COLL_GATHER_H
#define CW_CORE_COLL_GATHER_H

#include "core/coll/coll.h"

/** The places of the blocks in dest. */
typedef struct cw_blocks {
    size_t each;             // bytes of every block, if offset is NULL
    const uint64_t *offset;  // [size + 1]
} cw_blocks_t;

static inline uint64_t cw_block_offset(const cw_blocks_t *blocks, int rank)
{
    return blocks->offset ? blocks->offset[rank] : (uint64_t)rank * blocks->each;
}

static inline size_t cw_block_nbytes(const cw_blocks_t *blocks, int rank)
{
    return (size_t)(cw_block_offset(blocks, rank + 1) - cw_block_offset(blocks, rank));
}

struct cw_coll_call;

// The steps over several nodes, in this order; in between, leaders exchange blocks by
// cw_gather_send.

/** Waits until all have entered, and loads the node's blocks. */
void cw_gather_begin(const struct cw_coll_call *c);
/** The same in two steps, for a node's only member: its block is src. */
void cw_gather_enter(const struct cw_coll_call *c);
void cw_gather_load(const struct cw_coll_call *c);
/** Sends src to the dest of node `to`'s leader. A note follows. */
void cw_gather_send_own(const struct cw_coll_call *c, int to);
/** Sends blocks of nnodes nodes, from node `first` on in a circle, from this PE's dest to that of
 *  node `to`'s leader. A note follows. */
void cw_gather_send(const struct cw_coll_call *c, int first, int nnodes, int to);
/** The members load all blocks from their leader. Synchronises the node. */
void cw_gather_end(const struct cw_coll_call *c);

// Of fcollect, and of collect once the sizes are known.
void cw_gather_loads(const struct cw_coll_call *c);
void cw_gather_spread(const struct cw_coll_call *c);
void cw_gather_bruck(const struct cw_coll_call *c);
void cw_gather_ring(const struct cw_coll_call *c);
#define cw_fcollect_loads cw_gather_loads
#define cw_fcollect_spread cw_gather_spread
#define cw_fcollect_bruck cw_gather_bruck
#define cw_fcollect_ring cw_gather_ring
#define cw_collect_loads cw_gather_loads
#define cw_collect_spread cw_gather_spread
#define cw_collect_bruck cw_gather_bruck
#define cw_collect_ring cw_gather_ring

/** Bytes of scratch. */
uint64_t cw_fcollect_exchange_room(const struct cw_coll_call *c);
/** The least bytes of scratch. */
uint64_t cw_collect_exchange_room(const struct cw_coll_call *c);
/** Zeroed room for all offsets and the end; the caller frees it. */
uint64_t *cw_collect_places(const struct cw_coll_call *c);
/** Completes a collect of known offsets. */
void cw_collect_known(const struct cw_coll_call *c, const uint64_t *offset);

/** All members' blocks of nbytes, by rank, into table, by one synchronisation. mine may lie in
 *  table. nbytes * size <= cw_fused_most(). */
void cw_gather_fused(const cw_group_t *group, void *table, const void *mine, size_t nbytes);

#endif
