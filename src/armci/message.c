// SPDX-License-Identifier: BSD-3-Clause
//
// The message layer's processes, barrier and clock.
#include "armci/aci.h"
#include "base/clock.h"

ACI_API int armci_msg_me(void)
{
    ACI_ENTER();
    return cw_world.pe;
}

ACI_API int armci_msg_nproc(void)
{
    ACI_ENTER();
    return cw_world.npes;
}

ACI_API void parmci_msg_barrier(void)
{
    ACI_ENTER();
    cw_sync(cw_group_world);
}
ACI_WEAK_LOWER(armci_msg_barrier);

ACI_API double armci_timer(void)
{
    return (double)cwu_now_ns() * 1e-9;
}
