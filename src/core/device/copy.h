// SPDX-License-Identifier: BSD-3-Clause
//
// Copies by this process between any two addresses that it has: own memory, the node object, device
// slices, other device memory. A device that reaches both places makes them; else they go through
// host memory.
//
// A failed copy ends the job; the driver's error is reported. Threads: any. Blocking: for the
// device; complete on return.
#ifndef CW_CORE_DEVICE_COPY_H
#define CW_CORE_DEVICE_COPY_H

#include "core/bulk/rows.h"
#include "core/device/heap.h"

enum { CW_DEVICE_NONE = -1 };  // host memory
/** The device by which this process copies from and to addr. Asks the driver unless addr is of the
 *  node object or the heap. */
int cw_device_of(const void *addr);

void cw_device_copy(void *dest, const void *src, size_t nbytes);
void cw_device_copy_rows(const cw_rows_t *rows);
/** In this PE's slice. */
void cw_device_fill(void *dest, uint8_t value, size_t nbytes);

/** An atomic on an aligned word of a slot's slice: by a kernel, exact beside kernels' own; or under
 *  a lock of the node, exact among calls. Returns the old value. */
uint64_t cw_device_amo(int slot, uint64_t offset, unsigned op, size_t nbytes, uint64_t operand,
                       uint64_t compare);

/** By kernels from here on, on all PEs at once while no atomic is under way; NULL: no longer.
 *  cells: a line enlisted with all devices. */
void cw_device_atomics_by_kernel(uint64_t *cells);

#endif
