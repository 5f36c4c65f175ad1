// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions of every operation and type, out of place and in place, team forms and active-set
// forms, against a serial reduction of the same values. Floating-point values are small integers
// and powers of two, so every order of evaluation is exact.
#include <complex.h>

#include "check.h"

#define MOST 3000

static long sync_[SHMEM_REDUCE_SYNC_SIZE];
static void *dest, *source, *work;
static int turn, first, stride_log, members;  // the PEs that take part

// Value i of PE pe. Products stay exact in floating point: factors are 1, 2 and -1.
#define INTEGER(T, pe, i) ((T)mixed((long)(pe) * 1000 + (long)(i) + turn))
#define SMALL(T, pe, i) ((T)((int)((pe) * 7 + (i)*3 + (size_t)turn) % 21 - 10))
#define FACTOR(T, pe, i) \
    ((T)(((size_t)(pe) + (i) + (size_t)turn) % 3 == 0 ? 2 : ((size_t)(pe) + (i)) % 2 ? -1 : 1))

#define OP_and(T, a, b) ((T)((a) & (b)))
#define OP_or(T, a, b) ((T)((a) | (b)))
#define OP_xor(T, a, b) ((T)((a) ^ (b)))
#define OP_max(T, a, b) ((b) > (a) ? (b) : (a))
#define OP_min(T, a, b) ((b) < (a) ? (b) : (a))
// Integers wrap: computed in 64 unsigned bits and truncated.
#define OP_sum(T, a, b) ((T)((uint64_t)(a) + (uint64_t)(b)))
#define OP_prod(T, a, b) ((T)((uint64_t)(a) * (uint64_t)(b)))
#define OP_fsum(T, a, b) ((a) + (b))
#define OP_fprod(T, a, b) ((a) * (b))

// All types use the first two forms, some use all.
static const size_t counts[] = {7, 100, 1, 0, MOST, MOST - 1};
static int nforms = 2;

// One reduction in each form: CALL with d and s, then a comparison with FOLD of MAKE over the
// members.
#define REDUCE(T, NAME, CALL, FOLD, MAKE)                                                       \
    for (int form = 0; form < nforms; form++) {                                                 \
        size_t n = counts[form];                                                                \
        T *s = source, *d = form % 2 ? source : dest;                                           \
        turn++;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                        \
            s[i] = MAKE(T, me, i);                                                              \
            if (d != s)                                                                         \
                d[i] = 0;                                                                       \
        }                                                                                       \
        ready();                                                                                \
        CALL;                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                        \
            T expected = MAKE(T, first, i);                                                     \
            for (int r = 1; r < members; r++)                                                   \
                expected = FOLD(T, expected, MAKE(T, first + (r << stride_log), i));            \
            CHECK(d[i] == expected, "%s of %zu%s: element %zu", NAME, n, form % 2 ? " in place" \
                  : "", i);                                                                     \
            if (d[i] != expected)                                                               \
                break;                                                                          \
        }                                                                                       \
    }

static void ready(void)
{
    static long own[SHMEM_BARRIER_SYNC_SIZE];
    shmem_barrier(first, stride_log, members, own);
}

