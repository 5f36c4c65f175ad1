// SPDX-License-Identifier: BSD-3-Clause
//
// The device that copies, and the way through host memory.
#include "core/device/copy.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/device/driver.h"
#include "core/mem/segment.h"
#include "core/progress/block_lock.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"

#define PART ((size_t)1 << 20)  // bytes of host memory between two devices

// Above all offsets of the node object: device memory uses its table of locks, too.
#define LOCKS_BEGIN (UINT64_C(1) << 56)
#define LOCKS_A_SLOT (UINT64_C(1) << 40)

// ---------------------------------------------------------------- whose memory it is
static bool is_in_object(uintptr_t addr)
{
    const cwt_layout_t *l = &cw_segment.layout;
    return addr - cw_segment.origin < l->data_nbytes ||
           addr - (uintptr_t)cw_segment.heap < l->heap_nbytes ||
           addr - (uintptr_t)cw_segment.base < cw_segment.nbytes;
}

int cw_device_of(const void *addr)
{
    const cw_device_heap_t *h = &cw_device_heap;
    uint64_t at = (uintptr_t)addr - h->base;
    if (at < h->stride * ((uint64_t)cw_world.nslots + 1)) {
        uint64_t place = at / h->stride;
        return place == 0 ? h->device : cw_device_of_slice((int)(place - 1));
    }
    const int asked = __atomic_load_n(&cw_device_driver.device, __ATOMIC_RELAXED);
    if (asked < 0 || is_in_object((uintptr_t)addr))
        return CW_DEVICE_NONE;
    int owner = cw_device_driver.vendor->owner(asked, addr);
    return owner >= 0 && (h->reached >> owner & 1) ? h->device : owner;
}

static void must(int rc)
{
    if (CW_UNLIKELY(rc))
        cwu_fatal_reported("a transfer of device memory", rc);
}

// ---------------------------------------------------------------- contiguous
/** Between devices of which neither reaches, or need reach, the other's memory. */
static void copy_through_host(int to, void *dest, int from, const void *src, size_t nbytes)
{
    const cw_device_vendor_t *v = cw_device_driver.vendor;
    char *part = malloc(nbytes < PART ? nbytes : PART);
    if (!part)
        cwu_fatal("out of memory for a copy between devices");
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        must(v->copy(from, part, (const char *)src + at, n));
        must(v->copy(to, (char *)dest + at, part, n));
    }
    free(part);
}

/** The device that copies between memory of these; CW_DEVICE_NONE: none does at once. */
static int maker(int to, int from)
{
    if (to == from || from == CW_DEVICE_NONE)
        return to;
    return to == CW_DEVICE_NONE || cw_device_reaches(from, to) ? from : CW_DEVICE_NONE;
}

void cw_device_copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    int to = cw_device_of(dest), from = cw_device_of(src), by = maker(to, from);
    if (to == CW_DEVICE_NONE && from == CW_DEVICE_NONE)
        cw_copy(dest, src, nbytes);
    else if (by != CW_DEVICE_NONE)
        must(cw_device_driver.vendor->copy(by, dest, src, nbytes));
    else
        copy_through_host(to, dest, from, src, nbytes);
}

void cw_device_fill(void *dest, uint8_t value, size_t nbytes)
{
    must(cw_device_driver.vendor->fill(cw_device_heap.device, dest, value, nbytes));
}

// ---------------------------------------------------------------- rows
/** Do drivers take the stride for a pitch? */
static bool is_pitch(ptrdiff_t stride, size_t nbytes)
{
    return stride > 0 && (size_t)stride >= nbytes && stride <= INT_MAX;
}

static void copy_one_by_one(const cw_rows_t *r)
{
    for (size_t i = 0; i < r->n; i++)
        cw_device_copy((void *)(r->dest + i * (uintptr_t)r->dest_stride),
                       (const void *)(r->src + i * (uintptr_t)r->src_stride), r->nbytes);
}

static void copy_pitched(int by, const cw_rows_t *r, bool dest_is_host, bool src_is_host)
{
    const cw_device_rows_t rows = {.dest = (void *)r->dest,
                                   .src = (const void *)r->src,
                                   .dest_stride = (size_t)r->dest_stride,
                                   .src_stride = (size_t)r->src_stride,
                                   .nbytes = r->nbytes,
                                   .n = r->n,
                                   .dest_is_host = dest_is_host,
                                   .src_is_host = src_is_host};
    must(cw_device_driver.vendor->copy_rows(by, &rows));
}

