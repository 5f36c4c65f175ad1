// SPDX-License-Identifier: BSD-3-Clause
//
// The heap allocator against an oracle that knows every line of the range, in millions of random
// calls; two instances must agree; an untouched range must stay untouched.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "core/core.h"
#include "core/mem/heap.h"
#include "frame/check.h"
#include "frame/random.h"

#define LINE CW_ARENA_LINE

static void *reserve(size_t nbytes)
{
    void *base = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(base != MAP_FAILED);
    return base;
}

// ---------------------------------------------------------------- oracle: one byte a line

typedef struct oracle {
    uint64_t nlines;
    unsigned char *taken;
} oracle_t;

static bool oracle_all(const oracle_t *o, uint64_t start, uint64_t n, unsigned char want)
{
    if (start + n > o->nlines)
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (o->taken[start + i] != want)
            return false;
    return true;
}

/** True if there is a gap of n lines whose address is aligned. */
static bool oracle_fits(const oracle_t *o, const char *base, uint64_t n, size_t alignment)
{
    uint64_t run = 0;
    for (uint64_t i = o->nlines; i-- > 0;) {
        run = o->taken[i] ? 0 : run + 1;
        if (run >= n && ((uintptr_t)base + i * LINE) % alignment == 0)
            return true;
    }
    return false;
}

static uint64_t lines_of(size_t nbytes)
{
    return (nbytes + LINE - 1) / LINE;
}

static size_t draw_size(void)
{
    switch (draw(4)) {
    case 0:
        return 1 + draw(64);
    case 1:
        return 1 + draw(1024);
    case 2:
        return 1 + draw(16384);
    default:
        return (size_t)64 << draw(9);
    }
}

static void oracle_malloc(cw_arena_t *arena, oracle_t *o, char **slot)
{
    size_t nbytes = draw_size(), alignment = draw(4) ? 0 : (size_t)1 << draw(15);
    size_t effective = alignment < LINE ? LINE : alignment;
    char *p = cw_arena_malloc(arena, alignment, nbytes);
    if (!p) {
        REQUIRE(!oracle_fits(o, arena->base, lines_of(nbytes), effective));
        return;
    }
    uint64_t start = (uint64_t)(p - arena->base) / LINE;
    REQUIRE((uintptr_t)p % effective == 0);
    REQUIRE(cw_arena_size(arena, p) == nbytes);
    REQUIRE(oracle_all(o, start, lines_of(nbytes), 0));
    memset(o->taken + start, 1, lines_of(nbytes));
    *slot = p;
}

static void oracle_drop(oracle_t *o, const cw_arena_t *arena, const char *p, size_t nbytes)
{
    uint64_t start = (uint64_t)(p - arena->base) / LINE;
    REQUIRE(oracle_all(o, start, lines_of(nbytes), 1));
    memset(o->taken + start, 0, lines_of(nbytes));
}

static void oracle_realloc(cw_arena_t *arena, oracle_t *o, char **slot)
{
    size_t old_nbytes = cw_arena_size(arena, *slot), nbytes = draw_size();
    uint64_t start = (uint64_t)(*slot - arena->base) / LINE, old = lines_of(old_nbytes),
             new = lines_of(nbytes);
    bool in_place = new <= old || oracle_all(o, start + old, new - old, 0);
    (*slot)[0] = (char)old_nbytes;
    char *p = cw_arena_realloc(arena, *slot, nbytes);
    if (!p) {
        REQUIRE(!in_place);
        return;
    }
    REQUIRE(!in_place || p == *slot);
    REQUIRE(p[0] == (char)old_nbytes && cw_arena_size(arena, p) == nbytes);
    oracle_drop(o, arena, *slot, old_nbytes);
    start = (uint64_t)(p - arena->base) / LINE;
    REQUIRE(oracle_all(o, start, new, 0));
    memset(o->taken + start, 1, new);
    *slot = p;
}

static void test_oracle(void)
{
    enum { RANGE = 1 << 20, SLOTS = 512, OPS = 600000 };
    char *base = reserve(RANGE);
    static char *slots[SLOTS];
    cw_arena_t arena;
    // base not at the start of a line
    REQUIRE(cw_arena_init(&arena, base + 24, RANGE - 24) == CW_OK);
    REQUIRE((uintptr_t)arena.base % LINE == 0);
    oracle_t o = {arena.nlines, calloc(arena.nlines, 1)};
    for (int op = 0; op < OPS; op++) {
        char **slot = &slots[draw(SLOTS)];
        if (!*slot) {
            oracle_malloc(&arena, &o, slot);
        } else if (draw(5) == 0) {
            oracle_realloc(&arena, &o, slot);
        } else {
            oracle_drop(&o, &arena, *slot, cw_arena_size(&arena, *slot));
            REQUIRE(cw_arena_free(&arena, *slot) == CW_OK);
            REQUIRE(cw_arena_free(&arena, *slot) == CW_EINVAL);
            *slot = NULL;
        }
        if (op % 5000 == 0)
            REQUIRE(cw_arena_verify(&arena) == 0);
    }
    for (int i = 0; i < SLOTS; i++)
        REQUIRE(cw_arena_free(&arena, slots[i]) == CW_OK);
    cw_heap_stats_t stats;
    cw_arena_stats(&arena, &stats);
    REQUIRE(stats.in_use == 0 && stats.blocks == 0 && stats.free_blocks == 1);
    REQUIRE(stats.largest_free == stats.nbytes && stats.peak > 0 && stats.peak <= stats.nbytes);
    cw_arena_finish(&arena);
    free(o.taken);
    munmap(base, RANGE);
}

