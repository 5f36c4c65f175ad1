// SPDX-License-Identifier: BSD-3-Clause
//
// For a card: clang -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -O2 -S
#include "random_access.h"

extern "C" __attribute__((global)) void random_updates(cwd_world_t world, updates_t updates)
{
    update(&world, &updates);
}
