// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for remote access. Each PE allocates from the area behind its heap, which is sparse and as
// large as the machine's memory: blocks differ between PEs and come and go.
#include <stdlib.h>
#include <string.h>

#include "armci/device.h"
#include "base/error.h"
#include "core/mem/area.h"
#include "core/mem/backing.h"
#include "core/mem/blocks.h"
#include "core/mem/segment.h"
#include "core/path/contact.h"
#include "core/rma/context.h"

static cw_blocks_t blocks CW_LARGE;

// ---------------------------------------------------------------- the front end's own memory
static size_t own_nbytes(aci_own_t part)
{
    const size_t npes = (size_t)cw_world.npes;
    switch (part) {
    case ACI_OWN_USED:
    case ACI_OWN_UPDATES:
        return 64;
    case ACI_OWN_EXCHANGE:
        return (npes + 1) * sizeof(uintptr_t);
    case ACI_OWN_MUTEXES:
        return (size_t)ACI_PLACES * ACI_PLACE_NBYTES;
    default:
        return npes * sizeof(uint64_t);
    }
}

void *aci_own(aci_own_t part, size_t *nbytes_p)
{
    size_t all, at = 0;
    char *own = cw_area_own(&aci_area_request, &all);
    for (aci_own_t before = 0; before < part; before++)
        at += (own_nbytes(before) + 63) & ~(size_t)63;
    *nbytes_p = part == ACI_OWN_MESSAGES ? all - at : own_nbytes(part);
    return own + at;
}

// ---------------------------------------------------------------- the area
void aci_memory_open(void)
{
    size_t nbytes;
    void *area = cw_area(&aci_area_request, &nbytes), *own = aci_own(ACI_OWN_USED, &(size_t){0});
    if (cw_blocks_open(&blocks, area, nbytes, cw_area_early(own, cw_world.pes_of_node[0])))
        cwu_fatal("ARMCI_Init: out of memory for the table of blocks");
}

void aci_memory_close(void)
{
    cw_blocks_close(&blocks);
}

void *aci_alloc(size_t nbytes)
{
    return cw_blocks_alloc(&blocks, nbytes);
}

bool aci_release(void *ptr)
{
    return cw_blocks_release(&blocks, ptr);
}

// ---------------------------------------------------------------- blocks of all members
void aci_exchange(const cw_group_t *group, uintptr_t mine, uintptr_t *all)
{
    size_t nbytes;
    uintptr_t *words = aci_own(ACI_OWN_EXCHANGE, &nbytes);
    words[0] = mine;
    cw_sync(group);  // no member is in an exchange of another group any more
    cw_fcollect(group, words + 1, words, sizeof *words);
    memcpy(all, words + 1, (size_t)group->size * sizeof *words);
}

uintptr_t *aci_exchanged(const char *call, const cw_group_t *group, uintptr_t mine)
{
    uintptr_t *all = malloc((size_t)group->size * sizeof *all);
    if (!all)
        cwu_fatal("%s: out of memory for the blocks of %d processes", call, group->size);
    aci_exchange(group, mine, all);
    return all;
}

void aci_check_alloc(const char *call, const cw_group_t *group, void *const ptr_arr[],
                     intptr_t nbytes)
{
    if (nbytes < 0)
        aci_fail(call, "%lld bytes", (long long)nbytes);
    if (!ptr_arr)
        aci_fail(call, "the list of addresses is NULL");
    aci_agree(group, call);
}

bool aci_tell_all(const cw_group_t *group, bool refused, void *mine, void *ptr_arr[])
{
    const uintptr_t failed = 1;  // no address
    aci_exchange(group, refused ? failed : (uintptr_t)mine, (uintptr_t *)(void *)ptr_arr);
    for (int rank = 0; rank < group->size; rank++)
        if ((uintptr_t)ptr_arr[rank] == failed) {
            memset(ptr_arr, 0, (size_t)group->size * sizeof *ptr_arr);
            return false;
        }
    return true;
}

int aci_alloc_all(const char *call, const void *place, const cw_group_t *group, void *ptr_arr[],
                  intptr_t nbytes)
{
    aci_check_alloc(call, group, ptr_arr, nbytes);
    void *mine = nbytes ? aci_alloc((size_t)nbytes) : NULL;
    bool refused = nbytes && !mine;
    if (!aci_tell_all(group, refused, mine, ptr_arr)) {
        if (refused)
            cwu_debug("%s: there is no memory for %.2f GiB more", call, (double)nbytes / (1 << 30));
        if (mine)
            aci_release(mine);
        return 1;
    }
    if (CW_UNLIKELY(aci.check))
        aci_known_add(call, place, group, ptr_arr, (size_t)nbytes);
    return 0;
}

/** Where the network holds memory: members of other nodes let go of what each block fills, before
 *  it can be another's. Who else has used it keeps it held. */
static void let_go(const char *call, const cw_group_t *group, void *ptr)
{
    if (!cw_backing_is_needed())
        return;  // on all nodes of the job alike
    uintptr_t *chunks = aci_exchanged(call, group, (uintptr_t)cw_blocks_chunks(&blocks, ptr));
    for (int rank = 0; rank < group->size; rank++) {
        int pe = cw_group_pe(group, rank);
        if (chunks[rank] && cw_world.node_of_pe[pe] != cw_world.node)
            cw_release_chunks(pe, chunks[rank]);
    }
    free(chunks);
    cw_sync(group);
}

