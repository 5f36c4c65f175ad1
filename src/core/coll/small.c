// SPDX-License-Identifier: BSD-3-Clause
//
// Small operands in private memory, combined by one synchronisation.
#include <string.h>

#include "core/coll/coll.h"
#include "core/rma/rma.h"
#include "core/sync/area.h"
#include "core/sync/fused.h"

typedef uint64_t word_t;
enum { WORDS = CW_COLL_SMALL / sizeof(word_t) };

typedef struct small_op {
    cw_fused_op_t op;  // first: what a synchronisation sees
    size_t nelems;
    cw_reduce_fn fn;
} small_op_t;

static void combine(const cw_fused_op_t *op, void *acc, const void *in)
{
    const small_op_t *self = (const small_op_t *)op;
    self->fn(acc, in, self->nelems);
}

static void merge(void *acc, const void *in, size_t nwords)
{
    for (size_t i = 0; i < nwords; i++)
        ((word_t *)acc)[i] |= ((const word_t *)in)[i];
}

/** value [WORDS]: zero but for this member's contribution; out, all contributions. */
static void share(const cw_group_t *group, word_t *value, size_t nbytes)
{
    const size_t nwords = (nbytes + sizeof *value - 1) / sizeof *value;
    const small_op_t op = {{combine}, nwords, merge};
    cw_fused(group, value, nwords * sizeof *value, &op.op);
}

bool cw_small_fits(const cw_group_t *group, size_t nbytes)
{
    return nbytes <= CW_COLL_SMALL && nbytes <= cw_fused_most(group);
}

static CW_NOINLINE void reduce_closed(const cw_group_t *group, void *dest, const void *src,
                                      size_t nelems, size_t elem_nbytes, cw_reduce_fn fn)
{
    const small_op_t op = {{combine}, nelems, fn};
    const size_t nbytes = nelems * elem_nbytes;
    word_t value[WORDS] CW_CACHE_ALIGNED;
    memcpy(value, src, nbytes);
    cw_fused(group, value, nbytes, &op.op);
    if (dest)
        memcpy(dest, value, nbytes);
}

/** Where members meet, nothing waits after the meeting: values go straight to their places. */
void cw_small_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
                     size_t elem_nbytes, cw_reduce_fn fn)
{
    if (!cw_group_meets(group)) {
        reduce_closed(group, dest, src, nelems, elem_nbytes, fn);
        return;
    }
    cw_node_sync_t *ns = &group->sync->node;
    const size_t nbytes = nelems * elem_nbytes;
    cw_copy(cw_node_next_deposit(ns)->value, src, nbytes);
    cw_node_meet(ns);
    if (!dest)
        return;
    cw_copy(dest, cw_node_brought(ns, 0), nbytes);
    for (int i = 1; i < ns->nlocal; i++)
        fn(dest, cw_node_brought(ns, i), nelems);
}

void cw_small_broadcast(const cw_group_t *group, void *data, size_t nbytes, int root_rank)
{
    word_t value[WORDS] CW_CACHE_ALIGNED = {0};
    const bool root = group->rank == root_rank;
    if (root)
        memcpy(value, data, nbytes);
    share(group, value, nbytes);
    if (!root)
        memcpy(data, value, nbytes);
}

void cw_small_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    word_t value[WORDS] CW_CACHE_ALIGNED = {0};
    const size_t all = (size_t)group->size * nbytes;
    if (nbytes)
        memcpy((char *)value + (size_t)group->rank * nbytes, src, nbytes);
    share(group, value, all);
    if (nbytes)
        memcpy(dest, value, all);
}
