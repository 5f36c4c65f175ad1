// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap: an arena in this PE's slice.
#include "core/mem/heap.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/error.h"
#include "base/pages.h"
#include "core/mem/backing.h"
#include "core/mem/large.h"
#include "core/mem/memory.h"
#include "core/world/world.h"

_Atomic unsigned cw_block_changes = 1;

#define DUMP_STEP ((size_t)1 << 20)

static struct {
    cw_arena_t arena;
    cw_large_t large;
    char *undumped, *end;  // core files omit the heap from here on
    size_t refused;        // bytes of the last refused call
} heap;

// Blocks in address order, listed at the first question after a change.
static struct {
    pthread_mutex_t lock;  // guards the rest and, in checking mode, the arena
    cw_heap_span_t *list;
    size_t n;
    bool known;
} spans = {.lock = PTHREAD_MUTEX_INITIALIZER};

int cw_heap_init(void *base, size_t nbytes)
{
    heap.large = (cw_large_t){0};
    heap.undumped = base;
    heap.end = heap.undumped + nbytes;
    return cw_arena_init(&heap.arena, base, nbytes);
}

/** Adds the block to core files, which omit the object. */
static void *allocated(void *p, size_t nbytes)
{
    if (!p)
        return NULL;
    char *end = (char *)p + nbytes;
    if (end > heap.undumped) {
        char *next = (size_t)(heap.end - end) < DUMP_STEP ? heap.end : end + DUMP_STEP;
        cwu_pages_dump(heap.undumped, (size_t)(next - heap.undumped), true);
        heap.undumped = next;
    }
    cw_large_allocated(&heap.large, p, nbytes);
    cw_backing_allocated(p, nbytes);
    return p;
}

void cw_heap_fini(void)
{
    cw_arena_finish(&heap.arena);
    free(spans.list);
    spans.list = NULL;
    spans.known = false;
}

static void begin_change(void)
{
    pthread_mutex_lock(&spans.lock);
    atomic_fetch_add(&cw_block_changes, 1);
    spans.known = false;
}

static void end_change(void)
{
    pthread_mutex_unlock(&spans.lock);
}

void *cw_heap_malloc(size_t alignment, size_t nbytes)
{
    begin_change();
    void *p = cw_arena_malloc(&heap.arena, alignment, nbytes);
    end_change();
    return allocated(p, nbytes);
}

void *cw_heap_realloc(void *ptr, size_t nbytes)
{
    begin_change();
    void *p = cw_arena_realloc(&heap.arena, ptr, nbytes);
    end_change();
    return allocated(p, nbytes);
}

int cw_heap_free(void *ptr)
{
    begin_change();
    int rc = cw_arena_free(&heap.arena, ptr);
    end_change();
    return rc;
}

size_t cw_heap_size(const void *ptr)
{
    return cw_arena_size(&heap.arena, ptr);
}

void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes)
{
    cw_arena_describe(&heap.arena, ptr, text, text_nbytes);
}

void cw_heap_stats(cw_heap_stats_t *stats_p)
{
    cw_arena_stats(&heap.arena, stats_p);
}

void cw_heap_tag(const void *ptr, const void *tag)
{
    cw_arena_tag(&heap.arena, ptr, tag);
}

void cw_heap_walk(cw_arena_visit_fn *visit, void *arg)
{
    cw_arena_walk(&heap.arena, visit, arg);
}

static void add_span(void *arg, const void *ptr, size_t nbytes, const void *tag)
{
    (void)arg, (void)tag;
    spans.list[spans.n++] = (cw_heap_span_t){ptr, nbytes};
}

/** False: no memory for the list. */
static bool know_spans(void)
{
    cw_heap_stats_t stats;
    if (spans.known)
        return true;
    cw_heap_stats(&stats);
    cw_heap_span_t *list = realloc(spans.list, (stats.blocks + 1) * sizeof *list);
    if (!list)
        return false;
    spans.list = list;
    spans.n = 0;
    cw_heap_walk(add_span, NULL);
    return spans.known = true;
}

/** The last block that begins at or before the address; NULL: none. */
static const cw_heap_span_t *span_before(const char *at)
{
    size_t low = 0, high = spans.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans.list[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &spans.list[low - 1] : NULL;
}

bool cw_heap_covers(const void *ptr, size_t nbytes, size_t *room_p, cw_heap_span_t *span_p)
{
    const char *at = ptr;
    if (!nbytes || at < heap.arena.base || at >= heap.end)
        return true;
    pthread_mutex_lock(&spans.lock);
    bool known = know_spans();
    const cw_heap_span_t *span = known ? span_before(at) : NULL;
    size_t inside = span ? (size_t)(at - span->start) : 0;
    size_t room = span && inside < span->nbytes ? span->nbytes - inside : 0;
    pthread_mutex_unlock(&spans.lock);
    if (known && room < nbytes)
        *room_p = room;
    else
        *span_p =
            known ? (cw_heap_span_t){at - inside, inside + room} : (cw_heap_span_t){at, nbytes};
    return !known || room >= nbytes;
}

bool cw_heap_before(const void *ptr, cw_heap_span_t *block_p)
{
    pthread_mutex_lock(&spans.lock);
    const cw_heap_span_t *span = know_spans() ? span_before(ptr) : NULL;
    if (span)
        *block_p = *span;
    pthread_mutex_unlock(&spans.lock);
    return span != NULL;
}

void cw_heap_refuse(const char *call, size_t nbytes)
{
    cw_heap_stats_t stats;
    heap.refused = nbytes;
    if (cw_world.pe != 0 || !(cw_world.check || cwu_env.debug))
        return;
    cw_heap_stats(&stats);
    (cw_world.check ? cwu_warn : cwu_debug)(
        "%s asks for %zu bytes and gets NULL: the symmetric heap has %llu bytes, %llu of them in "
        "use, at most %llu in one block; %s sets its size",
        call, nbytes, (unsigned long long)stats.nbytes, (unsigned long long)stats.in_use,
        (unsigned long long)stats.largest_free, CWU_ENV_NAME(symmetric_size));
}

size_t cw_heap_refused(void)
{
    return heap.refused;
}
