// SPDX-License-Identifier: BSD-3-Clause
//
// Every collective by itself, for each type: on the world team, and the deprecated ones on the
// active set of all PEs. See every.h.
#include "every.h"

static long sync_room[SHMEM_SYNC_SIZE];
static _Alignas(16) unsigned char work_room[ROOM];
#define SET 0, 0, npes, sync_room
#define WORLD SHMEM_TEAM_WORLD

// The team forms return 0, the deprecated forms nothing.
#define TEAM_CALL(...) right = (__VA_ARGS__) == 0
#define SET_CALL(...) __VA_ARGS__

#define DEFINE_COLL(FN, FORM, VERDICT, ...)  \
    static bool check_##FN(void)             \
    {                                        \
        bool right = true;                   \
        const int root = (int)(turn % npes); \
        (void)root;                          \
        prepare();                           \
        FORM(FN(__VA_ARGS__));               \
        return right && VERDICT;             \
    }
#define ENTRY_COLL(FN, ...) ENTRY_IN_TABLE(FN)

static size_t share(int pe)
{
    return (size_t)(pe % 3);
}

/** Checks the pieces in order: nbytes(pe) bytes of each PE's source from offset on. */
static bool pieces(size_t size, size_t offset, size_t each, bool own)
{
    size_t at = 0;
    for (int pe = 0; pe < npes; pe++) {
        size_t nbytes = (own ? share(pe) : each) * size;
        for (size_t i = 0; i < nbytes; i++)
            if (dest[at + i] != pattern(pe, GUARD + offset * size + i))
                return false;
        at += nbytes;
    }
    return guarded(at);
}

static bool strided_pieces(size_t size)
{
    for (int pe = 0; pe < npes; pe++)
        for (size_t k = 0; k < COUNT; k++)
            for (size_t i = 0; i < 2 * size; i++) {
                size_t to = ((size_t)pe * COUNT + k) * 2 * size + i,
                       from = ((size_t)me * COUNT + k) * 3 * size + i;
                if (dest[to] != (i < size ? pattern(pe, GUARD + from) : 0xEE))
                    return false;
            }
    return guarded((size_t)npes * COUNT * 2 * size);
}

/** The deprecated broadcast writes nothing on the root. */
static bool shows_but_at_root(int root, size_t nbytes)
{
    return me == root ? guarded(0) && dest[nbytes - 1] == 0xEE : shows(root, nbytes);
}

#define MOVERS(K, BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, SIZE)                     \
    K##_COLL(BROADCAST, TEAM_CALL, shows(root, COUNT * (SIZE)), WORLD, D, S, COUNT, root)      \
    K##_COLL(COLLECT, TEAM_CALL, pieces(SIZE, 0, 0, true), WORLD, D, S, share(me))             \
    K##_COLL(FCOLLECT, TEAM_CALL, pieces(SIZE, 0, COUNT, false), WORLD, D, S, COUNT)           \
    K##_COLL(ALLTOALL, TEAM_CALL, pieces(SIZE, (size_t)me * COUNT, COUNT, false), WORLD, D, S, \
             COUNT)                                                                            \
    K##_COLL(ALLTOALLS, TEAM_CALL, strided_pieces(SIZE), WORLD, D, S, 2, 3, COUNT)
