// SPDX-License-Identifier: BSD-3-Clause
//
// Operations by type, and the table of those that programs make. Integers wrap around. A byte is a
// number from 0 to 255.
#include "dart/op.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dart/type.h"

// ---------------------------------------------------------------- by type
#define LOOP(name, type, expression)                                   \
    static void name##_##type(void *acc_p, const void *in_p, size_t n) \
    {                                                                  \
        type *acc = acc_p;                                             \
        const type *in = in_p;                                         \
        for (size_t i = 0; i < n; i++)                                 \
            acc[i] = (type)(expression);                               \
    }
#define ORDERED(type)                                                    \
    LOOP(min, type, in[i] < acc[i] ? in[i] : acc[i])                     \
    LOOP(max, type, in[i] > acc[i] ? in[i] : acc[i])                     \
    LOOP(replace, type, in[i])                                           \
    static void minmax_##type(void *acc_p, const void *in_p, size_t n)   \
    {                                                                    \
        type *acc = acc_p;                                               \
        const type *in = in_p;                                           \
        for (size_t i = 0; i < 2 * n; i += 2) {                          \
            acc[i] = in[i] < acc[i] ? in[i] : acc[i];                    \
            acc[i + 1] = in[i + 1] > acc[i + 1] ? in[i + 1] : acc[i + 1]; \
        }                                                                \
    }
#define INTEGER(type, wide)                     \
    LOOP(sum, type, (wide)acc[i] + (wide)in[i]) \
    LOOP(prod, type, (wide)acc[i] * (wide)in[i]) \
    LOOP(band, type, acc[i] & in[i])            \
    LOOP(land, type, acc[i] && in[i])           \
    LOOP(bor, type, acc[i] | in[i])             \
    LOOP(lor, type, acc[i] || in[i])            \
    LOOP(bxor, type, acc[i] ^ in[i])            \
    LOOP(lxor, type, !acc[i] != !in[i])         \
    ORDERED(type)
#define REAL(type)                    \
    LOOP(sum, type, acc[i] + in[i])   \
    LOOP(prod, type, acc[i] * in[i])  \
    ORDERED(type)

typedef unsigned char byte;
typedef unsigned ui;
typedef unsigned long ul;
typedef long long ll;
typedef unsigned long long ull;
typedef long double ld;
INTEGER(byte, unsigned)
INTEGER(short, unsigned)
INTEGER(int, unsigned)
INTEGER(ui, unsigned)
INTEGER(long, unsigned long)
INTEGER(ul, unsigned long)
INTEGER(ll, unsigned long long)
INTEGER(ull, unsigned long long)
REAL(float)
REAL(double)
REAL(ld)

static void keep(void *acc, const void *in, size_t n)
{
    (void)acc, (void)in, (void)n;
}

#define REAL_FNS(t)                                                                           \
    [DART_OP_MIN] = min_##t, [DART_OP_MAX] = max_##t, [DART_OP_MINMAX] = minmax_##t,          \
    [DART_OP_SUM] = sum_##t, [DART_OP_PROD] = prod_##t, [DART_OP_REPLACE] = replace_##t,      \
    [DART_OP_NO_OP] = keep
#define INTEGER_FNS(t)                                                              \
    REAL_FNS(t), [DART_OP_BAND] = band_##t, [DART_OP_LAND] = land_##t,              \
                 [DART_OP_BOR] = bor_##t, [DART_OP_LOR] = lor_##t,                  \
                 [DART_OP_BXOR] = bxor_##t, [DART_OP_LXOR] = lxor_##t
static const cw_reduce_fn fns[][DART_OP_LAST] = {
    [DART_TYPE_BYTE] = {INTEGER_FNS(byte)},   [DART_TYPE_SHORT] = {INTEGER_FNS(short)},
    [DART_TYPE_INT] = {INTEGER_FNS(int)},     [DART_TYPE_UINT] = {INTEGER_FNS(ui)},
    [DART_TYPE_LONG] = {INTEGER_FNS(long)},   [DART_TYPE_ULONG] = {INTEGER_FNS(ul)},
    [DART_TYPE_LONGLONG] = {INTEGER_FNS(ll)}, [DART_TYPE_ULONGLONG] = {INTEGER_FNS(ull)},
    [DART_TYPE_FLOAT] = {REAL_FNS(float)},    [DART_TYPE_DOUBLE] = {REAL_FNS(double)},
    [DART_TYPE_LONG_DOUBLE] = {REAL_FNS(ld)},
};

