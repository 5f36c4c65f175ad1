// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous puts and gets, blocking and not, and single values: copies inside the node, functions
// of core beyond it. Blocking and nonblocking transfers differ beyond the node only.
#include "base/compiler.h"
#include "shmem/shm.h"

// ---------------------------------------------------------------- puts
// NAME as in shmem_NAME and shmem_ctx_NAME; OUT serves the PEs of other nodes.
#define PUT(NAME, TYPE, SIZE, OUT)                                                                 \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, int pe)                      \
    { cw_put_by(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                        \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { cw_put_by(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                           \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED_PUT(N, T) \
    PUT(N##_put, T, sizeof(T), cw_put_out) PUT(N##_put_nbi, T, sizeof(T), cw_put_nbi_out)
#define SIZED_PUT(S) \
    PUT(put##S, void, S / 8, cw_put_out) PUT(put##S##_nbi, void, S / 8, cw_put_nbi_out)
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
        cw_put_by(dest, value, nbytes, rank, ctx, cw_put_out);
}

#define PUT_VALUE(N, T)                                          \
    void pshmem_##N##_p(T *dest, T value, int pe)                \
    { put_value(&cw_ctx_default, dest, &value, sizeof(T), pe); } \
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

// ---------------------------------------------------------------- gets
#define GET(NAME, TYPE, SIZE, OUT)                                                                 \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, int pe)                      \
    { cw_get_by(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                        \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { cw_get_by(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                           \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED_GET(N, T) \
    GET(N##_get, T, sizeof(T), cw_get_out) GET(N##_get_nbi, T, sizeof(T), cw_get_nbi_out)
#define SIZED_GET(S) \
    GET(get##S, void, S / 8, cw_get_out) GET(get##S##_nbi, void, S / 8, cw_get_nbi_out)
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
        cw_get_by(value, source, nbytes, rank, ctx, cw_get_out);
}

#define GET_VALUE(N, T)                                                                   \
    T pshmem_##N##_g(const T *source, int pe)                                             \
    { T value; get_value(&cw_ctx_default, &value, source, sizeof(T), pe); return value; } \
    T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe)                        \
    { T value; get_value(SHM_CTX(ctx), &value, source, sizeof(T), pe); return value; }    \
    SHM_WEAK(shmem_##N##_g); SHM_WEAK(shmem_ctx_##N##_g);
SHM_TYPES_RMA(GET_VALUE)
