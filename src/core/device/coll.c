// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on device memory. As in core's, puts may come to a member before it enters; by the
// programs' rule dest is ready.
#include "core/device/coll.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/bulk/strided.h"
#include "core/device/copy.h"
#include "core/rma/rma.h"

#define PART ((size_t)1 << 20)  // bytes of one operand, computed with at a time

static cw_ctx_t *const ctx = &cw_ctx_default;

/** The k-th member behind this one: not all begin with the same. */
static int behind(const cw_group_t *g, int k)
{
    return (g->rank + k) % g->size;
}

static void *room_of(size_t nbytes)
{
    void *room = malloc(nbytes ? nbytes : 1);
    if (!room)
        cwu_fatal("out of memory for a collective on device memory");
    return room;
}

// ---------------------------------------------------------------- moves
void cw_device_broadcast(const cw_group_t *g, void *dest, const void *src, size_t nbytes,
                         int root_rank, bool root_copies)
{
    for (int k = 0; g->rank == root_rank && k < g->size; k++)
        if (k > 0 || (root_copies && dest != src))
            cw_put(ctx, dest, src, nbytes, cw_group_pe(g, behind(g, k)));
    cw_barrier(g);
}

static void put_to_all(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    for (int k = 0; k < g->size; k++)
        cw_put(ctx, dest, src, nbytes, cw_group_pe(g, behind(g, k)));
}

void cw_device_fcollect(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    put_to_all(g, (char *)dest + (size_t)g->rank * nbytes, src, nbytes);
    cw_barrier(g);
}

/** A block's place is the sum of the sizes before it. */
void cw_device_collect(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    uint64_t *sizes = room_of((size_t)g->size * sizeof *sizes), before = 0;
    cw_collect_sizes(g, nbytes, sizes);
    for (int rank = 0; rank < g->rank; rank++)
        before += sizes[rank];
    free(sizes);
    put_to_all(g, (char *)dest + before, src, nbytes);
    cw_barrier(g);
}

void cw_device_alltoall(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    for (int k = 0; k < g->size; k++) {
        int rank = behind(g, k);
        cw_put(ctx, (char *)dest + (size_t)g->rank * nbytes,
               (const char *)src + (size_t)rank * nbytes, nbytes, cw_group_pe(g, rank));
    }
    cw_barrier(g);
}

void cw_device_alltoalls(const cw_group_t *g, void *dest, const void *src, ptrdiff_t dest_stride,
                         ptrdiff_t src_stride, size_t elem_nbytes, size_t nelems)
{
    for (int k = 0; k < g->size; k++) {
        int rank = behind(g, k);
        cw_put_strided(ctx, (char *)dest + (ptrdiff_t)nelems * g->rank * dest_stride,
                       (const char *)src + (ptrdiff_t)nelems * rank * src_stride, dest_stride,
                       src_stride, elem_nbytes, nelems, cw_group_pe(g, rank));
    }
    cw_barrier(g);
}

// ---------------------------------------------------------------- reductions
/** acc = the elements of all members up to `last`, in rank order. */
static void fold(const cw_group_t *g, char *acc, char *in, const char *src, size_t nelems,
                 size_t elem_nbytes, int last, cw_reduce_fn fn)
{
    for (int rank = 0; rank <= last; rank++) {
        cw_get(ctx, rank == 0 ? acc : in, src, nelems * elem_nbytes, cw_group_pe(g, rank));
        if (rank > 0)
            fn(acc, in, nelems);
    }
}

/** Each member alone uses its part of all operands, so dest may be src. */
void cw_device_reduce(const cw_group_t *g, void *dest, const void *src, size_t nelems,
                      size_t elem_nbytes, cw_reduce_fn fn)
{
    const size_t share = (nelems + (size_t)g->size - 1) / (size_t)g->size,
                 begin = share * (size_t)g->rank < nelems ? share * (size_t)g->rank : nelems,
                 end = begin + share < nelems ? begin + share : nelems, most = PART / elem_nbytes;
    const size_t room = most < share ? most : share;
    char *acc = room_of(2 * room * elem_nbytes), *in = acc + room * elem_nbytes;
    cw_barrier(g);  // all src are ready
    for (size_t at = begin, n; at < end; at += n) {
        n = end - at < room ? end - at : room;
        fold(g, acc, in, (const char *)src + at * elem_nbytes, n, elem_nbytes, g->size - 1, fn);
        put_to_all(g, (char *)dest + at * elem_nbytes, acc, n * elem_nbytes);
    }
    free(acc);
    cw_barrier(g);
}

/** dest may be src: reads end before the second barrier, writes follow it. */
void cw_device_scan(const cw_group_t *g, void *dest, const void *src, size_t nelems,
                    size_t elem_nbytes, bool exclusive, cw_reduce_fn sum)
{
    const size_t nbytes = nelems * elem_nbytes;
    char *acc = room_of(2 * nbytes), *in = acc + nbytes;
    cw_barrier(g);
    memset(acc, 0, nbytes);
    if (nelems > 0)
        fold(g, acc, in, src, nelems, elem_nbytes, g->rank - exclusive, sum);
    cw_barrier(g);
    cw_device_copy(dest, acc, nbytes);
    free(acc);
    cw_barrier(g);
}
