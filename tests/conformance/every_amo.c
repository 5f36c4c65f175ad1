// SPDX-License-Identifier: BSD-3-Clause
//
// Every atomic operation by itself, for each type: what it returns and what it leaves. In the ring,
// the previous PE changes this PE's word. See every.h.
#include "every.h"

static uint64_t word_room[2];
#define WORD(T) ((T *)(void *)word_room)

// Start values use all bits where the type has them; for floating point they are small.
#define START(T, pe) VALUE(T, turn * 64 + (pe))

#define BEGIN(T)                                                    \
    T *w = WORD(T), start = START(T, me), of_next = START(T, next); \
    (void)of_next;                                                  \
    *w = start;                                                     \
    pshmem_barrier_all();

// LEAVES is the value of the word afterwards, computed from its start value.
#define DEFINE_VOID(FN, T, LEAVES, ...) \
    static bool check_##FN(void)        \
    {                                   \
        BEGIN(T)                        \
        FN(__VA_ARGS__);                \
        settle();                       \
        return *w == (T)(LEAVES);       \
    }
#define DEFINE_FETCH(FN, T, LEAVES, ...)            \
    static bool check_##FN(void)                    \
    {                                               \
        BEGIN(T)                                    \
        T old = FN(__VA_ARGS__);                    \
        settle();                                   \
        return old == of_next && *w == (T)(LEAVES); \
    }
#define DEFINE_NBI(FN, T, LEAVES, ...)              \
    static bool check_##FN(void)                    \
    {                                               \
        T old = 0;                                  \
        BEGIN(T)                                    \
        FN(__VA_ARGS__);                            \
        settle();                                   \
        return old == of_next && *w == (T)(LEAVES); \
    }
#define ENTRY_VOID(FN, ...) ENTRY_IN_TABLE(FN)
#define ENTRY_FETCH(FN, ...) ENTRY_IN_TABLE(FN)
#define ENTRY_NBI(FN, ...) ENTRY_IN_TABLE(FN)

#define EXTENDED(K, N, T)                                                   \
    K##_FETCH(shmem_##N##_atomic_fetch, T, start, w, next)                  \
    K##_FETCH(shmem_ctx_##N##_atomic_fetch, T, start, ctx, w, next)         \
    K##_VOID(shmem_##N##_atomic_set, T, 9, w, (T)9, next)                   \
    K##_VOID(shmem_ctx_##N##_atomic_set, T, 8, ctx, w, (T)8, next)          \
    K##_FETCH(shmem_##N##_atomic_swap, T, 7, w, (T)7, next)                 \
    K##_FETCH(shmem_ctx_##N##_atomic_swap, T, 6, ctx, w, (T)6, next)        \
    K##_NBI(shmem_##N##_atomic_fetch_nbi, T, start, &old, w, next)          \
    K##_NBI(shmem_ctx_##N##_atomic_fetch_nbi, T, start, ctx, &old, w, next) \
    K##_NBI(shmem_##N##_atomic_swap_nbi, T, 5, &old, w, (T)5, next)         \
    K##_NBI(shmem_ctx_##N##_atomic_swap_nbi, T, 4, ctx, &old, w, (T)4, next)

// Sums wrap in 64 unsigned bits and are truncated to the type.
#define PLUS(n) ((uint64_t)start + (n))
#define STANDARD(K, N, T)                                                                          \
    K##_FETCH(shmem_##N##_atomic_compare_swap, T, 3, w, of_next, (T)3, next)                       \
    K##_FETCH(shmem_ctx_##N##_atomic_compare_swap, T, start, ctx, w, (T)(of_next ^ 1), (T)3, next) \
    K##_NBI(shmem_##N##_atomic_compare_swap_nbi, T, start, &old, w, (T)(of_next ^ 2), (T)3, next)  \
    K##_NBI(shmem_ctx_##N##_atomic_compare_swap_nbi, T, 2, ctx, &old, w, of_next, (T)2, next)      \
    K##_FETCH(shmem_##N##_atomic_fetch_inc, T, PLUS(1), w, next)                                   \
    K##_FETCH(shmem_ctx_##N##_atomic_fetch_inc, T, PLUS(1), ctx, w, next)                          \
    K##_NBI(shmem_##N##_atomic_fetch_inc_nbi, T, PLUS(1), &old, w, next)                           \
    K##_NBI(shmem_ctx_##N##_atomic_fetch_inc_nbi, T, PLUS(1), ctx, &old, w, next)                  \
    K##_VOID(shmem_##N##_atomic_inc, T, PLUS(1), w, next)                                          \
    K##_VOID(shmem_ctx_##N##_atomic_inc, T, PLUS(1), ctx, w, next)                                 \
    K##_FETCH(shmem_##N##_atomic_fetch_add, T, PLUS(41), w, (T)41, next)                           \
    K##_FETCH(shmem_ctx_##N##_atomic_fetch_add, T, PLUS(42), ctx, w, (T)42, next)                  \
    K##_NBI(shmem_##N##_atomic_fetch_add_nbi, T, PLUS(43), &old, w, (T)43, next)                   \
    K##_NBI(shmem_ctx_##N##_atomic_fetch_add_nbi, T, PLUS(44), ctx, &old, w, (T)44, next)          \
    K##_VOID(shmem_##N##_atomic_add, T, PLUS(45), w, (T)45, next)                                  \
    K##_VOID(shmem_ctx_##N##_atomic_add, T, PLUS(46), ctx, w, (T)46, next)

