// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of kernels: checked, executed, answered.
#include "core/device/ring.h"

#include "base/error.h"
#include "core/device/copy.h"
#include "core/device/heap.h"
#include "core/mem/foreign.h"
#include "core/mem/memory.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"

static const char *const names[] = {
    [CWD_PUT] = "put",     [CWD_GET] = "get",    [CWD_P] = "p",
    [CWD_G] = "g",         [CWD_AMO] = "atomic", [CWD_PUT_SIGNAL] = "put_signal",
    [CWD_FENCE] = "fence", [CWD_QUIET] = "quiet"};

static noreturn CW_COLD void refuse(const cwd_request_t *r, const char *why, uint64_t at)
{
    bool known = r->what >= CWD_PUT && r->what <= CWD_QUIET;
    cwu_fatal("a kernel's %s of %llu bytes to PE %d: %s (%#llx)",
              known ? names[r->what] : "unknown request", (unsigned long long)r->nbytes, r->pe, why,
              (unsigned long long)at);
}

// ---------------------------------------------------------------- what a request may name
static void must_be_far(const cwd_request_t *r, uint64_t at, uint64_t nbytes, uint64_t align)
{
    const void *p = (const void *)(uintptr_t)at;
    if (nbytes > SIZE_MAX / 2 ||
        (!cw_is_symmetric(p, nbytes) && !cw_foreign_is_symmetric(p, nbytes)))
        refuse(r, "the address is not symmetric, or the bytes reach beyond the heap", at);
    if (at % align != 0)
        refuse(r, "the word is not aligned to its size", at);
}

/** In one slice of the node's device heaps, as mapped here? */
static bool is_in_slice(uint64_t at, uint64_t nbytes)
{
    const cw_device_heap_t *h = &cw_device_heap;
    uint64_t offset = at - h->base, place = offset / h->stride;
    return offset < h->stride * ((uint64_t)cw_world.nslots + 1) &&
           place != (uint64_t)cw_world.slot + 1 && nbytes <= h->stride - offset % h->stride;
}

/** Asks the driver about the program's own device memory. */
static void must_be_near(const cwd_request_t *r)
{
    const cw_device_heap_t *h = &cw_device_heap;
    const char *p = (const char *)(uintptr_t)r->near_at;
    void *at;
    size_t room;
    if (r->nbytes > SIZE_MAX / 2 || r->near_at > UINT64_MAX - r->nbytes)
        refuse(r, "there is no such memory", r->near_at);
    if (cw_is_symmetric(p, r->nbytes) || is_in_slice(r->near_at, r->nbytes))
        return;
    if (r->near_at - h->base < h->stride * ((uint64_t)cw_world.nslots + 1) ||
        h->vendor->owner(h->device, p) < 0 || !h->vendor->extent(h->device, p, &at, &room) ||
        r->near_at - (uintptr_t)at > room || r->nbytes > room - (r->near_at - (uintptr_t)at))
        refuse(r, "the local memory is neither a device's nor symmetric", r->near_at);
}

static void must_be_width(const cwd_request_t *r, bool is_atomic)
{
    bool fits = r->width == 4 || r->width == 8 || (!is_atomic && (r->width == 1 || r->width == 2));
    if (!fits || (is_atomic && r->amo > CWD_AMO_CSWAP))
        refuse(r, "no such operation", r->far_at);
}

_Static_assert((int)CWD_AMO_FETCH == (int)CW_AMO_FETCH && (int)CWD_AMO_SET == (int)CW_AMO_SET &&
                   (int)CWD_AMO_ADD == (int)CW_AMO_ADD && (int)CWD_AMO_AND == (int)CW_AMO_AND &&
                   (int)CWD_AMO_OR == (int)CW_AMO_OR && (int)CWD_AMO_XOR == (int)CW_AMO_XOR &&
                   (int)CWD_AMO_SWAP == (int)CW_AMO_SWAP && (int)CWD_AMO_CSWAP == (int)CW_AMO_CSWAP,
               "one order of atomics");