/** Packed in host memory, as many rows at a time as a part holds. */
static void rows_through_host(int to, int from, const cw_rows_t *r)
{
    size_t most = r->nbytes < PART ? PART / r->nbytes : 1;
    char *part = malloc(most * r->nbytes);
    if (!part)
        cwu_fatal("out of memory for a copy between devices");
    for (size_t at = 0, n; at < r->n; at += n) {
        n = r->n - at < most ? r->n - at : most;
        cw_rows_t in = *r, out = *r;
        in.n = out.n = n;
        in.src += at * (uintptr_t)r->src_stride;
        out.dest += at * (uintptr_t)r->dest_stride;
        in.dest = out.src = (uintptr_t)part;
        in.dest_stride = out.src_stride = (ptrdiff_t)r->nbytes;
        copy_pitched(from, &in, true, false);
        copy_pitched(to, &out, false, true);
    }
    free(part);
}

void cw_device_copy_rows(const cw_rows_t *r)
{
    if (r->nbytes == 0 || r->n == 0)
        return;
    int to = cw_device_of((void *)r->dest), from = cw_device_of((void *)r->src);
    bool to_host = to == CW_DEVICE_NONE, from_host = from == CW_DEVICE_NONE;
    if (to_host && from_host)
        cw_rows_copy(r);
    else if (r->n == 1 || !is_pitch(r->dest_stride, r->nbytes) ||
             !is_pitch(r->src_stride, r->nbytes))
        copy_one_by_one(r);
    else if (maker(to, from) != CW_DEVICE_NONE)
        copy_pitched(maker(to, from), r, to_host, from_host);
    else
        rows_through_host(to, from, r);
}

// ---------------------------------------------------------------- atomics
#define CELLS (CW_CACHE_LINE / sizeof(uint64_t))
static struct {
    uint64_t *cell;          // [CELLS] where kernels leave old values; NULL: atomics are by copies
    cwu_lock_t lock[CELLS];  // each guards its cell while a kernel runs
} by_kernels;

void cw_device_atomics_by_kernel(uint64_t *cells)
{
    by_kernels.cell = cells;
}

static uint64_t run_atomic(int by, const cw_device_atomic_t *a)
{
    const size_t i = (uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (CELLS - 1);
    cwu_lock(&by_kernels.lock[i]);
    must(cw_device_heap.vendor->atomic(by, a, &by_kernels.cell[i]));
    uint64_t old = __atomic_load_n(&by_kernels.cell[i], __ATOMIC_ACQUIRE);
    cwu_unlock(&by_kernels.lock[i]);
    return old;
}

static uint64_t amo_by_kernel(int by, const cw_device_atomic_t *a)
{
    uint64_t old = 0;
    if (a->op != CW_AMO_FETCH && a->op <= CW_AMO_CSWAP)
        return run_atomic(by, a);
    must(cw_device_heap.vendor->copy(by, &old, a->at, a->nbytes));
    while (a->op != CW_AMO_FETCH) {  // a computed one
        uint64_t value = old, seen;
        cw_amo_local(&value, (cw_amo_op_t)a->op, a->nbytes, a->operand, 0);
        cw_device_atomic_t swap = {a->at, CW_AMO_CSWAP, a->nbytes, value, old};
        if ((seen = run_atomic(by, &swap)) == old)
            break;
        old = seen;
    }
    return old;
}

uint64_t cw_device_amo(int slot, uint64_t offset, unsigned op, size_t nbytes, uint64_t operand,
                       uint64_t compare)
{
    const cw_device_vendor_t *v = cw_device_driver.vendor;
    int by = cw_device_of_slice(slot);
    void *at = cw_device_slice(slot) + offset;
    uint64_t value = 0;
    if (by_kernels.cell)
        return amo_by_kernel(by, &(cw_device_atomic_t){at, op, (unsigned)nbytes, operand, compare});
    cwu_lock_t *lock = cw_block_lock(LOCKS_BEGIN + (uint64_t)slot * LOCKS_A_SLOT + offset);
    cw_block_lock_take(lock);
    must(v->copy(by, &value, at, nbytes));
    uint64_t old = cw_amo_local(&value, (cw_amo_op_t)op, nbytes, operand, compare);
    if (op != CW_AMO_FETCH)
        must(v->copy(by, at, &value, nbytes));
    cwu_unlock(lock);
    return op == CW_AMO_FETCH ? value : old;
}
