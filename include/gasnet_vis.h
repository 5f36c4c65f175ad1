// SPDX-License-Identifier: BSD-3-Clause
//
// Where clients look for vector, indexed and strided transfers. On Causeway gasnetex.h has them.
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include "gasnetex.h"

#endif
