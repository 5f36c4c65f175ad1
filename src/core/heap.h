// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap of this PE: one arena. malloc, realloc and free are declared in core/core.h.
//
// Symmetry: PEs that make the same calls in the same order get the same offsets (core/arena.h says why).
// Threads: not safe against one another. Allocation is collective, and its barriers already serialise it.
#ifndef CW_CORE_HEAP_H
#define CW_CORE_HEAP_H

#include "core/arena.h"

/** Takes the range over; does not touch it. Returns 0, CW_EINVAL (too small for one block) or CW_ENOMEM. */
int cw_heap_init(void *base, size_t nbytes);
void cw_heap_fini(void);

/** Bytes asked for; 0 when ptr is not the start of an allocation. */
size_t cw_heap_size(const void *ptr);

/** What a pointer that free or realloc refused is: the end of a sentence that starts with the pointer. */
void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes);

void cw_heap_stats(cw_heap_stats_t *stats_p);

#endif
