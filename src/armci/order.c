// SPDX-License-Identifier: BSD-3-Clause
//
// The marks of what is under way to each PE; fences and barriers.
#include <stdlib.h>

#include "armci/aci.h"
#include "base/error.h"

aci_order_t aci_order;

void aci_order_open(void)
{
    aci_order.quiet = ACI_MARKS + 1;  // marks of 0 are void
    aci_order.mark = calloc((size_t)cw_world.npes, sizeof *aci_order.mark);
    aci_order.gets = calloc((size_t)cw_world.npes, sizeof *aci_order.gets);
    if (!aci_order.mark || !aci_order.gets)
        cwu_fatal("ARMCI_Init: out of memory for the marks of %d processes", cw_world.npes);
    aci_order.limit = cw_world.plain ? (uint32_t)cw_world.npes : 0;
}

void aci_order_close(void)
{
    aci_order.limit = 0;
    free(aci_order.mark);
    free(aci_order.gets);
    aci_order.mark = NULL;
    aci_order.gets = NULL;
}

void aci_order_fence(int proc)
{
    uint64_t quiet = __atomic_load_n(&aci_order.quiet, __ATOMIC_RELAXED);
    cw_fence_default();
    uint64_t stay = aci_under_way(proc) & (ACI_PENDING | ACI_GETS | ACI_SOURCES);
    __atomic_store_n(&aci_order.mark[proc], quiet | stay, __ATOMIC_RELAXED);
}

/** Threads may use one target at a time, without order among them. */
static aci_range_t load_range(const aci_range_t *range)
{
    return (aci_range_t){__atomic_load_n(&range->begin, __ATOMIC_RELAXED),
                         __atomic_load_n(&range->end, __ATOMIC_RELAXED)};
}

void aci_order_behind_gets(int proc, uintptr_t addr, size_t nbytes)
{
    aci_range_t gets = load_range(&aci_order.gets[proc]);
    if (addr < gets.end && gets.begin < addr + nbytes)
        aci_order_quiet();
}

void aci_mark_get(int proc, uintptr_t addr, size_t nbytes)
{
    aci_range_t range = {addr, addr + nbytes};
    uint64_t before = aci_under_way(proc);
    if (before & ACI_GETS) {
        aci_range_t gets = load_range(&aci_order.gets[proc]);
        range.begin = range.begin < gets.begin ? range.begin : gets.begin;
        range.end = range.end > gets.end ? range.end : gets.end;
    }
    __atomic_store_n(&aci_order.gets[proc].begin, range.begin, __ATOMIC_RELAXED);
    __atomic_store_n(&aci_order.gets[proc].end, range.end, __ATOMIC_RELAXED);
    uint64_t quiet = __atomic_load_n(&aci_order.quiet, __ATOMIC_RELAXED);
    __atomic_store_n(&aci_order.mark[proc], quiet | before | ACI_GETS, __ATOMIC_RELAXED);
}

void aci_order_quiet(void)
{
    // the number first: an operation that another thread begins meanwhile stays marked
    __atomic_fetch_add(&aci_order.quiet, ACI_MARKS + 1, __ATOMIC_RELAXED);
    cw_handle_quiet();
}

void aci_order_complete(const char *call)
{
    aci_send_collected(call);
    aci_order_quiet();
}

// ---------------------------------------------------------------- fences and barriers
static CW_NOINLINE void fence(int proc)
{
    CW_WATCH(aci_watch("ARMCI_Fence"));
    aci_check_life("ARMCI_Fence");
    aci_check_proc("ARMCI_Fence", proc);
    aci_send_collected("ARMCI_Fence");
    if (aci_under_way(proc) & ACI_PENDING)
        aci_order_quiet();
    else
        atomic_thread_fence(memory_order_seq_cst);
}

ACI_API void PARMCI_Fence(int proc)
{
    if (CW_LIKELY((uint32_t)proc < aci_order.limit && !(aci_under_way(proc) & ACI_PENDING) &&
                  !__atomic_load_n(&aci_lists, __ATOMIC_RELAXED)))
        atomic_thread_fence(memory_order_seq_cst);  // for PEs of the node
    else
        fence(proc);
}
ACI_WEAK(ARMCI_Fence);

ACI_API void PARMCI_AllFence(void)
{
    ACI_ENTER();
    aci_order_complete(aci_call(__func__));
}
ACI_WEAK(ARMCI_AllFence);

ACI_API void PARMCI_Barrier(void)
{
    ACI_ENTER();
    aci_order_complete(aci_call(__func__));
    cw_barrier(cw_group_world);
}
ACI_WEAK(ARMCI_Barrier);
