// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions: symmetric memory of devices. As the symmetric heap's routines (memory.c), all but
// shmemx_device_ptr are collective over the world: an allocation ends with a barrier, a release
// begins with one, and where nothing is to do there is none either.
#include <shmemx.h>

#include "base/symbol.h"
#include "core/device/copy.h"
#include "core/device/heap.h"
#include "core/device/world.h"
#include "shmem/shm.h"

/** Checking mode: checks that all PEs pass the same arguments; unused ones are 0. */
static void agree(const char *func, const void *ptr, size_t size, size_t alignment)
{
    if (!SHM_CHECKING())
        return;
    cw_claim_t claim = cw_claim(func);
    claim.ptr = ptr;
    claim.size = size ? size : CW_CLAIM_NONE;
    claim.alignment = alignment ? alignment : CW_CLAIM_NONE;
    cw_coll_agree(cw_group_world, &claim);
}

int shmemx_device_heap(size_t bytes)
{
    SHM_ENTER();
    return cw_device_open(bytes) != CW_OK;
}

static void need_heap(const char *func)
{
    if (!cw_device_heap.vendor)
        cw_check_failed(func,
                        "there is no device heap; call shmemx_device_heap first, and see that "
                        "it returns 0");
}

static void *allocate(const char *func, size_t alignment, size_t size, bool zeros)
{
    need_heap(func);
    agree(func, NULL, size, alignment);
    void *p = cw_device_malloc(alignment, size);
    if (p && zeros)
        cw_device_fill(p, 0, size);
    if (!p && SHM_CHECKING() && cw_world.pe == 0)
        cwu_warn("%s asks for %zu bytes and gets NULL: they do not fit the device heap of %llu "
                 "bytes, whose size shmemx_device_heap was given",
                 func, size, (unsigned long long)cw_device_heap.stride);
    cw_barrier(cw_group_world);
    return p;
}

void *shmemx_device_malloc(size_t size)
{
    SHM_ENTER();
    return size ? allocate(__func__, 0, size, false) : NULL;
}

void *shmemx_device_calloc(size_t count, size_t size)
{
    size_t nbytes;
    SHM_ENTER();
    if (count == 0 || size == 0)
        return NULL;
    if (__builtin_mul_overflow(count, size, &nbytes))
        nbytes = SIZE_MAX;  // too large for any heap
    return allocate(__func__, 0, nbytes, true);
}

void *shmemx_device_align(size_t alignment, size_t size)
{
    SHM_ENTER();
    bool usable = alignment && (alignment & (alignment - 1)) == 0;
    if (SHM_CHECKING() && !usable)
        cw_check_failed(__func__, "alignment %zu: it must be a power of two", alignment);
    return usable && size ? allocate(__func__, alignment, size, false) : NULL;
}

static noreturn void bad_block(const char *func, const void *ptr)
{
    char what[160] = "is not in the device heap";
    if (cw_device_heap.vendor)
        cw_device_describe(ptr, what, sizeof what);
    cw_check_failed(func,
                    "%p is not an allocated block of the device heap: freed twice, or of another "
                    "kind of memory; it %s",
                    ptr, what);
}

void shmemx_device_free(void *ptr)
{
    SHM_ENTER();
    if (!ptr)
        return;
    if (!cw_device_size(ptr))
        bad_block(__func__, ptr);
    agree(__func__, ptr, 0, 0);
    cw_barrier(cw_group_world);
    cw_device_free(ptr);
}

void *shmemx_device_ptr(const void *dest, int pe)
{
    SHM_ENTER();
    if (SHM_CHECKING())
        shm_check_pe(__func__, pe);
    return cw_device_ptr(dest, pe);
}

int shmemx_device_world(cwd_world_t *world)
{
    SHM_ENTER();
    if (SHM_CHECKING())
        shm_check_not_null(__func__, "world", world);
    need_heap(__func__);
    agree(__func__, NULL, 0, 0);
    return cw_device_world_open(world) != CW_OK;
}

void shmemx_device_world_end(void)
{
    SHM_ENTER();
    if (cw_device_world_end() != CW_OK)
        cw_check_failed(__func__, "no handle of shmemx_device_world is in use");
}
