// SPDX-License-Identifier: BSD-3-Clause
//
// The type-generic names, each with every type it takes, plain and with a context: the right
// function was chosen if the result is right and no compiler warns. generic.cc compiles the same
// text as C++, where they are overloads.
#include "check.h"

#define CTX SHMEM_CTX_DEFAULT
#define N 6

static uint64_t dest_room[64], source_room[64];
static uint64_t sig;
static uint64_t signals;

#define RMA(NAME, T)                                                                              \
    static void rma_##NAME(void)                                                                  \
    {                                                                                             \
        T *d = (T *)(void *)dest_room, *s = (T *)(void *)source_room;                             \
        const T *c = s;                                                                           \
        for (int i = 0; i < 2 * N; i++) {                                                         \
            s[i] = (T)(me * 3 + i + 1);                                                           \
            d[i] = 0;                                                                             \
        }                                                                                         \
        shmem_barrier_all();                                                                      \
        shmem_put(d, c, 1, next);                                                                 \
        shmem_put(CTX, d + 1, c + 1, 1, next);                                                    \
        shmem_put_nbi(d + 2, c + 2, 1, next);                                                     \
        shmem_put_nbi(CTX, d + 3, c + 3, 1, next);                                                \
        shmem_p(d + 4, c[4], next);                                                               \
        shmem_p(CTX, d + 5, c[5], next);                                                          \
        shmem_iput(d + 6, c + 6, 1, 1, 1, next);                                                  \
        shmem_iput(CTX, d + 7, c + 7, 1, 1, 1, next);                                             \
        shmem_ibput(d + 8, c + 8, 1, 1, 1, 1, next);                                              \
        shmem_ibput(CTX, d + 9, c + 9, 1, 1, 1, 1, next);                                         \
        shmem_barrier_all();                                                                      \
        for (int i = 0; i < 10; i++)                                                              \
            CHECK(d[i] == (T)(prev * 3 + i + 1), "put form %d of " #T, i);                        \
        shmem_barrier_all();                                                                      \
        for (int i = 0; i < 2 * N; i++)                                                           \
            d[i] = 0;                                                                             \
        shmem_get(d, c, 1, next);                                                                 \
        shmem_get(CTX, d + 1, c + 1, 1, next);                                                    \
        shmem_get_nbi(d + 2, c + 2, 1, next);                                                     \
        shmem_get_nbi(CTX, d + 3, c + 3, 1, next);                                                \
        d[4] = shmem_g(c + 4, next);                                                              \
        d[5] = shmem_g(CTX, s + 5, next);                                                         \
        shmem_iget(d + 6, c + 6, 1, 1, 1, next);                                                  \
        shmem_iget(CTX, d + 7, c + 7, 1, 1, 1, next);                                             \
        shmem_ibget(d + 8, c + 8, 1, 1, 1, 1, next);                                              \
        shmem_ibget(CTX, d + 9, c + 9, 1, 1, 1, 1, next);                                         \
        shmem_quiet();                                                                            \
        for (int i = 0; i < 10; i++)                                                              \
            CHECK(d[i] == (T)(next * 3 + i + 1), "get form %d of " #T, i);                        \
        shmem_barrier_all();                                                                      \
        signals += 10;                                                                            \
        shmem_put_signal(d, c, 1, &sig, 4, SHMEM_SIGNAL_ADD, next);                               \
        shmem_put_signal(CTX, d, c, 1, &sig, 3, SHMEM_SIGNAL_ADD, next);                          \
        shmem_put_signal_nbi(d, c, 1, &sig, 2, SHMEM_SIGNAL_ADD, next);                           \
        shmem_put_signal_nbi(CTX, d, c, 1, &sig, 1, SHMEM_SIGNAL_ADD, next);                      \
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, signals);                                     \
        CHECK(d[0] == (T)(prev * 3 + 1), "put_signal of " #T);                                    \
        shmem_barrier_all();                                                                      \
        CHECK(!shmem_broadcast(SHMEM_TEAM_WORLD, d, c, 2, npes - 1) && d[1] == (T)(npes * 3 - 1), \
              "broadcast " #T);                                                                   \
        shmem_sync_all();  /* dest is ready on all PEs */                                         \
        CHECK(!shmem_fcollect(SHMEM_TEAM_WORLD, d, c, 1) && d[npes - 1] == (T)(npes * 3 - 2),     \
              "fcollect " #T);                                                                    \
        CHECK(!shmem_collect(SHMEM_TEAM_WORLD, d, c, 1) && d[npes - 1] == (T)(npes * 3 - 2),      \
              "collect " #T);                                                                     \
        shmem_sync_all();                                                                         \
        CHECK(!shmem_alltoall(SHMEM_TEAM_WORLD, d, c, 1) && d[next] == (T)(next * 3 + me + 1),    \
              "alltoall " #T);                                                                    \
        shmem_sync_all();                                                                         \
        CHECK(!shmem_alltoalls(SHMEM_TEAM_WORLD, d, c, 1, 1, 1)                                   \
              && d[prev] == (T)(prev * 3 + me + 1), "alltoalls " #T);                             \
        CHECK(!shmem_max_reduce(SHMEM_TEAM_WORLD, d, c, 1) && d[0] == (T)(npes * 3 - 2),          \
              "max " #T);                                                                         \
        CHECK(!shmem_min_reduce(SHMEM_TEAM_WORLD, d, c, 1) && d[0] == (T)1, "min " #T);           \
        CHECK(!shmem_sum_reduce(SHMEM_TEAM_WORLD, d, c, 1)                                        \
              && d[0] == (T)(npes * (npes - 1) / 2 * 3 + npes), "sum " #T);                       \
        s[0] = (T)2;                                                                              \
        CHECK(!shmem_prod_reduce(SHMEM_TEAM_WORLD, d, c, 1) && d[0] == (T)(1 << npes),            \
              "prod " #T);                                                                        \
        shmem_barrier_all();                                                                      \
    }

#define AMO(NAME, T)                                                                         \
    static void amo_##NAME(void)                                                             \
    {                                                                                        \
        T *w = (T *)(void *)dest_room, f = 0, g = 0;                                         \
        extended_##NAME();                                                                   \
        shmem_atomic_set(w, (T)1, me);                                                       \
        shmem_quiet();                                                                       \
        CHECK(shmem_atomic_fetch_add(w, (T)2, me) == 1                                       \
              && shmem_atomic_fetch_add(CTX, w, (T)3, me) == 3, "fetch_add " #T);            \
        CHECK(shmem_atomic_fetch_inc(w, me) == 6 && shmem_atomic_fetch_inc(CTX, w, me) == 7, \
              "fetch_inc " #T);                                                              \
        shmem_atomic_add(w, (T)1, me);                                                       \
        shmem_atomic_add(CTX, w, (T)1, me);                                                  \
        shmem_atomic_inc(w, me);                                                             \
        shmem_atomic_inc(CTX, w, me);                                                        \
        shmem_quiet();                                                                       \
        CHECK(shmem_atomic_compare_swap(w, (T)12, (T)5, me) == 12, "compare_swap " #T);      \
        CHECK(shmem_atomic_compare_swap(CTX, w, (T)5, (T)6, me) == 5, "compare_swap " #T);   \
        shmem_atomic_fetch_add_nbi(&f, w, (T)1, me);                                         \
        shmem_quiet();                                                                       \
        shmem_atomic_fetch_add_nbi(CTX, &g, w, (T)1, me);                                    \
        shmem_quiet();                                                                       \
        CHECK(f == 6 && g == 7, "fetch_add_nbi " #T);                                        \
        shmem_atomic_fetch_inc_nbi(&f, w, me);                                               \
        shmem_quiet();                                                                       \
        shmem_atomic_fetch_inc_nbi(CTX, &g, w, me);                                          \
        shmem_quiet();                                                                       \
        CHECK(f == 8 && g == 9, "fetch_inc_nbi " #T);                                        \
        shmem_atomic_compare_swap_nbi(&f, w, (T)10, (T)20, me);                              \
        shmem_quiet();                                                                       \
        shmem_atomic_compare_swap_nbi(CTX, &g, w, (T)20, (T)30, me);                         \
        shmem_quiet();                                                                       \
        CHECK(f == 10 && g == 20 && *w == 30, "compare_swap_nbi " #T);                       \
    }
#define EXTENDED(NAME, T)                                                                          \
    static void extended_##NAME(void)                                                              \
    {                                                                                              \
        T *w = (T *)(void *)dest_room, f = 0, g = 0;                                               \
        const T *c = w;                                                                            \
        shmem_atomic_set(w, (T)1, me);                                                             \
        shmem_atomic_set(CTX, w, (T)2, me);                                                        \
        shmem_quiet();                                                                             \
        CHECK(shmem_atomic_fetch(c, me) == 2 && shmem_atomic_fetch(CTX, w, me) == 2, "fetch " #T); \
        CHECK(shmem_atomic_swap(w, (T)3, me) == 2 && shmem_atomic_swap(CTX, w, (T)4, me) == 3,     \
              "swap " #T);                                                                         \
        shmem_atomic_fetch_nbi(&f, c, me);                                                         \
        shmem_atomic_fetch_nbi(CTX, &g, c, me);                                                    \
        shmem_quiet();                                                                             \
        CHECK(f == 4 && g == 4, "fetch_nbi " #T);                                                  \
        shmem_atomic_swap_nbi(&f, w, (T)5, me);                                                    \
        shmem_quiet();                                                                             \
        shmem_atomic_swap_nbi(CTX, &g, w, (T)6, me);                                               \
        shmem_quiet();                                                                             \
        CHECK(f == 4 && g == 5 && *w == 6, "swap_nbi " #T);                                        \
    }
#define BIT_OP(OP, T, start, result)                                                      \
    shmem_atomic_set(w, (T)(start), me);                                                  \
    shmem_quiet();                                                                        \
    CHECK(shmem_atomic_fetch_##OP(w, (T)6, me) == (T)(start), "fetch_" #OP " " #T);       \
    CHECK(shmem_atomic_fetch_##OP(CTX, w, (T)0, me) == (T)(result), "fetch_" #OP " " #T); \
    shmem_atomic_set(w, (T)(start), me);                                                  \
    shmem_quiet();                                                                        \
    shmem_atomic_##OP(w, (T)6, me);                                                       \
    shmem_quiet();                                                                        \
    CHECK(*w == (T)(result), #OP " " #T);                                                 \
    shmem_atomic_##OP(CTX, w, (T)0, me);                                                  \
    shmem_quiet();                                                                        \
    shmem_atomic_set(w, (T)(start), me);                                                  \
    shmem_quiet();                                                                        \
    shmem_atomic_fetch_##OP##_nbi(&f, w, (T)6, me);                                       \
    shmem_quiet();                                                                        \
    shmem_atomic_fetch_##OP##_nbi(CTX, &g, w, *w, me);                                    \
    shmem_quiet();                                                                        \
    CHECK(f == (T)(start) && g == (T)(result), "fetch_" #OP "_nbi " #T);
#define BITWISE(NAME, T)                             \
    static void bits_##NAME(void)                    \
    {                                                \
        T *w = (T *)(void *)dest_room, f = 0, g = 0; \
        BIT_OP(and, T, 12, 4)                        \
        BIT_OP(or, T, 12, 14)                        \
        BIT_OP(xor, T, 12, 10)                       \
    }
#define REDUCE_BITS(NAME, T)                                                                    \
    static void reduce_bits_##NAME(void)                                                        \
    {                                                                                           \
        T *d = (T *)(void *)dest_room, *s = (T *)(void *)source_room;                           \
        s[0] = (T)(1 << me | 64);                                                               \
        CHECK(!shmem_or_reduce(SHMEM_TEAM_WORLD, d, s, 1) && d[0] == (T)((1 << npes) - 1 + 64), \
              "or " #T);                                                                        \
        CHECK(!shmem_and_reduce(SHMEM_TEAM_WORLD, d, s, 1) && d[0] == (T)(npes == 1 ? 65 : 64), \
              "and " #T);                                                                       \
        s[0] = (T)(1 << me);                                                                    \
        CHECK(!shmem_xor_reduce(SHMEM_TEAM_WORLD, d, s, 1) && d[0] == (T)((1 << npes) - 1),     \
              "xor " #T);                                                                       \
        shmem_barrier_all();                                                                    \
    }
#define WAITS(NAME, T)                                                                          \
    static void waits_##NAME(void)                                                              \
    {                                                                                           \
        T *w = (T *)(void *)dest_room;                                                          \
        const T v[3] = {5, 6, 7};                                                               \
        size_t indices[3];                                                                      \
        one_word_##NAME();                                                                      \
        for (int i = 0; i < 3; i++)                                                             \
            w[i] = (T)(5 + i);                                                                  \
        shmem_wait_until_all(w, 3, NULL, SHMEM_CMP_GE, (T)5);                                   \
        shmem_wait_until_all_vector(w, 3, NULL, SHMEM_CMP_EQ, v);                               \
        CHECK(shmem_wait_until_any(w, 3, NULL, SHMEM_CMP_EQ, (T)6) == 1, "wait_until_any " #T); \
        CHECK(shmem_wait_until_any_vector(w, 1, NULL, SHMEM_CMP_EQ, v) == 0,                    \
              "wait_until_any_vector " #T);                                                     \
        CHECK(shmem_wait_until_some(w, 3, indices, NULL, SHMEM_CMP_GT, (T)5) == 2,              \
              "wait_until_some " #T);                                                           \
        CHECK(shmem_wait_until_some_vector(w, 3, indices, NULL, SHMEM_CMP_EQ, v) == 3,          \
              "some_vector " #T);                                                               \
        CHECK(shmem_test_all(w, 3, NULL, SHMEM_CMP_GE, (T)5) == 1, "test_all " #T);             \
        CHECK(shmem_test_all_vector(w, 3, NULL, SHMEM_CMP_NE, v) == 0, "test_all_vector " #T);  \
        CHECK(shmem_test_any(w, 3, NULL, SHMEM_CMP_EQ, (T)7) == 2, "test_any " #T);             \
        CHECK(shmem_test_any_vector(w, 3, NULL, SHMEM_CMP_NE, v) == SIZE_MAX,                   \
              "test_any_vector " #T);                                                           \
        CHECK(shmem_test_some(w, 3, indices, NULL, SHMEM_CMP_LE, (T)5) == 1, "test_some " #T);  \
        CHECK(shmem_test_some_vector(w, 3, indices, NULL, SHMEM_CMP_EQ, v) == 3,                \
              "test_some_vector " #T);                                                          \
    }
#define ONE_WORD(NAME, T)                                          \
    static void one_word_##NAME(void)                              \
    {                                                              \
        T *w = (T *)(void *)dest_room;                             \
        *w = (T)9;                                                 \
        shmem_wait_until(w, SHMEM_CMP_EQ, (T)9);                   \
        CHECK(shmem_test(w, SHMEM_CMP_NE, (T)9) == 0, "test " #T); \
    }
#define OLD_EXTENDED(NAME, T)                                                               \
    static void old_extended_##NAME(void)                                                   \
    {                                                                                       \
        T *w = (T *)(void *)dest_room;                                                      \
        shmem_set(w, (T)4, me);                                                             \
        shmem_quiet();                                                                      \
        CHECK(shmem_swap(w, (T)5, me) == 4 && shmem_fetch(w, me) == 5, "old names of " #T); \
    }
#define OLD(NAME, T)                                                        \
    static void old_##NAME(void)                                            \
    {                                                                       \
        T *w = (T *)(void *)dest_room;                                      \
        *w = 5;                                                             \
        CHECK(shmem_cswap(w, (T)5, (T)6, me) == 5 && shmem_finc(w, me) == 6 \
              && shmem_fadd(w, (T)3, me) == 7, #T);                         \
        shmem_inc(w, me);                                                   \
        shmem_add(w, (T)2, me);                                             \
        shmem_quiet();                                                      \
        CHECK(*w == 13, "old names of " #T);                                \
    }

#define REALS(X) X(float, float) X(double, double) X(longdouble, long double)
#define NARROW(X)                                                               \
    X(char, char) X(schar, signed char) X(uchar, unsigned char) X(short, short) \
    X(ushort, unsigned short)
#define WIDE(X)                                                                                    \
    X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) \
    X(ulonglong, unsigned long long)
// Other names of the types above.
#define EXACT(X) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
#define EXACT_NARROW(X) X(int8, int8_t) X(int16, int16_t) X(uint8, uint8_t) X(uint16, uint16_t)
#define SIZE_TYPES(X) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define UNSIGNED_WIDE(X) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)

// clang-format off
REALS(RMA) NARROW(RMA) WIDE(RMA) EXACT(RMA) EXACT_NARROW(RMA) SIZE_TYPES(RMA)
EXTENDED(float, float) EXTENDED(double, double) WIDE(EXTENDED) EXACT(EXTENDED) SIZE_TYPES(EXTENDED)
WIDE(AMO) EXACT(AMO) SIZE_TYPES(AMO)
UNSIGNED_WIDE(BITWISE) EXACT(BITWISE)
UNSIGNED_WIDE(REDUCE_BITS) EXACT(REDUCE_BITS) EXACT_NARROW(REDUCE_BITS)
ONE_WORD(short, short) ONE_WORD(ushort, unsigned short) WIDE(ONE_WORD) EXACT(ONE_WORD)
SIZE_TYPES(ONE_WORD)
WIDE(WAITS) EXACT(WAITS) SIZE_TYPES(WAITS)
OLD_EXTENDED(float, float) OLD_EXTENDED(double, double)
OLD_EXTENDED(int, int) OLD_EXTENDED(long, long) OLD_EXTENDED(longlong, long long)
OLD(int, int) OLD(long, long) OLD(longlong, long long)

static void rest(void)
{
    static uint64_t s;
    static long sync_[SHMEM_SYNC_SIZE];
    shmem_signal_set(&s, 5, me);
    shmem_signal_set(CTX, &s, 6, me);
    shmem_signal_add(&s, 1, me);
    shmem_signal_add(CTX, &s, 2, me);
    shmem_quiet();
    CHECK(s == 9, "signals: %lu", (unsigned long)s);
    CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0, "shmem_sync of a team");
    shmem_sync(0, 0, npes, sync_);  // and of an active set
    causeway_complexd_t *d = (causeway_complexd_t *)(void *)dest_room;
    causeway_complexd_t *c = (causeway_complexd_t *)(void *)source_room;
    *c = 2;
    shmem_barrier_all();
    CHECK(!shmem_sum_reduce(SHMEM_TEAM_WORLD, d, c, 1) && *d == (causeway_complexd_t)(2 * npes),
          "complex sum");
    CHECK(!shmem_prod_reduce(SHMEM_TEAM_WORLD, d, c, 1) && *d == (causeway_complexd_t)(1 << npes),
          "complex product");
}

#define CALL_RMA(NAME, T) rma_##NAME();
#define CALL_AMO(NAME, T) amo_##NAME();
#define CALL_BITS(NAME, T) bits_##NAME();
#define CALL_REDUCE_BITS(NAME, T) reduce_bits_##NAME();
#define CALL_WAITS(NAME, T) waits_##NAME();

int main(void)
{
    check_begin();
    REALS(CALL_RMA) NARROW(CALL_RMA) WIDE(CALL_RMA) EXACT(CALL_RMA) EXACT_NARROW(CALL_RMA)
    SIZE_TYPES(CALL_RMA)
    UNSIGNED_WIDE(CALL_REDUCE_BITS) EXACT(CALL_REDUCE_BITS) EXACT_NARROW(CALL_REDUCE_BITS)
    extended_float();
    extended_double();
    WIDE(CALL_AMO) EXACT(CALL_AMO) SIZE_TYPES(CALL_AMO)
    UNSIGNED_WIDE(CALL_BITS) EXACT(CALL_BITS)
    one_word_short();
    one_word_ushort();
    WIDE(CALL_WAITS) EXACT(CALL_WAITS) SIZE_TYPES(CALL_WAITS)
    old_extended_float(), old_extended_double();
    old_extended_int(), old_extended_long(), old_extended_longlong();
    old_int(), old_long(), old_longlong();
    shmem_barrier_all();
    rest();
    return check_end();
}
