// SPDX-License-Identifier: BSD-3-Clause
//
// As alltoall, element by element: element i for rank r stands at (r * nelems + i) * stride on both sides.
#include "core/coll/coll.h"

#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/rma.h"

static void copy_elements(char *dest, const char *src, ptrdiff_t dest_stride, ptrdiff_t src_stride, size_t elem_nbytes,
                          size_t nelems)
{
    for (size_t i = 0; i < nelems; i++, dest += dest_stride, src += src_stride)
        memcpy(dest, src, elem_nbytes);
}

void cw_alltoalls(const cw_group_t *group, void *dest, const void *src, ptrdiff_t dest_stride, ptrdiff_t src_stride,
                  size_t elem_nbytes, size_t nelems)
{
    ptrdiff_t n = (ptrdiff_t)nelems, me = group->rank;
    cw_sync(group);
    for (int i = 0; i < group->size; i++) {
        int rank = (group->rank + i) % group->size, pe = cw_group_pe(group, rank);
        char *to = (char *)dest + me * n * dest_stride;
        const char *from = (const char *)src + rank * n * src_stride;
        if (!cw_coll_is_local(pe))
            cw_put_strided(&cw_ctx_default, to, from, dest_stride, src_stride, elem_nbytes, nelems, pe);
        else
            copy_elements((char *)dest + rank * n * dest_stride,
                          (const char *)cw_coll_at(pe, src) + me * n * src_stride, dest_stride, src_stride, elem_nbytes,
                          nelems);
    }
    cw_quiet(&cw_ctx_default);
    cw_sync(group);
}
