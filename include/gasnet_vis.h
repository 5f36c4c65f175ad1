// SPDX-License-Identifier: BSD-3-Clause
//
// For clients that include vector, indexed and strided transfers under this name; gasnetex.h has
// them.
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include "gasnetex.h"

#endif
