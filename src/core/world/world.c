// SPDX-License-Identifier: BSD-3-Clause
//
// The facts of the job.
#include "core/world/world.h"

cw_world_t cw_world = {.gathered = true};  // outside of a job there is no PE to wait for
const cwt_ops_t *cw_transport;
