// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic swap and fetch-and-add.
#include <string.h>

#include "armci/device.h"
#include "core/device/part.h"
#include "core/rma/amo.h"

void aci_before_atomic(int proc, const void *addr, size_t nbytes)
{
    aci_before_write(proc, addr, nbytes);
    if (CW_UNLIKELY(cw_world.nic_atomics))
        aci_before_direct(proc);
    else
        aci_before_request(proc);
}

static bool is_long(const char *call, int op)
{
    if (CW_UNLIKELY(op < ARMCI_SWAP || op > ARMCI_FETCH_AND_ADD_LONG))
        aci_fail(call, "operation %d is none of ARMCI_SWAP, ARMCI_FETCH_AND_ADD and their _LONG",
                 op);
    return op == ARMCI_SWAP_LONG || op == ARMCI_FETCH_AND_ADD_LONG;
}

/** The old value of the word. */
static uint64_t execute(void *rem, cw_amo_op_t op, size_t nbytes, uint64_t operand, int proc)
{
    uint32_t pe = (uint32_t)proc;
    if (proc == cw_world.pe && !cw_owner_reaches(&aci_owner, pe, rem, nbytes))
        return cw_amo_local(rem, op, nbytes, operand, 0);  // no other process reaches it
    if (!cw_owner_is_mapped(cw_owner_find_word(&aci_owner, pe)))
        aci_before_atomic(proc, rem, nbytes);
    return cw_amo_fetching(&cw_ctx_default, cw_owner_symmetric(&aci_owner, pe, rem), op, nbytes,
                           operand, 0, proc);
}

/** Done, where the word or the operand is on a device. */
static CW_COLD bool by_device(const char *call, bool swap, size_t nbytes, void *loc, void *rem,
                              int value, int proc)
{
    const aci_op_t op = {.call = call, .proc = proc, .put = true};
    uint64_t operand = (uint64_t)value, old;
    if (swap && !aci_device_copy(&operand, loc, nbytes))
        memcpy(&operand, loc, nbytes);
    if (!aci_device_rmw(&op, rem, nbytes, swap, operand, &old)) {
        if (!cw_device_holds(loc))
            return false;
        old = execute(rem, swap ? CW_AMO_SWAP : CW_AMO_ADD, nbytes, operand, proc);
    }
    if (!aci_device_copy(loc, &old, nbytes))
        memcpy(loc, &old, nbytes);
    return true;
}

ACI_API int PARMCI_Rmw(int op, void *loc, void *rem, int value, int proc)
{
    ACI_ENTER();
    const char *call = aci_call(__func__);
    bool wide = is_long(call, op), swap = op == ARMCI_SWAP || op == ARMCI_SWAP_LONG;
    size_t nbytes = wide ? sizeof(long) : sizeof(int);
    aci_check_transfer(call, proc, rem, ACI_NO_BUFFER, (intptr_t)nbytes);
    if (CW_UNLIKELY((uintptr_t)rem % nbytes))
        aci_fail(call, "%s of process %d is not aligned to %zu bytes", cw_at_of(proc, rem, nbytes),
                 proc, nbytes);
    if (CW_UNLIKELY(aci.devices) && by_device(call, swap, nbytes, loc, rem, value, proc))
        return 0;
    cw_amo_op_t kind = swap ? CW_AMO_SWAP : CW_AMO_ADD;
    uint64_t operand, found;
    if (wide) {
        operand = (uint64_t)(swap ? *(long *)loc : value);
        *(long *)loc = (long)(found = execute(rem, kind, nbytes, operand, proc));
    } else {
        operand = (uint32_t)(swap ? *(int *)loc : value);
        *(int *)loc = (int)(found = execute(rem, kind, nbytes, operand, proc));
    }
    if (CW_UNLIKELY(operand == (swap ? found : 0)))
        cw_amo_left(rem, found);
    return 0;
}
ACI_WEAK(ARMCI_Rmw);
