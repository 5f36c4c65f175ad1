// SPDX-License-Identifier: BSD-3-Clause
//
// Operations (with the context the provider writes into) and their bounce buffers, which are
// registered once, when the provider wants local memory registered.
#include "pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "transport/ofi/lib/device.h"

#define CHUNK_OPS 32u

typedef struct ofi_chunk {
    struct ofi_chunk *next;
    struct fid_mr *mr;
    uint8_t *memory;
    size_t memory_nbytes;
    ofi_op_t ops[CHUNK_OPS];
} ofi_chunk_t;

void *ofi_alloc_lines(size_t nbytes)
{
    const size_t line = 64;
    size_t whole = (nbytes + line - 1) / line * line;
    void *p = aligned_alloc(line, whole);
    return p ? memset(p, 0, whole) : NULL;
}

void *ofi_map_pages(size_t nbytes)
{
    void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void ofi_pool_init(ofi_pool_t *pool, const ofi_device_t *device, size_t buf_nbytes, uint32_t limit)
{
    *pool = (ofi_pool_t){.device = device, .buf_nbytes = buf_nbytes, .limit = limit};
}

static bool grow(ofi_pool_t *pool)
{
    ofi_chunk_t *chunk = ofi_alloc_lines(sizeof *chunk);
    if (!chunk)
        return false;
    if (pool->buf_nbytes) {
        chunk->memory_nbytes = pool->buf_nbytes * CHUNK_OPS;
        chunk->memory = ofi_map_pages(chunk->memory_nbytes);
        if (!chunk->memory || ofi_register_buffers(pool->device, chunk->memory,
                                                   chunk->memory_nbytes, &chunk->mr) != 0) {
            if (chunk->memory)
                munmap(chunk->memory, chunk->memory_nbytes);
            free(chunk);
            return false;
        }
    }
    uint32_t room = pool->limit - pool->count, count = room < CHUNK_OPS ? room : CHUNK_OPS;
    for (uint32_t i = count; i-- > 0;) {
        ofi_op_t *op = &chunk->ops[i];
        op->pool = pool;
        op->buf = chunk->memory ? chunk->memory + i * pool->buf_nbytes : NULL;
        op->desc = chunk->mr ? fi_mr_desc(chunk->mr) : NULL;
        op->next = pool->free;
        pool->free = op;
    }
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->count += count;
    return true;
}

ofi_op_t *ofi_pool_get(ofi_pool_t *pool)
{
    if (!pool->free && (pool->count >= pool->limit || !grow(pool)))
        return NULL;
    ofi_op_t *op = pool->free;
    pool->free = op->next;
    op->conn = NULL;
    op->peer = NULL;
    op->completion = NULL;
    return op;
}

void ofi_pool_each(ofi_pool_t *pool, void (*fn)(ofi_op_t *op, void *arg), void *arg)
{
    for (ofi_chunk_t *chunk = pool->chunks; chunk; chunk = chunk->next)
        for (uint32_t i = 0; i < CHUNK_OPS; i++)
            if (chunk->ops[i].kind != OFI_IDLE)
                fn(&chunk->ops[i], arg);
}

void ofi_pool_close(ofi_pool_t *pool)
{
    while (pool->chunks) {
        ofi_chunk_t *chunk = pool->chunks;
        pool->chunks = chunk->next;
        if (chunk->mr)
            fi_close(&chunk->mr->fid);
        if (chunk->memory)
            munmap(chunk->memory, chunk->memory_nbytes);
        free(chunk);
    }
    pool->free = NULL;
    pool->count = 0;
}
