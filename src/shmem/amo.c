// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics of all types: each family is one macro of six entry points (plain, on a context, and
// fetching without waiting, both); core/rma/amo.h does the rest. Values are passed as their bits,
// so floating point needs no code of its own.
#include "shmem/shm.h"

#define BITS(T, value) shm_bits(&(T){value}, sizeof(T))

#define FETCHING(C, OP, T, addr, operand, compare)                                                 \
    T value_;                                                                                      \
    uint64_t old_ = cw_amo_fetching(C, (void *)(uintptr_t)(addr), CW_AMO_##OP, sizeof(T), operand, \
                                    compare, pe);                                                  \
    shm_from_bits(&value_, old_, sizeof(T));                                                       \
    return value_

#define FETCHING_NBI(C, OP, T, addr, operand, compare)                                        \
    cw_amo_fetching_nbi(C, fetch, (void *)(uintptr_t)(addr), CW_AMO_##OP, sizeof(T), operand, \
                        compare, pe)

#define POSTING(C, OP, T, operand) cw_amo_posting(C, dest, CW_AMO_##OP, sizeof(T), operand, pe)

#define WEAK_PAIR(NAME) SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);
#define DEFAULT &cw_ctx_default

// ---------------------------------------------------------------- fetch: reads only
static CW_COLD uint64_t fetch_observed(cw_ctx_t *ctx, void *addr, size_t nbytes, int pe)
{
    uint64_t value = cw_amo_fetching(ctx, addr, CW_AMO_FETCH, nbytes, 0, 0, pe);
    return cw_wait_fetched(addr, value) && cw_wait_fetched_again(addr)
               ? cw_amo_fetching(ctx, addr, CW_AMO_FETCH, nbytes, 0, 0, pe)
               : value;
}

/** Off the node it waits for a reply, which gives way. */
static CW_ALWAYS_INLINE uint64_t fetch(cw_ctx_t *ctx, const void *source, size_t nbytes, int pe)
{
    void *addr = (void *)(uintptr_t)source;
    uintptr_t word;
    if (cw_amo_is_here(ctx, pe, &word))
        return cw_amo_polling(cw_local_address(word, addr), nbytes);
    if (CW_UNLIKELY(!cw_world.plain))
        return fetch_observed(ctx, addr, nbytes, pe);
    return cw_amo_fetching(ctx, addr, CW_AMO_FETCH, nbytes, 0, 0, pe);
}

