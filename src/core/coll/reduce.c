// SPDX-License-Identifier: BSD-3-Clause
//
// Four ways, by size and place; in each, every element of the result is computed in one fixed order, so that
// all PEs get the same bits:
//   - world, small: operands ride on one synchronisation, its closer combines them (fused.c);
//   - world on one node, medium: operands are copied to the scratch, one synchronisation, everybody combines
//   all;
//   - a node: member i combines part i of all operands and stores it into everybody's dest;
//   - several nodes: as above into the leader's dest, then leader k does the same with part k of all leaders'
//   dest by
//     gets and puts, then members load the result from their leader.
// In place is safe: part i of any PE's buffer is read and written by member i (or leader k) alone, between
// two synchronisations.
#include "core/coll/coll.h"

#include <stdlib.h>

#include "core/coll/fused.h"
#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"
#include "core/rma.h"

#define DEPOSIT_MOST 2048u       // bytes of an operand
#define DEPOSIT_ALL 16384u       // and of all together: everybody reads them all
#define STRIP_NBYTES 16384u      // accumulated in cache before it is stored to all
#define FETCH_NBYTES (1u << 20)  // strips in flight from other nodes, together
#define PART_ALIGN 64u           // parts start on cache lines of an aligned array

typedef struct reduction {
    const cw_group_t *group;
    const cw_map_t *map;
    char *dest;
    const char *src;
    size_t nelems, elem_nbytes;
    cw_reduce_fn fn;
} reduction_t;

// ---------------------------------------------------------------- small

typedef struct small_op {
    cw_fused_op_t op;  // first
    cw_reduce_fn fn;
    size_t nelems;
} small_op_t;

static void combine_small(const cw_fused_op_t *op, void *acc, const void *in)
{
    const small_op_t *self = (const small_op_t *)op;
    self->fn(acc, in, self->nelems);
}

static void reduce_fused(const reduction_t *r)
{
    _Alignas(16) char value[CW_COLL_MEDIUM];
    size_t nbytes = r->nelems * r->elem_nbytes;
    small_op_t op = {{combine_small}, r->fn, r->nelems};
    memcpy(value, r->src, nbytes);
    cw_world_fused(value, nbytes, &op.op);
    memcpy(r->dest, value, nbytes);
}

// ---------------------------------------------------------------- medium, one node

static void reduce_deposit(const reduction_t *r)
{
    size_t nbytes = r->nelems * r->elem_nbytes;
    char *deposit = cw_world_scratch();
    memcpy(deposit, r->src, nbytes);
    cw_sync(r->group);
    memcpy(r->dest, cw_coll_at(cw_group_pe(r->group, 0), deposit), nbytes);
    for (int rank = 1; rank < r->group->size; rank++)
        r->fn(r->dest, cw_coll_at(cw_group_pe(r->group, rank), deposit), r->nelems);
}

// ---------------------------------------------------------------- parts

/** Elements [first, last) of n are part i of nparts; whole cache lines but for the last. */
static void part_of(size_t nelems, size_t elem_nbytes, int i, int nparts, size_t *first_p, size_t *last_p)
{
    size_t unit = elem_nbytes < PART_ALIGN ? PART_ALIGN / elem_nbytes : 1;
    size_t units = (nelems + unit - 1) / unit;
    size_t each = units / (size_t)nparts, more = units % (size_t)nparts, n = (size_t)i;
    size_t first = (n * each + (n < more ? n : more)) * unit, last = first + (each + (n < more)) * unit;
    *first_p = first < nelems ? first : nelems;
    *last_p = last < nelems ? last : nelems;
}

/** Combines my part of the members' src and stores it to the dest of the members [0, nstores). */
static void reduce_my_part(const reduction_t *r, int nstores)
{
    const cw_map_t *map = r->map;
    _Alignas(64) char acc[STRIP_NBYTES];
    size_t first, last, strip = STRIP_NBYTES / r->elem_nbytes;
    part_of(r->nelems, r->elem_nbytes, map->mine, map->nlocal, &first, &last);
    for (size_t at = first; at < last; at += strip) {
        size_t n = last - at < strip ? last - at : strip, offset = at * r->elem_nbytes;
        memcpy(acc, (char *)cw_coll_at(cw_group_pe(r->group, map->local[0]), r->src) + offset, n * r->elem_nbytes);
        for (int i = 1; i < map->nlocal; i++)
            r->fn(acc, (char *)cw_coll_at(cw_group_pe(r->group, map->local[i]), r->src) + offset, n);
        for (int i = 0; i < nstores; i++)
            memcpy((char *)cw_coll_at(cw_group_pe(r->group, map->local[i]), r->dest) + offset, acc, n * r->elem_nbytes);
    }
}

