// SPDX-License-Identifier: BSD-3-Clause
//
// The loops, in two sets of one source: for any processor of the family, and for registers of 32
// bytes, which are 1.4 times as fast on what lies in the second cache. They load and store by
// memcpy, so that alignment and types of the program's memory do not matter.
#include "base/numbers.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF  // a product is rounded before it is added, on every path
#endif

#define LOAD(T, var, from, i) \
    T var;                    \
    memcpy(&var, (const char *)(from) + (i) * sizeof var, sizeof var)
#define STORE(value, to, i) memcpy((char *)(to) + (i) * sizeof value, &value, sizeof value)

typedef void add_fn(void *dest, const void *src, size_t n);
typedef void scaled_fn(const void *scale, void *dest, const void *src, size_t n);

#define ADD(ISA, ATTR, NAME, T)                                                 \
    static ATTR void add_##NAME##_##ISA(void *dest, const void *src, size_t n)  \
    {                                                                           \
        for (size_t i = 0; i < n; i++) {                                        \
            LOAD(T, s, src, i);                                                 \
            LOAD(T, d, dest, i);                                                \
            d += s;                                                             \
            STORE(d, dest, i);                                                  \
        }                                                                       \
    }

#define REAL(ISA, ATTR, NAME, T)                                                \
    ADD(ISA, ATTR, NAME, T)                                                     \
    static ATTR void add_scaled_##NAME##_##ISA(const void *scale, void *dest,   \
                                               const void *src, size_t n)       \
    {                                                                           \
        LOAD(T, a, scale, 0);                                                   \
        for (size_t i = 0; i < n; i++) {                                        \
            LOAD(T, s, src, i);                                                 \
            LOAD(T, d, dest, i);                                                \
            d += a * s;                                                         \
            STORE(d, dest, i);                                                  \
        }                                                                       \
    }                                                                           \
    static ATTR void scale_##NAME##_##ISA(const void *scale, void *dest,        \
                                          const void *src, size_t n)            \
    {                                                                           \
        LOAD(T, a, scale, 0);                                                   \
        for (size_t i = 0; i < n; i++) {                                        \
            LOAD(T, s, src, i);                                                 \
            s *= a;                                                             \
            STORE(s, dest, i);                                                  \
        }                                                                       \
    }

/** The product of the scale (ar, ai) and the complex number i of src. */
#define PRODUCT(T, src, i)           \
    LOAD(T, sr, src, 2 * (i));       \
    LOAD(T, si, src, 2 * (i) + 1);   \
    T pr = ar * sr - ai * si, pi = ar * si + ai * sr

#define COMPLEX(ISA, ATTR, NAME, T)                                             \
    static ATTR void add_scaled_##NAME##_##ISA(const void *scale, void *dest,   \
                                               const void *src, size_t n)       \
    {                                                                           \
        LOAD(T, ar, scale, 0);                                                  \
        LOAD(T, ai, scale, 1);                                                  \
        for (size_t i = 0; i < n; i++) {                                        \
            PRODUCT(T, src, i);                                                 \
            LOAD(T, dr, dest, 2 * i);                                           \
            LOAD(T, di, dest, 2 * i + 1);                                       \
            dr += pr;                                                           \
            di += pi;                                                           \
            STORE(dr, dest, 2 * i);                                             \
            STORE(di, dest, 2 * i + 1);                                         \
        }                                                                       \
    }                                                                           \
    static ATTR void scale_##NAME##_##ISA(const void *scale, void *dest,        \
                                          const void *src, size_t n)            \
    {                                                                           \
        LOAD(T, ar, scale, 0);                                                  \
        LOAD(T, ai, scale, 1);                                                  \
        for (size_t i = 0; i < n; i++) {                                        \
            PRODUCT(T, src, i);                                                 \
            STORE(pr, dest, 2 * i);                                             \
            STORE(pi, dest, 2 * i + 1);                                         \
        }                                                                       \
    }

typedef struct loops {
    add_fn *add[CW_PARTS];
    scaled_fn *add_scaled[CW_NUMBERS], *scale[CW_NUMBERS];
} loops_t;

// Unsigned: overflow is defined, and the bits are those of two's complement.
#define SET(ISA, ATTR)                                                                           \
    REAL(ISA, ATTR, int32, uint32_t)                                                             \
    REAL(ISA, ATTR, int64, uint64_t)                                                             \
    REAL(ISA, ATTR, float, float)                                                                \
    REAL(ISA, ATTR, double, double)                                                              \
    COMPLEX(ISA, ATTR, complex_float, float)                                                     \
    COMPLEX(ISA, ATTR, complex_double, double)                                                   \
    static const loops_t loops_##ISA = {                                                         \
        {add_int32_##ISA, add_int64_##ISA, add_float_##ISA, add_double_##ISA},                   \
        {add_scaled_int32_##ISA, add_scaled_int64_##ISA, add_scaled_float_##ISA,                 \
         add_scaled_double_##ISA, add_scaled_complex_float_##ISA,                                \
         add_scaled_complex_double_##ISA},                                                       \
        {scale_int32_##ISA, scale_int64_##ISA, scale_float_##ISA, scale_double_##ISA,            \
         scale_complex_float_##ISA, scale_complex_double_##ISA}};
SET(any, CW_VECTORIZED)
SET(wide, CW_VECTORIZED_WIDE)

static const loops_t *loops(void)
{
    return CW_HAS_AVX2() ? &loops_wide : &loops_any;
}

bool cwu_number_is_one(cwu_number_t type, const void *number)
{
    static const union {
        int32_t int32;
        int64_t int64;
        float part32[2];
        double part64[2];
    } ones[CW_NUMBERS] = {[CW_INT32].int32 = 1,
                          [CW_INT64].int64 = 1,
                          [CW_FLOAT].part32 = {1},
                          [CW_DOUBLE].part64 = {1},
                          [CW_COMPLEX_FLOAT].part32 = {1},
                          [CW_COMPLEX_DOUBLE].part64 = {1}};
    size_t nbytes = cwu_number_size(type);
    if (nbytes == 8)
        return memcmp(number, &ones[type], 8) == 0;
    return memcmp(number, &ones[type], 4) == 0 &&
           (nbytes == 4 || memcmp(number, &ones[type], 16) == 0);
}

void cwu_numbers_add(cwu_number_t type, void *dest, const void *src, size_t nbytes)
{
    loops()->add[type](dest, src, nbytes / cwu_number_size(type));
}

void cwu_numbers_add_scaled(cwu_number_t type, const void *scale, void *dest, const void *src,
                            size_t nbytes)
{
    loops()->add_scaled[type](scale, dest, src, nbytes / cwu_number_size(type));
}

void cwu_numbers_add_rows(cwu_number_t type, const void *scale, void *dest, ptrdiff_t dest_stride,
                          const void *src, ptrdiff_t src_stride, size_t nbytes, size_t n)
{
    size_t count = nbytes / cwu_number_size(type);
    uintptr_t to = (uintptr_t)dest, from = (uintptr_t)src;
    scaled_fn *scaled = scale ? loops()->add_scaled[type] : NULL;
    add_fn *add = scale ? NULL : loops()->add[type];
    for (; n > 0; n--, to += (uintptr_t)dest_stride, from += (uintptr_t)src_stride)
        if (scaled)
            scaled(scale, (void *)to, (const void *)from, count);
        else
            add((void *)to, (const void *)from, count);
}

void cwu_numbers_scale(cwu_number_t type, const void *scale, void *dest, const void *src,
                       size_t nbytes)
{
    loops()->scale[type](scale, dest, src, nbytes / cwu_number_size(type));
}
