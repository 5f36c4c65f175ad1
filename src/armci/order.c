// SPDX-License-Identifier: BSD-3-Clause
//
// The marks of what is under way to each PE; fences, quiets and barriers.
#include <stdlib.h>

#include "armci/aci.h"
#include "base/error.h"
#include "base/lock.h"

aci_order_t aci_order;

static cwu_lock_t gets_lock;  // guards aci_order.gets, with the marks that belong to them

void aci_order_open(void)
{
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

// ---------------------------------------------------------------- marks
/** A word that is too high, by its number or by a mark that is void, costs a fence or a quiet that
 *  was not due; one that is too low would cost the order. */
static void set_marks(_Atomic uint64_t *word, const cw_handle_quiets_t *of, uint64_t marks)
{
    uint64_t begun = atomic_load_explicit(&of->begun, memory_order_relaxed) << ACI_NUMBER,
             now = atomic_load_explicit(word, memory_order_relaxed), next;
    do {
        uint64_t number = now & ~(uint64_t)ACI_MARKS;
        next = (number > begun ? number : begun) | aci_live(now, of) | marks;
    } while (next != now && !atomic_compare_exchange_weak_explicit(
                                word, &now, next, memory_order_relaxed, memory_order_relaxed));
}

void aci_mark(int proc, uint64_t marks)
{
    aci_mark_t *mark = &aci_order.mark[proc];
    uint64_t paths = marks & ACI_PATHS;
    // The operation before the numbers: a quiet or fence of a higher number has seen it. Pairs with
    // cw_handle_quiet and aci_begin_fence.
    atomic_thread_fence(memory_order_seq_cst);
    if (paths)
        set_marks(&mark->paths, &aci_order.fences, paths);
    set_marks(&mark->pending, &cw_handle_quiets, (marks & ~paths) | ACI_PENDING);
}

void aci_order_behind_gets(int proc, uintptr_t addr, size_t nbytes)
{
    cwu_lock(&gets_lock);
    aci_range_t gets = aci_order.gets[proc];
    cwu_unlock(&gets_lock);
    if (addr < gets.end && gets.begin < addr + nbytes)
        aci_order_quiet();
}

void aci_mark_get(int proc, uintptr_t addr, size_t nbytes)
{
    aci_range_t *gets = &aci_order.gets[proc], range = {addr, addr + nbytes};
    cwu_lock(&gets_lock);
    if (aci_pending(proc) & ACI_GETS) {
        range.begin = range.begin < gets->begin ? range.begin : gets->begin;
        range.end = range.end > gets->end ? range.end : gets->end;
    }
    *gets = range;
    aci_mark(proc, ACI_GETS);
    cwu_unlock(&gets_lock);
}

// ---------------------------------------------------------------- fences and quiets
void aci_order_fence(void)
{
    uint64_t mine = aci_begin_fence();
    cw_fence_default();
    cw_handle_raise(&aci_order.fences.done, mine);
}

void aci_order_quiet(void)
{
    uint64_t mine = aci_begin_fence();
    cw_handle_quiet();
    cw_handle_raise(&aci_order.fences.done, mine);
}

void aci_order_complete(const char *call)
{
    aci_send_collected(call);
    aci_order_quiet();
}

// ---------------------------------------------------------------- calls
static CW_NOINLINE void fence(int proc)
{
    CW_WATCH(aci_watch_fence("ARMCI_Fence", proc));
    aci_check_life("ARMCI_Fence");
    aci_check_proc("ARMCI_Fence", proc);
    aci_send_collected("ARMCI_Fence");
    if (aci_pending(proc))
        aci_order_quiet();
    else
        atomic_thread_fence(memory_order_seq_cst);
}

ACI_API void PARMCI_Fence(int proc)
{
    if (CW_LIKELY((uint32_t)proc < aci_order.limit && !aci_pending(proc) &&
                  !__atomic_load_n(&aci_lists, __ATOMIC_RELAXED)))
        atomic_thread_fence(memory_order_seq_cst);  // for PEs of the node
    else
        fence(proc);
}
ACI_WEAK(ARMCI_Fence);

ACI_API void PARMCI_AllFence(void)
{
    ACI_ENTER_WITH(aci_watch_fence(__func__, -1));
    aci_order_complete(aci_call(__func__));
}
ACI_WEAK(ARMCI_AllFence);

ACI_API void PARMCI_Barrier(void)
{
    ACI_ENTER_WITH(aci_watch_fence(__func__, -1));
    aci_order_complete(aci_call(__func__));
    aci_agree(cw_group_world, aci_call(__func__));
    cw_barrier(cw_group_world);
}
ACI_WEAK(ARMCI_Barrier);
