// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers with device memory, for core's cold paths. Within the node copies of this process; to
// another node requests for device memory there (remote.c), and usual transfers, in parts, for host
// memory there.
#include <stdlib.h>

#include "base/error.h"
#include "core/bulk/strided.h"
#include "core/device/copy.h"
#include "core/device/part.h"
#include "core/device/remote.h"
#include "core/device/world.h"
#include "core/mem/area.h"
#include "core/mem/foreign.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"

#define PART ((size_t)1 << 20)  // bytes of host memory between a device here and a host there

static bool is_here(const cw_ctx_t *ctx, int rank)
{
    return cw_ctx_node(ctx, rank) == cw_world.node;
}

static char *slice_of(const cw_ctx_t *ctx, int rank)
{
    return cw_device_slice(cw_world.slot_of_pe[cw_ctx_pe(ctx, rank)]);
}

static bool is_symmetric(const void *addr, size_t nbytes)
{
    uint64_t at = cw_device_offset(addr);
    return at != UINT64_MAX && nbytes <= cw_device_heap.stride - at;
}

/** Offset of n rows in this PE's slice; UINT64_MAX: not symmetric. Bytes after the heap's end would
 *  be another PE's, or be lost at another node. */
static uint64_t offset_of(const char *call, const void *symmetric, ptrdiff_t stride, size_t nbytes,
                          size_t n)
{
    const uint64_t at = cw_device_offset(symmetric), most = cw_device_heap.stride;
    int64_t last = 0;
    if (at == UINT64_MAX || nbytes == 0 || n == 0)
        return at;
    if (nbytes <= most && !__builtin_mul_overflow(stride, n - 1, &last) &&
        !__builtin_add_overflow(last, (int64_t)at, &last) && last >= 0 &&
        (uint64_t)last <= most - nbytes && at <= most - nbytes)
        return at;
    cw_check_failed(call,
                    "the bytes from %p to %p (%zu times %zu) are not all in the device heap, %llu "
                    "bytes at %p",
                    symmetric, (char *)(uintptr_t)symmetric + (n - 1) * (uintptr_t)stride + nbytes,
                    n, nbytes, (unsigned long long)most, (void *)cw_device_heap.base);
}

static uint64_t offset(const void *addr)
{
    return cw_device_offset(addr);
}

static bool holds(const void *addr)
{
    return cw_device_of(addr) != CW_DEVICE_NONE;
}

static char *part_of(size_t nbytes)
{
    char *part = malloc(nbytes);
    if (!part)
        cwu_fatal("out of memory for a transfer between a device and another node");
    return part;
}

// ---------------------------------------------------------------- device memory here, host there
static void put_from_device(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    if (is_here(ctx, rank)) {
        cw_device_copy(cw_area_early(dest, cw_ctx_pe(ctx, rank)), src, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    char *part = part_of(nbytes < PART ? nbytes : PART);
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        cw_device_copy(part, (const char *)src + at, n);
        cw_put(ctx, (char *)dest + at, part, n, rank);
    }
    free(part);
}

static void get_to_device(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    if (is_here(ctx, rank)) {
        cw_device_copy(dest, cw_area_early(src, cw_ctx_pe(ctx, rank)), nbytes);
        return;
    }
    char *part = part_of(nbytes < PART ? nbytes : PART);
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        cw_get(ctx, part, (const char *)src + at, n, rank);
        cw_device_copy((char *)dest + at, part, n);
    }
    free(part);
}

/** From row `at` on, at most `most`. */
static cw_rows_t some_rows(const cw_rows_t *r, size_t at, size_t most)
{
    cw_rows_t some = *r;
    some.n = r->n - at < most ? r->n - at : most;
    some.dest += at * (uintptr_t)r->dest_stride;
    some.src += at * (uintptr_t)r->src_stride;
    return some;
}

static size_t rows_of_part(const cw_rows_t *r)
{
    return r->nbytes < PART ? PART / r->nbytes : 1;
}

/** Packed in host memory, a part at a time. */
static void put_rows_from_device(cw_ctx_t *ctx, const cw_rows_t *r, int rank)
{
    const size_t most = rows_of_part(r);
    const ptrdiff_t pitch = (ptrdiff_t)r->nbytes;
    char *part = part_of(most * r->nbytes);
    for (size_t at = 0; at < r->n; at += most) {
        cw_rows_t b = some_rows(r, at, most);
        void *dest = (void *)b.dest;
        b.dest = (uintptr_t)part;
        b.dest_stride = pitch;
        cw_device_copy_rows(&b);
        cw_put_strided(ctx, dest, part, r->dest_stride, pitch, r->nbytes, b.n, rank);
    }
    free(part);
}

