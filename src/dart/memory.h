// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of memory that other units reach: each unit allocates from the area behind its heap, which
// is sparse and as large as the machine's memory. Threads: any. Blocking: never.
#ifndef DRT_MEMORY_H
#define DRT_MEMORY_H

#include "core/mem/area.h"
#include "dart/drt.h"

/** The area of this front end. */
extern const cw_area_request_t drt_area_request CW_HIDDEN;

void drt_memory_open(void);
void drt_memory_close(void);
/** Where the area begins, and its size. */
char *drt_area(size_t *nbytes_p);
/** A block, 64-byte aligned; NULL: no memory is left. nbytes 0: the smallest block. */
void *drt_alloc(size_t nbytes);
/** False: ptr is no block. */
bool drt_release(void *ptr);
/** Where the table of private memory lies in the front end's own memory. */
#define DRT_RANGES_AT ((size_t)28 << 20)
/** And the hardware thread of the unit (place.c). */
#define DRT_PLACE_AT ((size_t)30 << 20)
/** A word of each unit at one symmetric address, 0 when it is free (atomic.c). */
uint64_t *drt_update_lock(void);

#endif
