// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous puts and gets, blocking and not, and single values: copies inside the node, functions
// of core beyond it. Blocking and nonblocking transfers differ beyond the node only.
#include "base/compiler.h"
#include "shmem/shm.h"

/** A copy of up to this size is so short that a PE which goes to sleep meanwhile need not be woken
 *  for its end: the time-out of its sleep covers it (core/progress/wait.h). */
#define SHORT_COPY 4096u

typedef void remote_fn(void *dest, const void *source, size_t nbytes, int rank, cw_ctx_t *ctx);

static CW_NOINLINE void put_and_wake(void *dest, const void *source, size_t nbytes, int rank,
                                     cw_ctx_t *ctx)
{
    cw_copy(dest, source, nbytes);
    cw_ctx_stored(ctx, rank);
}

static CW_ALWAYS_INLINE void put(void *dest, const void *source, size_t nbytes, int rank,
                                 cw_ctx_t *ctx, remote_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, source, nbytes, rank, ctx);
        return;
    }
    if (CW_LIKELY(nbytes <= SHORT_COPY && !cw_ctx_somebody_sleeps(ctx)))
        cw_copy(cw_local_address(word, dest), source, nbytes);  // the last thing done: a jump
    else
        put_and_wake(cw_local_address(word, dest), source, nbytes, rank, ctx);
}

static CW_ALWAYS_INLINE void get(void *dest, const void *source, size_t nbytes, int rank,
                                 cw_ctx_t *ctx, remote_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, source, nbytes, rank, ctx);
        return;
    }
    cw_copy(dest, cw_local_address(word, source), nbytes);
    cw_get_done();
}

// ---------------------------------------------------------------- puts
// NAME as in shmem_NAME and shmem_ctx_NAME; OUT serves the PEs of other nodes.
#define PUT(NAME, TYPE, SIZE, OUT)                                                                 \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, int pe)                      \
    { put(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                              \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { put(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                                 \
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
        put(dest, value, nbytes, rank, ctx, cw_put_out);
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
    { get(dest, source, nelems * (SIZE), pe, &cw_ctx_default, OUT); }                              \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe) \
    { get(dest, source, nelems * (SIZE), pe, SHM_CTX(ctx), OUT); }                                 \
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
        get(value, source, nbytes, rank, ctx, cw_get_out);
}

#define GET_VALUE(N, T)                                                                   \
    T pshmem_##N##_g(const T *source, int pe)                                             \
    { T value; get_value(&cw_ctx_default, &value, source, sizeof(T), pe); return value; } \
    T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe)                        \
    { T value; get_value(SHM_CTX(ctx), &value, source, sizeof(T), pe); return value; }    \
    SHM_WEAK(shmem_##N##_g); SHM_WEAK(shmem_ctx_##N##_g);
SHM_TYPES_RMA(GET_VALUE)