// A mask of bits that are both set and clear in every start value, whatever its low bits.
#define MASK(T) ((T)0x5A5A5A5A5A5A5A5A)
#define BIT_OP(K, OP, N, T, LEAVES)                                                          \
    K##_FETCH(shmem_##N##_atomic_fetch_##OP, T, LEAVES, w, MASK(T), next)                    \
    K##_FETCH(shmem_ctx_##N##_atomic_fetch_##OP, T, LEAVES, ctx, w, MASK(T), next)           \
    K##_NBI(shmem_##N##_atomic_fetch_##OP##_nbi, T, LEAVES, &old, w, MASK(T), next)          \
    K##_NBI(shmem_ctx_##N##_atomic_fetch_##OP##_nbi, T, LEAVES, ctx, &old, w, MASK(T), next) \
    K##_VOID(shmem_##N##_atomic_##OP, T, LEAVES, w, MASK(T), next)                           \
    K##_VOID(shmem_ctx_##N##_atomic_##OP, T, LEAVES, ctx, w, MASK(T), next)
#define BITWISE(K, N, T)                                                       \
    BIT_OP(K, and, N, T, start & MASK(T)) BIT_OP(K, or, N, T, start | MASK(T)) \
    BIT_OP(K, xor, N, T, start ^ MASK(T))

// The names before 1.4.
#define OLD_EXTENDED(K, N, T)                                                                      \
    K##_FETCH(shmem_##N##_fetch, T, start, w, next) K##_VOID(shmem_##N##_set, T, 9, w, (T)9, next) \
    K##_FETCH(shmem_##N##_swap, T, 7, w, (T)7, next)
#define OLD(K, N, T)                                           \
    K##_FETCH(shmem_##N##_cswap, T, 3, w, of_next, (T)3, next) \
    K##_FETCH(shmem_##N##_finc, T, PLUS(1), w, next)           \
    K##_VOID(shmem_##N##_inc, T, PLUS(1), w, next)             \
    K##_FETCH(shmem_##N##_fadd, T, PLUS(5), w, (T)5, next)     \
    K##_VOID(shmem_##N##_add, T, PLUS(6), w, (T)6, next)
#define OLD_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define OLD_EXTENDED_TYPES(X) X(float, float) X(double, double) OLD_TYPES(X)

#define DEFINE_EXTENDED(N, T) EXTENDED(DEFINE, N, T)
#define DEFINE_STANDARD(N, T) STANDARD(DEFINE, N, T)
#define DEFINE_BITWISE(N, T) BITWISE(DEFINE, N, T)
#define DEFINE_OLD_EXTENDED(N, T) OLD_EXTENDED(DEFINE, N, T)
#define DEFINE_OLD(N, T) OLD(DEFINE, N, T)
#define ENTRY_EXTENDED(N, T) EXTENDED(ENTRY, N, T)
#define ENTRY_STANDARD(N, T) STANDARD(ENTRY, N, T)
#define ENTRY_BITWISE(N, T) BITWISE(ENTRY, N, T)
#define ENTRY_OLD_EXTENDED(N, T) OLD_EXTENDED(ENTRY, N, T)
#define ENTRY_OLD(N, T) OLD(ENTRY, N, T)

/** The function itself, which C11 hides behind a type-generic macro. */
static bool check_shmem_swap(void)
{
    BEGIN(long)
    long old = (shmem_swap)(w, 7, next);
    settle();
    return old == of_next && *w == 7;
}

// clang-format off
AMO_EXTENDED_TYPES(DEFINE_EXTENDED)
AMO_TYPES(DEFINE_STANDARD)
AMO_BITWISE_TYPES(DEFINE_BITWISE)
OLD_EXTENDED_TYPES(DEFINE_OLD_EXTENDED)
OLD_TYPES(DEFINE_OLD)

static const check_t checks[] = {
    AMO_EXTENDED_TYPES(ENTRY_EXTENDED) AMO_TYPES(ENTRY_STANDARD) AMO_BITWISE_TYPES(ENTRY_BITWISE)
    OLD_EXTENDED_TYPES(ENTRY_OLD_EXTENDED) OLD_TYPES(ENTRY_OLD) ENTRY_IN_TABLE(shmem_swap)
};
// clang-format on

int main(int argc, char **argv)
{
    return every_main(argc, argv, checks, sizeof(checks) / sizeof(checks[0]));
}
