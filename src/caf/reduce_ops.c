// SPDX-License-Identifier: BSD-3-Clause
//
// Sum, minimum and maximum of elements, by type and kind.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // at -O2 gcc vectorises no loop of a length that it does not know
#endif

#include "caf/reduce_ops.h"

#include <complex.h>
#include <string.h>

typedef __int128 int128_t;
typedef long double real10_t;
typedef float _Complex complex4_t;
typedef double _Complex complex8_t;
typedef long double _Complex complex10_t;
#if defined(__x86_64__)
typedef __float128 real16_t;
#else
typedef long double real16_t;
#endif

// x is the accumulated value, y the other one.
#define COMBINE(name, type, expression)                                          \
    static void name(void *acc_p, const void *in_p, size_t nelems)               \
    {                                                                            \
        type *acc = acc_p;                                                       \
        const type *in = in_p;                                                   \
        for (size_t i = 0; i < nelems; i++) {                                    \
            type x = acc[i], y = in[i];                                          \
            acc[i] = expression;                                                 \
        }                                                                        \
    }
#define COMBINE_ALL(name, type)              \
    COMBINE(sum_##name, type, x + y)         \
    COMBINE(min_##name, type, y < x ? y : x) \
    COMBINE(max_##name, type, y > x ? y : x)

// Sums of integers wrap.
#define COMBINE_WHOLE(name, type, wrapping)                         \
    COMBINE(sum_##name, type, (type)((wrapping)x + (wrapping)y))    \
    COMBINE(min_##name, type, y < x ? y : x)                        \
    COMBINE(max_##name, type, y > x ? y : x)

COMBINE_WHOLE(integer1, int8_t, uint8_t)
COMBINE_WHOLE(integer2, int16_t, uint16_t)
COMBINE_WHOLE(integer4, int32_t, uint32_t)
COMBINE_WHOLE(integer8, int64_t, uint64_t)
COMBINE_WHOLE(integer16, int128_t, unsigned __int128)
COMBINE_ALL(real4, float)
COMBINE_ALL(real8, double)
COMBINE_ALL(real10, real10_t)
COMBINE_ALL(real16, real16_t)
COMBINE(sum_complex4, complex4_t, x + y)
COMBINE(sum_complex8, complex8_t, x + y)
COMBINE(sum_complex10, complex10_t, x + y)

/** Two quads an element; clang has no complex type of them. */
static void sum_complex16(void *acc, const void *in, size_t nelems)
{
    sum_real16(acc, in, 2 * nelems);
}

// ---------------------------------------------------------------- characters
static size_t text_nbytes;

static int compare(const void *a, const void *b, int kind)
{
    if (kind == 1)
        return memcmp(a, b, text_nbytes);
    for (size_t at = 0; at < text_nbytes; at += sizeof(uint32_t)) {
        uint32_t x, y;
        memcpy(&x, (const char *)a + at, sizeof x);
        memcpy(&y, (const char *)b + at, sizeof y);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/** sign: -1 for the minimum, 1 for the maximum. */
static void choose(char *acc, const char *in, size_t nelems, int kind, int sign)
{
    for (size_t at = 0; at < nelems * text_nbytes; at += text_nbytes)
        if (sign * compare(in + at, acc + at, kind) > 0)
            memcpy(acc + at, in + at, text_nbytes);
}

static void min_character1(void *acc, const void *in, size_t nelems)
{
    choose(acc, in, nelems, 1, -1);
}

static void max_character1(void *acc, const void *in, size_t nelems)
{
    choose(acc, in, nelems, 1, 1);
}

static void min_character4(void *acc, const void *in, size_t nelems)
{
    choose(acc, in, nelems, 4, -1);
}

static void max_character4(void *acc, const void *in, size_t nelems)
{
    choose(acc, in, nelems, 4, 1);
}

// ---------------------------------------------------------------- the table
typedef struct row {
    int type, kind;
    cw_reduce_fn fn[CAF_MAX + 1];
} row_t;

#define ROW(type, kind, name) {type, kind, {sum_##name, min_##name, max_##name}}
static const row_t rows[] = {
    ROW(CAF_INTEGER, 1, integer1),
    ROW(CAF_INTEGER, 2, integer2),
    ROW(CAF_INTEGER, 4, integer4),
    ROW(CAF_INTEGER, 8, integer8),
    ROW(CAF_INTEGER, 16, integer16),
    ROW(CAF_REAL, 4, real4),
    ROW(CAF_REAL, 8, real8),
    ROW(CAF_REAL, 10, real10),
    ROW(CAF_REAL, 16, real16),
    {CAF_COMPLEX, 4, {sum_complex4, NULL, NULL}},
    {CAF_COMPLEX, 8, {sum_complex8, NULL, NULL}},
    {CAF_COMPLEX, 10, {sum_complex10, NULL, NULL}},
    {CAF_COMPLEX, 16, {sum_complex16, NULL, NULL}},
    {CAF_CHARACTER, 1, {NULL, min_character1, max_character1}},
    {CAF_CHARACTER, 4, {NULL, min_character4, max_character4}},
};

#define NUMBERS(op) {{op##_integer4, op##_integer8}, {op##_real4, op##_real8}}
const cw_reduce_fn caf_reduce_numbers[CAF_MAX + 1][2][2] = {
    [CAF_SUM] = NUMBERS(sum), [CAF_MIN] = NUMBERS(min), [CAF_MAX] = NUMBERS(max)};

cw_reduce_fn caf_reduce_fn(caf_reduce_t op, int type, int kind, size_t elem_nbytes)
{
    text_nbytes = elem_nbytes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type && rows[i].kind == kind)
            return rows[i].fn[op];
    return NULL;
}
