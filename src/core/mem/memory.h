// SPDX-License-Identifier: BSD-3-Clause
//
// This PE's symmetric memory, for front ends. Threads: allocation is collective, and its barriers
// serialise it.
#ifndef CW_CORE_MEMORY_H
#define CW_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/** Are these bytes in this PE's heap or static data? */
bool cw_is_symmetric(const void *addr, size_t nbytes);
/** Process of a PE of this node; 0: unknown or gone. */
int cw_pid_of(int pe);
/** Local: barriers are the caller's. NULL: no room. The block has memory where the network needs
 *  it. [between nodes the first waits until the server knows] */
void *cw_heap_malloc(size_t alignment, size_t nbytes);
void *cw_heap_realloc(void *ptr, size_t nbytes);
/** 0, or CW_EINVAL: double free or foreign pointer. */
int cw_heap_free(void *ptr);
/** Bytes asked for; 0: not the start of an allocation. */
size_t cw_heap_size(const void *ptr);
/** Counts changes of blocks here and in core/observe/known.h, before each, under its lock: findings
 *  between equal counts hold. Never 0. */
extern _Atomic unsigned cw_block_changes CW_HIDDEN;

typedef struct cw_heap_span {
    const char *start;
    size_t nbytes;
} cw_heap_span_t;

/** For checks: do bytes that begin in the heap lie in one block, *span_p? If not, *room_p: bytes to
 *  the block's end, 0 without a block. Threads: any. */
bool cw_heap_covers(const void *ptr, size_t nbytes, size_t *room_p, cw_heap_span_t *span_p);
/** The last block at or before the address. False: none, or unknown. Threads: any. */
bool cw_heap_before(const void *ptr, cw_heap_span_t *block_p);
/** Notes a refused allocation for crash reports; prints it in checking mode or with debug. */
void cw_heap_refuse(const char *call, size_t nbytes);
/** Bytes of the last refused allocation; 0: none. */
size_t cw_heap_refused(void);
/** Keeps the place of the allocation for the report of leaks. */
void cw_heap_tag(const void *ptr, const void *where);
/** Describes a pointer that free or realloc refused: the end of a sentence. */
void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes);

#endif
