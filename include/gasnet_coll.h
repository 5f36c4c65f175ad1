// SPDX-License-Identifier: BSD-3-Clause
//
// Where clients look for collectives. On Causeway gasnetex.h has them.
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include "gasnetex.h"

#endif
