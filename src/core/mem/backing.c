// SPDX-License-Identifier: BSD-3-Clause
//
// Gives memory to chunks.
#include "core/mem/backing.h"

#include <limits.h>
#include <string.h>

#include "base/compiler.h"
#include "base/futex.h"
#include "base/pages.h"
#include "base/wait.h"
#include "core/mem/gather.h"
#include "core/mem/segment.h"

enum { UNKNOWN, NOT_NEEDED, NEEDED };

static bool backed[CW_CHUNKS_MAX_SPARSE] CW_LARGE;  // chunks of this PE's heap
static uint64_t end_backed;  // behind the last one

void cw_backing_reset(void)
{
    memset(backed, 0, end_backed);
    end_backed = 0;
}

void cw_backing_known(bool needed)
{
    _Atomic uint32_t *word = &cw_segment.control->backing;
    // pairs with cw_backing_is_needed
    atomic_store_explicit(word, needed ? NEEDED : NOT_NEEDED, memory_order_release);
    cwu_futex_wake((uint32_t *)word, INT_MAX);
}

/** The barrier behind an allocation needs the network anyway, so this wait is free. */
bool cw_backing_is_needed(void)
{
    if (cw_world.nnodes <= 1)
        return false;
    _Atomic uint32_t *word = &cw_segment.control->backing;
    uint32_t now;
    while ((now = atomic_load_explicit(word, memory_order_acquire)) == UNKNOWN) {
        cwu_futex_wait((uint32_t *)word, UNKNOWN, CWU_WAIT_NS(SAFEGUARD));
        cw_gather_try();  // fatal if the PE with the server never comes
    }
    return now == NEEDED;
}

/** Backs the chunks around [from, end) of this PE's heap. */
static void back(uint64_t from, uint64_t end)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t chunk = (uint64_t)1 << l->chunk_shift;
    for (uint64_t i = from >> l->chunk_shift; i << l->chunk_shift < end; i++) {
        uint64_t at = i << l->chunk_shift,
                 n = l->heap_nbytes - at < chunk ? l->heap_nbytes - at : chunk;
        if (backed[i])
            continue;
        if (cwu_pages_back(cw_segment.heap + at, n, true))
            cwu_fatal("this machine has no memory left for %llu bytes of the symmetric heap, which "
                      "the network must lock; start fewer PEs here or allocate less",
                      (unsigned long long)n);
        backed[i] = true;
        end_backed = i + 1 > end_backed ? i + 1 : end_backed;
    }
}

void cw_backing_allocated(const void *ptr, size_t nbytes)
{
    if (!ptr || nbytes == 0 || !cw_backing_is_needed())
        return;
    uint64_t at = (uint64_t)((const char *)ptr - cw_segment.heap);
    back(0, CW_COLL_SCRATCH);
    back(at, at + nbytes);
}