// ---------------------------------------------------------------- execution
static uint64_t do_amo(cw_ctx_t *ctx, const cwd_request_t *r)
{
    const uint64_t mask = r->width == 4 ? UINT32_MAX : UINT64_MAX;
    void *at = (void *)(uintptr_t)r->far_at;
    must_be_width(r, true);
    must_be_far(r, r->far_at, r->width, r->width);
    if (r->answered)
        return cw_amo_fetching(ctx, at, (cw_amo_op_t)r->amo, r->width, r->operand & mask,
                               r->compare & mask, r->pe);
    if (r->amo != CWD_AMO_FETCH && r->amo != CWD_AMO_CSWAP)
        cw_amo_posting(ctx, at, (cw_amo_op_t)r->amo, r->width, r->operand & mask, r->pe);
    return 0;
}

static void do_put_signal(cw_ctx_t *ctx, const cwd_request_t *r)
{
    must_be_far(r, r->signal_at, sizeof(uint64_t), sizeof(uint64_t));
    if (r->amo != CWD_AMO_SET && r->amo != CWD_AMO_ADD)
        refuse(r, "no such operation on a signal", r->signal_at);
    cw_put_signal(ctx, (void *)(uintptr_t)r->far_at, (const void *)(uintptr_t)r->near_at, r->nbytes,
                  (uint64_t *)(uintptr_t)r->signal_at, r->operand, (cw_amo_op_t)r->amo, r->pe,
                  false);
}

static uint64_t execute(cw_ctx_t *ctx, const cwd_request_t *r)
{
    void *far_p = (void *)(uintptr_t)r->far_at, *near_p = (void *)(uintptr_t)r->near_at;
    uint64_t value = 0;
    if (r->pe < 0 || r->pe >= cw_world.npes)
        refuse(r, "there is no such PE", (uint64_t)(int64_t)r->pe);
    if (r->nbytes > 0 && (r->what == CWD_PUT || r->what == CWD_GET || r->what == CWD_PUT_SIGNAL)) {
        must_be_far(r, r->far_at, r->nbytes, 1);
        must_be_near(r);
    }
    switch (r->what) {
    case CWD_PUT:
        cw_put(ctx, far_p, near_p, r->nbytes, r->pe);
        break;
    case CWD_GET:
        cw_get(ctx, near_p, far_p, r->nbytes, r->pe);
        break;
    case CWD_P:
    case CWD_G:
        must_be_width(r, false);
        must_be_far(r, r->far_at, r->width, 1);
        if (r->what == CWD_P)
            cw_put(ctx, far_p, &r->operand, r->width, r->pe);  // little-endian
        else
            cw_get(ctx, &value, far_p, r->width, r->pe);
        break;
    case CWD_AMO:
        value = do_amo(ctx, r);
        break;
    case CWD_PUT_SIGNAL:
        do_put_signal(ctx, r);
        break;
    case CWD_FENCE:
        cw_fence(ctx);
        break;
    case CWD_QUIET:
        cw_quiet(ctx);
        break;
    default:
        refuse(r, "no such operation", r->what);
    }
    return value;
}

static void answer(cw_device_ring_t *ring, uint64_t ticket, uint64_t value)
{
    cwd_answer_t *a = &ring->answer[ticket & ring->mask];
    __atomic_store_n(&a->value, value, __ATOMIC_RELAXED);
    // release: what the kernel asked for; pairs with cwd_ask
    __atomic_store_n(&a->turn, ticket + 1, __ATOMIC_RELEASE);
}

unsigned cw_device_ring_serve(cw_device_ring_t *ring, unsigned most)
{
    unsigned n = 0;
    while (n < most) {
        const cwd_request_t *r = &ring->request[ring->next & ring->mask];
        // acquire: the request, and what its kernel stored before; pairs with cwd_post
        if (__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE) != ring->next + 1)
            break;
        cwd_request_t copy = *r;
        uint64_t ticket = ring->next++;
        // release: behind the copy; pairs with cwd_has_room
        __atomic_store_n(ring->taken, ring->next, __ATOMIC_RELEASE);
        uint64_t value = execute(ring->ctx, &copy);
        if (copy.answered)
            answer(ring, ticket, value);
        n++;
    }
    return n;
}
