// SPDX-License-Identifier: BSD-3-Clause
//
// This PE's symmetric heap, one arena: equal calls give equal offsets on all PEs. memory.h has the
// front ends' calls. Threads: the barriers of allocations serialise calls.
#ifndef CW_CORE_HEAP_H
#define CW_CORE_HEAP_H

#include "core/mem/arena.h"

/** Does not touch the range. 0, CW_EINVAL (no whole line, or too many) or CW_ENOMEM. */
int cw_heap_init(void *base, size_t nbytes);
void cw_heap_fini(void);

void cw_heap_stats(cw_heap_stats_t *stats_p);

/** In address order, with cw_heap_tag's place or NULL (the library's own). */
void cw_heap_walk(cw_arena_visit_fn *visit, void *arg);

#endif
