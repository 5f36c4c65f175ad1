// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms over several nodes share, and two in full: loads, and fused.
#include "core/coll/gather/gather.h"

#include "core/coll/call.h"
#include "core/mem/copy.h"
#include "core/sync/fused.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

/** Each PE begins with its own block, so that not all read the same memory at once. */
static void load_local_blocks(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    size_t pes = (size_t)map->nlocal;
    for (int i = 0; i < map->nlocal; i++) {
        int rank = map->local[(map->mine + i) % map->nlocal];
        size_t nbytes = cw_block_nbytes(c->blocks, rank);
        // each PE writes all blocks, and all read the same
        if (nbytes)
            cw_copy_part(c->dest + cw_block_offset(c->blocks, rank), cw_call_at(c, rank, c->src),
                         nbytes, (pes + 1) * pes * nbytes);
    }
}

typedef void (*run_fn)(const cw_coll_call_t *c, int pe, uint64_t offset, size_t nbytes);

static void call_for_run(const cw_coll_call_t *c, int begin, int end, int pe, run_fn fn)
{
    uint64_t from = cw_block_offset(c->blocks, begin), to = cw_block_offset(c->blocks, end);
    if (from < to)
        fn(c, pe, from, (size_t)(to - from));
}

/** Calls fn for each run of neighbouring blocks of nnodes nodes, from `first` on in a circle. */
static void each_run(const cw_coll_call_t *c, int first, int nnodes, int pe, run_fn fn)
{
    const cw_map_t *map = c->map;
    int begin = 0, end = 0;  // ranks of the run
    for (int k = 0; k < nnodes; k++) {
        int node = (first + k) % map->nnodes;
        for (int i = map->begin[node]; i < map->begin[node + 1]; i++) {
            if (map->members[i] != end) {
                call_for_run(c, begin, end, pe, fn);
                begin = map->members[i];
            }
            end = map->members[i] + 1;
        }
    }
    call_for_run(c, begin, end, pe, fn);
}

static void send_run(const cw_coll_call_t *c, int pe, uint64_t offset, size_t nbytes)
{
    cw_coll_put_noted(pe, c->dest + offset, c->dest + offset, nbytes);
}

static void load_run(const cw_coll_call_t *c, int pe, uint64_t offset, size_t nbytes)
{
    memcpy(c->dest + offset, (char *)cw_coll_at(pe, c->dest) + offset, nbytes);
}

void cw_gather_enter(const cw_coll_call_t *c)
{
    if (!c->entered)
        cw_sync(c->group);
}

void cw_gather_load(const cw_coll_call_t *c)
{
    load_local_blocks(c);
}

void cw_gather_begin(const cw_coll_call_t *c)
{
    cw_gather_enter(c);
    cw_gather_load(c);
}

void cw_gather_send_own(const cw_coll_call_t *c, int to)
{
    int rank = c->group->rank;
    size_t nbytes = cw_block_nbytes(c->blocks, rank);
    if (nbytes)
        cw_coll_put_noted(cw_call_leader(c, to), c->dest + cw_block_offset(c->blocks, rank), c->src,
                          nbytes);
}

void cw_gather_send(const cw_coll_call_t *c, int first, int nnodes, int to)
{
    each_run(c, first, nnodes, cw_call_leader(c, to), send_run);
}

void cw_gather_end(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    cw_sync_on_node(c->group);
    if (!cw_map_i_lead(map))
        each_run(c, map->node + 1, map->nnodes - 1, cw_call_pe(c, map->local[0]), load_run);
    cw_sync_on_node(c->group);
}

void cw_gather_loads(const cw_coll_call_t *c)
{
    cw_gather_begin(c);
    cw_sync(c->group);
}

// ---------------------------------------------------------------- with a synchronisation

typedef struct merge_op {
    cw_fused_op_t op;  // first
    size_t nbytes;     // of the table
} merge_op_t;

/** A block is zero in all tables but its owner's. */
static void merge(const cw_fused_op_t *op, void *acc, const void *in)
{
    unsigned char *restrict a = acc;
    const unsigned char *restrict b = in;
    for (size_t i = 0; i < ((const merge_op_t *)op)->nbytes; i++)
        a[i] |= b[i];
}

void cw_gather_fused(const cw_group_t *group, void *table, const void *mine, size_t nbytes)
{
    merge_op_t op = {{merge}, (size_t)group->size * nbytes};
    char *own = (char *)table + (size_t)group->rank * nbytes, *end = (char *)table + op.nbytes;
    memmove(own, mine, nbytes);
    memset(table, 0, (size_t)(own - (char *)table));
    memset(own + nbytes, 0, (size_t)(end - own) - nbytes);
    cw_fused(group, table, op.nbytes, &op.op);
}
