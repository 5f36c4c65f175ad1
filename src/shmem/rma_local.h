// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous transfers: copies inside the node, core's functions beyond it. Blocking and
// nonblocking differ only in the way out of the node.
#ifndef SHM_RMA_LOCAL_H
#define SHM_RMA_LOCAL_H

#include "base/compiler.h"
#include "shmem/shm.h"

/** A copy so short that whoever goes to sleep meanwhile may as well have missed its end: see
 *  core/progress/wait.h. */
#define SHM_QUICK_COPY 4096u
void shm_put_and_wake(void *dest, const void *source, size_t nbytes, int rank,
                      cw_ctx_t *ctx) CW_NOINLINE;

typedef void shm_out_fn(void *dest, const void *source, size_t nbytes, int rank, cw_ctx_t *ctx);

static CW_ALWAYS_INLINE void shm_put(void *dest, const void *source, size_t nbytes, int rank,
                                     cw_ctx_t *ctx, shm_out_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, source, nbytes, rank, ctx);
        return;
    }
    if (CW_LIKELY(nbytes <= SHM_QUICK_COPY && !cw_ctx_somebody_sleeps(ctx)))
        cw_copy(cw_local_address(word, dest), source, nbytes);  // the last thing done: a jump
    else
        shm_put_and_wake(cw_local_address(word, dest), source, nbytes, rank, ctx);
}

static CW_ALWAYS_INLINE void shm_get(void *dest, const void *source, size_t nbytes, int rank,
                                     cw_ctx_t *ctx, shm_out_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, source, nbytes, rank, ctx);
        return;
    }
    cw_copy(dest, cw_local_address(word, source), nbytes);
    cw_get_done();
}

#endif