static void get_rows_to_device(cw_ctx_t *ctx, const cw_rows_t *r, int rank)
{
    const size_t most = rows_of_part(r);
    const ptrdiff_t pitch = (ptrdiff_t)r->nbytes;
    char *part = part_of(most * r->nbytes);
    for (size_t at = 0; at < r->n; at += most) {
        cw_rows_t b = some_rows(r, at, most);
        cw_get_strided(ctx, part, (void *)b.src, pitch, r->src_stride, r->nbytes, b.n, rank);
        b.src = (uintptr_t)part;
        b.src_stride = pitch;
        cw_device_copy_rows(&b);
    }
    free(part);
}

// ---------------------------------------------------------------- contiguous
static bool put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    uint64_t at = offset_of("put", dest, 0, nbytes, 1);
    if (nbytes == 0 || (at == UINT64_MAX && !holds(src)))
        return false;
    if (at == UINT64_MAX)
        put_from_device(ctx, dest, src, nbytes, rank);
    else if (is_here(ctx, rank))
        cw_device_copy(slice_of(ctx, rank) + at, src, nbytes);
    else
        cw_device_put_there(
            ctx,
            (cw_device_rows_there_t){
                .there = at, .here = (char *)(uintptr_t)src, .nbytes = nbytes, .n = 1},
            rank);
    return true;
}

static bool get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    uint64_t at = offset_of("get", src, 0, nbytes, 1);
    if (nbytes == 0 || (at == UINT64_MAX && !holds(dest)))
        return false;
    if (at == UINT64_MAX)
        get_to_device(ctx, dest, src, nbytes, rank);
    else if (is_here(ctx, rank))
        cw_device_copy(dest, slice_of(ctx, rank) + at, nbytes);
    else
        cw_device_get_there(
            ctx, (cw_device_rows_there_t){.there = at, .here = dest, .nbytes = nbytes, .n = 1},
            rank);
    return true;
}

// ---------------------------------------------------------------- rows
/** What lies at a symmetric address, of either kind, of a PE of this node. */
static uintptr_t address_here(const cw_ctx_t *ctx, uintptr_t symmetric, int rank)
{
    uint64_t at = cw_device_offset((void *)symmetric);
    return at == UINT64_MAX ? (uintptr_t)cw_area_early((void *)symmetric, cw_ctx_pe(ctx, rank))
                            : (uintptr_t)slice_of(ctx, rank) + at;
}

static bool put_rows(cw_ctx_t *ctx, const cw_rows_t *r, int rank)
{
    cw_rows_t b = *r;
    uint64_t at = offset_of("put", (void *)b.dest, b.dest_stride, b.nbytes, b.n);
    if (at == UINT64_MAX && !holds((void *)b.src))
        return false;
    if (is_here(ctx, rank)) {
        b.dest = address_here(ctx, b.dest, rank);
        cw_device_copy_rows(&b);
        cw_ctx_stored(ctx, rank);
    } else if (at != UINT64_MAX) {
        cw_device_put_there(ctx,
                            (cw_device_rows_there_t){at, b.dest_stride, (char *)b.src, b.src_stride,
                                                     b.nbytes, b.n, 0},
                            rank);
    } else {
        put_rows_from_device(ctx, r, rank);
    }
    return true;
}

static bool get_rows(cw_ctx_t *ctx, const cw_rows_t *r, int rank)
{
    cw_rows_t b = *r;
    uint64_t at = offset_of("get", (void *)b.src, b.src_stride, b.nbytes, b.n);
    if (at == UINT64_MAX && !holds((void *)b.dest))
        return false;
    if (is_here(ctx, rank)) {
        b.src = address_here(ctx, b.src, rank);
        cw_device_copy_rows(&b);
    } else if (at != UINT64_MAX) {
        cw_device_get_there(ctx,
                            (cw_device_rows_there_t){at, b.src_stride, (char *)b.dest,
                                                     b.dest_stride, b.nbytes, b.n, 0},
                            rank);
    } else {
        get_rows_to_device(ctx, r, rank);
    }
    return true;
}

// ---------------------------------------------------------------- atomics
static bool amo(cw_ctx_t *ctx, const cw_foreign_amo_t *a, int rank, uint64_t *old_p)
{
    uint64_t at = cw_device_offset(a->addr);
    if (at == UINT64_MAX)
        return false;
    if (at % a->nbytes)
        cw_check_failed("atomic",
                        "the variable at %p is not aligned to its %zu bytes; declare it with its "
                        "type, do not place it by hand",
                        a->addr, a->nbytes);
    if (!is_here(ctx, rank)) {
        cw_device_amo_there(ctx, a, at, rank, old_p);
        return true;
    }
    uint64_t old = cw_device_amo(cw_world.slot_of_pe[cw_ctx_pe(ctx, rank)], at, a->op, a->nbytes,
                                 a->operand, a->compare);
    if (old_p)
        *old_p = old;
    return true;
}

const cw_foreign_t cw_device_foreign = {
    .is_symmetric = is_symmetric,
    .offset = offset,
    .holds = holds,
    .put = put,
    .get = get,
    .put_rows = put_rows,
    .get_rows = get_rows,
    .amo = amo,
    .store = cw_device_copy,
    .shares = cw_device_shares,
    .leave = cw_device_world_leave,
    .close = cw_device_close,
};
