// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions to OpenSHMEM under the shmemx_ prefix. There are none yet; the specification wants the header to exist.
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

#endif
