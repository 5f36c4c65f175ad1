// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory of this PE, as front ends see it: what is symmetric, the heap's allocator.
//
// Threads: the allocator is not safe against itself. Allocation is collective, and the front end's
// barriers serialise it.
#ifndef CW_CORE_MEMORY_H
#define CW_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/** Is [addr, addr+nbytes) symmetric memory of this PE (heap or static data)? */
bool cw_is_symmetric(const void *addr, size_t nbytes);
/** The process of a PE of this node; 0: not known (not of this node, or gone). */
int cw_pid_of(int pe);
/** Local allocator moves only; the collective barriers are the front end's. NULL when it does not
 *  fit. Where the network needs memory behind pages the block has it on return: in a job of several
 *  nodes these may wait until that is known (core/mem/backing.h). */
void *cw_heap_malloc(size_t alignment, size_t nbytes);
void *cw_heap_realloc(void *ptr, size_t nbytes);
/** Returns 0, or CW_EINVAL for a double free or a foreign pointer. */
int cw_heap_free(void *ptr);
/** Bytes asked for; 0 when ptr is not the start of an allocation. */
size_t cw_heap_size(const void *ptr);
/** Counts the changes of blocks of the heap and of core/observe/known.h, each counted before it is
 *  made and under its lock: what a check has found in between two equal counts is still right.
 *  Never 0. */
extern _Atomic unsigned cw_block_changes CW_HIDDEN;

typedef struct cw_heap_span {
    const char *start;
    size_t nbytes;
} cw_heap_span_t;

/** Do these bytes lie in one block, *span_p, if they lie in the heap? *room_p, if not: the bytes
 *  from there to the end of the block, or 0 where there is none. Else nothing is written. For
 *  checking mode. Threads: any. */
bool cw_heap_covers(const void *ptr, size_t nbytes, size_t *room_p, cw_heap_span_t *span_p);
/** The last block that begins at the address or before it. False: none, or they are not known. For
 *  messages. Threads: any. */
bool cw_heap_before(const void *ptr, cw_heap_span_t *block_p);
/** An allocation by `call` found no room: noted for the report of a crash, and said in checking
 *  mode or to debug. */
void cw_heap_refuse(const char *call, size_t nbytes);
/** Bytes of the last one; 0: none. */
size_t cw_heap_refused(void);
/** Notes where the program allocated a block, for the report of leaks. */
void cw_heap_tag(const void *ptr, const void *where);
/** What a pointer that free or realloc refused is: the end of a sentence that starts with the
 *  pointer. */
void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes);

#endif
