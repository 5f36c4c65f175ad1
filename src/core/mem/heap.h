// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap of this PE: one arena. malloc, realloc and free are declared in core/core.h.
//
// Symmetry: PEs that make the same calls in the same order get the same offsets (core/mem/arena.h
// says why).
// Threads: not safe against one another. Allocation is collective, and its barriers already
// serialise it.
#ifndef CW_CORE_HEAP_H
#define CW_CORE_HEAP_H

#include "core/mem/arena.h"

/** Takes the range over; does not touch it. Returns 0, CW_EINVAL (too small for one block) or
 *  CW_ENOMEM. */
int cw_heap_init(void *base, size_t nbytes);
void cw_heap_fini(void);

void cw_heap_stats(cw_heap_stats_t *stats_p);

/** Visits the allocations in address order, each with the place that cw_heap_tag noted or NULL (the
 *  library's own). */
void cw_heap_walk(cw_arena_visit_fn *visit, void *arg);

#endif
