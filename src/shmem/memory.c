// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap's routines. All are collective over the world: an allocation ends with a
// barrier, so that the memory of every PE may be used on return; a release begins with one, so that
// no PE still uses it. Where the specification says "no action" (size 0, NULL) there is no barrier
// either.
#include <stdalign.h>

#include <unistd.h>

#include "base/symbol.h"
#include "shmem/reduce_ops.h"
#include "shmem/shm.h"

#define CALLER CWU_CALLER

/** Reports a block, and where the program allocated it, to the observers; or that there is none. */
static void note(const char *func, const void *p, size_t nbytes, const void *caller)
{
    if (CW_UNLIKELY(!p))
        cw_heap_refuse(shm_call_name(func), nbytes);
    if (CW_UNLIKELY(!cw_world.plain) && p) {
        cw_watch_bytes(nbytes);
        cw_heap_tag(p, caller);
        if (SHM_CHECKING())
            cw_known_add(&(cw_known_t){.space = cw_world.pe,
                                       .base = (uintptr_t)p,
                                       .nbytes = nbytes,
                                       .call = shm_call_name(func),
                                       .place = caller});
    }
}

/** Checking mode: checks that all PEs pass the same arguments; unused ones are 0. */
static void agree(const char *func, const void *ptr, size_t size, size_t alignment)
{
    if (!SHM_CHECKING())
        return;
    cw_claim_t claim = cw_claim(shm_call_name(func));
    claim.ptr = ptr;
    claim.size = size ? size : CW_CLAIM_NONE;
    claim.alignment = alignment ? alignment : CW_CLAIM_NONE;
    cw_coll_agree(cw_group_world, &claim);
}

/** caller: the call in the program, for the report of leaks. */
static void *allocate(const char *func, size_t alignment, size_t nbytes, const void *caller)
{
    void *p = cw_heap_malloc(alignment, nbytes);
    note(func, p, nbytes, caller);
    cw_barrier(cw_group_world);
    return p;
}

void *pshmem_malloc(size_t size)
{
    SHM_ENTER();
    if (size == 0)
        return NULL;
    agree(__func__, NULL, size, 0);
    return allocate(__func__, alignof(max_align_t), size, CALLER);
}
SHM_WEAK(shmem_malloc);

void *pshmem_calloc(size_t count, size_t size)
{
    size_t nbytes;
    SHM_ENTER();
    if (count == 0 || size == 0)
        return NULL;
    if (__builtin_mul_overflow(count, size, &nbytes))
        nbytes = SIZE_MAX;  // too large for any heap
    agree(__func__, NULL, nbytes, 0);
    void *p = cw_heap_malloc(alignof(max_align_t), nbytes);
    if (p)
        memset(p, 0, nbytes);
    note(__func__, p, nbytes, CALLER);
    cw_barrier(cw_group_world);
    return p;
}
SHM_WEAK(shmem_calloc);

/** Whether one offset can have this alignment on all PEs. Where their heaps are not at one address
 *  (ADR 137) they differ by 2 MiB, or by pages if the program was not linked for that, so for more
 *  than a page all PEs must compare: equal low bits of a symmetric address survive in the AND over
 *  all PEs of it and of its complement. */
static bool alignment_is_common(size_t alignment)
{
    if (alignment <= (size_t)sysconf(_SC_PAGESIZE) || cw_world.npes == 1)
        return true;
    uint64_t *room = cw_heap_malloc(CW_CACHE_LINE, 4 * sizeof(uint64_t));
    if (!room)
        return false;
    room[0] = (uintptr_t)room;
    room[1] = ~room[0];
    cw_reduce(cw_group_world, room + 2, room, 2, sizeof(uint64_t), SHM_KERNEL(and, uint64));
    bool common = ((room[2] | room[3]) & (alignment - 1)) == alignment - 1;
    cw_heap_free(room);
    if (!common && cw_world.pe == 0)
        (cw_world.check ? cwu_warn : cwu_debug)(
            "shmem_align(%zu, ...) gives NULL: the heaps of the PEs begin at different addresses "
            "modulo that, because address randomisation is on (SHMEM_DEBUG=1 says why); programs "
            "linked with -no-pie have one address",
            alignment);
    return common;
}

