// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous puts, blocking and not, and single values.
#include "base/compiler.h"
#include "shmem/rma_local.h"

void shm_put_and_wake(void *dest, const void *source, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cw_copy(dest, source, nbytes);
    cw_ctx_stored(ctx, rank);
}

// NAME as in shmem_NAME and shmem_ctx_NAME; OUT is the way out of the node.
#define PUT(NAME, TYPE, SIZE, OUT)                                                                 \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, int pe)                      \
    { shm_put(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                          \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { shm_put(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                             \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED_PUT(N, T) PUT(N##_put, T, sizeof(T), cw_put_out) PUT(N##_put_nbi, T, sizeof(T), cw_put_nbi_out)
#define SIZED_PUT(S) PUT(put##S, void, S / 8, cw_put_out) PUT(put##S##_nbi, void, S / 8, cw_put_nbi_out)
SHM_TYPES_RMA(TYPED_PUT)
SHM_SIZES(SIZED_PUT)
PUT(putmem, void, 1, cw_put_out)
PUT(putmem_nbi, void, 1, cw_put_nbi_out)

/** One value. All but long double fit a word; the size is a constant of each caller. */
static CW_ALWAYS_INLINE void put_value(cw_ctx_t *ctx, void *dest, const void *value, size_t nbytes,
                                       int rank)
{
    if (nbytes <= 8)
        cw_put_scalar(ctx, dest, shm_bits(value, nbytes), nbytes, rank);
    else
        shm_put(dest, value, nbytes, rank, ctx, cw_put_out);
}

#define PUT_VALUE(N, T)                                                                            \
    void pshmem_##N##_p(T *dest, T value, int pe) { put_value(&cw_ctx_default, dest, &value, sizeof(T), pe); } \
    SHM_WEAK(shmem_##N##_p);
#define PUT_VALUE_CTX(N, T)                                            \
    void pshmem_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe) \
    { put_value(SHM_CTX(ctx), dest, &value, sizeof(T), pe); }          \
    SHM_WEAK(shmem_ctx_##N##_p);
#if defined(__x86_64__) && defined(__LP64__)
PUT_VALUE(longdouble, long double)  // the others: put_scalar_x86_64.S
PUT_VALUE_CTX(longdouble, long double)
#else
SHM_TYPES_RMA(PUT_VALUE)
SHM_TYPES_RMA(PUT_VALUE_CTX)
#endif