#define MOVERS_TYPED(K, N, T)                                                   \
    MOVERS(K, shmem_##N##_broadcast, shmem_##N##_collect, shmem_##N##_fcollect, \
           shmem_##N##_alltoall, shmem_##N##_alltoalls, sizeof(T))
#define MOVERS_BYTES(K)                                                                   \
    MOVERS(K, shmem_broadcastmem, shmem_collectmem, shmem_fcollectmem, shmem_alltoallmem, \
           shmem_alltoallsmem, 1)
#define MOVERS_OLD(K, B)                                                                         \
    K##_COLL(shmem_broadcast##B, SET_CALL, shows_but_at_root(root, COUNT * B / 8), D, S, COUNT,  \
             root, SET)                                                                          \
    K##_COLL(shmem_collect##B, SET_CALL, pieces(B / 8, 0, 0, true), D, S, share(me), SET)        \
    K##_COLL(shmem_fcollect##B, SET_CALL, pieces(B / 8, 0, COUNT, false), D, S, COUNT, SET)      \
    K##_COLL(shmem_alltoall##B, SET_CALL, pieces(B / 8, (size_t)me * COUNT, COUNT, false), D, S, \
             COUNT, SET)                                                                         \
    K##_COLL(shmem_alltoalls##B, SET_CALL, strided_pieces(B / 8), D, S, 2, 3, COUNT, SET)

// ---------------------------------------------------------------- reductions
// Values are small, so that every type holds every result exactly.
#define SMALL(T, pe, i) ((T)(((pe) * 5 + (i) * 3 + turn) % 5 + 1))
#define FACTOR(T, pe, i) ((T)((pe) == (i) % npes || (pe) == ((i) + 1) % npes ? 3 : 1))
#define BIT(T, pe, i) ((T)(1 << ((pe) + (i) + turn) % 7))
#define NOT_BIT(T, pe, i) ((T)(127 ^ (1 << ((pe) + (i) + turn) % 7)))

#define OP_sum(T, a, b) ((T)((a) + (b)))
#define OP_prod(T, a, b) ((T)((a) * (b)))
#define OP_max(T, a, b) ((b) > (a) ? (b) : (a))
#define OP_min(T, a, b) ((b) < (a) ? (b) : (a))
#define OP_and(T, a, b) ((T)((a) & (b)))
#define OP_or(T, a, b) ((T)((a) | (b)))
#define OP_xor(T, a, b) ((T)((a) ^ (b)))

// The fold of the values of PEs 0 to LAST in each element.
#define DEFINE_FOLD(FN, T, FORM, OP, MAKE, LAST, ...)            \
    static bool check_##FN(void)                                 \
    {                                                            \
        bool right = true;                                       \
        T *d = (T *)(void *)dest, *s = (T *)(void *)source;      \
        prepare();                                               \
        for (int i = 0; i < COUNT; i++)                          \
            s[i] = MAKE(T, me, i);                               \
        FORM(FN(__VA_ARGS__));                                   \
        for (int i = 0; i < COUNT; i++) {                        \
            T expected = (LAST) < 0 ? (T)0 : MAKE(T, 0, i);      \
            for (int pe = 1; pe <= (LAST); pe++)                 \
                expected = OP_##OP(T, expected, MAKE(T, pe, i)); \
            right = right && d[i] == expected;                   \
        }                                                        \
        return right && guarded(COUNT * sizeof(T));              \
    }
#define ENTRY_FOLD(FN, ...) ENTRY_IN_TABLE(FN)

#define REDUCE(K, N, T, OP, MAKE) \
    K##_FOLD(shmem_##N##_##OP##_reduce, T, TEAM_CALL, OP, MAKE, npes - 1, WORLD, d, s, COUNT)
#define TO_ALL(K, N, T, OP, MAKE)                                                                 \
    K##_FOLD(shmem_##N##_##OP##_to_all, T, SET_CALL, OP, MAKE, npes - 1, d, s, COUNT, 0, 0, npes, \
             (T *)(void *)work_room, sync_room)
#define BITS(FORM, K, N, T) \
    FORM(K, N, T, and, NOT_BIT) FORM(K, N, T, or, BIT) FORM(K, N, T, xor, BIT)
#define ORDER(FORM, K, N, T) FORM(K, N, T, max, SMALL) FORM(K, N, T, min, SMALL)
#define ARITH(FORM, K, N, T) FORM(K, N, T, sum, SMALL) FORM(K, N, T, prod, FACTOR)
#define SCANS(K, N, T)                                                                 \
    K##_FOLD(shmem_##N##_sum_inscan, T, TEAM_CALL, sum, SMALL, me, WORLD, d, s, COUNT) \
    K##_FOLD(shmem_##N##_sum_exscan, T, TEAM_CALL, sum, SMALL, me - 1, WORLD, d, s, COUNT)

