// SPDX-License-Identifier: BSD-3-Clause
//
// Operands travel with one synchronisation, which combines them.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

typedef struct reduce_op {
    cw_fused_op_t op;  // first
    cw_reduce_fn fn;
    size_t nelems;
} reduce_op_t;

static void combine(const cw_fused_op_t *op, void *acc, const void *in)
{
    const reduce_op_t *self = (const reduce_op_t *)op;
    self->fn(acc, in, self->nelems);
}

void cw_reduce_fused(const cw_coll_call_t *c)
{
    reduce_op_t op = {{combine}, c->fn, c->nelems};
    if (c->dest != c->src)
        memcpy(c->dest, c->src, c->nbytes);
    cw_fused(c->group, c->dest, c->nbytes, &op.op);
}
