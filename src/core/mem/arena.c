// SPDX-License-Identifier: BSD-3-Clause
//
// Two-level segregated fit.
//
// Blocks partition the range: descriptor 1 starts at line 0, `next` follows in address order, free
// blocks are never neighbours. Free ones are on the list of their class (links a, b = previous,
// next), last in first out; blocks in use are in the hash (link a). Class (c, s): below 32 lines c
// = 0, s = length; above, c = log2(length) - 4, s = the next five bits.
#include "core/mem/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define SUB_BITS 5u
#define FIRST 1u
_Static_assert(CW_ARENA_SUBCLASSES == 1u << SUB_BITS, "five bits select the list inside a class");

struct cw_block {
    uint64_t start, length; // in lines
    uint64_t nbytes;        // as asked for; 0: free
    uint32_t prev, next;    // in address order
    uint32_t a, b;          // links, see above
    const void *tag;
    uint8_t align_log2;
    bool used;
};

// ---------------------------------------------------------------- size classes

static unsigned log2_floor(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}

static void class_of(uint64_t length, unsigned *c, unsigned *s)
{
    if (length < CW_ARENA_SUBCLASSES) {
        *c = 0;
        *s = (unsigned)length;
        return;
    }
    unsigned top = log2_floor(length);
    *c = top - SUB_BITS + 1;
    *s = (unsigned)(length >> (top - SUB_BITS)) & (CW_ARENA_SUBCLASSES - 1);
}

static void list_insert(cw_arena_t *arena, uint32_t i)
{
    unsigned c, s;
    cw_block_t *block = &arena->blocks[i];
    class_of(block->length, &c, &s);
    uint32_t head = arena->subclass_map[c] >> s & 1 ? arena->free_list[c][s] : 0;
    block->a = 0;
    block->b = head;
    if (head)
        arena->blocks[head].a = i;
    arena->free_list[c][s] = i;
    arena->subclass_map[c] |= 1u << s;
    arena->class_map |= UINT64_C(1) << c;
    arena->nfree++;
}

static void list_remove(cw_arena_t *arena, uint32_t i)
{
    unsigned c, s;
    const cw_block_t *block = &arena->blocks[i];
    class_of(block->length, &c, &s);
    if (block->b)
        arena->blocks[block->b].a = block->a;
    if (block->a)
        arena->blocks[block->a].b = block->b;
    else
        arena->free_list[c][s] = block->b;
    if (!arena->free_list[c][s] && !(arena->subclass_map[c] &= ~(1u << s)))
        arena->class_map &= ~(UINT64_C(1) << c);
    arena->nfree--;
}

/** Head of the first non-empty list from (c, s) on, which move there; 0: none. */
static uint32_t list_from(const cw_arena_t *arena, unsigned *c, unsigned *s)
{
    if (*s >= CW_ARENA_SUBCLASSES) {
        *s = 0;
        ++*c;
    }
    if (*c >= CW_ARENA_CLASSES)
        return 0;
    uint32_t subs = arena->subclass_map[*c] & (~0u << *s);
    if (!subs) {
        uint64_t classes = arena->class_map & ~((UINT64_C(2) << *c) - 1);
        if (!classes)
            return 0;
        *c = (unsigned)__builtin_ctzll(classes);
        subs = arena->subclass_map[*c];
    }
    *s = (unsigned)__builtin_ctz(subs);
    return arena->free_list[*c][*s];
}

// ---------------------------------------------------------------- descriptors

static bool reserve_descriptors(cw_arena_t *arena, uint32_t n)
{
    if (arena->capacity - arena->nblocks > n)
        return true;
    if (arena->capacity > UINT32_MAX / 2)
        return false;
    uint32_t capacity = arena->capacity ? 2 * arena->capacity : 64;
    cw_block_t *blocks = realloc(arena->blocks, capacity * sizeof *blocks);
    if (!blocks)
        return false;
    arena->blocks = blocks;
    arena->capacity = capacity;
    return true;
}

