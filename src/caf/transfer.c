// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that leave the node, and their order.
#include "caf/transfer.h"

#include <stdlib.h>

#include "base/error.h"

/** What was put to a PE. A range is void when its number is not the current one. */
typedef struct range {
    uintptr_t begin, end;
    uint64_t number;
} range_t;

static struct {
    range_t *fenced, *quiet;  // [npes] since the last fence, and since the last quiet
    uint64_t fences, quiets;
} order;

static void open_order(void)
{
    size_t n = (size_t)cw_world.npes;
    order.fenced = calloc(n, sizeof *order.fenced);
    order.quiet = calloc(n, sizeof *order.quiet);
    if (!order.fenced || !order.quiet)
        cwu_fatal("out of memory for the order of puts to %d images", cw_world.npes);
    order.fences = order.quiets = 1;
}

void caf_order_close(void)
{
    free(order.fenced);
    free(order.quiet);
    order.fenced = order.quiet = NULL;
}

static bool overlaps(const range_t *range, uint64_t number, uintptr_t begin, uintptr_t end)
{
    return range->number == number && begin < range->end && range->begin < end;
}

static void extend(range_t *range, uint64_t number, uintptr_t begin, uintptr_t end)
{
    if (range->number != number)
        *range = (range_t){begin, end, number};
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

void caf_complete_cold(void)
{
    cw_quiet_cold(&cw_ctx_default);
    order.fences++;
    order.quiets++;
}

void caf_order(void)
{
    cw_fence_default();
    order.fences++;
}

void caf_before_write(int pe, uintptr_t begin, uintptr_t end)
{
    if (CW_UNLIKELY(!order.fenced))
        open_order();
    if (CW_UNLIKELY(overlaps(&order.fenced[pe], order.fences, begin, end)))
        caf_order();
    extend(&order.fenced[pe], order.fences, begin, end);
    extend(&order.quiet[pe], order.quiets, begin, end);
}

void caf_before_read(int pe, uintptr_t begin, uintptr_t end)
{
    if (order.quiet && CW_UNLIKELY(overlaps(&order.quiet[pe], order.quiets, begin, end)))
        caf_complete_cold();
}

/** The word may also be cold because the PEs of the node have not come yet. */
void caf_put_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word)
{
    if (cw_world.node_of_pe[pe] != cw_world.node)
        caf_before_write(pe, (uintptr_t)dest, (uintptr_t)dest + nbytes);
    cw_put_out(dest, src, nbytes, pe, ctx, word);
}

void caf_get_out(void *dest, const void *src, size_t nbytes, int pe, cw_ctx_t *ctx, uintptr_t word)
{
    if (cw_world.node_of_pe[pe] != cw_world.node)
        caf_before_read(pe, (uintptr_t)src, (uintptr_t)src + nbytes);
    cw_get_out(dest, src, nbytes, pe, ctx, word);
}
