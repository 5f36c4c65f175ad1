// SPDX-License-Identifier: BSD-3-Clause
//
// The device heap: each PE has a slice of memory on a device, all of one size. Each process maps
// those of its node's PEs in one range:
//
//     base                 this PE's own slice: its symmetric addresses
//     base + 1 stride      the slice of the PE in slot 0 of the node
//     base + 2 stride      that of slot 1 ...        (nothing at the place of this PE's own slot)
//
// So one number a slot leads to a peer's copy; if all PEs could reserve one base, symmetric
// addresses are the same in the whole job. Slices that this PE's device cannot load are mapped for
// their own device, whose primary context this process then uses, too.
// Threads: the front end's barriers serialise calls, which are collective over the world. Blocking:
// cw_device_open waits for the other PEs.
#ifndef CW_CORE_DEVICE_HEAP_H
#define CW_CORE_DEVICE_HEAP_H

#include "core/device/vendor.h"
#include "core/mem/arena.h"
#include "core/world/world.h"

/** What this process knows of a slice of its node. */
typedef struct cw_slice {
    uint64_t memory;  // the driver's handle; 0: none
    int device;       // of this process's devices, holds it
    bool is_direct;   // this PE's own device loads and stores it
} cw_slice_t;

typedef struct cw_device_heap {
    const cw_device_vendor_t *vendor;  // NULL: there is no heap
    int device;                        // of this PE
    uint64_t reached;                  // bits of the devices whose memory it loads and stores
    uintptr_t base;
    uint64_t stride;    // bytes of a slice, whole granules
    size_t align_most;  // symmetric addresses can have this alignment on all PEs
    cw_slice_t *slice;  // [nslots]
    cw_arena_t arena;   // over this PE's own slice
} cw_device_heap_t;
extern cw_device_heap_t cw_device_heap CW_HIDDEN;

/** Collective over the world, while no other thread of the process is in the library. CW_EINVAL (0
 *  bytes, other sizes elsewhere, a heap is there), CW_ENOENT, CW_ENOTSUP, CW_ENOMEM …: reported by
 *  the PE where it failed, and no PE has a heap. [waits] */
int cw_device_open(size_t nbytes);
/** Before the process leaves the job, after the last transfer. */
void cw_device_close(void);
/** The allocator's local moves. NULL: no room, or the PEs' addresses differ modulo the
 *  alignment. */
void *cw_device_malloc(size_t alignment, size_t nbytes);
/** 0, or CW_EINVAL: no allocated block. */
int cw_device_free(void *ptr);
size_t cw_device_size(const void *ptr);
void cw_device_describe(const void *ptr, char *text, size_t nbytes);
/** Where this PE's device finds a symmetric address of `pe`; NULL: nowhere. */
void *cw_device_ptr(const void *symmetric, int pe);

// ---- inside core/device
/** Offset in this PE's slice; UINT64_MAX: not symmetric. */
static inline uint64_t cw_device_offset(const void *symmetric)
{
    uint64_t at = (uintptr_t)symmetric - cw_device_heap.base;
    return at < cw_device_heap.stride ? at : UINT64_MAX;
}

/** Where a slot's slice is mapped here. */
static inline char *cw_device_slice(int slot)
{
    uint64_t place = slot == cw_world.slot ? 0 : (uint64_t)slot + 1;
    return (char *)cw_device_heap.base + place * cw_device_heap.stride;
}

static inline int cw_device_of_slice(int slot)
{
    const cw_slice_t *s = &cw_device_heap.slice[slot];
    return s->is_direct ? cw_device_heap.device : s->device;
}

/** Bytes of symmetric room for the next two, on a line of its own. */
#define CW_DEVICE_ROOM (4 * sizeof(uint64_t))
/** CW_OK if no PE has failed; else this PE's error, or CW_ENOTSUP. Collective, as the next.
 *  [waits] */
int cw_device_all_well(uint64_t *room, int rc);
/** CW_EINVAL, reported: the variable differs between PEs. */
int cw_device_all_same(uint64_t *room, uint64_t value, const char *variable);

/** For core's cold paths, while there is a heap (core/device/transfer.c). */
extern const struct cw_foreign cw_device_foreign CW_HIDDEN;

#endif
