// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that leave the node, and their order.
#include "caf/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/** What was put to a PE since the fence of that number, and between the last quiet and that fence.
 *  A range is void when its number is below that of the last quiet. */
typedef struct ranges {
    uintptr_t begin, end;
    uint64_t number;
    uintptr_t before_begin, before_end;
    uint64_t before_number;
} ranges_t;

static struct {
    ranges_t *of;            // [npes]; NULL: nothing was put
    uint64_t fences, quiet;  // how many fences there were, and had been at the last quiet; a quiet
                             // is one
} order = {.fences = 1, .quiet = 1};

static void open_order(void)
{
    order.of = calloc((size_t)cw_world.npes, sizeof *order.of);
    if (!order.of)
        cwu_fatal("out of memory for the order of puts to %d images", cw_world.npes);
}

void caf_order_close(void)
{
    free(order.of);
    order.of = NULL;
}

void caf_complete_cold(void)
{
    cw_quiet_cold(&cw_ctx_default);
    order.quiet = ++order.fences;
}

void caf_order(void)
{
    cw_fence_default();
    order.fences++;
}

static bool overlap(uintptr_t begin, uintptr_t end, uintptr_t other_begin, uintptr_t other_end)
{
    return begin < other_end && other_begin < end;
}

/** The range joins those before it. */
static void set_aside(ranges_t *r)
{
    if (r->before_number < order.quiet) {
        r->before_begin = r->begin;
        r->before_end = r->end;
    } else {
        r->before_begin = r->begin < r->before_begin ? r->begin : r->before_begin;
        r->before_end = r->end > r->before_end ? r->end : r->before_end;
    }
    r->before_number = r->number;
}

/** The first put since a fence, or one that meets others, and so comes behind a fence. */
static CW_NOINLINE void begin_range(int pe, uintptr_t begin, uintptr_t end)
{
    if (!order.of)
        open_order();
    ranges_t *r = &order.of[pe];
    if (r->number == order.fences)
        caf_order();
    if (r->number >= order.quiet)
        set_aside(r);
    r->begin = begin;
    r->end = end;
    r->number = order.fences;
}

static CW_ALWAYS_INLINE void before_write(int pe, uintptr_t begin, uintptr_t end)
{
    ranges_t *r = order.of ? &order.of[pe] : NULL;
    if (CW_UNLIKELY(!r) || CW_UNLIKELY(r->number != order.fences) ||
        overlap(begin, end, r->begin, r->end)) {
        begin_range(pe, begin, end);
        return;
    }
    r->begin = begin < r->begin ? begin : r->begin;
    r->end = end > r->end ? end : r->end;
}

void caf_before_write(int pe, uintptr_t begin, uintptr_t end)
{
    before_write(pe, begin, end);
}

void caf_before_read(int pe, uintptr_t begin, uintptr_t end)
{
    if (!order.of)
        return;
    const ranges_t *r = &order.of[pe];
    if ((r->number >= order.quiet && overlap(begin, end, r->begin, r->end)) ||
        (r->before_number >= order.quiet && overlap(begin, end, r->before_begin, r->before_end)))
        caf_complete_cold();
}

/** x = x[this_image()], which checks of other interfaces refuse. */
static bool is_moved_here(void *dest, const void *src, size_t nbytes, int pe)
{
    const uintptr_t to = (uintptr_t)dest, from = (uintptr_t)src;
    if (CW_LIKELY(pe != cw_world.pe) || !overlap(to, to + nbytes, from, from + nbytes))
        return false;
    memmove(dest, src, nbytes);
    return true;
}

/** The word may also be cold because the PEs of the node have not come yet. */
static CW_NOINLINE void put_any(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx,
                                uintptr_t word)
{
    if (is_moved_here(dest, src, nbytes, pe))
        return;
    if (cw_world.node_of_pe[pe] != cw_world.node)
        before_write(pe, (uintptr_t)dest, (uintptr_t)dest + nbytes);
    cw_put_out(dest, src, nbytes, pe, ctx, word);
}

void caf_put_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word)
{
    if ((nbytes != 8 && nbytes != 4) || CW_UNLIKELY(!cw_warm_target(word))) {
        put_any(dest, src, nbytes, pe, ctx, word);
        return;
    }
    before_write(pe, (uintptr_t)dest, (uintptr_t)dest + nbytes);
    cw_put_scalar_by(dest, src, nbytes, word);
}

void caf_get_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word)
{
    if (is_moved_here(dest, src, nbytes, pe))
        return;
    // with puts under way they may be to that place
    if (CW_UNLIKELY(cw_ctx_is_marked(ctx)) && cw_world.node_of_pe[pe] != cw_world.node)
        caf_before_read(pe, (uintptr_t)src, (uintptr_t)src + nbytes);
    cw_get_out(dest, src, nbytes, pe, ctx, word);
}
