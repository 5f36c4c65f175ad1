// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses in messages: variable, block, stack. Slow: reads tables of symbols and /proc/self/maps.
// Threads: any.
#ifndef CW_CORE_OBSERVE_ADDRESS_H
#define CW_CORE_OBSERVE_ADDRESS_H

#include <stddef.h>

#include "base/compiler.h"

/** Of bytes of this process: "0x5010 (static `grid`+0x10, 4 KiB)". The text is overwritten a few
 *  calls later. */
const char *cw_at(const void *address, size_t nbytes) CW_COLD;
/** Of another PE (-1: unknown): marks what that address is here, which may have been meant. */
const char *cw_at_of(int pe, const void *address, size_t nbytes) CW_COLD;
/** Without memory: " (374 KiB beyond the end of static `grid`, 4 KiB)", or "". Also in handlers of
 *  signals. */
const char *cw_at_overrun(const void *address) CW_COLD;

#endif