/** After reserve_descriptors(). */
static uint32_t descriptor_take(cw_arena_t *arena)
{
    uint32_t i = arena->spare;
    if (i)
        arena->spare = arena->blocks[i].a;
    else
        i = ++arena->nblocks;
    arena->blocks[i] = (cw_block_t){0};
    return i;
}

static void descriptor_drop(cw_arena_t *arena, uint32_t i)
{
    arena->blocks[i] = (cw_block_t){.a = arena->spare};
    arena->spare = i;
}

// ---------------------------------------------------------------- blocks in use, by offset

static uint32_t *bucket_of(const cw_arena_t *arena, uint64_t start)
{
    uint64_t h = start * UINT64_C(0x9e3779b97f4a7c15);
    return &arena->buckets[(uint32_t)(h >> 32) & arena->bucket_mask];
}

static void hash_insert(cw_arena_t *arena, uint32_t i)
{
    uint32_t *bucket = bucket_of(arena, arena->blocks[i].start);
    arena->blocks[i].a = *bucket;
    *bucket = i;
}

static void hash_remove(cw_arena_t *arena, uint32_t i)
{
    uint32_t *link = bucket_of(arena, arena->blocks[i].start);
    while (*link != i)
        link = &arena->blocks[*link].a;
    *link = arena->blocks[i].a;
}

static uint32_t find(const cw_arena_t *arena, const void *ptr)
{
    uint64_t offset = (uint64_t)((uintptr_t)ptr - (uintptr_t)arena->base);
    if (offset % CW_ARENA_LINE || offset / CW_ARENA_LINE >= arena->nlines)
        return 0;
    uint32_t i = *bucket_of(arena, offset / CW_ARENA_LINE);
    while (i && arena->blocks[i].start != offset / CW_ARENA_LINE)
        i = arena->blocks[i].a;
    return i;
}

static bool hash_reserve(cw_arena_t *arena)
{
    if (arena->buckets && arena->nused <= arena->bucket_mask)
        return true;
    uint32_t n = arena->buckets ? 2 * (arena->bucket_mask + 1) : 64;
    uint32_t *buckets = n ? calloc(n, sizeof *buckets) : NULL;
    if (!buckets)
        return arena->buckets != NULL; // longer chains still work
    free(arena->buckets);
    arena->buckets = buckets;
    arena->bucket_mask = n - 1;
    for (uint32_t i = arena->nblocks ? FIRST : 0; i; i = arena->blocks[i].next)
        if (arena->blocks[i].used)
            hash_insert(arena, i);
    return true;
}

// ---------------------------------------------------------------- split and merge

/** Cuts block i after `length` lines; returns the rest, on no list yet. */
static uint32_t split(cw_arena_t *arena, uint32_t i, uint64_t length)
{
    uint32_t j = descriptor_take(arena);
    cw_block_t *front = &arena->blocks[i], *rear = &arena->blocks[j];
    rear->start = front->start + length;
    rear->length = front->length - length;
    rear->prev = i;
    rear->next = front->next;
    if (rear->next)
        arena->blocks[rear->next].prev = j;
    front->next = j;
    front->length = length;
    return j;
}

/** Appends the next block, which is on no list. */
static void merge_next(cw_arena_t *arena, uint32_t i)
{
    uint32_t j = arena->blocks[i].next;
    arena->blocks[i].length += arena->blocks[j].length;
    arena->blocks[i].next = arena->blocks[j].next;
    if (arena->blocks[j].next)
        arena->blocks[arena->blocks[j].next].prev = i;
    descriptor_drop(arena, j);
}

static bool is_free(const cw_arena_t *arena, uint32_t i)
{
    return i && !arena->blocks[i].used;
}

