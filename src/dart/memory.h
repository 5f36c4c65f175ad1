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
/** And what dart_memalloc has given in checking mode. */
#define DRT_LOCAL_AT ((size_t)31 << 20)
/** In checking mode: dart_memalloc gave that block of the area to this unit; it took it back. */
void drt_local_add(uint64_t offset, size_t nbytes);
void drt_local_remove(uint64_t offset);
/** In checking mode, in a frame: do the bytes lie in a block that dart_memalloc gave that other PE?
 *  True, too, where it has more blocks than are kept. May get from the PE. */
bool drt_local_has(int pe, uint64_t offset, size_t nbytes);
/** A word of each unit at one symmetric address, 0 when it is free (atomic.c). */
uint64_t *drt_update_lock(void);

#endif
