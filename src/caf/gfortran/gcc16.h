// SPDX-License-Identifier: BSD-3-Clause
//
// What gfortran 16 calls with other arguments than the versions before it (gcc16.def). The entry
// points have the same names, so they are in a library of their own (names16/), which the wrapper
// caf links first, and call these.
#ifndef GFT_GCC16_H
#define GFT_GCC16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define GFT_16_API CW_EXPORTED

struct caf_descriptor;

#define GFT_16(type, name, parameters, arguments) GFT_16_API type causeway_caf16_##name parameters;
#define GFT_16_VOID(name, parameters, arguments) GFT_16(void, name, parameters, arguments)
#include "caf/gfortran/gcc16.def"
#undef GFT_16_VOID
#undef GFT_16

#endif
