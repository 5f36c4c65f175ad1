// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine has. Asking takes longer than most of start-up, so a launcher asks once for all
// its PEs.
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#include <stdint.h>

/** Bytes of memory a job here can hope for: RAM and swap, or the control group's limit if that is
 *  lower. 0: not known. */
uint64_t cwu_machine_memory(void);

#endif