#define TEAM(N, T, OP, FOLD, MAKE)                                                                \
    REDUCE(T, "shmem_" #N "_" #OP "_reduce",                                                      \
           CHECK(shmem_##N##_##OP##_reduce(SHMEM_TEAM_WORLD, d, s, n) == 0, "it returned"), FOLD, \
               MAKE)
#define SET(N, T, OP, FOLD, MAKE)                                                                  \
    REDUCE(T, "shmem_" #N "_" #OP "_to_all",                                                       \
           shmem_##N##_##OP##_to_all(d, s, (int)n, first, stride_log, members, work, sync_), FOLD, \
               MAKE)

#define BITWISE(FORM, N, T) \
    FORM(N, T, and, OP_and, INTEGER) FORM(N, T, or, OP_or, INTEGER) FORM(N, T, xor, OP_xor, INTEGER)
#define INTEGERS(FORM, N, T)                                          \
    FORM(N, T, max, OP_max, INTEGER) FORM(N, T, min, OP_min, INTEGER) \
    FORM(N, T, sum, OP_sum, INTEGER) FORM(N, T, prod, OP_prod, INTEGER)
#define REALS(FORM, N, T)                                         \
    FORM(N, T, max, OP_max, SMALL) FORM(N, T, min, OP_min, SMALL) \
    FORM(N, T, sum, OP_fsum, SMALL) FORM(N, T, prod, OP_fprod, FACTOR)
#define COMPLEX_SMALL(T, pe, i) (SMALL(T, pe, i) + I * SMALL(T, pe, (i) + 5))
#define COMPLEX_FACTOR(T, pe, i) (FACTOR(T, pe, i) * (((size_t)(pe) + (i)) % 2 ? (T)I : (T)1))
#define COMPLEXES(FORM, N, T) \
    FORM(N, T, sum, OP_fsum, COMPLEX_SMALL) FORM(N, T, prod, OP_fprod, COMPLEX_FACTOR)

#define FUNCTION(NAME, BODY) static void NAME(void) { BODY }
#define TEAM_INTEGERS(N, T) FUNCTION(integers_##N, INTEGERS(TEAM, N, T))
#define TEAM_BITWISE(N, T) FUNCTION(bitwise_##N, BITWISE(TEAM, N, T))

#define INTEGER_TYPES(X)                                                                           \
    X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long)                  \
    X(longlong, long long) X(ptrdiff, ptrdiff_t) X(uchar, unsigned char) X(ushort, unsigned short) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) \
    X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t)    \
    X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define BITWISE_TYPES(X)                                                                          \
    X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int)                       \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)    \
    X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) \
    X(uint64, uint64_t) X(size, size_t)
INTEGER_TYPES(TEAM_INTEGERS)
BITWISE_TYPES(TEAM_BITWISE)
FUNCTION(reals,
         REALS(TEAM, float, float) REALS(TEAM, double, double) REALS(TEAM, longdouble, long double))
FUNCTION(complexes,
         COMPLEXES(TEAM, complexf, float _Complex) COMPLEXES(TEAM, complexd, double _Complex))

FUNCTION(set_bits, BITWISE(SET, short, short) BITWISE(SET, int, int) BITWISE(SET, long, long)
                       BITWISE(SET, longlong, long long))
FUNCTION(set_integers, INTEGERS(SET, short, short) INTEGERS(SET, int, int) INTEGERS(SET, long, long)
                           INTEGERS(SET, longlong, long long))
FUNCTION(set_reals,
         REALS(SET, float, float) REALS(SET, double, double) REALS(SET, longdouble, long double))
FUNCTION(set_complexes,
         COMPLEXES(SET, complexf, float _Complex) COMPLEXES(SET, complexd, double _Complex))

/** Rounding differs with the order of evaluation, but every PE must get the same bits. */
static void identical_bits(void)
{
    double *s = source, *d = dest, *of_next = work;
    for (size_t i = 0; i < 1000; i++)
        s[i] = 1.0 / (1.0 + (double)i + 17.0 * me);
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, d, s, 1000);
    shmem_barrier_all();
    shmem_getmem(of_next, d, 1000 * sizeof(double), next);
    CHECK(!memcmp(d, of_next, 1000 * sizeof(double)), "two PEs have different sums");
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    dest = shmem_align(64, MOST * 16);
    source = shmem_align(64, MOST * 16);
    work = shmem_align(64, MOST * 16);
    members = npes;
#define RUN_INTEGERS(N, T) integers_##N();
#define RUN_BITWISE(N, T) bitwise_##N();
    INTEGER_TYPES(RUN_INTEGERS)
    BITWISE_TYPES(RUN_BITWISE)
    reals();
    complexes();
    nforms = 6;
    integers_int();
    bitwise_ushort();
    reals();
    nforms = 2;
    identical_bits();
    for (int set = 0; set < 3; set++) {  // all PEs; the even ones; all but PE 0
        first = set == 2 && npes > 1 ? 1 : 0;
        stride_log = set == 1;
        members = set == 0 ? npes : set == 1 ? (npes + 1) / 2 : npes - first;
        int away = me - first;
        turn = 0;  // the same on all members, whatever sets they were in before
        if (away >= 0 && away % (1 << stride_log) == 0 && away >> stride_log < members) {
            set_bits();
            set_integers();
            set_reals();
            set_complexes();
        }
        shmem_barrier_all();
    }
    return check_end();
}
