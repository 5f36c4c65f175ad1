// SPDX-License-Identifier: BSD-3-Clause
//
// Inclusive and exclusive prefix sums of every type, out of place and in place, against a serial
// sum of the same values; counts from 0 to more than any internal buffer. Floating-point values are
// small integers, so every order is exact.
#include <complex.h>

#include "check.h"

#define MOST 5000

static void *dest, *source, *copy;
static int turn;

#define INTEGER(T, pe, i) ((T)mixed((long)(pe) * 1000 + (long)(i) + turn))
#define REAL(T, pe, i) ((T)((int)((pe) * 7 + (i) * 3 + (size_t)turn) % 21 - 10))
#define COMPLEX(T, pe, i) ((T)(REAL(int, pe, i) + I * REAL(int, pe, (i) + 5)))
// Integers wrap: computed in 64 unsigned bits and truncated.
#define ADD(T, a, b) ((T)((uint64_t)(a) + (uint64_t)(b)))
#define ADD_REAL(T, a, b) ((a) + (b))

// All types use the first forms, some use all.
static const size_t counts[] = {7, 100, 1, 0, MOST, MOST - 1};
static int nforms = 2;

#define SCAN(N, T, NAME, EXCLUSIVE, SUM, MAKE)                                             \
    for (int form = 0; form < nforms; form++) {                                            \
        size_t n = counts[form];                                                           \
        T *s = source, *d = form % 2 ? source : dest;                                      \
        turn++;                                                                            \
        for (size_t i = 0; i < n; i++)                                                     \
            s[i] = MAKE(T, me, i);                                                         \
        memset(dest, 0xEE, MOST * 16);                                                     \
        memcpy(copy, source, n * sizeof(T));                                               \
        shmem_sync_all();                                                                  \
        CHECK(shmem_##N##_sum_##NAME(SHMEM_TEAM_WORLD, d, s, n) == 0,                      \
              "shmem_" #N "_sum_" #NAME " returned");                                      \
        for (size_t i = 0; i < n; i++) {                                                   \
            T expected = 0;                                                                \
            for (int pe = 0; pe < me + !EXCLUSIVE; pe++)                                   \
                expected = SUM(T, expected, MAKE(T, pe, i));                               \
            CHECK(d[i] == expected, "shmem_" #N "_sum_" #NAME " of %zu%s: element %zu", n, \
                  form % 2 ? " in place" : "", i);                                         \
            if (d[i] != expected)                                                          \
                break;                                                                     \
        }                                                                                  \
        CHECK(d == s || !memcmp(source, copy, n * sizeof(T)),                              \
              "shmem_" #N "_sum_" #NAME " changed its source");                            \
        for (size_t k = n * sizeof(T); d == dest && k < MOST * 16; k++)                    \
            if (((unsigned char *)dest)[k] != 0xEE) {                                      \
                CHECK(0, "shmem_" #N "_sum_" #NAME " of %zu wrote at byte %zu", n, k); \
                break;                                                                     \
            }                                                                              \
    }

#define BOTH(N, T, SUM, MAKE)            \
    static void scan_##N(void)           \
    {                                    \
        SCAN(N, T, inscan, 0, SUM, MAKE) \
        SCAN(N, T, exscan, 1, SUM, MAKE) \
    }

#define INTEGER_TYPES(X)                                                                           \
    X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long)                  \
    X(longlong, long long) X(ptrdiff, ptrdiff_t) X(uchar, unsigned char) X(ushort, unsigned short) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) \
    X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t)    \
    X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define BOTH_INTEGER(N, T) BOTH(N, T, ADD, INTEGER)
INTEGER_TYPES(BOTH_INTEGER)
BOTH(float, float, ADD_REAL, REAL)
BOTH(double, double, ADD_REAL, REAL)
BOTH(longdouble, long double, ADD_REAL, REAL)
BOTH(complexf, float _Complex, ADD_REAL, COMPLEX)
BOTH(complexd, double _Complex, ADD_REAL, COMPLEX)

/** The generic names, and that the sign of the first rank's zeros is kept. */
static void generic(void)
{
    static long in, out;
    static double minus, result;
    in = me + 1;
    shmem_sync_all();
    CHECK(shmem_sum_inscan(SHMEM_TEAM_WORLD, &out, &in, 1) == 0 &&
              out == (long)(me + 1) * (me + 2) / 2,
          "shmem_sum_inscan: %ld", out);
    CHECK(shmem_sum_exscan(SHMEM_TEAM_WORLD, &out, &in, 1) == 0 && out == (long)me * (me + 1) / 2,
          "shmem_sum_exscan: %ld", out);
    minus = -0.0;
    shmem_sync_all();
    CHECK(shmem_sum_inscan(SHMEM_TEAM_WORLD, &result, &minus, 1) == 0 && result == 0,
          "a sum of zeros: %g", result);
    if (me == 0)
        CHECK(1 / result < 0, "the first rank's -0.0 has become 0.0");
    shmem_sync_all();
}

int main(void)
{
    check_begin();
    dest = shmem_align(64, MOST * 16);
    source = shmem_align(64, MOST * 16);
    copy = malloc(MOST * 16);
    if (!dest || !source || !copy)
        return 1;
#define RUN(N, T) scan_##N();
    INTEGER_TYPES(RUN)
    scan_float();
    scan_double();
    scan_longdouble();
    scan_complexf();
    scan_complexd();
    nforms = 6;
    scan_int();
    scan_uchar();
    scan_double();
    scan_complexd();
    generic();
    free(copy);
    return check_end();
}