/** Frees block i, on no list, and joins it with its neighbours. */
static void release(cw_arena_t *arena, uint32_t i)
{
    arena->blocks[i].used = false;
    arena->blocks[i].nbytes = 0;
    uint32_t next = arena->blocks[i].next, prev = arena->blocks[i].prev;
    if (is_free(arena, next)) {
        list_remove(arena, next);
        merge_next(arena, i);
    }
    if (is_free(arena, prev)) {
        list_remove(arena, prev);
        merge_next(arena, prev);
        i = prev;
    }
    list_insert(arena, i);
}

static void count_lines(cw_arena_t *arena, uint64_t more, uint64_t less)
{
    arena->used_lines += more - less;
    if (arena->used_lines > arena->peak_lines)
        arena->peak_lines = arena->used_lines;
}

// ---------------------------------------------------------------- search

static uint64_t skip_lines(const cw_arena_t *arena, uint32_t i, size_t alignment)
{
    uintptr_t address = (uintptr_t)arena->base + arena->blocks[i].start * CW_ARENA_LINE;
    return ((0 - address) & (alignment - 1)) / CW_ARENA_LINE;
}

static bool holds(const cw_arena_t *arena, uint32_t i, uint64_t length, size_t alignment)
{
    uint64_t skip = skip_lines(arena, i, alignment);
    return skip <= arena->blocks[i].length && arena->blocks[i].length - skip >= length;
}

/** A free block that holds `length` aligned lines; 0: none. */
static uint32_t search(const cw_arena_t *arena, uint64_t length, size_t alignment)
{
    unsigned c, s;
    uint64_t sure = length + (alignment / CW_ARENA_LINE - 1); // enough wherever it starts
    if (sure < length || length > arena->nlines)
        return 0;
    class_of(sure, &c, &s);
    if (c < CW_ARENA_CLASSES) {
        if (c > 0 && (sure & ((UINT64_C(1) << (c - 1)) - 1)))
            s++; // blocks of the class itself may be shorter
        uint32_t i = list_from(arena, &c, &s);
        if (i)
            return i;
    }
    // only tight fits are left: try each
    class_of(length, &c, &s);
    for (uint32_t i = list_from(arena, &c, &s); i; s++, i = list_from(arena, &c, &s))
        for (; i; i = arena->blocks[i].b)
            if (holds(arena, i, length, alignment))
                return i;
    return 0;
}

static uint64_t lines_of(size_t nbytes)
{
    return nbytes / CW_ARENA_LINE + (nbytes % CW_ARENA_LINE != 0);
}

// ---------------------------------------------------------------- calls

/** List heads without their bit are invalid, so their pages stay untouched. */
static void reset(cw_arena_t *arena)
{
    memset(arena, 0, offsetof(cw_arena_t, free_list));
}

int cw_arena_init(cw_arena_t *arena, void *base, size_t nbytes)
{
    uintptr_t first = ((uintptr_t)base + CW_ARENA_LINE - 1) & ~(uintptr_t)(CW_ARENA_LINE - 1);
    uintptr_t lost = first - (uintptr_t)base;
    reset(arena);
    arena->base = (char *)first;
    if (nbytes < lost + CW_ARENA_LINE)
        return CW_EINVAL;
    arena->nlines = (nbytes - lost) / CW_ARENA_LINE;
    if (arena->nlines >> (CW_ARENA_CLASSES + SUB_BITS - 1))
        return CW_EINVAL;
    if (!reserve_descriptors(arena, 1) || !hash_reserve(arena)) {
        cw_arena_finish(arena);
        return CW_ENOMEM;
    }
    uint32_t i = descriptor_take(arena);
    arena->blocks[i].length = arena->nlines;
    list_insert(arena, i);
    return CW_OK;
}

void cw_arena_finish(cw_arena_t *arena)
{
    free(arena->blocks);
    free(arena->buckets);
    reset(arena);
}

