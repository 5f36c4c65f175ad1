// SPDX-License-Identifier: BSD-3-Clause
//
// Small operations of a flood to another node, in bundles (core/path/bundle.h), in the order of
// their process. What was sent otherwise before is executed before a bundle opens, and then marks
// of it are void.
#include "armci/aci.h"
#include "core/rma/rma.h"

/** *fence_p: the number of the fence that opening a bundle is. */
static cw_bundle_order_t order_behind(int proc, uint64_t *fence_p)
{
    bool behind = aci_paths(proc) & (ACI_PUTS | ACI_REQUESTS);
    *fence_p = behind ? aci_begin_fence() : 0;
    return (cw_bundle_order_t){.behind = behind};
}

static void note_order(const cw_bundle_order_t *order, uint64_t fence)
{
    if (order->proved)
        cw_handle_raise(&aci_order.fences.done, fence);
}

bool aci_collect_write(cwt_target_t *record, int proc, void *dst, unsigned kind, const void *src,
                       size_t nbytes)
{
    uint64_t fence;
    cw_bundle_order_t order = order_behind(proc, &fence);
    bool taken = cw_target_write_ordered(record, dst, kind, src, nbytes, &order);
    note_order(&order, fence);
    if (taken)
        aci_mark(proc, ACI_COLLECTED);
    return taken;
}

bool aci_collect_get(cwt_target_t *record, int proc, const void *src, void *dst, size_t nbytes)
{
    uint64_t fence;
    cw_bundle_order_t order = order_behind(proc, &fence);
    bool taken = cw_target_get_ordered(dst, record, src, nbytes, &order);
    note_order(&order, fence);
    if (taken)
        aci_mark_get(proc, (uintptr_t)src, nbytes);
    return taken;
}
