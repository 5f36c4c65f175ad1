// SPDX-License-Identifier: BSD-3-Clause
//
// The call, what its algorithms share, and the algorithm `parts`.
#include "core/coll/reduce/reduce.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "core/coll/parts.h"
#include "core/rma/rma.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

#define STRIP_NBYTES 16384u  // accumulated in cache before it is stored to all
#define PULL_NBYTES (256u * 1024u)  // of another leader's operand at a time

typedef struct mine {
    const cw_coll_call_t *c;
    int nstores;
} mine_t;

typedef void (*by_strips_fn)(const void *arg, char *acc, size_t strip);

/** Not inlined: the strip is off the stack while anything waits. */
static CW_NOINLINE void on_stack(by_strips_fn run, const void *arg, size_t strip)
{
    CW_CACHE_ALIGNED char acc[STRIP_NBYTES];
    run(arg, acc, strip);
}

/** Elements larger than a strip come one by one. */
static void by_strips(const cw_coll_call_t *c, by_strips_fn run, const void *arg)
{
    if (CW_LIKELY(c->elem_nbytes <= STRIP_NBYTES)) {
        on_stack(run, arg, STRIP_NBYTES / c->elem_nbytes);
        return;
    }
    char *acc = cw_reduce_buffer(c->elem_nbytes);
    run(arg, acc, 1);
    free(acc);
}

static void combine_mine(const void *arg, char *acc, size_t strip)
{
    const mine_t *mine = arg;
    const cw_coll_call_t *c = mine->c;
    const cw_map_t *map = c->map;
    size_t first, last;
    cw_part_of(c->nelems, c->elem_nbytes, map->mine, map->nlocal, &first, &last);
    for (size_t at = first; at < last; at += strip) {
        size_t n = last - at < strip ? last - at : strip, offset = at * c->elem_nbytes;
        memcpy(acc, (char *)cw_call_at(c, map->local[0], c->src) + offset, n * c->elem_nbytes);
        for (int i = 1; i < map->nlocal; i++)
            c->fn(acc, (char *)cw_call_at(c, map->local[i], c->src) + offset, n);
        for (int i = 0; i < mine->nstores; i++)
            memcpy((char *)cw_call_at(c, map->local[i], c->dest) + offset, acc, n * c->elem_nbytes);
    }
}

/** Combines this PE's part of the node's src, and stores it to the dest of members [0, nstores). */
static void combine_my_part(const cw_coll_call_t *c, int nstores)
{
    const mine_t mine = {c, nstores};
    by_strips(c, combine_mine, &mine);
}

typedef struct two {
    const cw_coll_call_t *c;
    char *dest;
    const char *lower, *upper;
    size_t nbytes;
} two_t;

static void combine_beside(const void *arg, char *acc, size_t strip)
{
    const two_t *two = arg;
    const size_t elem = two->c->elem_nbytes, most = strip * elem;
    for (size_t at = 0, n; at < two->nbytes; at += n) {
        n = two->nbytes - at < most ? two->nbytes - at : most;
        memcpy(acc, two->lower + at, n);
        two->c->fn(acc, two->upper + at, n / elem);
        memcpy(two->dest + at, acc, n);
    }
}

void cw_reduce_two(const cw_coll_call_t *c, char *dest, const char *lower, const char *upper,
                   size_t nbytes)
{
    const two_t two = {c, dest, lower, upper, nbytes};
    if (dest == lower)
        c->fn(dest, upper, nbytes / c->elem_nbytes);
    else
        by_strips(c, combine_beside, &two);
}

void cw_reduce_parts(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    combine_my_part(c, c->map->nlocal);
    cw_sync(c->group);
}

void cw_reduce_to_leader(const cw_coll_call_t *c)
{
    cw_sync_on_node(c->group);
    combine_my_part(c, 1);
}

void cw_reduce_to_leaders(const cw_coll_call_t *c)
{
    cw_reduce_to_leader(c);
    cw_sync(c->group);
}

void cw_reduce_from_leaders(const cw_coll_call_t *c)
{
    cw_sync_on_node(c->group);
    if (!cw_map_i_lead(c->map))
        memcpy(c->dest, cw_call_at(c, c->map->local[0], c->dest), c->nbytes);
    cw_sync_on_node(c->group);
}

char *cw_reduce_buffer(size_t nbytes)
{
    char *buffer = aligned_alloc(64, (nbytes + 63) / 64 * 64);
    if (!buffer)
        cwu_fatal("out of memory for a reduction: %zu bytes", nbytes);
    return buffer;
}

size_t cw_reduce_strip(const cw_coll_call_t *c, size_t nbytes)
{
    return nbytes < c->elem_nbytes ? 1 : nbytes / c->elem_nbytes;
}

char *cw_reduce_pull_buffer(const cw_coll_call_t *c)
{
    return cw_reduce_buffer(cw_reduce_strip(c, PULL_NBYTES) * c->elem_nbytes);
}

void cw_reduce_pull(const cw_coll_call_t *c, int pe, size_t first, size_t last, char *buffer)
{
    size_t strip = cw_reduce_strip(c, PULL_NBYTES);
    for (size_t at = first; at < last; at += strip) {
        size_t n = last - at < strip ? last - at : strip, offset = at * c->elem_nbytes;
        cw_coll_get_nbi(pe, buffer, c->dest + offset, n * c->elem_nbytes);
        cw_quiet(&cw_ctx_default);
        c->fn(c->dest + offset, buffer, n);
    }
}

void cw_reduce_push(const cw_coll_call_t *c, int pe, size_t first, size_t last)
{
    char *from = c->dest + first * c->elem_nbytes;
    if (first < last)
        cw_coll_put_noted(pe, from, from, (last - first) * c->elem_nbytes);
}

bool cw_reduce_private(const cw_group_t *group, void *data, size_t nelems, size_t elem_nbytes,
                       cw_reduce_fn fn)
{
    const size_t most = cw_group_scratch_nbytes(group) / elem_nbytes;
    cw_coll_call_t c = {.kind = CW_COLL_reduce,
                        .group = group,
                        .elem_nbytes = elem_nbytes,
                        .is_private = true,
                        .fn = fn};
    for (char *at = data; nelems > 0; at += c.nbytes) {
        c.dest = at;
        c.src = at;
        c.nelems = nelems < most ? nelems : most;
        c.nbytes = c.nelems * elem_nbytes;
        if (at != data)
            cw_coll_run(&c);
        else if (most == 0 || !cw_coll_try(&c))
            return false;
        nelems -= c.nelems;
    }
    return true;
}

void cw_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
               size_t elem_nbytes, cw_reduce_fn fn)
{
    cw_coll_call_t c = {.kind = CW_COLL_reduce,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nelems * elem_nbytes,
                        .nelems = nelems,
                        .elem_nbytes = elem_nbytes,
                        .fn = fn};
    cw_coll_run_or_sync(&c);
}