cw_reduce_fn drt_op_fn(dart_datatype_t type, dart_operation_t op)
{
    return drt_is_basic(type) && op < DART_OP_LAST ? fns[type][op] : NULL;
}

const char *drt_value_name(bool is_operation, uint64_t value)
{
    static const char *const ops[] = {
        "DART_OP_UNDEFINED", "DART_OP_MIN",  "DART_OP_MAX",     "DART_OP_MINMAX", "DART_OP_SUM",
        "DART_OP_PROD",      "DART_OP_BAND", "DART_OP_LAND",    "DART_OP_BOR",    "DART_OP_LOR",
        "DART_OP_BXOR",      "DART_OP_LXOR", "DART_OP_REPLACE", "DART_OP_NO_OP"};
    static const char *const types[] = {
        "DART_TYPE_UNDEFINED", "DART_TYPE_BYTE",  "DART_TYPE_SHORT",  "DART_TYPE_INT",
        "DART_TYPE_UINT",      "DART_TYPE_LONG",  "DART_TYPE_ULONG",  "DART_TYPE_LONGLONG",
        "DART_TYPE_ULONGLONG", "DART_TYPE_FLOAT", "DART_TYPE_DOUBLE", "DART_TYPE_LONG_DOUBLE"};
    _Static_assert(sizeof ops / sizeof *ops == DART_OP_LAST, "all operations");
    _Static_assert(sizeof types / sizeof *types == (size_t)DART_TYPE_LAST, "all types");
    const size_t n = is_operation ? DART_OP_LAST : (size_t)DART_TYPE_LAST;
    return value < n ? (is_operation ? ops : types)[value] : NULL;
}

dart_ret_t drt_refuse_op(const char *call, dart_datatype_t type, dart_operation_t op)
{
    const char *type_name = drt_value_name(false, (uint64_t)type),
               *op_name = drt_value_name(true, (uint64_t)op);
    if (type_name && op_name)
        return drt_refuse(call, DART_ERR_INVAL, "type %s has no operation %s here", type_name,
                          op_name);
    return drt_refuse(call, DART_ERR_INVAL, "type %lld has no operation %llu here", (long long)type,
                      (unsigned long long)op);
}

// ---------------------------------------------------------------- made by programs
enum { OPS = 4096 };  // at a time; an operation is its place in the table behind DART_OP_LAST
static drt_user_op_t *ops[OPS] CW_LARGE;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards changes of the table

const drt_user_op_t *drt_user_op(dart_operation_t op)
{
    size_t at = (size_t)op - DART_OP_LAST;
    return at < OPS ? __atomic_load_n(&ops[at], __ATOMIC_ACQUIRE) : NULL;
}

static bool enter(drt_user_op_t *op, dart_operation_t *number_p)
{
    size_t at = 0;
    pthread_mutex_lock(&lock);
    while (at < OPS && ops[at])
        at++;
    if (at < OPS) {
        *number_p = DART_OP_LAST + at;
        __atomic_store_n(&ops[at], op, __ATOMIC_RELEASE);  // pairs with drt_user_op
    }
    pthread_mutex_unlock(&lock);
    return at < OPS;
}

DRT_API dart_ret_t dart_op_create(dart_operator_t op, void *userdata, bool commute,
                                  dart_datatype_t dtype, bool dtype_is_tmp,
                                  dart_operation_t *new_op)
{
    size_t nbytes;
    (void)dtype_is_tmp;  // elements are moved as bytes either way
    DRT_WANT(new_op);
    *new_op = DART_OP_UNDEFINED;
    DRT_WANT(op);
    if (!drt_nbytes(1, dtype, &nbytes))
        return drt_refuse_size(__func__, 1, dtype);
    drt_user_op_t *made = malloc(sizeof *made);
    if (made)
        *made = (drt_user_op_t){op, userdata, commute, dtype};
    if (made && enter(made, new_op))
        return DART_OK;
    free(made);
    return drt_refuse(__func__, DART_ERR_NOMEM, "there is no room for one more operation; %d exist",
                      OPS);
}

DRT_API dart_ret_t dart_op_destroy(dart_operation_t *op)
{
    DRT_WANT(op);
    pthread_mutex_lock(&lock);
    drt_user_op_t *made = (drt_user_op_t *)(uintptr_t)drt_user_op(*op);
    if (made)
        __atomic_store_n(&ops[*op - DART_OP_LAST], NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    if (!made)
        return drt_refuse(__func__, DART_ERR_INVAL, "operation %llu is none that a call has made",
                          (unsigned long long)*op);
    free(made);
    *op = DART_OP_UNDEFINED;
    return DART_OK;
}
