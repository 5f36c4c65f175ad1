// SPDX-License-Identifier: BSD-3-Clause
//
// Provisional: straightforward collectives over puts and gets, to be deleted when the real algorithms land.
#include <stdlib.h>

#include "core/amo.h"
#include "core/coll/coll.h"
#include "core/node.h"
#include "core/rma.h"
#include "core/wait.h"

static cw_group_t world;
const cw_group_t *cw_group_world = &world;
static uint64_t generation;

void cw_coll_init(void)
{
    world = (cw_group_t){0, 1, cw_world.npes, cw_world.pe, NULL};
}

void cw_coll_fini(void)
{
}

static int pe_of(const cw_group_t *g, int rank)
{
    return g->start + rank * g->stride;
}

static void wait_word(uint64_t *word, uint64_t value)
{
    cw_wait_t w = CW_WAIT_INIT("sync");
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static void sync_words(const cw_group_t *g, uint64_t *arrived, uint64_t *released, uint64_t all, uint64_t go)
{
    if (g->rank == 0) {
        cw_amo_posting(&cw_ctx_default, arrived, CW_AMO_ADD, 8, 1, pe_of(g, 0));
        wait_word(arrived, all);
        if (g->psync)
            *arrived = 0;
        for (int r = 1; r < g->size; r++)
            cw_put_scalar(released, go, 8, pe_of(g, r));
        return;
    }
    cw_amo_posting(&cw_ctx_default, arrived, CW_AMO_ADD, 8, 1, pe_of(g, 0));
    wait_word(released, go);
    if (g->psync)
        *released = 0;
}

void cw_sync(const cw_group_t *g)
{
    uint64_t *words = g->psync ? (uint64_t *)g->psync : cw_coll_scratch();
    if (g->psync) {
        sync_words(g, words, words + 1, (uint64_t)g->size, 1);
    } else {
        generation++;
        sync_words(g, words, words + 1, generation * (uint64_t)g->size, generation);
    }
}

void cw_barrier(const cw_group_t *g)
{
    cw_quiet(&cw_ctx_default);
    cw_sync(g);
}

void cw_node_sync(void)
{
}

void cw_broadcast(const cw_group_t *g, void *dest, const void *src, size_t nbytes, int root, bool root_copies)
{
    cw_sync(g);
    if (g->rank != root || root_copies)
        cw_get(&cw_ctx_default, dest, src, nbytes, pe_of(g, root));
    cw_sync(g);
}

void cw_fcollect(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    cw_sync(g);
    for (int r = 0; r < g->size; r++)
        cw_get(&cw_ctx_default, (char *)dest + (size_t)r * nbytes, src, nbytes, pe_of(g, r));
    cw_sync(g);
}

void cw_collect(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    uint64_t *mine = (uint64_t *)cw_coll_scratch() + 8;
    char *at = dest;
    *mine = nbytes;
    cw_sync(g);
    for (int r = 0; r < g->size; r++) {
        size_t n = cw_get_scalar(mine, 8, pe_of(g, r));
        cw_get(&cw_ctx_default, at, src, n, pe_of(g, r));
        at += n;
    }
    cw_sync(g);
}

void cw_alltoall(const cw_group_t *g, void *dest, const void *src, size_t nbytes)
{
    cw_sync(g);
    for (int r = 0; r < g->size; r++)
        cw_get(&cw_ctx_default, (char *)dest + (size_t)r * nbytes, (const char *)src + (size_t)g->rank * nbytes,
               nbytes, pe_of(g, r));
    cw_sync(g);
}

void cw_alltoalls(const cw_group_t *g, void *dest, const void *src, ptrdiff_t dest_stride, ptrdiff_t src_stride,
                  size_t elem_nbytes, size_t nelems)
{
    cw_sync(g);
    for (int r = 0; r < g->size; r++)
        cw_get_strided(&cw_ctx_default, (char *)dest + (ptrdiff_t)((size_t)r * nelems) * dest_stride,
                       (const char *)src + (ptrdiff_t)((size_t)g->rank * nelems) * src_stride, dest_stride,
                       src_stride, elem_nbytes, nelems, pe_of(g, r));
    cw_sync(g);
}

void cw_reduce(const cw_group_t *g, void *dest, const void *src, size_t nelems, size_t elem_nbytes, cw_reduce_fn fn)
{
    size_t nbytes = nelems * elem_nbytes;
    char *acc = malloc(2 * nbytes + 1), *in = acc + nbytes;
    cw_sync(g);
    for (int r = 0; r < g->size; r++) {
        cw_get(&cw_ctx_default, r ? in : acc, src, nbytes, pe_of(g, r));
        if (r)
            fn(acc, in, nelems);
    }
    cw_sync(g);
    memcpy(dest, acc, nbytes);
    free(acc);
    cw_sync(g);
}
