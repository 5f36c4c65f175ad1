// SPDX-License-Identifier: BSD-3-Clause
//
// An arena, a lock, and the node's count.
#include "core/mem/blocks.h"

#include "base/machine.h"
#include "base/pages.h"
#include "core/mem/backing.h"
#include "core/mem/segment.h"
#include "core/world/job.h"

// bytes that keep pages: giving 1 MiB back takes 30 times as long as freeing it
#define WAITING_EACH ((size_t)2 << 20)
#define WAITING_ALL ((size_t)8 << 20)

int cw_blocks_open(cw_blocks_t *blocks, void *area, size_t nbytes, _Atomic uint64_t *used)
{
    int rc = cw_arena_init(&blocks->arena, area, nbytes);
    if (rc)
        return rc;
    pthread_mutex_init(&blocks->lock, NULL);
    blocks->used = used;
    blocks->large = (cw_large_t){0};
    blocks->most = cw_boot.machine_nbytes ? cw_boot.machine_nbytes : cwu_machine_memory();
    blocks->mine = 0;
    blocks->nwaiting = blocks->waiting_nbytes = 0;
    return 0;
}

void cw_blocks_close(cw_blocks_t *blocks)
{
    atomic_fetch_sub_explicit(blocks->used, blocks->mine, memory_order_relaxed);
    cw_arena_finish(&blocks->arena);
    pthread_mutex_destroy(&blocks->lock);
}

/** Counts before allocating, and nothing that is refused: it could make a concurrent request
 *  fail. */
static bool count(cw_blocks_t *blocks, size_t nbytes)
{
    uint64_t before = atomic_load_explicit(blocks->used, memory_order_relaxed);
    do
        if (blocks->most && (nbytes > blocks->most || before > blocks->most - nbytes))
            return false;
    while (!atomic_compare_exchange_weak_explicit(blocks->used, &before, before + nbytes,
                                                  memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void give_back_waiting(cw_blocks_t *blocks)
{
    for (size_t i = 0; i < blocks->nwaiting; i++)
        cwu_pages_drop(blocks->waiting[i].begin, blocks->waiting[i].nbytes);
    blocks->nwaiting = blocks->waiting_nbytes = 0;
}

/** Before a block is free: gives its pages back, now or later. */
static void retire(cw_blocks_t *blocks, char *block, size_t nbytes)
{
    if (nbytes > WAITING_EACH) {
        cwu_pages_drop(block, nbytes);
        return;
    }
    if (blocks->nwaiting == CW_BLOCKS_WAITING || blocks->waiting_nbytes + nbytes > WAITING_ALL)
        give_back_waiting(blocks);
    blocks->waiting[blocks->nwaiting++] = (cw_waiting_block_t){block, nbytes};
    blocks->waiting_nbytes += nbytes;
}

/** Takes an allocated block out of what waits, and gives back the rest. */
static void claim(cw_blocks_t *blocks, char *block, size_t nbytes)
{
    char *end = block + nbytes;
    for (size_t i = blocks->nwaiting; i-- > 0;) {
        cw_waiting_block_t was = blocks->waiting[i];
        char *was_end = was.begin + was.nbytes;
        if (was.begin >= end || was_end <= block)
            continue;
        blocks->waiting[i] = blocks->waiting[--blocks->nwaiting];
        blocks->waiting_nbytes -= was.nbytes;
        if (was.begin < block)
            cwu_pages_drop(was.begin, (size_t)(block - was.begin));
        if (was_end > end)
            cwu_pages_drop(end, (size_t)(was_end - end));
    }
}

void *cw_blocks_alloc(cw_blocks_t *blocks, size_t nbytes)
{
    if (!count(blocks, nbytes))
        return NULL;
    pthread_mutex_lock(&blocks->lock);
    void *block = cw_arena_malloc(&blocks->arena, 0, nbytes);
    if (block) {
        blocks->mine += nbytes;
        claim(blocks, block, nbytes);
        cw_large_allocated(&blocks->large, block, nbytes);
    }
    pthread_mutex_unlock(&blocks->lock);
    if (!block)
        atomic_fetch_sub_explicit(blocks->used, nbytes, memory_order_relaxed);
    return block;
}

uint64_t cw_blocks_chunks(cw_blocks_t *blocks, void *ptr)
{
    const cwt_layout_t *l = &cw_segment.layout;
    if (!cw_backing_is_needed() || l->chunk_shift == 0)
        return 0;
    pthread_mutex_lock(&blocks->lock);
    size_t nbytes = cw_arena_size(&blocks->arena, ptr);
    pthread_mutex_unlock(&blocks->lock);
    uint64_t begin = (uint64_t)((char *)ptr - cw_segment.heap),
             first = (begin + ((uint64_t)1 << l->chunk_shift) - 1) >> l->chunk_shift,
             end = (begin + nbytes) >> l->chunk_shift;
    return nbytes && end > first ? first << 32 | (end - first) : 0;
}

bool cw_blocks_release(cw_blocks_t *blocks, void *ptr)
{
    const bool is_pinned = cw_backing_is_needed();
    pthread_mutex_lock(&blocks->lock);
    size_t nbytes = cw_arena_size(&blocks->arena, ptr);
    if (nbytes) {
        if (!is_pinned)
            retire(blocks, ptr, nbytes);  // before another caller can have it
        cw_arena_free(&blocks->arena, ptr);
        blocks->mine -= nbytes;
    }
    pthread_mutex_unlock(&blocks->lock);
    atomic_fetch_sub_explicit(blocks->used, nbytes, memory_order_relaxed);
    return nbytes != 0;
}
