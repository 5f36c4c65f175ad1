// SPDX-License-Identifier: BSD-3-Clause
//
// Every PE's block to every PE: what fcollect and collect have in common.
#ifndef CW_CORE_COLL_GATHER_H
#define CW_CORE_COLL_GATHER_H

#include "core/coll/coll.h"

/** Where the blocks go in dest: equal sizes, or a table. */
typedef struct cw_blocks {
    size_t each;             // bytes of every block, when offset is NULL
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

// The steps that all algorithms over several nodes share, in this order; between the first and the
// second, leaders exchange what they have in their dest.

/** Meets, and loads the node's own blocks. */
void cw_gather_begin(const struct cw_coll_call *c);
/** Sends the blocks of nnodes nodes, from node `first` of the map on and around, from my dest to
 *  that of the leader of node `to`. Complete at quiet. */
void cw_gather_send(const struct cw_coll_call *c, int first, int nnodes, int to);
/** Leaders have all blocks: the others load them from there. Synchronises at the end. */
void cw_gather_end(const struct cw_coll_call *c);

// The algorithms, for fcollect and for collect once the sizes are known.
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

/** All members' blocks of nbytes, in rank order, into table (private memory) by one synchronisation
 *  that they ride on. nbytes * size <= cw_fused_most(). */
void cw_gather_riding(const cw_group_t *group, void *table, const void *mine, size_t nbytes);

#endif
