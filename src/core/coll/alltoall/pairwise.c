// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE sends its blocks to every PE of other nodes, beginning behind its own rank, so that not
// all send to the same PE at once.
#include "core/bulk/strided.h"
#include "core/coll/alltoall/alltoall.h"
#include "core/rma/rma.h"
#include "core/sync/peer.h"

static void send_to(const cw_coll_call_t *c, int rank)
{
    int pe = cw_call_pe(c, rank);
    char *to = c->dest + (ptrdiff_t)c->group->rank * (ptrdiff_t)c->nelems * c->dest_stride;
    const char *from = c->src + (ptrdiff_t)rank * (ptrdiff_t)c->nelems * c->src_stride;
    ptrdiff_t dense = (ptrdiff_t)c->elem_nbytes;
    if (c->nelems == 1 || (c->dest_stride == dense && c->src_stride == dense))
        cw_coll_put(pe, to, from, c->nbytes, true);
    else
        cw_put_strided(&cw_ctx_default, to, from, c->dest_stride, c->src_stride, c->elem_nbytes,
                       c->nelems, pe);
}

void cw_alltoall_pairwise(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    for (int i = 1; i < c->group->size; i++) {
        int rank = (c->group->rank + i) % c->group->size;
        if (!cw_coll_is_local(cw_call_pe(c, rank)))
            send_to(c, rank);
    }
    cw_alltoall_load_local(c);
    cw_quiet(&cw_ctx_default);
    cw_sync(c->group);
}
