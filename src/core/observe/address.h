// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses in messages, with what lies there: the variable of the program by name and size, the
// block of the heap, the stack. All messages about addresses have them from here. Slow (reads
// tables of symbols and /proc/self/maps): for messages only. Threads: any.
#ifndef CW_CORE_OBSERVE_ADDRESS_H
#define CW_CORE_OBSERVE_ADDRESS_H

#include <stddef.h>

#include "base/compiler.h"

/** Bytes of this process from an address on: "0x5010 (static `grid`+0x10, 4 KiB)", "0x5ff0 (reaches
 *  366 KiB beyond the end of static `grid`, 4 KiB)", "0x7ffd80 (on the stack of this thread)". The
 *  text is for one message: it is overwritten a few calls later. */
const char *cw_at(const void *address, size_t nbytes) CW_COLD;
/** Those of another PE (-1: it is not known which): what lies here at that address is said as such,
 *  since it may have been meant. */
const char *cw_at_of(int pe, const void *address, size_t nbytes) CW_COLD;
/** Where no memory is: " (374 KiB beyond the end of static `grid`, 4 KiB)", or "". May be called in
 *  a signal's handler. */
const char *cw_at_overrun(const void *address) CW_COLD;

#endif
