// SPDX-License-Identifier: BSD-3-Clause
//
// For clients that include collectives under this name; gasnetex.h has them.
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include "gasnetex.h"

#endif
