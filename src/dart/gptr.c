// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers and addresses of this unit; memory that a unit allocates by itself.
#include "dart/memory.h"

#include "base/symbol.h"
#include "dart/segment.h"
#include "dart/transfer.h"
#include "dart/type.h"

// ---------------------------------------------------------------- pointers and addresses
DRT_API dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void **addr)
{
    DRT_WANT(addr);
    *addr = NULL;
    const drt_segment_t *segment = drt_segment_find_any(gptr);
    if (CW_UNLIKELY(!segment))
        return drt_refuse_segment(__func__, gptr);
    if (gptr.unitid == drt_teams[gptr.teamid]->group->rank)
        *addr = segment->own + gptr.addr_or_offs.offset;
    return DART_OK;
}

DRT_API dart_ret_t dart_gptr_setaddr(dart_gptr_t *gptr, void *addr)
{
    DRT_WANT(gptr);
    const drt_segment_t *segment = drt_segment_find_any(*gptr);
    if (CW_UNLIKELY(!segment))
        return drt_refuse_segment(__func__, *gptr);
    gptr->addr_or_offs.offset = (uint64_t)((uintptr_t)addr - (uintptr_t)segment->own);
    return DART_OK;
}

DRT_API dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t *flags)
{
    DRT_WANT(flags);
    *flags = 0;
    const drt_segment_t *segment = drt_segment_find_any(gptr);
    if (CW_UNLIKELY(!segment))
        return drt_refuse_segment(__func__, gptr);
    *flags = segment->flags;
    return DART_OK;
}

DRT_API dart_ret_t dart_gptr_setflags(dart_gptr_t *gptr, uint16_t flags)
{
    DRT_WANT(gptr);
    drt_segment_t *segment = drt_segment_find_any(*gptr);
    if (CW_UNLIKELY(!segment))
        return drt_refuse_segment(__func__, *gptr);
    segment->flags = flags;
    gptr->flags = flags & 0xff;
    return DART_OK;
}

// ---------------------------------------------------------------- memory of one unit
DRT_API dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr)
{
    DRT_WANT(gptr);
    *gptr = DART_GPTR_NULL;
    DRT_TEAM(all, DART_TEAM_ALL);
    size_t nbytes;
    if (!drt_nbytes(nelem, dtype, &nbytes))
        return drt_refuse_size(__func__, nelem, dtype);
    char *block = drt_alloc(nbytes);
    if (!block)
        return drt_refuse(__func__, DART_ERR_NOMEM, "there is no memory for %zu bytes more",
                          nbytes);
    *gptr = (dart_gptr_t){.unitid = all->group->rank & 0x7fffff,
                          .segid = DART_SEGMENT_LOCAL,
                          .teamid = DART_TEAM_ALL};
    gptr->addr_or_offs.offset = (uint64_t)(block - drt_area(&(size_t){0}));
    if (CW_CHECKING()) {
        drt_local_add(gptr->addr_or_offs.offset, nbytes);
        cw_known_add(&(cw_known_t){.space = cw_world.pe,
                                   .base = (uintptr_t)block,
                                   .nbytes = nbytes,
                                   .call = __func__,
                                   .place = CWU_CALLER});
    }
    return DART_OK;
}

DRT_API dart_ret_t dart_memfree(dart_gptr_t gptr)
{
    if (DART_GPTR_ISNULL(gptr))
        return DART_OK;
    DRT_TEAM(all, DART_TEAM_ALL);
    if (gptr.segid != DART_SEGMENT_LOCAL || gptr.teamid != DART_TEAM_ALL)
        return drt_refuse(__func__, DART_ERR_INVAL,
                          "segment %d of team %d is not what dart_memalloc allocates", gptr.segid,
                          gptr.teamid);
    if (gptr.unitid != all->group->rank)
        return drt_refuse(__func__, DART_ERR_INVAL, "the memory is that of unit %d", gptr.unitid);
    drt_gets_finish();
    char *block = drt_area(&(size_t){0}) + gptr.addr_or_offs.offset;
    if (CW_CHECKING()) {  // before another thread gets the memory
        drt_local_remove(gptr.addr_or_offs.offset);
        cw_known_free(cw_world.pe, (uintptr_t)block);
    }
    if (!drt_release(block))
        return drt_refuse(__func__, DART_ERR_INVAL,
                          "offset %llu is not the begin of memory that dart_memalloc gave",
                          (unsigned long long)gptr.addr_or_offs.offset);
    return DART_OK;
}
