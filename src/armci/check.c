// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of calls: life of the job, process numbers, addresses; frames for observers.
#include <stdlib.h>
#include <string.h>

#include "armci/device.h"
#include "core/observe/check.h"
#include "core/observe/sources.h"

void aci_check_life(const char *call)
{
    if (aci.joined == 0)
        aci_fail(call, "called %s",
                 cw_world.finalized ? "after ARMCI_Finalize"
                                    : "before ARMCI_Init; call that first");
}

void aci_check_proc(const char *call, int proc)
{
    if (CW_UNLIKELY(proc < 0 || proc >= cw_world.npes))
        aci_fail(call, "process %d does not exist; there are %d", proc, cw_world.npes);
}

/** In checking mode: of blocks that are there. */
static CW_COLD void check_known(const char *call, int proc, const void *addr, const void *local,
                                size_t nbytes)
{
    char text[CW_KNOWN_TEXT];
    if (cw_known_wrong(proc, (uintptr_t)addr, nbytes, text, sizeof text))
        aci_fail(call, "%zu bytes at %p of process %d %s", nbytes, addr, proc, text);
    if (local == ACI_NO_BUFFER)
        return;
    aci_check_local(call, local, nbytes);
    if (proc == cw_world.pe)
        cw_check_apart(call, addr, local, nbytes);
}

void aci_check_local(const char *call, const void *local, size_t nbytes)
{
    cw_check_buffer(call, "the local address", local, nbytes);
}

void aci_check_transfer(const char *call, int proc, const void *remote, const void *local,
                        intptr_t nbytes)
{
    aci_check_proc(call, proc);
    if (nbytes < 0)
        aci_fail(call, "%lld bytes", (long long)nbytes);
    if (nbytes == 0)
        return;
    if (CW_UNLIKELY(aci.check))
        check_known(call, proc, remote, local, (size_t)nbytes);
    if (proc == cw_world.pe)
        return;
    if (!cw_owner_reaches(&aci_owner, (uint32_t)proc, remote, (size_t)nbytes) &&
        !(aci.devices && aci_device_has(proc, remote, (size_t)nbytes)))
        aci_fail(call, "%zu bytes at %s are not in memory that ARMCI_Malloc gave process %d",
                 (size_t)nbytes, cw_at_of(proc, remote, (size_t)nbytes), proc);
}

void aci_saw(int proc, const void *remote, const void *local, size_t nbytes)
{
    const unsigned changes = atomic_load(&cw_block_changes);
    const cw_known_span_t *there = cw_known_seen(CW_KNOWN_REMOTE, proc, remote, nbytes);
    if (there)
        cw_owner_saw(&aci_owner, ACI_PAIRS, (uint32_t)proc, changes, *there, local, nbytes);
}

cw_frame_t *aci_watch(const char *func)
{
    cw_check_not_in_handler(aci_call(func));
    return cw_watch_call(aci_call(func));
}

/** A handle has one operation, unless it collects them. */
static CW_COLD void check_free(const char *call, const armci_hdl_t *hdl)
{
    char place[160];
    cw_known_t last;
    if (aci_is_aggregate(hdl) || !cw_known_find(CW_KNOWN_REQUESTS, (uintptr_t)hdl, &last) ||
        last.base != (uintptr_t)hdl || last.freed || !cw_check_is_news(last.place))
        return;
    cwu_symbol_describe(last.place, place, sizeof place);
    cw_check_warn(
        call,
        "the handle is in use by the %s at %s, which was not waited for: a handle has one "
        "operation; use another one, or call ARMCI_Wait or ARMCI_SET_AGGREGATE_HANDLE",
        last.call, place);
}

cw_frame_t *aci_watch_begins(const char *func, const armci_hdl_t *hdl)
{
    if (aci.check && hdl)
        check_free(aci_call(func), hdl);
    if (aci.check && hdl)
        cw_check_give(CW_KNOWN_REQUESTS, (uintptr_t)hdl, aci_call(func));
    return aci_watch(func);
}

cw_frame_t *aci_watch_ends(const char *func, const armci_hdl_t *hdl)
{
    if (aci.check && hdl) {
        cw_known_free(CW_KNOWN_REQUESTS, (uintptr_t)hdl);
        cw_source_end(CW_SOURCE_REQUEST, (uintptr_t)hdl, aci_call(func));
    } else if (aci.check) {
        cw_known_free_all(CW_KNOWN_REQUESTS);
        cw_source_end_all(CW_SOURCE_REQUEST, aci_call(func));
    }
    return aci_watch(func);
}

cw_frame_t *aci_watch_fence(const char *func, int proc)
{
    if (aci.check)
        cw_source_end_all(CW_SOURCE_REQUEST, aci_call(func));
    if (aci.put_place && (proc < 0 || proc == aci.put_proc))
        aci.put_place = NULL;
    return aci_watch(func);
}

void aci_check_fenced(const char *call)
{
    char place[160];
    const void *put = aci.put_place;
    if (!put)
        return;
    aci.put_place = NULL;
    if (!cw_check_is_news(put))
        return;
    cwu_symbol_describe(put, place, sizeof place);
    cw_check_warn(call,
                  "the put to process %d at %s is not fenced: this call completes no puts; call "
                  "ARMCI_Barrier, or ARMCI_AllFence before it",
                  aci.put_proc, place);
}

// ---------------------------------------------------------------- known blocks
// Each process knows the blocks that members of its groups were given at once (observe/known.h);
// those of ARMCI_Memget are known to their process alone.
void aci_known_add(const char *call, const void *place, const cw_group_t *group,
                   void *const bases[], size_t nbytes)
{
    uintptr_t *sizes = aci_exchanged(call, group, nbytes);
    for (int rank = 0; rank < group->size; rank++)
        if (bases[rank])
            cw_known_add(&(cw_known_t){.space = cw_group_pe(group, rank),
                                       .base = (uintptr_t)bases[rank],
                                       .nbytes = sizes[rank],
                                       .call = call,
                                       .place = place});
    free(sizes);
}

void aci_known_free(const char *call, const cw_group_t *group, const void *ptr)
{
    uintptr_t *bases = aci_exchanged(call, group, (uintptr_t)ptr);
    for (int rank = 0; rank < group->size; rank++)
        if (bases[rank])
            cw_known_free(cw_group_pe(group, rank), bases[rank]);
    free(bases);
}
