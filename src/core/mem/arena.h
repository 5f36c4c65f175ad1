// SPDX-License-Identifier: BSD-3-Clause
//
// A deterministic allocator over a range whose bytes it never touches.
//
//   - Offsets depend only on the range's size and the sequence of calls (and, above a page of
//     alignment, on the base modulo that).
//   - Blocks are whole cache lines, so objects of two PEs share none.
//   - Constant time but for tight fits; fails only if no free block fits.
//
// Ownership: the range stays the caller's. Threads: the caller serialises. Blocking: never.
#ifndef CW_CORE_ARENA_H
#define CW_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define CW_ARENA_LINE 64u       // bytes: granule and least alignment
// per power of two: a search passes over at most 1/32 of a block
#define CW_ARENA_SUBCLASSES 32u
#define CW_ARENA_CLASSES 54u    // powers of two of lines in 64 bits

typedef struct cw_block cw_block_t;

typedef struct cw_arena {
    char *base;                 // on a line
    uint64_t nlines;            // of the range
    cw_block_t *blocks;         // descriptors; links are indexes, 0: none
    uint32_t nblocks, capacity; // descriptors ever used (1..nblocks), allocated
    uint32_t spare;             // list of unused descriptors
    uint32_t *buckets;          // hash: line offset of a block in use -> descriptor
    uint32_t bucket_mask;
    uint32_t nused;
    uint32_t nfree;
    uint64_t used_lines, peak_lines;
    uint64_t class_map;                      // bit c: subclass_map[c] is not 0
    uint32_t subclass_map[CW_ARENA_CLASSES]; // bit s: free_list[c][s] is not empty
    uint32_t free_list[CW_ARENA_CLASSES][CW_ARENA_SUBCLASSES];  // last: reset() spares it
} cw_arena_t;

typedef struct cw_heap_stats {
    uint64_t nbytes;       // of the range
    uint64_t in_use, peak; // whole lines, now and at most
    uint64_t largest_free; // bytes
    uint64_t blocks, free_blocks;
} cw_heap_stats_t;

/** 0, CW_EINVAL (no whole line, or too many) or CW_ENOMEM. */
int cw_arena_init(cw_arena_t *arena, void *base, size_t nbytes);
void cw_arena_finish(cw_arena_t *arena);

/** NULL: nbytes is 0, alignment no power of two, or no room. Alignment 0: a line. */
void *cw_arena_malloc(cw_arena_t *arena, size_t alignment, size_t nbytes);

/** In place or moved (contents copied, alignment kept). ptr NULL: malloc. nbytes 0: free, NULL.
 *  Else NULL: no room, or not a block; ptr stays. */
void *cw_arena_realloc(cw_arena_t *arena, void *ptr, size_t nbytes);

/** 0 (also for NULL), or CW_EINVAL: no block in use starts there. */
int cw_arena_free(cw_arena_t *arena, void *ptr);

/** Bytes asked for; 0: not the start of a block in use. */
size_t cw_arena_size(const cw_arena_t *arena, const void *ptr);

/** Keeps a tag with a block in use until realloc moves it. */
void cw_arena_tag(cw_arena_t *arena, const void *ptr, const void *tag);

/** Visits the blocks in use in address order; tag: NULL if none. */
typedef void cw_arena_visit_fn(void *arg, const void *ptr, size_t nbytes, const void *tag);
void cw_arena_walk(const cw_arena_t *arena, cw_arena_visit_fn *visit, void *arg);

/** What a bad pointer is, as a sentence's end: "lies outside the symmetric heap". */
void cw_arena_describe(const cw_arena_t *arena, const void *ptr, char *text, size_t text_nbytes);

void cw_arena_stats(const cw_arena_t *arena, cw_heap_stats_t *stats_p);

/** For tests: 0, or the line number of the first violated invariant. */
int cw_arena_verify(const cw_arena_t *arena);

#endif
