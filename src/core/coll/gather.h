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

/** All members have entered and their src are ready (a synchronisation came before); synchronises at the end.
 */
void cw_gather_blocks(const cw_group_t *group, void *dest, const void *src, const cw_blocks_t *blocks);

#endif