void *pshmem_align(size_t alignment, size_t size)
{
    SHM_ENTER();
    bool usable = alignment && (alignment & (alignment - 1)) == 0;
    if (SHM_CHECKING() && !usable)
        cw_check_failed(shm_call_name(__func__), "alignment %zu: it must be a power of two",
                        alignment);
    if (!usable || size == 0)
        return NULL;
    agree(__func__, NULL, size, alignment);
    if (!alignment_is_common(alignment))
        return NULL;
    return allocate(__func__, alignment, size, CALLER);
}
SHM_WEAK(shmem_align);

/** Both hints announce frequent remote accesses: the block gets cache lines of its own. */
void *pshmem_malloc_with_hints(size_t size, long hints)
{
    long known = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
    SHM_ENTER();
    if (size == 0)
        return NULL;
    agree(__func__, NULL, size, 0);
    if (!(hints & known) || size > SIZE_MAX - CW_CACHE_LINE)
        return allocate(__func__, alignof(max_align_t), size, CALLER);
    return allocate(__func__, CW_CACHE_LINE,
                    (size + CW_CACHE_LINE - 1) / CW_CACHE_LINE * CW_CACHE_LINE, CALLER);
}
SHM_WEAK(shmem_malloc_with_hints);

static noreturn void bad_block(const char *func, const void *ptr)
{
    char what[160], freed_at[170] = "";
    cw_known_t block;
    cw_heap_describe(ptr, what, sizeof what);
    if (SHM_CHECKING() && cw_known_find(cw_world.pe, (uintptr_t)ptr, &block) && block.freed &&
        block.base == (uintptr_t)ptr)
        cw_known_freed_at(&block, freed_at, sizeof freed_at);
    cw_check_failed(
        shm_call_name(func),
        "%s is not an allocated block: freed twice, or not from the symmetric heap; it %s%s%s",
        cw_at(ptr, 1), what, freed_at[0] ? "; it was freed" : "", freed_at);
}

static void check_block(const char *func, const void *ptr)
{
    shm_check_symmetric(func, "ptr", ptr, 1);
    if (!cw_heap_size(ptr))
        bad_block(func, ptr);
}

static void release(const char *func, void *ptr)
{
    if (SHM_CHECKING() && !cw_heap_size(ptr))
        bad_block(func, ptr);
    agree(func, ptr, 0, 0);
    cw_barrier(cw_group_world);
    if (cw_heap_free(ptr) != CW_OK)
        bad_block(func, ptr);
    if (SHM_CHECKING())
        cw_known_free(cw_world.pe, (uintptr_t)ptr);
}

void pshmem_free(void *ptr)
{
    if (shm_is_over())
        return;
    SHM_ENTER();
    if (ptr)
        release(__func__, ptr);
}
SHM_WEAK(shmem_free);

void *pshmem_realloc(void *ptr, size_t size)
{
    SHM_ENTER();
    if (!ptr && !size)
        return NULL;
    if (ptr && size && SHM_CHECKING())
        check_block(__func__, ptr);
    if (!size) {
        release(__func__, ptr);
        return NULL;
    }
    agree(__func__, ptr, size, 0);
    if (!ptr)
        return allocate(__func__, alignof(max_align_t), size, CALLER);
    cw_barrier(cw_group_world);
    void *p = cw_heap_realloc(ptr, size);
    if (SHM_CHECKING() && p != ptr && p)
        cw_known_free(cw_world.pe, (uintptr_t)ptr);
    note(__func__, p, size, CALLER);
    cw_barrier(cw_group_world);
    return p;
}
SHM_WEAK(shmem_realloc);

SHM_OLD_NAME(shmalloc, shmem_malloc);
SHM_OLD_NAME(shfree, shmem_free);
SHM_OLD_NAME(shrealloc, shmem_realloc);
SHM_OLD_NAME(shmemalign, shmem_align);
