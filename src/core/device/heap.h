// SPDX-License-Identifier: BSD-3-Clause
//
// The device heap: each PE has a slice of memory on a device, all slices are of one size, and those
// of a node's PEs are mapped in one range of addresses in each of its processes:
//
//     base                 this PE's own slice: its symmetric addresses
//     base + 1 stride      the slice of the PE in slot 0 of the node
//     base + 2 stride      that of slot 1 ...        (nothing at the place of this PE's own slot)
//
// So one number a slot leads from a symmetric address to a peer's copy, and where all PEs could
// reserve the same base, which they agree on, a symmetric address is one number in the whole job.
// The allocator is that of the symmetric heap: deterministic, with its tables in private host
// memory.
//
// A PE's device is CAUSEWAY_DEVICE, or its slot modulo the number of devices. Slices on a device
// that this PE's own cannot load from are mapped for their own device, whose primary context this
// process then uses as well.
//
// Threads: the allocator is not safe against itself; calls are collective over the world, and the
// front end's barriers serialise them. Blocking: cw_device_open waits for the other PEs.
#ifndef CW_CORE_DEVICE_HEAP_H
#define CW_CORE_DEVICE_HEAP_H

#include "core/device/vendor.h"
#include "core/mem/arena.h"
#include "core/world/world.h"

/** What this process knows of a slice of its node. */
typedef struct cw_slice {
    uint64_t memory;  // the driver's handle; 0: none
    int device;       // of this process's devices: the one that holds it
    bool is_direct;   // this PE's own device loads and stores it
} cw_slice_t;

typedef struct cw_device_heap {
    const cw_device_vendor_t *vendor;  // NULL: there is no heap
    int device;                        // of this PE
    uint64_t reached;                  // bits of the devices whose memory it loads and stores
    uintptr_t base;
    uint64_t stride;    // bytes of a slice, whole granules
    size_t align_most;  // an alignment that symmetric addresses can have on all PEs
    cw_slice_t *slice;  // [nslots]
    cw_arena_t arena;   // over this PE's own slice
} cw_device_heap_t;
extern cw_device_heap_t cw_device_heap CW_HIDDEN;

/** Collective over the world. CW_EINVAL (0 bytes, other sizes elsewhere, a heap is there already),
 *  CW_ENOENT, CW_ENOTSUP, CW_ENOMEM …: reported by the PE where it failed, and no PE has a heap.
 *  While no other thread of the process is in the library. [waits] */
int cw_device_open(size_t nbytes);
/** Before the process leaves the job, after the last transfer. */
void cw_device_close(void);
/** Local moves of the allocator. NULL when it does not fit, or the PEs' addresses are not equal
 *  modulo that alignment. */
void *cw_device_malloc(size_t alignment, size_t nbytes);
/** Returns 0, or CW_EINVAL: no block that was allocated. */
int cw_device_free(void *ptr);
size_t cw_device_size(const void *ptr);
void cw_device_describe(const void *ptr, char *text, size_t nbytes);
/** Where this PE's device finds a symmetric address of `pe`; NULL: nowhere. */
void *cw_device_ptr(const void *symmetric, int pe);

// ---- inside core/device
/** The offset in this PE's slice of a symmetric address; UINT64_MAX: it is none. */
static inline uint64_t cw_device_offset(const void *symmetric)
{
    uint64_t at = (uintptr_t)symmetric - cw_device_heap.base;
    return at < cw_device_heap.stride ? at : UINT64_MAX;
}

/** Where the slice of a slot is mapped here. */
static inline char *cw_device_slice(int slot)
{
    uint64_t place = slot == cw_world.slot ? 0 : (uint64_t)slot + 1;
    return (char *)cw_device_heap.base + place * cw_device_heap.stride;
}

/** The device by which this process copies from and to a slice. */
static inline int cw_device_of_slice(int slot)
{
    const cw_slice_t *s = &cw_device_heap.slice[slot];
    return s->is_direct ? cw_device_heap.device : s->device;
}

/** Bytes of symmetric room for the next two, on a line of its own. */
#define CW_DEVICE_ROOM (4 * sizeof(uint64_t))
/** CW_OK if no PE has failed; else this PE's error, or CW_ENOTSUP where another one has failed.
 *  Collective, as the next. [waits] */
int cw_device_all_well(uint64_t *room, int rc);
/** CW_EINVAL, reported: the variable is not the same on all PEs. */
int cw_device_all_same(uint64_t *room, uint64_t value, const char *variable);

/** What core's cold paths call while there is a heap (core/device/transfer.c). */
extern const struct cw_foreign cw_device_foreign CW_HIDDEN;

#endif
