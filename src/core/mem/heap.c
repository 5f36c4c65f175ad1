// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap: the arena over the heap of this PE's slice.
#include "core/mem/heap.h"

#include "base/env.h"
#include "base/error.h"
#include "base/pages.h"
#include "core/mem/backing.h"
#include "core/mem/memory.h"
#include "core/world/world.h"

#define DUMP_STEP ((size_t)1 << 20)

static cw_arena_t heap;
static char *undumped, *heap_end;  // from here to the end, core files do not contain the heap

int cw_heap_init(void *base, size_t nbytes)
{
    undumped = base;
    heap_end = undumped + nbytes;
    return cw_arena_init(&heap, base, nbytes);
}

/** Core files contain what has been allocated (core/mem/segment.c leaves out all of the object). */
static void *allocated(void *p, size_t nbytes)
{
    char *end = (char *)p + nbytes;
    if (p && end > undumped) {
        char *next = (size_t)(heap_end - end) < DUMP_STEP ? heap_end : end + DUMP_STEP;
        cwu_pages_dump(undumped, (size_t)(next - undumped), true);
        undumped = next;
    }
    cw_backing_allocated(p, nbytes);
    return p;
}

void cw_heap_fini(void)
{
    cw_arena_finish(&heap);
}

void *cw_heap_malloc(size_t alignment, size_t nbytes)
{
    return allocated(cw_arena_malloc(&heap, alignment, nbytes), nbytes);
}

void *cw_heap_realloc(void *ptr, size_t nbytes)
{
    return allocated(cw_arena_realloc(&heap, ptr, nbytes), nbytes);
}

int cw_heap_free(void *ptr)
{
    return cw_arena_free(&heap, ptr);
}

size_t cw_heap_size(const void *ptr)
{
    return cw_arena_size(&heap, ptr);
}

void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes)
{
    cw_arena_describe(&heap, ptr, text, text_nbytes);
}

void cw_heap_stats(cw_heap_stats_t *stats_p)
{
    cw_arena_stats(&heap, stats_p);
}

void cw_heap_tag(const void *ptr, const void *tag)
{
    cw_arena_tag(&heap, ptr, tag);
}

void cw_heap_walk(cw_arena_visit_fn *visit, void *arg)
{
    cw_arena_walk(&heap, visit, arg);
}

static size_t refused;

void cw_heap_refuse(const char *call, size_t nbytes)
{
    cw_heap_stats_t stats;
    refused = nbytes;
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
    return refused;
}
