// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers, of single elements (iput, iget) and of blocks (ibput, ibget). Strides count
// elements, from the start of one block to the start of the next.
#include "base/compiler.h"
#include "core/bulk/strided.h"
#include "shmem/shm.h"

typedef void strided_fn(cw_ctx_t *ctx, void *dest, const void *source, ptrdiff_t dest_stride,
                        ptrdiff_t source_stride, size_t block_nbytes, size_t nblocks, int pe);

typedef struct stride {
    ptrdiff_t dst, sst;
    size_t block_nelems, nblocks;
} stride_t;

static CW_ALWAYS_INLINE void strided(const char *func, strided_fn *go, cw_ctx_t *ctx, void *dest,
                                     const void *source, stride_t s, size_t size, int pe)
{
    if (SHM_CHECKING()) {
        shm_check_count(func, "the number of blocks", s.nblocks, size);
        shm_check_count(func, "the block size", s.block_nelems, size);
        shm_check_stride(func, "dst", s.dst, (ptrdiff_t)s.block_nelems);
        shm_check_stride(func, "sst", s.sst, (ptrdiff_t)s.block_nelems);
    }
    go(ctx, dest, source, s.dst * (ptrdiff_t)size, s.sst * (ptrdiff_t)size, s.block_nelems * size,
       s.nblocks, pe);
}

#define SINGLE(NAME, TYPE, SIZE, GO)                                                              \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst,              \
                       size_t nelems, int pe)                                                     \
    { strided(__func__, GO, &cw_ctx_default, dest, source, (stride_t){dst, sst, 1, nelems}, SIZE, \
              pe); }                                                                              \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, ptrdiff_t dst,        \
                           ptrdiff_t sst, size_t nelems, int pe)                                  \
    { strided(__func__, GO, SHM_CTX(ctx), dest, source, (stride_t){dst, sst, 1, nelems}, SIZE,    \
              pe); }                                                                              \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define BLOCKS(NAME, TYPE, SIZE, GO)                                                               \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
                       size_t nblocks, int pe)                                                     \
    { strided(__func__, GO, &cw_ctx_default, dest, source, (stride_t){dst, sst, bsize, nblocks},   \
              SIZE, pe); }                                                                         \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, ptrdiff_t dst,         \
                           ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)                    \
    { strided(__func__, GO, SHM_CTX(ctx), dest, source, (stride_t){dst, sst, bsize, nblocks},      \
              SIZE, pe); }                                                                         \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED(N, T)                                                                               \
    SINGLE(N##_iput, T, sizeof(T), cw_put_strided) SINGLE(N##_iget, T, sizeof(T), cw_get_strided) \
    BLOCKS(N##_ibput, T, sizeof(T), cw_put_strided) BLOCKS(N##_ibget, T, sizeof(T), cw_get_strided)
#define SIZED(S)                                                                              \
    SINGLE(iput##S, void, S / 8, cw_put_strided) SINGLE(iget##S, void, S / 8, cw_get_strided) \
    BLOCKS(ibput##S, void, S / 8, cw_put_strided) BLOCKS(ibget##S, void, S / 8, cw_get_strided)
SHM_TYPES_RMA(TYPED)
SHM_SIZES(SIZED)
