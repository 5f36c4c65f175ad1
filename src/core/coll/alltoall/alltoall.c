// SPDX-License-Identifier: BSD-3-Clause
//
// The calls, and the copies of their algorithms.
#include "core/coll/alltoall/alltoall.h"

#include "core/mem/copy.h"

static void copy_elements(const cw_coll_call_t *c, char *dest, const char *src,
                          ptrdiff_t dest_stride, ptrdiff_t src_stride)
{
    ptrdiff_t dense = (ptrdiff_t)c->elem_nbytes;
    if (c->nelems == 1 || (dest_stride == dense && src_stride == dense)) {
        size_t pes = (size_t)c->map->nlocal;
        cw_copy_part(dest, src, c->nbytes, 2 * pes * pes * c->nbytes);
        return;
    }
    for (size_t i = 0; i < c->nelems; i++, dest += dest_stride, src += src_stride)
        memcpy(dest, src, c->elem_nbytes);
}

static ptrdiff_t place_of(const cw_coll_call_t *c, int rank, ptrdiff_t stride)
{
    return (ptrdiff_t)rank * (ptrdiff_t)c->nelems * stride;
}

void cw_alltoall_pack(const cw_coll_call_t *c, int rank, char *to)
{
    copy_elements(c, to, c->src + place_of(c, rank, c->src_stride), (ptrdiff_t)c->elem_nbytes,
                  c->src_stride);
}

void cw_alltoall_unpack(const cw_coll_call_t *c, int rank, const char *from)
{
    copy_elements(c, c->dest + place_of(c, rank, c->dest_stride), from, c->dest_stride,
                  (ptrdiff_t)c->elem_nbytes);
}

void cw_alltoall_load_local(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    for (int i = 0; i < map->nlocal; i++) {
        int rank = map->local[(map->mine + i) % map->nlocal];
        const char *from = cw_call_at(c, rank, c->src);
        copy_elements(c, c->dest + place_of(c, rank, c->dest_stride),
                      from + place_of(c, c->group->rank, c->src_stride), c->dest_stride,
                      c->src_stride);
    }
}

void cw_alltoall_store_local(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    for (int i = 0; i < map->nlocal; i++) {
        int rank = map->local[(map->mine + i) % map->nlocal];
        char *to = cw_call_at(c, rank, c->dest);
        copy_elements(c, to + place_of(c, c->group->rank, c->dest_stride),
                      c->src + place_of(c, rank, c->src_stride), c->dest_stride, c->src_stride);
    }
}

void cw_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    cw_coll_call_t c = {.kind = CW_COLL_alltoall,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nbytes,
                        .nelems = 1,
                        .elem_nbytes = nbytes,
                        .dest_stride = (ptrdiff_t)nbytes,
                        .src_stride = (ptrdiff_t)nbytes};
    cw_coll_run_or_sync(&c);
}

void cw_alltoalls(const cw_group_t *group, void *dest, const void *src, ptrdiff_t dest_stride,
                  ptrdiff_t src_stride, size_t elem_nbytes, size_t nelems)
{
    cw_coll_call_t c = {.kind = CW_COLL_alltoalls,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nelems * elem_nbytes,
                        .nelems = nelems,
                        .elem_nbytes = elem_nbytes,
                        .dest_stride = dest_stride,
                        .src_stride = src_stride};
    cw_coll_run_or_sync(&c);
}
