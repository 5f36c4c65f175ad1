// SPDX-License-Identifier: BSD-3-Clause
//
// Included before each source of the library, behind the headers of the system that the source
// includes (build.py): what is compiled is what a processor without assembly of its own gets, so
// that every access is one that the simulator sees.
#ifndef SIM_PORTABLE_H
#define SIM_PORTABLE_H

#include <stdint.h>
#include <time.h>

void sim_pause(void);
#define __builtin_ia32_pause sim_pause
#include "base/clock.h"
#undef __builtin_ia32_pause
#undef __x86_64__

#endif
