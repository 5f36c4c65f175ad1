// SPDX-License-Identifier: BSD-3-Clause
//
// Copies by this process between any two places that it has addresses of: its own memory, the node
// object, slices of the device heap, other memory of devices. Each is made by the device that
// reaches both places; where none does, it goes through host memory in parts.
//
// A failed copy ends the job, the driver's error having been reported. Threads: any. Blocking: for
// the device; complete on return.
#ifndef CW_CORE_DEVICE_COPY_H
#define CW_CORE_DEVICE_COPY_H

#include "core/bulk/rows.h"
#include "core/device/heap.h"

enum { CW_DEVICE_NONE = -1 };  // memory of the processors
/** The device by which this process copies from and to that address. The driver is asked about what
 *  is neither the node object's nor the heap's. */
int cw_device_of(const void *addr);

void cw_device_copy(void *dest, const void *src, size_t nbytes);
void cw_device_copy_rows(const cw_rows_t *rows);
/** Sets bytes of the slice of this PE. */
void cw_device_fill(void *dest, uint8_t value, size_t nbytes);

/** The atomic on a word of the slice of a slot, aligned to its size: read, changed and written back
 *  under a lock of the node, so it is exact among all that come here; or by a kernel, and so
 *  exact beside kernels' own. Returns the old value. */
uint64_t cw_device_amo(int slot, uint64_t offset, unsigned op, size_t nbytes, uint64_t operand,
                       uint64_t compare);

/** From here on by kernels, all PEs alike while no atomic is under way; NULL: no longer. cells:
 *  a line of memory that is enlisted with all devices. */
void cw_device_atomics_by_kernel(uint64_t *cells);

#endif