#define REDUCE_BITWISE_TYPES(X)                                                                   \
    X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int)                       \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)    \
    X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) \
    X(uint64, uint64_t) X(size, size_t)
#define COMPLEX_TYPES(X) X(complexf, float _Complex) X(complexd, double _Complex)
#define OLD_BITWISE_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define OLD_ORDER_TYPES(X) \
    OLD_BITWISE_TYPES(X) X(float, float) X(double, double) X(longdouble, long double)

// ---------------------------------------------------------------- the lists
#define DEFINE_MOVERS(N, T) MOVERS_TYPED(DEFINE, N, T)
#define DEFINE_BITS(N, T) BITS(REDUCE, DEFINE, N, T)
#define DEFINE_ORDER(N, T) ORDER(REDUCE, DEFINE, N, T)
#define DEFINE_ARITH(N, T) ARITH(REDUCE, DEFINE, N, T) SCANS(DEFINE, N, T)
#define DEFINE_OLD_BITS(N, T) BITS(TO_ALL, DEFINE, N, T)
#define DEFINE_OLD_ORDER(N, T) ORDER(TO_ALL, DEFINE, N, T)
#define DEFINE_OLD_ARITH(N, T) ARITH(TO_ALL, DEFINE, N, T)
#define ENTRY_MOVERS(N, T) MOVERS_TYPED(ENTRY, N, T)
#define ENTRY_BITS(N, T) BITS(REDUCE, ENTRY, N, T)
#define ENTRY_ORDER(N, T) ORDER(REDUCE, ENTRY, N, T)
#define ENTRY_ARITH(N, T) ARITH(REDUCE, ENTRY, N, T) SCANS(ENTRY, N, T)
#define ENTRY_OLD_BITS(N, T) BITS(TO_ALL, ENTRY, N, T)
#define ENTRY_OLD_ORDER(N, T) ORDER(TO_ALL, ENTRY, N, T)
#define ENTRY_OLD_ARITH(N, T) ARITH(TO_ALL, ENTRY, N, T)

// clang-format off
RMA_TYPES(DEFINE_MOVERS)
MOVERS_BYTES(DEFINE)
MOVERS_OLD(DEFINE, 32)
MOVERS_OLD(DEFINE, 64)
REDUCE_BITWISE_TYPES(DEFINE_BITS)
RMA_TYPES(DEFINE_ORDER)
RMA_TYPES(DEFINE_ARITH)
COMPLEX_TYPES(DEFINE_ARITH)
OLD_BITWISE_TYPES(DEFINE_OLD_BITS)
OLD_ORDER_TYPES(DEFINE_OLD_ORDER)
OLD_ORDER_TYPES(DEFINE_OLD_ARITH)
COMPLEX_TYPES(DEFINE_OLD_ARITH)

static const check_t checks[] = {
    RMA_TYPES(ENTRY_MOVERS) MOVERS_BYTES(ENTRY) MOVERS_OLD(ENTRY, 32) MOVERS_OLD(ENTRY, 64)
    REDUCE_BITWISE_TYPES(ENTRY_BITS) RMA_TYPES(ENTRY_ORDER) RMA_TYPES(ENTRY_ARITH)
    COMPLEX_TYPES(ENTRY_ARITH)
    OLD_BITWISE_TYPES(ENTRY_OLD_BITS) OLD_ORDER_TYPES(ENTRY_OLD_ORDER)
    OLD_ORDER_TYPES(ENTRY_OLD_ARITH)
    COMPLEX_TYPES(ENTRY_OLD_ARITH)
};
// clang-format on

int main(int argc, char **argv)
{
    return every_main(argc, argv, checks, sizeof(checks) / sizeof(checks[0]));
}
