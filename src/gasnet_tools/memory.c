// SPDX-License-Identifier: BSD-3-Clause
//
// Checked memory. A block is [header | the user's bytes | tail mark]; headers form a ring. Damage
// is found when a block is freed or checked; gasnett_debug_memcheck_one takes the next of the ring
// each time.
#include <stdbool.h>
#include <string.h>

#include "tools.h"

#define LIVE 0x4C49564542304C56u
#define DEAD 0x4445414442304C44u
#define TAIL 0x5441494C42304C54u

typedef struct block {
    struct block *next, *previous;
    const char *where;  // "file:line" of the allocation
    size_t nbytes;
    uint64_t unused;
    uint64_t mark;  // last, next to the user's bytes
} block_t;
_Static_assert(sizeof(block_t) % 16 == 0, "what follows a header is aligned as malloc's");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards what follows
static block_t ring = {.next = &ring, .previous = &ring};
static block_t *cursor = &ring;
static gasnett_heapstats_t stats;

static char *bytes_of(block_t *block)
{
    return (char *)(block + 1);
}

/** What is wrong with a block, or NULL. */
static const char *complaint(block_t *block)
{
    uint64_t tail;
    if (block->mark == DEAD)
        return "was freed before";
    if (block->mark != LIVE)
        return "is no block of this allocator, or something wrote in front of it";
    memcpy(&tail, bytes_of(block) + block->nbytes, sizeof tail);
    return tail != TAIL ? "was written past its end" : NULL;
}

/** Under lock, which is released before the process ends. */
static void check(block_t *block, const char *where)
{
    const char *text = complaint(block);
    if (!text)
        return;
    bool known = block->mark == LIVE;
    size_t nbytes = known ? block->nbytes : 0;
    const char *origin = known ? block->where : "unknown";
    pthread_mutex_unlock(&lock);
    gasnett_fatalerror_at_(where, "memory at %p %s (%zu bytes, allocated at %s)",
                           (void *)bytes_of(block), text, nbytes, origin);
}

static void count(int64_t nbytes, int objects)
{
    if (objects > 0) {
        stats.allocated_bytes += (uint64_t)nbytes;
        stats.allocated_objects++;
    } else {
        stats.freed_bytes += (uint64_t)nbytes;
        stats.freed_objects++;
    }
    stats.live_bytes = stats.allocated_bytes - stats.freed_bytes;
    stats.live_objects = stats.allocated_objects - stats.freed_objects;
    if (stats.live_bytes > stats.live_bytes_max)
        stats.live_bytes_max = stats.live_bytes;
    if (stats.live_objects > stats.live_objects_max)
        stats.live_objects_max = stats.live_objects;
    stats.overhead_bytes = stats.live_objects * (sizeof(block_t) + sizeof(uint64_t));
}

void *gasnett_debug_malloc_(size_t nbytes, const char *where)
{
    const size_t extra = sizeof(block_t) + sizeof(uint64_t);
    block_t *block = nbytes <= PTRDIFF_MAX - extra ? malloc(extra + nbytes) : NULL;
    if (!block)
        gasnett_fatalerror_at_(where, "out of memory: %zu bytes", nbytes);
    const uint64_t tail = TAIL;
    *block = (block_t){.next = &ring, .where = where, .nbytes = nbytes, .mark = LIVE};
    memset(bytes_of(block), 0xA5, nbytes);  // makes reads of memory that was never written visible
    memcpy(bytes_of(block) + nbytes, &tail, sizeof tail);
    pthread_mutex_lock(&lock);
    block->previous = ring.previous;
    block->previous->next = block;
    ring.previous = block;
    count((int64_t)nbytes, 1);
    pthread_mutex_unlock(&lock);
    return bytes_of(block);
}

void gasnett_debug_free_(void *ptr, const char *where)
{
    if (!ptr)
        return;
    block_t *block = (block_t *)ptr - 1;
    pthread_mutex_lock(&lock);
    check(block, where);
    block->next->previous = block->previous;
    block->previous->next = block->next;
    if (cursor == block)
        cursor = block->next;
    count((int64_t)block->nbytes, -1);
    pthread_mutex_unlock(&lock);
    memset(ptr, 0x5A, block->nbytes);
    block->mark = DEAD;
    // else the compiler drops stores to memory that is freed next
    __asm__ __volatile__("" : : "r"(block) : "memory");
    free(block);
}

void *gasnett_debug_realloc_(void *ptr, size_t nbytes, const char *where)
{
    void *fresh = gasnett_debug_malloc_(nbytes, where);
    if (ptr) {
        gasnett_debug_memcheck_(ptr, where);
        size_t old = ((block_t *)ptr - 1)->nbytes;
        memcpy(fresh, ptr, old < nbytes ? old : nbytes);
        gasnett_debug_free_(ptr, where);
    }
    return fresh;
}

void *gasnett_debug_calloc_(size_t n, size_t nbytes, const char *where)
{
    size_t all;
    if (__builtin_mul_overflow(n, nbytes, &all))
        gasnett_fatalerror_at_(where, "out of memory: %zu objects of %zu bytes", n, nbytes);
    return memset(gasnett_debug_malloc_(all, where), 0, all);
}

char *gasnett_debug_strndup_(const char *text, size_t n, const char *where)
{
    size_t len = strnlen(text, n);
    char *copy = gasnett_debug_malloc_(len + 1, where);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *gasnett_debug_strdup_(const char *text, const char *where)
{
    return gasnett_debug_strndup_(text, SIZE_MAX, where);
}

void gasnett_debug_memcheck_(const void *ptr, const char *where)
{
    if (!ptr)
        gasnett_fatalerror_at_(where, "gasnett_debug_memcheck: a null pointer");
    pthread_mutex_lock(&lock);
    check((block_t *)(uintptr_t)ptr - 1, where);
    pthread_mutex_unlock(&lock);
}

void gasnett_debug_memcheck_some_(int all, const char *where)
{
    pthread_mutex_lock(&lock);
    if (all) {
        for (block_t *block = ring.next; block != &ring; block = block->next)
            check(block, where);
    } else {
        cursor = cursor->next == &ring ? ring.next : cursor->next;
        if (cursor != &ring)
            check(cursor, where);
    }
    pthread_mutex_unlock(&lock);
}

int gasnett_getheapstats(gasnett_heapstats_t *stats_p)
{
    pthread_mutex_lock(&lock);
    *stats_p = stats;
    pthread_mutex_unlock(&lock);
    return 0;
}

void gasnett_heapinfo_dump(const char *filename, int show_live)
{
    bool to_stdout = strcmp(filename, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(filename, "w");
    if (!file)
        gasnett_fatalerror_nopos("gasnett_heapinfo_dump: cannot write %s", filename);
    pthread_mutex_lock(&lock);
    fprintf(file, "allocated: %" PRIu64 " bytes in %" PRIu64 " objects\n", stats.allocated_bytes,
            stats.allocated_objects);
    fprintf(file,
            "live:      %" PRIu64 " bytes in %" PRIu64 " objects (at most %" PRIu64 " and %" PRIu64
            ")\n",
            stats.live_bytes, stats.live_objects, stats.live_bytes_max, stats.live_objects_max);
    for (block_t *block = ring.next; show_live && block != &ring; block = block->next)
        fprintf(file, "%p %zu bytes from %s\n", (void *)bytes_of(block), block->nbytes,
                block->where);
    pthread_mutex_unlock(&lock);
    if (to_stdout)
        fflush(file);
    else
        fclose(file);
}
