// SPDX-License-Identifier: BSD-3-Clause
//
// Large pages: where they fit, and the calls.
#include "core/mem/large.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/pages.h"
#include "core/mem/segment.h"

/** Do address and file offset agree modulo a large page? Not in an own view whose static data is
 *  misaligned otherwise than the first PE's. */
static bool fits(const char *block)
{
    const cw_segment_t *s = &cw_segment;
    bool own = s->own_view && s->data.nbytes && (uintptr_t)block - (uintptr_t)s->heap < s->nbytes;
    return !own || s->data.start % CWU_PAGES_LARGE == s->front;
}

static void make(char *from, size_t nbytes)
{
    static atomic_bool said;
    int rc = cwu_pages_make_large(from, nbytes);
    if (rc == 0 || atomic_exchange(&said, true))
        return;
    cwu_warn("CAUSEWAY_HUGEPAGES=2M: pages stay small, %s",
             rc == CW_ENOTSUP ? "this kernel makes no large ones on demand (Linux 6.1 does)"
                              : "the kernel has no memory in one piece for them now");
}

bool cw_large_is(const char *setting)
{
    return cwu_env.hugepages && strcmp(cwu_env.hugepages, setting) == 0;  // NULL: in tests of files
}

/** Widens the range, for one or two more mappings in the kernel. */
static void allow(cw_large_t *large, char *from, char *end)
{
    if (large->end && from >= large->from && end <= large->end)
        return;
    if (large->end && from > large->from)
        from = large->from;
    if (large->end && end < large->end)
        end = large->end;
    cwu_pages_may_be_large(from, (size_t)(end - from), true);
    *large = (cw_large_t){from, end};
}

static void take(cw_large_t *large, const void *ptr, size_t nbytes, bool at_once)
{
    const uintptr_t unit = CWU_PAGES_LARGE, at = (uintptr_t)ptr, end = (at + nbytes) / unit * unit,
                    from = (at + unit - 1) / unit * unit;
    if (from >= end || cw_large_is("off") || !fits(ptr))
        return;
    allow(large, (char *)from, (char *)end);
    if (at_once && cw_large_is("2M"))
        make((char *)from, end - from);
}

void cw_large_allocated(cw_large_t *large, const void *ptr, size_t nbytes)
{
    take(large, ptr, nbytes, true);
}

void cw_large_reserved(const void *ptr, size_t nbytes)
{
    cw_large_t alone = {0};
    take(&alone, ptr, nbytes, false);
}
