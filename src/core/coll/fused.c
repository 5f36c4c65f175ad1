// SPDX-License-Identifier: BSD-3-Clause
//
// Within the node: each deposits its value, the closer combines them in slot order. See node_sync.h. Small values and
// the result lie in the area, next to the counters; larger ones, in a job of several nodes, in the scratch of the PE
// that gives them, and the result in that of the leader, who closes.
#include "core/coll/fused.h"

#include <string.h>

#include "core/coll/peer.h"
#include "core/coll/sync.h"

cw_node_sync_t cw_coll_node;

size_t cw_fused_most(void)
{
    return cw_coll_node.nnodes > 1 ? CW_COLL_MEDIUM : CW_COLL_SMALL;
}

/** Where the value of a slot lies. scratch: this call's, or NULL for the area. */
static void *value_of(const cw_node_sync_t *ns, int slot, char *scratch)
{
    return scratch ? cw_coll_at(cw_world.pes_of_node[slot], scratch) : ns->deposits[slot].value;
}

static void *result_of(const cw_node_sync_t *ns, char *scratch)
{
    return scratch ? value_of(ns, 0, scratch) : ns->area->result;
}

static void close_epoch(cw_node_sync_t *ns, char *scratch, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    _Alignas(16) char acc[CW_COLL_MEDIUM];
    memcpy(acc, value_of(ns, 0, scratch), nbytes);
    for (int slot = 1; slot < ns->nslots; slot++)
        op->combine(op, acc, value_of(ns, slot, scratch));
    if (ns->nnodes > 1)
        cw_leaders_fused(acc, nbytes, op);
    memcpy(result_of(ns, scratch), acc, nbytes);
    cw_node_release(ns);
    memcpy(value, acc, nbytes);
}

/** Arrives and, unless this PE is the closer, waits for the end. True for the closer, once all are there. */
static bool arrive_to_close(cw_node_sync_t *ns)
{
    bool last = cw_node_arrive(ns);
    if (ns->nnodes == 1 ? !last : ns->slot != 0) {
        cw_node_await_release(ns);
        return false;
    }
    if (!last)
        cw_node_await_all(ns);
    return true;
}

static void barrier(cw_node_sync_t *ns)
{
    if (!arrive_to_close(ns))
        return;
    if (ns->nnodes > 1)
        cw_leaders_fused(NULL, 0, NULL);
    cw_node_release(ns);
}

void cw_world_fused(void *value, size_t nbytes, const cw_fused_op_t *op)
{
    cw_node_sync_t *ns = &cw_coll_node;
    if (nbytes == 0) {
        barrier(ns);
        return;
    }
    char *scratch = nbytes > CW_COLL_SMALL ? cw_world_scratch() : NULL;
    memcpy(value_of(ns, ns->slot, scratch), value, nbytes);
    if (arrive_to_close(ns))
        close_epoch(ns, scratch, value, nbytes, op);
    else
        memcpy(value, result_of(ns, scratch), nbytes);
}
