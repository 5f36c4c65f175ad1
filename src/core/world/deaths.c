// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher knows what a death ends.
#include "core/world/deaths.h"

bool cw_outlive(void)
{
    if (!cw_boot.ops->survive)
        return false;
    cw_boot.ops->survive(&cw_boot, cw_world.hosts_server ? CWB_DEATH_ENDS_NODE : CWB_DEATH_ENDS_PE);
    return true;
}

void cw_outlive_no_more(void)
{
    if (cw_boot.ops->survive)
        cw_boot.ops->survive(&cw_boot, CWB_DEATH_ENDS_JOB);
}