#define FETCH(N, T)                                                                            \
    T pshmem_##N##_atomic_fetch(const T *source, int pe)                                       \
    {                                                                                          \
        T value;                                                                               \
        shm_from_bits(&value, fetch(DEFAULT, source, sizeof(T), pe), sizeof(T));               \
        return value;                                                                          \
    }                                                                                          \
    T pshmem_ctx_##N##_atomic_fetch(shmem_ctx_t ctx, const T *source, int pe)                  \
    {                                                                                          \
        T value;                                                                               \
        shm_from_bits(&value, fetch(SHM_CTX(ctx), source, sizeof(T), pe), sizeof(T));          \
        return value;                                                                          \
    }                                                                                          \
    void pshmem_##N##_atomic_fetch_nbi(T *fetch, const T *source, int pe)                      \
    { FETCHING_NBI(DEFAULT, FETCH, T, source, 0, 0); }                                         \
    void pshmem_ctx_##N##_atomic_fetch_nbi(shmem_ctx_t ctx, T *fetch, const T *source, int pe) \
    { FETCHING_NBI(SHM_CTX(ctx), FETCH, T, source, 0, 0); }                                    \
    WEAK_PAIR(N##_atomic_fetch) WEAK_PAIR(N##_atomic_fetch_nbi)
SHM_TYPES_AMO_EXTENDED(FETCH)

// ---------------------------------------------------------------- swaps, which may be in vain
static CW_COLD uint64_t swap_observed(cw_ctx_t *ctx, void *addr, uint32_t kind, uint64_t operand,
                                      uint64_t compare, int pe)
{
    const cw_amo_op_t op = (cw_amo_op_t)(kind & 0xffff);
    uint64_t found = cw_amo_fetching(ctx, addr, op, kind >> 16, operand, compare, pe);
    return cw_amo_swap_leaves(op, found, operand, compare) ? cw_amo_left(addr, found) : found;
}

static CW_ALWAYS_INLINE uint64_t swap(cw_ctx_t *ctx, void *addr, cw_amo_op_t op, size_t nbytes,
                                      uint64_t operand, uint64_t compare, int pe)
{
    uintptr_t word;
    if (cw_amo_is_here(ctx, pe, &word)) {
        void *p = cw_local_address(word, addr);
        uint64_t found = cw_amo_local(p, op, nbytes, operand, compare);
        cw_ctx_stored(ctx, pe);
        return CW_UNLIKELY(cw_amo_swap_leaves(op, found, operand, compare)) ? cw_amo_left(p, found)
                                                                            : found;
    }
    if (CW_UNLIKELY(!cw_world.plain))
        return swap_observed(ctx, addr, cw_amo_kind(op, nbytes), operand, compare, pe);
    return cw_amo_fetching(ctx, addr, op, nbytes, operand, compare, pe);
}

#define SWAPPING(C, OP, T, operand, compare)                                               \
    T value_;                                                                              \
    uint64_t found_ = swap(C, dest, CW_AMO_##OP, sizeof(T), operand, compare, pe);         \
    shm_from_bits(&value_, found_, sizeof(T));                                             \
    return value_

#define SWAP(N, T)                                                                             \
    T pshmem_##N##_atomic_swap(T *dest, T value, int pe)                                       \
    { SWAPPING(DEFAULT, SWAP, T, BITS(T, value), 0); }                                         \
    T pshmem_ctx_##N##_atomic_swap(shmem_ctx_t ctx, T *dest, T value, int pe)                  \
    { SWAPPING(SHM_CTX(ctx), SWAP, T, BITS(T, value), 0); }                                    \
    void pshmem_##N##_atomic_swap_nbi(T *fetch, T *dest, T value, int pe)                      \
    { FETCHING_NBI(DEFAULT, SWAP, T, dest, BITS(T, value), 0); }                               \
    void pshmem_ctx_##N##_atomic_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) \
    { FETCHING_NBI(SHM_CTX(ctx), SWAP, T, dest, BITS(T, value), 0); }                          \
    WEAK_PAIR(N##_atomic_swap) WEAK_PAIR(N##_atomic_swap_nbi)
SHM_TYPES_AMO_EXTENDED(SWAP)

// ---------------------------------------------------------------- set: no value comes back
#define POST_VALUE(NAME, OP, T)                                                               \
    void pshmem_##NAME(T *dest, T value, int pe) { POSTING(DEFAULT, OP, T, BITS(T, value)); } \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, T *dest, T value, int pe)                         \
    { POSTING(SHM_CTX(ctx), OP, T, BITS(T, value)); }                                         \
    WEAK_PAIR(NAME)
#define SET(N, T) POST_VALUE(N##_atomic_set, SET, T)
SHM_TYPES_AMO_EXTENDED(SET)

// ---------------------------------------------------------------- one operand: add, and, or, xor
#define FETCH_VALUE(NAME, OP, T)                                                      \
    T pshmem_##NAME(T *dest, T value, int pe)                                         \
    { FETCHING(DEFAULT, OP, T, dest, BITS(T, value), 0); }                            \
    T pshmem_ctx_##NAME(shmem_ctx_t ctx, T *dest, T value, int pe)                    \
    { FETCHING(SHM_CTX(ctx), OP, T, dest, BITS(T, value), 0); }                       \
    void pshmem_##NAME##_nbi(T *fetch, T *dest, T value, int pe)                      \
    { FETCHING_NBI(DEFAULT, OP, T, dest, BITS(T, value), 0); }                        \
    void pshmem_ctx_##NAME##_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe) \
    { FETCHING_NBI(SHM_CTX(ctx), OP, T, dest, BITS(T, value), 0); }                   \
    WEAK_PAIR(NAME) WEAK_PAIR(NAME##_nbi)

#define ADD(N, T) FETCH_VALUE(N##_atomic_fetch_add, ADD, T) POST_VALUE(N##_atomic_add, ADD, T)
#define AND(N, T) FETCH_VALUE(N##_atomic_fetch_and, AND, T) POST_VALUE(N##_atomic_and, AND, T)
#define OR(N, T) FETCH_VALUE(N##_atomic_fetch_or, OR, T) POST_VALUE(N##_atomic_or, OR, T)
#define XOR(N, T) FETCH_VALUE(N##_atomic_fetch_xor, XOR, T) POST_VALUE(N##_atomic_xor, XOR, T)
SHM_TYPES_AMO(ADD)
SHM_TYPES_AMO_BITWISE(AND)
SHM_TYPES_AMO_BITWISE(OR)
SHM_TYPES_AMO_BITWISE(XOR)

// ---------------------------------------------------------------- increment: an add of one
#define INC(N, T)                                                                  \
    void pshmem_##N##_atomic_inc(T *dest, int pe) { POSTING(DEFAULT, ADD, T, 1); } \
    void pshmem_ctx_##N##_atomic_inc(shmem_ctx_t ctx, T *dest, int pe)             \
    { POSTING(SHM_CTX(ctx), ADD, T, 1); }                                          \
    WEAK_PAIR(N##_atomic_inc)
#define FETCH_INC(N, T)                                                                         \
    T pshmem_##N##_atomic_fetch_inc(T *dest, int pe) { FETCHING(DEFAULT, ADD, T, dest, 1, 0); } \
    T pshmem_ctx_##N##_atomic_fetch_inc(shmem_ctx_t ctx, T *dest, int pe)                       \
    { FETCHING(SHM_CTX(ctx), ADD, T, dest, 1, 0); }                                             \
    void pshmem_##N##_atomic_fetch_inc_nbi(T *fetch, T *dest, int pe)                           \
    { FETCHING_NBI(DEFAULT, ADD, T, dest, 1, 0); }                                              \
    void pshmem_ctx_##N##_atomic_fetch_inc_nbi(shmem_ctx_t ctx, T *fetch, T *dest, int pe)      \
    { FETCHING_NBI(SHM_CTX(ctx), ADD, T, dest, 1, 0); }                                         \
    WEAK_PAIR(N##_atomic_fetch_inc) WEAK_PAIR(N##_atomic_fetch_inc_nbi)
SHM_TYPES_AMO(INC)
SHM_TYPES_AMO(FETCH_INC)

// ---------------------------------------------------------------- compare and swap
#define COMPARE_SWAP(N, T)                                                                    \
    T pshmem_##N##_atomic_compare_swap(T *dest, T cond, T value, int pe)                      \
    { SWAPPING(DEFAULT, CSWAP, T, BITS(T, value), BITS(T, cond)); }                           \
    T pshmem_ctx_##N##_atomic_compare_swap(shmem_ctx_t ctx, T *dest, T cond, T value, int pe) \
    { SWAPPING(SHM_CTX(ctx), CSWAP, T, BITS(T, value), BITS(T, cond)); }                      \
    void pshmem_##N##_atomic_compare_swap_nbi(T *fetch, T *dest, T cond, T value, int pe)     \
    { FETCHING_NBI(DEFAULT, CSWAP, T, dest, BITS(T, value), BITS(T, cond)); }                 \
    void pshmem_ctx_##N##_atomic_compare_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T cond, \
                                                  T value, int pe)                            \
    { FETCHING_NBI(SHM_CTX(ctx), CSWAP, T, dest, BITS(T, value), BITS(T, cond)); }            \
    WEAK_PAIR(N##_atomic_compare_swap) WEAK_PAIR(N##_atomic_compare_swap_nbi)
SHM_TYPES_AMO(COMPARE_SWAP)

// ---------------------------------------------------------------- the names before version 1.4
#define OLD_EXTENDED(N, T)                                     \
    SHM_OLD_NAME(shmem_##N##_fetch, shmem_##N##_atomic_fetch); \
    SHM_OLD_NAME(shmem_##N##_set, shmem_##N##_atomic_set);     \
    SHM_OLD_NAME(shmem_##N##_swap, shmem_##N##_atomic_swap);
#define OLD(N, T)                                                     \
    SHM_OLD_NAME(shmem_##N##_cswap, shmem_##N##_atomic_compare_swap); \
    SHM_OLD_NAME(shmem_##N##_finc, shmem_##N##_atomic_fetch_inc);     \
    SHM_OLD_NAME(shmem_##N##_inc, shmem_##N##_atomic_inc);            \
    SHM_OLD_NAME(shmem_##N##_fadd, shmem_##N##_atomic_fetch_add);     \
    SHM_OLD_NAME(shmem_##N##_add, shmem_##N##_atomic_add);
SHM_TYPES_AMO_OLD_EXTENDED(OLD_EXTENDED)
SHM_TYPES_AMO_OLD(OLD)
SHM_OLD_NAME(shmem_swap, shmem_long_atomic_swap);