int aci_release_all(const char *call, const cw_group_t *group, void *ptr)
{
    aci_order_complete(call);
    aci_agree(group, call);
    cw_barrier(group);  // no member uses it any more
    if (CW_UNLIKELY(aci.devices) && aci_device_release_all(call, group, ptr))
        return 0;
    let_go(call, group, ptr);
    if (CW_UNLIKELY(aci.check))
        aci_known_free(call, group, ptr);
    if (ptr && !aci_release(ptr))
        aci_fail(call, "%s is not a block that ARMCI_Malloc gave this process", cw_at(ptr, 1));
    return 0;
}

// ---------------------------------------------------------------- calls
ACI_API int PARMCI_Malloc(void *ptr_arr[], armci_size_t bytes)
{
    ACI_ENTER();
    return aci_alloc_all(aci_call(__func__), ACI_CALLER, cw_group_world, ptr_arr, bytes);
}
ACI_WEAK(ARMCI_Malloc);

ACI_API int PARMCI_Free(void *ptr)
{
    ACI_ENTER();
    return aci_release_all(aci_call(__func__), cw_group_world, ptr);
}
ACI_WEAK(ARMCI_Free);

ACI_API int PARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device)
{
    ACI_ENTER();
    return aci_device_alloc_all(aci_call(__func__), ACI_CALLER, cw_group_world, ptr_arr, bytes,
                                device);
}
ACI_WEAK(ARMCI_Malloc_memdev);

ACI_API int PARMCI_Free_memdev(void *ptr)
{
    ACI_ENTER();
    return aci_release_all(aci_call(__func__), cw_group_world, ptr);
}
ACI_WEAK(ARMCI_Free_memdev);

ACI_API void *PARMCI_Malloc_local(armci_size_t bytes)
{
    if (bytes < 0)
        aci_fail(aci_call(__func__), "%lld bytes", (long long)bytes);
    return malloc((size_t)bytes);
}
ACI_WEAK(ARMCI_Malloc_local);

ACI_API int PARMCI_Free_local(void *ptr)
{
    if (CW_UNLIKELY(ptr && aci.joined &&
                    cw_owner_reaches(&aci_owner, (uint32_t)cw_world.pe, ptr, 1)))
        aci_fail(aci_call(__func__), "%s is not a block of ARMCI_Malloc_local", cw_at(ptr, 1));
    free(ptr);
    return 0;
}
ACI_WEAK(ARMCI_Free_local);

bool aci_uses_shm(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (cw_owner_find_word(&aci_owner, (uint32_t)cw_world.pes_of_node[slot]) != 0)
            return false;
    return true;
}

ACI_API int ARMCI_Uses_shm(void)
{
    ACI_ENTER();
    return aci_uses_shm();
}

ACI_API void ARMCI_Set_shm_limit(unsigned long bytes)
{
    (void)bytes;
}

// ---------------------------------------------------------------- blocks of one process
ACI_API void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg)
{
    ACI_ENTER();
    const char *call = aci_call(__func__);
    if (bytes == 0)
        aci_fail(call, "0 bytes");
    if (memflg != 0)
        aci_fail(call, "the flags are %d; there is none but 0", memflg);
    char *block = aci_alloc(bytes);
    if (!block)
        aci_fail(call, "there is no memory for %.2f GiB more", (double)bytes / (1 << 30));
    if (CW_UNLIKELY(aci.check))
        cw_known_add(&(cw_known_t){.space = cw_world.pe,
                                   .base = (uintptr_t)block,
                                   .nbytes = bytes,
                                   .call = call,
                                   .place = ACI_CALLER});
    *meminfo =
        (armci_meminfo_t){.armci_addr = block, .addr = block, .size = bytes, .cpid = cw_world.pe};
}
ACI_WEAK(ARMCI_Memget);

ACI_API void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset)
{
    return meminfo->armci_addr + offset;
}
ACI_WEAK(ARMCI_Memat);

ACI_API void ARMCI_Memdt(armci_meminfo_t *meminfo, long offset)
{
    (void)meminfo, (void)offset;
}

ACI_API void PARMCI_Memctl(armci_meminfo_t *meminfo)
{
    ACI_ENTER();
    if (CW_UNLIKELY(aci.check))  // before another thread gets the memory
        cw_known_free(meminfo->cpid, (uintptr_t)meminfo->addr);
    if (meminfo->cpid == cw_world.pe && !aci_release(meminfo->addr))
        aci_fail(aci_call(__func__), "%s is not a block of ARMCI_Memget", cw_at(meminfo->addr, 1));
}
ACI_WEAK(ARMCI_Memctl);

ACI_API void PARMCI_Access_begin(void *ptr)
{
    (void)ptr;
    atomic_thread_fence(memory_order_seq_cst);
}
ACI_WEAK(ARMCI_Access_begin);

ACI_API void PARMCI_Access_end(void *ptr)
{
    (void)ptr;
    atomic_thread_fence(memory_order_seq_cst);
}
ACI_WEAK(ARMCI_Access_end);