void *cw_arena_malloc(cw_arena_t *arena, size_t alignment, size_t nbytes)
{
    if (nbytes == 0 || (alignment & (alignment - 1)))
        return NULL;
    if (alignment < CW_ARENA_LINE)
        alignment = CW_ARENA_LINE;
    uint64_t length = lines_of(nbytes);
    uint32_t i = search(arena, length, alignment);
    if (!i || !reserve_descriptors(arena, 2) || !hash_reserve(arena))
        return NULL;
    list_remove(arena, i);
    uint64_t skip = skip_lines(arena, i, alignment);
    if (skip) {
        uint32_t rear = split(arena, i, skip);
        list_insert(arena, i);
        i = rear;
    }
    if (arena->blocks[i].length > length)
        list_insert(arena, split(arena, i, length));
    cw_block_t *block = &arena->blocks[i];
    block->used = true;
    block->tag = NULL;
    block->nbytes = nbytes;
    block->align_log2 = (uint8_t)log2_floor(alignment);
    hash_insert(arena, i);
    arena->nused++;
    count_lines(arena, length, 0);
    return arena->base + block->start * CW_ARENA_LINE;
}

int cw_arena_free(cw_arena_t *arena, void *ptr)
{
    if (!ptr)
        return CW_OK;
    uint32_t i = find(arena, ptr);
    if (!i)
        return CW_EINVAL;
    hash_remove(arena, i);
    arena->nused--;
    count_lines(arena, 0, arena->blocks[i].length);
    release(arena, i);
    return CW_OK;
}

static bool resize_in_place(cw_arena_t *arena, uint32_t i, uint64_t length)
{
    uint64_t old = arena->blocks[i].length;
    uint32_t next = arena->blocks[i].next;
    uint64_t room = is_free(arena, next) ? arena->blocks[next].length : 0;
    if (length > old && length - old > room)
        return false;
    if (!reserve_descriptors(arena, 1))
        return length == old;
    if (length > old) {
        list_remove(arena, next);
        merge_next(arena, i);
    }
    if (arena->blocks[i].length > length)
        release(arena, split(arena, i, length));
    count_lines(arena, length, old);
    return true;
}

void *cw_arena_realloc(cw_arena_t *arena, void *ptr, size_t nbytes)
{
    if (!ptr)
        return cw_arena_malloc(arena, 0, nbytes);
    uint32_t i = find(arena, ptr);
    if (!i)
        return NULL;
    if (nbytes == 0) {
        cw_arena_free(arena, ptr);
        return NULL;
    }
    if (resize_in_place(arena, i, lines_of(nbytes))) {
        arena->blocks[i].nbytes = nbytes;
        return ptr;
    }
    size_t old_nbytes = arena->blocks[i].nbytes;
    void *moved = cw_arena_malloc(arena, (size_t)1 << arena->blocks[i].align_log2, nbytes);
    if (!moved)
        return NULL;
    memcpy(moved, ptr, old_nbytes < nbytes ? old_nbytes : nbytes);
    cw_arena_free(arena, ptr);
    return moved;
}

size_t cw_arena_size(const cw_arena_t *arena, const void *ptr)
{
    uint32_t i = find(arena, ptr);
    return i ? arena->blocks[i].nbytes : 0;
}

void cw_arena_tag(cw_arena_t *arena, const void *ptr, const void *tag)
{
    uint32_t i = find(arena, ptr);
    if (i)
        arena->blocks[i].tag = tag;
}

void cw_arena_walk(const cw_arena_t *arena, cw_arena_visit_fn *visit, void *arg)
{
    for (uint32_t i = arena->nblocks ? FIRST : 0; i; i = arena->blocks[i].next) {
        const cw_block_t *block = &arena->blocks[i];
        if (block->used)
            visit(arg, arena->base + block->start * CW_ARENA_LINE, block->nbytes, block->tag);
    }
}

