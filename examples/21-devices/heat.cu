// SPDX-License-Identifier: BSD-3-Clause
//
// For a card: clang -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -O2 -S
#include "heat.h"

extern "C" __attribute__((global)) void heat_step(cwd_world_t world, step_t step)
{
    step_slab(&world, &step);
}
