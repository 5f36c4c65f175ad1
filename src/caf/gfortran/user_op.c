// SPDX-License-Identifier: BSD-3-Clause
//
// The program's function of CO_REDUCE, called as the compiler has made it: with references to two
// elements, or with their values, and with a result in registers, or, of characters and long
// derived types, in memory that the caller names.
#include "caf/gfortran/user_op.h"

#include <complex.h>
#include <string.h>

typedef __int128 int128_t;
typedef float _Complex complex4_t;
typedef double _Complex complex8_t;

/** What the flags say. */
enum { RESULT_BY_REFERENCE = 1, HIDDEN_LENGTHS = 2, ARGUMENTS_BY_VALUE = 4, BY_DESCRIPTOR = 8 };
// A derived type up to that size may be returned in registers, in which ones depends on its
// components; one of up to DERIVED_MOST has room in our memory.
#if defined(__x86_64__)
enum { IN_REGISTERS_MOST = 16 };
#else
enum { IN_REGISTERS_MOST = 64 };
#endif
enum { DERIVED_MOST = 4096 };

/** The function of the running CO_REDUCE. */
static struct {
    gft_operation_fn *operation;
    size_t elem_nbytes;
    size_t length;  // of characters
} user;

#define CALL_BY_REFERENCE(name, type)                                           \
    static void by_reference_##name(void *acc_p, const void *in_p, size_t n)    \
    {                                                                           \
        type *acc = acc_p;                                                      \
        const type *in = in_p;                                                  \
        type (*f)(type *, const type *) = (type(*)(type *, const type *))(void *)user.operation; \
        for (size_t i = 0; i < n; i++)                                          \
            acc[i] = f(&acc[i], &in[i]);                                        \
    }
#define CALL_BY_VALUE(name, type)                                               \
    static void by_value_##name(void *acc_p, const void *in_p, size_t n)        \
    {                                                                           \
        type *acc = acc_p;                                                      \
        const type *in = in_p;                                                  \
        type (*f)(type, type) = (type(*)(type, type))(void *)user.operation;    \
        for (size_t i = 0; i < n; i++)                                          \
            acc[i] = f(acc[i], in[i]);                                          \
    }
#define CALL(name, type)          \
    CALL_BY_REFERENCE(name, type) \
    CALL_BY_VALUE(name, type)

CALL(whole1, int8_t)
CALL(whole2, int16_t)
CALL(whole4, int32_t)
CALL(whole8, int64_t)
CALL(whole16, int128_t)
CALL(real4, float)
CALL(real8, double)
CALL(complex4, complex4_t)
CALL(complex8, complex8_t)

/** Any type of that size is returned as this one is. */
typedef struct in_memory {
    char bytes[DERIVED_MOST];
} in_memory_t;

static void by_reference_derived(void *acc_p, const void *in_p, size_t n)
{
    static in_memory_t result CW_LARGE;
    in_memory_t (*f)(void *, const void *) =
        (in_memory_t(*)(void *, const void *))(void *)user.operation;
    char *acc = acc_p;
    const char *in = in_p;
    for (size_t i = 0; i < n; i++, acc += user.elem_nbytes, in += user.elem_nbytes) {
        result = f(acc, in);
        memcpy(acc, result.bytes, user.elem_nbytes);
    }
}

/** The function of characters writes its result into the first argument. */
static void by_reference_text(void *acc_p, const void *in_p, size_t n)
{
    typedef void fn(char *, size_t, const char *, const char *, size_t, size_t);
    char result[DERIVED_MOST];
    char *acc = acc_p;
    const char *in = in_p;
    for (size_t i = 0; i < n; i++, acc += user.elem_nbytes, in += user.elem_nbytes) {
        ((fn *)(void *)user.operation)(result, user.length, acc, in, user.length, user.length);
        memcpy(acc, result, user.elem_nbytes);
    }
}

typedef struct row {
    int type, kind;
    cw_reduce_fn by_reference, by_value;
} row_t;

#define ROW(type, kind, name) {type, kind, by_reference_##name, by_value_##name}
static const row_t rows[] = {
    ROW(CAF_INTEGER, 1, whole1),   ROW(CAF_INTEGER, 2, whole2),   ROW(CAF_INTEGER, 4, whole4),
    ROW(CAF_INTEGER, 8, whole8),   ROW(CAF_INTEGER, 16, whole16), ROW(CAF_LOGICAL, 1, whole1),
    ROW(CAF_LOGICAL, 2, whole2),   ROW(CAF_LOGICAL, 4, whole4),   ROW(CAF_LOGICAL, 8, whole8),
    ROW(CAF_LOGICAL, 16, whole16), ROW(CAF_REAL, 4, real4),       ROW(CAF_REAL, 8, real8),
    ROW(CAF_COMPLEX, 4, complex4), ROW(CAF_COMPLEX, 8, complex8),
};

static cw_reduce_fn find_row(int flags, int type, int kind)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type && rows[i].kind == kind)
            return flags & ARGUMENTS_BY_VALUE ? rows[i].by_value : rows[i].by_reference;
    return NULL;
}

cw_reduce_fn gft_user_fn(gft_operation_fn *operation, int flags, int type, int kind,
                         size_t elem_nbytes)
{
    user.operation = operation;
    user.elem_nbytes = elem_nbytes;
    if (flags & BY_DESCRIPTOR)
        caf_fatal("co_reduce", "an operation with arguments by descriptor is not supported");
    if (elem_nbytes > DERIVED_MOST)
        caf_fatal("co_reduce", "an element has %zu bytes, and the most are %d", elem_nbytes,
                  DERIVED_MOST);
    if (type == CAF_CHARACTER && !(flags & ARGUMENTS_BY_VALUE)) {
        user.length = elem_nbytes / (size_t)kind;
        return by_reference_text;
    }
    if (type != CAF_DERIVED)
        return find_row(flags, type, kind);
    if (elem_nbytes <= IN_REGISTERS_MOST || flags & ARGUMENTS_BY_VALUE)
        caf_fatal("co_reduce",
                  "the compiler does not say how its function returns a derived type of %zu bytes; "
                  "make it longer than %d",
                  elem_nbytes, IN_REGISTERS_MOST);
    return by_reference_derived;
}