void cw_arena_describe(const cw_arena_t *arena, const void *ptr, char *text, size_t text_nbytes)
{
    uint64_t offset = (uint64_t)((uintptr_t)ptr - (uintptr_t)arena->base);
    if (offset / CW_ARENA_LINE >= arena->nlines) {
        snprintf(text, text_nbytes, "lies outside the symmetric heap");
        return;
    }
    uint32_t i = FIRST;
    while (arena->blocks[i].next &&
           arena->blocks[arena->blocks[i].next].start * CW_ARENA_LINE <= offset)
        i = arena->blocks[i].next;
    uint64_t inside = offset - arena->blocks[i].start * CW_ARENA_LINE;
    if (!arena->blocks[i].used)
        snprintf(text, text_nbytes,
                 "is not allocated (freed already, or never returned by an allocation)");
    else if (inside)
        snprintf(text, text_nbytes,
                 "lies %llu bytes inside an allocation of %llu bytes, not at its start",
                 (unsigned long long)inside, (unsigned long long)arena->blocks[i].nbytes);
    else
        snprintf(text, text_nbytes, "is an allocation of %llu bytes",
                 (unsigned long long)arena->blocks[i].nbytes);
}

void cw_arena_stats(const cw_arena_t *arena, cw_heap_stats_t *stats_p)
{
    uint64_t largest = 0;
    if (arena->class_map) {
        unsigned c = log2_floor(arena->class_map), s = log2_floor(arena->subclass_map[c]);
        for (uint32_t i = arena->free_list[c][s]; i; i = arena->blocks[i].b)
            if (arena->blocks[i].length > largest)
                largest = arena->blocks[i].length;
    }
    *stats_p = (cw_heap_stats_t){
        .nbytes = arena->nlines * CW_ARENA_LINE,
        .in_use = arena->used_lines * CW_ARENA_LINE,
        .peak = arena->peak_lines * CW_ARENA_LINE,
        .largest_free = largest * CW_ARENA_LINE,
        .blocks = arena->nused,
        .free_blocks = arena->nfree,
    };
}

// ---------------------------------------------------------------- self-check

#define EXPECT(condition) \
    if (!(condition))     \
    return __LINE__

static int verify_lists(const cw_arena_t *arena, uint32_t *nfree_p)
{
    for (unsigned c = 0; c < CW_ARENA_CLASSES; c++) {
        EXPECT(!(arena->class_map >> c & 1) == !arena->subclass_map[c]);
        for (unsigned s = 0; s < CW_ARENA_SUBCLASSES; s++) {
            if (!(arena->subclass_map[c] >> s & 1))
                continue;
            EXPECT(arena->free_list[c][s]);
            uint32_t before = 0;
            for (uint32_t i = arena->free_list[c][s]; i;
                 before = i, i = arena->blocks[i].b, ++*nfree_p) {
                unsigned cc, ss;
                class_of(arena->blocks[i].length, &cc, &ss);
                EXPECT(!arena->blocks[i].used && cc == c && ss == s &&
                       arena->blocks[i].a == before);
            }
        }
    }
    return 0;
}

int cw_arena_verify(const cw_arena_t *arena)
{
    uint64_t at = 0, used_lines = 0;
    uint32_t prev = 0, nused = 0, nfree = 0, listed = 0;
    for (uint32_t i = FIRST; i; prev = i, i = arena->blocks[i].next) {
        const cw_block_t *block = &arena->blocks[i];
        EXPECT(block->start == at && block->length > 0 && block->prev == prev);
        EXPECT(block->used || !is_free(arena, prev));
        if (block->used) {
            EXPECT(find(arena, arena->base + at * CW_ARENA_LINE) == i);
            EXPECT(lines_of(block->nbytes) == block->length);
            nused++;
            used_lines += block->length;
        } else {
            nfree++;
        }
        at += block->length;
    }
    EXPECT(at == arena->nlines && used_lines == arena->used_lines);
    EXPECT(nused == arena->nused && nfree == arena->nfree);
    int line = verify_lists(arena, &listed);
    EXPECT(line || listed == nfree);
    return line;
}