// ---------------------------------------------------------------- between leaders

static int leader_pe(const reduction_t *r, int k)
{
    return cw_group_pe(r->group, cw_map_leader(r->map, k));
}

/** One strip: fetch it from all leaders, combine in node order, store it to all. */
static void reduce_strip(const reduction_t *r, char *fetched, size_t strip_nbytes, size_t at, size_t n)
{
    const cw_map_t *map = r->map;
    size_t offset = at * r->elem_nbytes, nbytes = n * r->elem_nbytes;
    for (int k = 0; k < map->nnodes; k++)
        if (k != map->node)
            cw_coll_get_nbi(leader_pe(r, k), fetched + (size_t)k * strip_nbytes, r->dest + offset, nbytes);
    cw_quiet(&cw_ctx_default);  // also the puts of the strip before
    memcpy(fetched + (size_t)map->node * strip_nbytes, r->dest + offset, nbytes);
    for (int k = 1; k < map->nnodes; k++)
        r->fn(fetched, fetched + (size_t)k * strip_nbytes, n);
    memcpy(r->dest + offset, fetched, nbytes);
    for (int i = 1; i < map->nnodes; i++)
        cw_coll_put(leader_pe(r, (map->node + i) % map->nnodes), r->dest + offset, r->dest + offset, nbytes, true);
}

static void reduce_leaders(const reduction_t *r)
{
    const cw_map_t *map = r->map;
    size_t first, last, strip_nbytes = FETCH_NBYTES / (size_t)map->nnodes / 64 * 64;
    strip_nbytes = strip_nbytes < 1024 ? 1024 : strip_nbytes > 65536 ? 65536 : strip_nbytes;
    part_of(r->nelems, r->elem_nbytes, map->node, map->nnodes, &first, &last);
    if (first == last)
        return;
    char *fetched = aligned_alloc(64, strip_nbytes * (size_t)map->nnodes);
    if (!fetched)
        cwu_fatal("out of memory for a reduction over %d nodes", map->nnodes);
    size_t strip = strip_nbytes / r->elem_nbytes;
    for (size_t at = first; at < last; at += strip)
        reduce_strip(r, fetched, strip_nbytes, at, last - at < strip ? last - at : strip);
    cw_quiet(&cw_ctx_default);
    free(fetched);
}

static void reduce_parts(const reduction_t *r)
{
    const cw_map_t *map = r->map;
    cw_sync(r->group);
    reduce_my_part(r, map->nnodes == 1 ? map->nlocal : 1);
    cw_sync(r->group);
    if (map->nnodes == 1)
        return;
    if (cw_map_i_lead(map))
        reduce_leaders(r);
    cw_sync(r->group);
    if (!cw_map_i_lead(map))
        memcpy(r->dest, cw_coll_at(cw_group_pe(r->group, map->local[0]), r->dest), r->nelems * r->elem_nbytes);
    cw_sync(r->group);
}

void cw_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems, size_t elem_nbytes, cw_reduce_fn fn)
{
    reduction_t r = {.group = group, .dest = dest, .src = src, .nelems = nelems, .elem_nbytes = elem_nbytes, .fn = fn};
    size_t nbytes = nelems * elem_nbytes;
    bool world = cw_group_is_world(group);
    if (nelems == 0) {
        cw_sync(group);
    } else if (world && nbytes <= cw_fused_most()) {
        reduce_fused(&r);
    } else if (world && cw_world.nnodes == 1 && nbytes <= DEPOSIT_MOST && nbytes * (size_t)group->size <= DEPOSIT_ALL) {
        reduce_deposit(&r);
    } else {
        r.map = cw_map_of(group);
        reduce_parts(&r);
    }
}
