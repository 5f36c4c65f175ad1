// SPDX-License-Identifier: BSD-3-Clause
//
// Within the node: each deposits its value, the closer combines them in slot order. See node_sync.h.
#include "core/coll/fused.h"

#include <string.h>

#include "core/core.h"

cw_node_sync_t cw_coll_node;

static void combine_deposits(const cw_node_sync_t *ns, void *acc, size_t nbytes, const cw_fused_op_t *op)
{
    if (nbytes == 0)
        return;
    memcpy(acc, ns->deposits[0].value, nbytes);
    for (int slot = 1; slot < ns->nslots; slot++)
        op->combine(op, acc, ns->deposits[slot].value);
}

static void close_epoch(cw_node_sync_t *ns, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    _Alignas(16) char acc[CW_COLL_SMALL];
    combine_deposits(ns, acc, nbytes, op);
    if (ns->nnodes > 1)
        cw_leaders_fused(acc, nbytes, op);
    memcpy(ns->area->result, acc, nbytes);
    cw_node_release(ns);
    memcpy(value, acc, nbytes);
}

void cw_world_fused(void *value, size_t nbytes, const cw_fused_op_t *op)
{
    cw_node_sync_t *ns = &cw_coll_node;
    if (nbytes)
        memcpy(ns->deposits[ns->slot].value, value, nbytes);
    bool last = cw_node_arrive(ns);
    bool closer = ns->nnodes == 1 ? last : ns->slot == 0;
    if (!closer) {
        cw_node_await_release(ns);
        if (nbytes)
            memcpy(value, ns->area->result, nbytes);
        return;
    }
    if (!last)
        cw_node_await_all(ns);
    if (nbytes == 0) {
        if (ns->nnodes > 1)
            cw_leaders_fused(NULL, 0, NULL);
        cw_node_release(ns);
        return;
    }
    close_epoch(ns, value, nbytes, op);
}
