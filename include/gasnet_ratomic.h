// SPDX-License-Identifier: BSD-3-Clause
//
// Where clients look for atomics domains. On Causeway gasnetex.h has them.
#ifndef GASNET_RATOMIC_H
#define GASNET_RATOMIC_H

#include "gasnetex.h"

#endif
