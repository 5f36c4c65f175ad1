// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE sends to every PE of other nodes, beginning behind its own rank, so that not all send to
// the same PE at once. Up to CW_NOTE_STEPS members note their blocks, so a PE waits for its own
// blocks and its node only; step i comes from i + 1 ranks before. More members, and elements with
// gaps, synchronise.
#include "core/bulk/strided.h"
#include "core/coll/alltoall/alltoall.h"
#include "core/rma/rma.h"
#include "core/sync/notes.h"
#include "core/sync/sync.h"

/** Blocks without gaps. */
static bool is_dense(const cw_coll_call_t *c)
{
    ptrdiff_t dense = (ptrdiff_t)c->elem_nbytes;
    return c->nelems == 1 || (c->dest_stride == dense && c->src_stride == dense);
}

/** A rank of another node, or -1. */
static int rank_behind(const cw_coll_call_t *c, int distance)
{
    int rank = (c->group->rank + distance) % c->group->size;
    return cw_coll_is_local(cw_call_pe(c, rank)) ? -1 : rank;
}

static char *block_to(const cw_coll_call_t *c)
{
    return c->dest + (ptrdiff_t)c->group->rank * (ptrdiff_t)c->nelems * c->dest_stride;
}

static const char *block_from(const cw_coll_call_t *c, int rank)
{
    return c->src + (ptrdiff_t)rank * (ptrdiff_t)c->nelems * c->src_stride;
}

static void by_notes(const cw_coll_call_t *c)
{
    int size = c->group->size, rank;
    cw_notes_t notes = cw_notes_begin(c->group);
    for (int i = 1; i < size; i++)
        if ((rank = rank_behind(c, i)) >= 0)
            cw_notes_step_put(&notes, cw_call_pe(c, rank), i - 1, block_to(c), block_from(c, rank),
                              c->nbytes);
    cw_alltoall_load_local(c);
    for (int i = 1; i < size; i++)
        if (rank_behind(c, size - i) >= 0)
            cw_notes_await_step(&notes, i - 1);
    cw_quiet(&cw_ctx_default);
    cw_notes_end(&notes, 1);
    cw_sync_on_node(c->group);
}

static void send_to(const cw_coll_call_t *c, int rank)
{
    int pe = cw_call_pe(c, rank);
    if (is_dense(c))
        cw_coll_put(pe, block_to(c), block_from(c, rank), c->nbytes, true);
    else
        cw_put_strided(&cw_ctx_default, block_to(c), block_from(c, rank), c->dest_stride,
                       c->src_stride, c->elem_nbytes, c->nelems, pe);
}

static void by_synchronisation(const cw_coll_call_t *c)
{
    int rank;
    for (int i = 1; i < c->group->size; i++)
        if ((rank = rank_behind(c, i)) >= 0)
            send_to(c, rank);
    cw_alltoall_load_local(c);
    cw_quiet(&cw_ctx_default);
    cw_sync(c->group);
}

void cw_alltoall_pairwise(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    if (c->group->size <= CW_NOTE_STEPS && is_dense(c))
        by_notes(c);
    else
        by_synchronisation(c);
}
