// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous gets, blocking and not, and single values.
#include "base/compiler.h"
#include "shmem/rma_local.h"

// NAME as in shmem_NAME and shmem_ctx_NAME; OUT is the way out of the node.
#define GET(NAME, TYPE, SIZE, OUT)                                                                 \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, int pe)                      \
    { shm_get(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                          \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { shm_get(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                             \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED_GET(N, T) GET(N##_get, T, sizeof(T), cw_get_out) GET(N##_get_nbi, T, sizeof(T), cw_get_nbi_out)
#define SIZED_GET(S) GET(get##S, void, S / 8, cw_get_out) GET(get##S##_nbi, void, S / 8, cw_get_nbi_out)
SHM_TYPES_RMA(TYPED_GET)
SHM_SIZES(SIZED_GET)
GET(getmem, void, 1, cw_get_out)
GET(getmem_nbi, void, 1, cw_get_nbi_out)

/** One value. All but long double fit a word; the size is a constant of each caller. */
static CW_ALWAYS_INLINE void get_value(cw_ctx_t *ctx, void *value, const void *source,
                                       size_t nbytes, int rank)
{
    if (nbytes <= 8)
        shm_from_bits(value, cw_get_scalar(ctx, source, nbytes, rank), nbytes);
    else
        shm_get(value, source, nbytes, rank, ctx, cw_get_out);
}

#define GET_VALUE(N, T)                                                                   \
    T pshmem_##N##_g(const T *source, int pe)                                             \
    { T value; get_value(&cw_ctx_default, &value, source, sizeof(T), pe); return value; } \
    T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe)                        \
    { T value; get_value(SHM_CTX(ctx), &value, source, sizeof(T), pe); return value; }    \
    SHM_WEAK(shmem_##N##_g); SHM_WEAK(shmem_ctx_##N##_g);
SHM_TYPES_RMA(GET_VALUE)
