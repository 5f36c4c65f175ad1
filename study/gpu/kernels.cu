// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels for a card: clang makes PTX of this file, without a toolkit (study/gpu.py).
#include <causeway/device.h>

struct card_args;
#define CARD_KERNEL(name)                                                               \
    CWD_FN void name##_body(const cwd_world_t *w, const struct card_args *a);           \
    extern "C" __attribute__((global)) void name(cwd_world_t world, struct card_args a) \
    {                                                                                   \
        name##_body(&world, &a);                                                        \
    }                                                                                   \
    CWD_FN void name##_body(const cwd_world_t *w, const struct card_args *a)
#include "kernels.h"