/** Millions of calls on a large range without an oracle: two arenas at different bases give the
 *  same offsets. */
static void test_deterministic(void)
{
    enum { SLOTS = 4096, OPS = 2000000 };
    const size_t range = (size_t)8 << 30, page = 4096;
    char *base[2] = {reserve(range + page), reserve(range + page)};
    static uint64_t slots[SLOTS];
    cw_arena_t a, b;
    base[1] += page;
    REQUIRE(cw_arena_init(&a, base[0], range) == CW_OK &&
            cw_arena_init(&b, base[1], range) == CW_OK);
    for (int op = 0; op < OPS; op++) {
        uint64_t *slot = &slots[draw(SLOTS)];
        if (*slot) {
            REQUIRE(cw_arena_free(&a, base[0] + *slot - 1) == CW_OK);
            REQUIRE(cw_arena_free(&b, base[1] + *slot - 1) == CW_OK);
            *slot = 0;
        } else {
            size_t alignment = (size_t)1 << draw(13), nbytes = 1 + draw((uint64_t)1 << draw(24));
            char *p = cw_arena_malloc(&a, alignment, nbytes),
                 *q = cw_arena_malloc(&b, alignment, nbytes);
            REQUIRE((p == NULL) == (q == NULL));
            REQUIRE(!p || p - base[0] == q - base[1]);
            *slot = p ? (uint64_t)(p - base[0]) + 1 : 0;
        }
    }
    REQUIRE(cw_arena_verify(&a) == 0 && cw_arena_verify(&b) == 0);
    cw_arena_finish(&a);
    cw_arena_finish(&b);
    static unsigned char resident[((size_t)8 << 30) / 4096];
    REQUIRE(mincore(base[0], range, resident) == 0);
    for (size_t i = 0; i < sizeof resident; i++)
        REQUIRE(!(resident[i] & 1));  // not one page of the range was touched
    munmap(base[0], range + page);
    munmap(base[1] - page, range + page);
}

static void test_edges(void)
{
    const size_t range = (size_t)1 << 40;  // addresses only
    char *base = mmap(NULL, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
         text[128];
    REQUIRE(base != MAP_FAILED);
    REQUIRE(cw_heap_init(base, 10) == CW_EINVAL);
    REQUIRE(cw_heap_init(base, range) == CW_OK);
    REQUIRE(cw_heap_malloc(0, 0) == NULL && cw_heap_malloc(48, 8) == NULL);
    REQUIRE(cw_heap_malloc(0, range + 1) == NULL && cw_heap_malloc(0, SIZE_MAX) == NULL);
    REQUIRE(cw_heap_malloc((size_t)1 << 63, SIZE_MAX - 100) == NULL);
    char *all = cw_heap_malloc(0, range);  // a tight fit still fits
    REQUIRE(all == base && cw_heap_malloc(0, 1) == NULL);
    REQUIRE(cw_heap_realloc(all, 100) == all && cw_heap_size(all) == 100);
    REQUIRE(cw_heap_realloc(all, range) == all);
    REQUIRE(cw_heap_realloc(all, range + 1) == NULL && cw_heap_size(all) == range);
    REQUIRE(cw_heap_free(all + 64) == CW_EINVAL && cw_heap_free(all + 1) == CW_EINVAL);
    REQUIRE(cw_heap_free(base + range) == CW_EINVAL && cw_heap_free(base - 64) == CW_EINVAL);
    REQUIRE(cw_heap_free(&all) == CW_EINVAL && cw_heap_realloc(&all, 10) == NULL);
    cw_heap_describe(all + 64, text, sizeof text);
    REQUIRE(strstr(text, "64 bytes inside"));
    REQUIRE(cw_heap_realloc(all, 0) == NULL && cw_heap_free(all) == CW_EINVAL);
    cw_heap_describe(all, text, sizeof text);
    REQUIRE(strstr(text, "not allocated"));
    cw_heap_describe(&all, text, sizeof text);
    REQUIRE(strstr(text, "outside"));
    char *huge = cw_heap_malloc((size_t)1 << 38, 8);
    REQUIRE(huge && (uintptr_t)huge % ((size_t)1 << 38) == 0);
    char *p = cw_heap_realloc(NULL, (size_t)5 << 30), *q = cw_heap_malloc(0, 1);
    REQUIRE(p && q && (uintptr_t)q % LINE == 0 && cw_heap_size(p) == (size_t)5 << 30);
    REQUIRE(cw_heap_free(NULL) == CW_OK && cw_heap_free(p) == CW_OK && cw_heap_free(q) == CW_OK);
    REQUIRE(cw_heap_free(huge) == CW_OK);
    cw_heap_stats_t stats;
    cw_heap_stats(&stats);
    REQUIRE(stats.in_use == 0 && stats.free_blocks == 1 && stats.largest_free == range &&
            stats.peak == range);
    cw_heap_fini();
    munmap(base, range);
}

int main(void)
{
    test_edges();
    test_oracle();
    test_deterministic();
    puts("heap: ok");
    return 0;
}
