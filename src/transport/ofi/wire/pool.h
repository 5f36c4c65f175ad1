// SPDX-License-Identifier: BSD-3-Clause
//
// Operations (with the context that the provider writes into) and their bounce buffers. Memory is
// registered once, when the provider wants local memory registered.
//
// Threads: a pool is its owner's: the server's, or a client's under its lock. Never blocks.
#ifndef CWT_OFI_POOL_H
#define CWT_OFI_POOL_H

#include "wire.h"

struct ofi_peer;
struct ofi_completion;

typedef enum ofi_kind {
    OFI_IDLE,
    OFI_WRITE,
    OFI_READ,
    OFI_SEND,
    OFI_RECV,
    OFI_FLUSH,
    OFI_AMO,
    OFI_RECV_MANY
} ofi_kind_t;

typedef struct ofi_op {
    struct fi_context2 context;  // first: the provider writes here
    struct ofi_op *next;
    union {
        struct ofi_pool *pool;          // its own
        struct ofi_receives *receives;  // of OFI_RECV and OFI_RECV_MANY
    };
    cwt_conn_t *conn;       // client side
    struct ofi_peer *peer;  // server side
    struct ofi_completion *completion;
    void *buf, *desc;  // buffer of the pool's size, if the pool has buffers
    void *copy_to;     // a read through a bounce buffer ends here; else NULL
    size_t nbytes;
    ofi_kind_t kind;
    uint32_t birth;  // server side: of the peer's connection, when it was sent
    bool awaited;    // counts in client->awaited
} ofi_op_t;

typedef struct ofi_pool {
    const struct ofi_device *device;
    struct ofi_chunk *chunks;
    ofi_op_t *free;
    size_t buf_nbytes;  // 0: operations without a buffer
    uint32_t count, limit;
} ofi_pool_t;

/** Pages that cost nothing until touched; NULL: none left. munmap() ends it. */
void *ofi_map_pages(size_t nbytes);
/** Zeroed memory in cache lines of its own, for what one thread writes all the time; NULL: none
 *  left. free() ends it. */
void *ofi_alloc_lines(size_t nbytes);
void ofi_pool_init(ofi_pool_t *pool, const struct ofi_device *device, size_t buf_nbytes,
                   uint32_t limit);
void ofi_pool_close(ofi_pool_t *pool);
/** NULL: the limit is reached (make progress and try again) or memory is used up. */
ofi_op_t *ofi_pool_get(ofi_pool_t *pool);
static inline void ofi_pool_put(ofi_op_t *op)
{
    op->kind = OFI_IDLE;
    op->completion = NULL;
    op->copy_to = NULL;
    op->next = op->pool->free;
    op->pool->free = op;
}
/** Calls fn for every operation of the pool that is in use. */
void ofi_pool_each(ofi_pool_t *pool, void (*fn)(ofi_op_t *op, void *arg), void *arg);

#endif
