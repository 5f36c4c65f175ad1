// SPDX-License-Identifier: BSD-3-Clause
//
// A deterministic allocator over an address range whose bytes it never touches.
//
//   - The offsets it returns depend only on the size of the range and the sequence of calls, so PEs
//     that make the same calls get the same offsets. (Alignment is that of the address, so for
//     alignments above a page the PEs' bases must also be equal modulo that alignment.)
//   - All metadata lives in private memory, so an untouched range of many GiB costs nothing, and a
//     stray store into the range cannot corrupt the allocator.
//   - Blocks are multiples of a cache line and start on one: two PEs that write neighbouring
//     objects never share a line, and at most 63 bytes a block are lost.
//   - Good fit in constant time (two-level segregated lists); a request fails only if no free block
//     can hold it.
// Ownership: the range stays the caller's.
// Threads: none of these may run at the same time on one arena; the caller serialises. Blocking:
// never. The only errors are those named here; nothing is printed.
#ifndef CW_CORE_ARENA_H
#define CW_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define CW_ARENA_LINE 64u       // block granule and least alignment
// size classes per power of two: at most 1/32 of a block is passed over
#define CW_ARENA_SUBCLASSES 32u
#define CW_ARENA_CLASSES 54u    // powers of two, in lines, that a 64-bit size can need

typedef struct cw_block cw_block_t;

typedef struct cw_arena {
    char *base;                 // first usable byte, on a line
    uint64_t nlines;            // length of the range
    cw_block_t *blocks;         // all descriptors; links are indexes into it, 0 means none
    uint32_t nblocks, capacity; // descriptors ever used (1..nblocks), allocated
    uint32_t spare;             // list of unused descriptors
    uint32_t *buckets;          // hash: line offset of a block in use -> descriptor
    uint32_t bucket_mask;
    uint32_t nused; // blocks in use
    uint32_t nfree; // free blocks
    uint64_t used_lines, peak_lines;
    uint64_t class_map;                      // bit c: subclass_map[c] is not zero
    uint32_t subclass_map[CW_ARENA_CLASSES]; // bit s: free_list[c][s] is not empty
    uint32_t free_list[CW_ARENA_CLASSES][CW_ARENA_SUBCLASSES];  // last: not cleared at first
} cw_arena_t;

typedef struct cw_heap_stats {
    uint64_t nbytes;       // length of the range
    uint64_t in_use, peak; // bytes in blocks in use (rounded up to lines), now and at most
    uint64_t largest_free; // bytes: the largest block that could be had now at least alignment
    uint64_t blocks, free_blocks;
} cw_heap_stats_t;

/** Returns 0, CW_EINVAL (no whole line in the range) or CW_ENOMEM. */
int cw_arena_init(cw_arena_t *arena, void *base, size_t nbytes);
void cw_arena_finish(cw_arena_t *arena);

/** NULL when nbytes is 0, alignment is not a power of two, or nothing fits. Alignment 0: least (one
 *  line). */
void *cw_arena_malloc(cw_arena_t *arena, size_t alignment, size_t nbytes);

/** In place if the block or the free one behind it allows, else moved (contents copied, alignment
 *  kept). ptr NULL: malloc. nbytes 0: free, returns NULL. NULL with ptr untouched: does not fit, or
 *  ptr is not a block. */
void *cw_arena_realloc(cw_arena_t *arena, void *ptr, size_t nbytes);

/** 0 (also for NULL), or CW_EINVAL when ptr is not the start of a block in use. */
int cw_arena_free(cw_arena_t *arena, void *ptr);

/** Bytes asked for at malloc or realloc; 0 when ptr is not the start of a block in use. */
size_t cw_arena_size(const cw_arena_t *arena, const void *ptr);

/** Notes something at a block in use, for cw_arena_walk. A block that realloc moves loses it. */
void cw_arena_tag(cw_arena_t *arena, const void *ptr, const void *tag);

/** Visits the blocks in use in address order, each with its tag or NULL. */
typedef void cw_arena_visit_fn(void *arg, const void *ptr, size_t nbytes, const void *tag);
void cw_arena_walk(const cw_arena_t *arena, cw_arena_visit_fn *visit, void *arg);

/** What a bad pointer is, as the end of a sentence: "lies outside the heap", "is inside a block of
 *  96 bytes at +64". */
void cw_arena_describe(const cw_arena_t *arena, const void *ptr, char *text, size_t text_nbytes);

void cw_arena_stats(const cw_arena_t *arena, cw_heap_stats_t *stats_p);

/** Checks every invariant; returns 0, or the line number of the check that failed. For tests. */
int cw_arena_verify(const cw_arena_t *arena);

#endif
