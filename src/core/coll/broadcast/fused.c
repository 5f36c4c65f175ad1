// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE gives a cargo to one synchronisation; only the root's is loaded.
#include "core/coll/broadcast/broadcast.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

typedef struct cargo {
    uint64_t loaded;
    char bytes[CW_COLL_MEDIUM - 8];
} cargo_t;

typedef struct cargo_op {
    cw_fused_op_t op;  // first
    size_t nbytes;     // used bytes of the cargo
} cargo_op_t;

static void take_loaded(const cw_fused_op_t *op, void *acc, const void *in)
{
    if (((const cargo_t *)in)->loaded)
        memcpy(acc, in, ((const cargo_op_t *)op)->nbytes);
}

void cw_broadcast_fused(const cw_coll_call_t *c)
{
    bool root = c->group->rank == c->root;
    cargo_t cargo;
    cargo_op_t op = {{take_loaded}, offsetof(cargo_t, bytes) + c->nbytes};
    cargo.loaded = root;
    if (root)
        memcpy(cargo.bytes, c->src, c->nbytes);
    else
        memset(cargo.bytes, 0, c->nbytes);
    cw_fused(c->group, &cargo, op.nbytes, &op.op);
    if (cw_broadcast_copies(c))
        memcpy(c->dest, cargo.bytes, c->nbytes);
}
