// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine has. The query takes longer than most of start-up, so a launcher makes it once
// for all its PEs.
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#include <stdint.h>

/** Bytes of memory available to a job here: RAM and swap, or the control group's limit if that is
 *  lower. 0: not known. */
uint64_t cwu_machine_memory(void);
/** File descriptors that this process may still open. */
long cwu_free_files(void);

#endif
