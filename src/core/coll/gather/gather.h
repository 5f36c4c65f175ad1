// SPDX-License-Identifier: BSD-3-Clause
//
// What fcollect and collect have in common: each PE's block goes to every PE.
#ifndef CW_CORE_COLL_GATHER_H
#define CW_CORE_COLL_GATHER_H

#include "core/coll/coll.h"

/** The places of the blocks in dest: of equal sizes, or from a table. */
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

// The parts that all algorithms over several nodes share, in this order; in between, leaders
// exchange the blocks in their dest by cw_gather_send.

/** Waits until all members have entered, and loads the blocks of the node. */
void cw_gather_begin(const struct cw_coll_call *c);
/** The same in two steps, where this PE is the only member of its node: its block is src. */
void cw_gather_enter(const struct cw_coll_call *c);
void cw_gather_load(const struct cw_coll_call *c);
/** Sends src to the dest of the leader of node `to`. A note to it follows. */
void cw_gather_send_own(const struct cw_coll_call *c, int to);
/** Sends the blocks of nnodes nodes, from node `first` of the map on in a circle, from this PE's
 *  dest to that of the leader of node `to`. A note to it follows. */
void cw_gather_send(const struct cw_coll_call *c, int first, int nnodes, int to);
/** Each leader has all blocks: the other members load them from there. Synchronises the node. */
void cw_gather_end(const struct cw_coll_call *c);

// The algorithms of fcollect, and of collect once the sizes are known.
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

/** Bytes of scratch that the exchange of an fcollect takes. */
uint64_t cw_fcollect_exchange_room(const struct cw_coll_call *c);
/** The least bytes of scratch that an exchange with unknown sizes takes. */
uint64_t cw_collect_exchange_room(const struct cw_coll_call *c);
/** For offsets of all blocks and of the end, zero; the caller frees it. */
uint64_t *cw_collect_places(const struct cw_coll_call *c);
/** The rest of a collect of which all members know the offsets now. */
void cw_collect_known(const struct cw_coll_call *c, const uint64_t *offset);

/** All members' blocks of nbytes, in rank order, into table, by one synchronisation. mine may lie
 *  in table. nbytes * size <= cw_fused_most(). */
void cw_gather_fused(const cw_group_t *group, void *table, const void *mine, size_t nbytes);

#endif
