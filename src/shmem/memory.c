// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap's routines. All are collective over the world: an allocation ends with a barrier, so that the
// memory of every PE may be used on return; a release begins with one, so that nobody still uses it. Where the
// specification says "no action" (size 0, NULL) there is no barrier either.
#include <stdalign.h>

#include <unistd.h>

#include "shmem/reduce_ops.h"
#include "shmem/shm.h"

#define CACHE_LINE 64

static void *allocate(size_t alignment, size_t nbytes)
{
    void *p = cw_heap_malloc(alignment, nbytes);
    cw_barrier(cw_group_world);
    return p;
}

void *pshmem_malloc(size_t size)
{
    SHM_ENTER();
    return size ? allocate(alignof(max_align_t), size) : NULL;
}
SHM_WEAK(shmem_malloc);

void *pshmem_calloc(size_t count, size_t size)
{
    size_t nbytes;
    SHM_ENTER();
    if (count == 0 || size == 0)
        return NULL;
    if (__builtin_mul_overflow(count, size, &nbytes))
        nbytes = SIZE_MAX;  // fits nowhere
    void *p = cw_heap_malloc(alignof(max_align_t), nbytes);
    if (p)
        memset(p, 0, nbytes);
    cw_barrier(cw_group_world);
    return p;
}
SHM_WEAK(shmem_calloc);

/** Can one offset be so aligned on every PE? Address randomisation moves heaps by pages, so beyond a page that is
 *  seen only by asking all: equal low bits of any symmetric address survive in the AND of it and of its complement. */
static bool alignment_is_common(size_t alignment)
{
    if (alignment <= (size_t)sysconf(_SC_PAGESIZE) || cw_world.npes == 1)
        return true;
    uint64_t *room = cw_heap_malloc(CACHE_LINE, 4 * sizeof(uint64_t));
    if (!room)
        return false;
    room[0] = (uintptr_t)room;
    room[1] = ~room[0];
    cw_reduce(cw_group_world, room + 2, room, 2, sizeof(uint64_t), SHM_KERNEL(and, uint64));
    bool common = ((room[2] | room[3]) & (alignment - 1)) == alignment - 1;
    cw_heap_free(room);
    if (!common)
        cwu_debug("shmem_align(%zu): heaps begin at different addresses modulo that; linking with -no-pie helps",
                  alignment);
    return common;
}

void *pshmem_align(size_t alignment, size_t size)
{
    SHM_ENTER();
    bool usable = alignment >= sizeof(void *) && (alignment & (alignment - 1)) == 0;
    if (SHM_CHECKING() && !usable)
        cw_check_failed(shm_call_name(__func__), "alignment %zu: it must be a power of two and at least %zu", alignment,
                        sizeof(void *));
    if (!usable || size == 0 || !alignment_is_common(alignment))
        return NULL;
    return allocate(alignment, size);
}
SHM_WEAK(shmem_align);

/** Both hints say that other PEs hammer on the words: give them cache lines of their own. */
void *pshmem_malloc_with_hints(size_t size, long hints)
{
    long known = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
    SHM_ENTER();
    if (size == 0)
        return NULL;
    if (!(hints & known) || size > SIZE_MAX - CACHE_LINE)
        return allocate(alignof(max_align_t), size);
    return allocate(CACHE_LINE, (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}
SHM_WEAK(shmem_malloc_with_hints);

static void release(const char *func, void *ptr)
{
    cw_barrier(cw_group_world);
    if (cw_heap_free(ptr) != CW_OK)
        cw_check_failed(shm_call_name(func),
                        "%p is not an allocated block: freed twice, or not from the symmetric heap", ptr);
}

void pshmem_free(void *ptr)
{
    SHM_ENTER();
    if (ptr)
        release(__func__, ptr);
}
SHM_WEAK(shmem_free);

void *pshmem_realloc(void *ptr, size_t size)
{
    SHM_ENTER();
    if (!ptr)
        return size ? allocate(alignof(max_align_t), size) : NULL;
    if (!size) {
        release(__func__, ptr);
        return NULL;
    }
    if (SHM_CHECKING())
        shm_check_symmetric(__func__, "ptr", ptr, 1);
    cw_barrier(cw_group_world);
    void *p = cw_heap_realloc(ptr, size);
    cw_barrier(cw_group_world);
    return p;
}
SHM_WEAK(shmem_realloc);

SHM_OLD_NAME(shmalloc, shmem_malloc);
SHM_OLD_NAME(shfree, shmem_free);
SHM_OLD_NAME(shrealloc, shmem_realloc);
SHM_OLD_NAME(shmemalign, shmem_align);
