// SPDX-License-Identifier: BSD-3-Clause
//
// For clients that include atomics domains under this name; gasnetex.h has them.
#ifndef GASNET_RATOMIC_H
#define GASNET_RATOMIC_H

#include "gasnetex.h"

#endif
