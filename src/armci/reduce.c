// SPDX-License-Identifier: BSD-3-Clause
//
// The message layer: reductions and selections. absmin and absmax are min and max of absolute
// values.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "armci/group.h"
#include "base/error.h"

// ---------------------------------------------------------------- types and operations
typedef enum kind { SUM, PRODUCT, MIN, MAX, OR, AND, ANY, ALL, KINDS } kind_t;

#define REDUCTION(name, type, expression)                              \
    static void name##_##type(void *acc_p, const void *in_p, size_t n) \
    {                                                                  \
        type *acc = acc_p;                                             \
        const type *in = in_p;                                         \
        for (size_t i = 0; i < n; i++)                                 \
            acc[i] = (expression);                                     \
    }
#define ORDERED(type)                                            \
    REDUCTION(min, type, in[i] < acc[i] ? in[i] : acc[i])        \
    REDUCTION(max, type, in[i] > acc[i] ? in[i] : acc[i])        \
    static void absolute_##type(void *x_p, size_t n)             \
    {                                                            \
        type *x = x_p;                                           \
        for (size_t i = 0; i < n; i++)                           \
            x[i] = x[i] < 0 ? (type)(NEGATE_##type x[i]) : x[i]; \
    }
#define BITWISE(type)                               \
    REDUCTION(or, type, acc[i] | in[i])             \
    REDUCTION(and, type, acc[i] & in[i])            \
    REDUCTION(any, type, acc[i] != 0 || in[i] != 0) \
    REDUCTION(all, type, acc[i] != 0 && in[i] != 0)
// integers wrap around
#define INTEGER(type, utype)                                       \
    REDUCTION(sum, type, (type)((utype)acc[i] + (utype)in[i]))     \
    REDUCTION(product, type, (type)((utype)acc[i] * (utype)in[i])) \
    ORDERED(type)                                                  \
    BITWISE(type)
#define REAL(type)                           \
    REDUCTION(sum, type, acc[i] + in[i])     \
    REDUCTION(product, type, acc[i] * in[i]) \
    ORDERED(type)
typedef long long llong;
typedef unsigned long ulong_t;
typedef unsigned long long ullong;
#define NEGATE_int 0u - (unsigned)
#define NEGATE_long 0u - (ulong_t)
#define NEGATE_llong 0u - (ullong)
#define NEGATE_float -
#define NEGATE_double -
INTEGER(int, unsigned)
INTEGER(long, ulong_t)
INTEGER(llong, ullong)
REAL(float)
REAL(double)

typedef struct type_ops {
    int type;
    size_t nbytes;
    void (*absolute)(void *x, size_t n);
    cw_reduce_fn fn[KINDS];  // NULL: the type does not have it
} type_ops_t;

#define ORDERED_OPS(type) \
    [SUM] = sum_##type, [PRODUCT] = product_##type, [MIN] = min_##type, [MAX] = max_##type
#define INTEGER_OPS(code, ctype)                                                             \
    {                                                                                        \
        code, sizeof(ctype), absolute_##ctype,                                               \
        {                                                                                    \
            ORDERED_OPS(ctype), [OR] = or_##ctype, [AND] = and_##ctype, [ANY] = any_##ctype, \
                                [ALL] = all_##ctype                                          \
        }                                                                                    \
    }
#define REAL_OPS(code, ctype)                  \
    {                                          \
        code, sizeof(ctype), absolute_##ctype, \
        {                                      \
            ORDERED_OPS(ctype)                 \
        }                                      \
    }
static const type_ops_t types[] = {
    INTEGER_OPS(ARMCI_INT, int),         INTEGER_OPS(ARMCI_LONG, long),
    INTEGER_OPS(ARMCI_LONG_LONG, llong), REAL_OPS(ARMCI_FLOAT, float),
    REAL_OPS(ARMCI_DOUBLE, double),
};

// A name is looked for at the beginning of the caller's text, which Fortran callers do not end with
// a NUL: "||" before "|", "&&" before "&", and of no other two does one begin the other.
enum { OP_NAME_MAX = 6 };
static const struct {
    const char *name;
    kind_t kind;
    bool absolute;
} operations[] = {
    {"+", SUM, false},     {"*", PRODUCT, false}, {"min", MIN, false},  {"max", MAX, false},
    {"absmin", MIN, true}, {"absmax", MAX, true}, {"or", OR, false},    {"||", ANY, false},
    {"lor", ANY, false},   {"&&", ALL, false},    {"land", ALL, false}, {"|", OR, false},
    {"bor", OR, false},    {"&", AND, false},     {"band", AND, false},
};

static bool begins_with(const char *text, const char *name)
{
    return text && strncmp(text, name, strlen(name)) == 0;
}

/** What a message shows of a text that may have no end. */
static const char *shown(const char *op, char text[OP_NAME_MAX + 1])
{
    size_t n = 0;
    while (op && n < OP_NAME_MAX && isgraph((unsigned char)op[n])) {
        text[n] = op[n];
        n++;
    }
    text[n] = '\0';
    return op ? text : "(null)";
}

static const type_ops_t *find_type(const char *call, int type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    aci_fail(call,
             "type %d is none of ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE",
             type);
}

/** *absolute_p: absolute values are to be combined. */
static cw_reduce_fn find_op(const char *call, const type_ops_t *type, const char *op,
                            bool *absolute_p)
{
    char text[OP_NAME_MAX + 1];
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (begins_with(op, operations[i].name) && type->fn[operations[i].kind]) {
            *absolute_p = operations[i].absolute;
            return type->fn[operations[i].kind];
        }
    aci_fail(call, "operation \"%s\": expected + * min max absmin absmax%s", shown(op, text),
             type->fn[OR] ? " or & | && ||" : ", of real numbers");
}

// ---------------------------------------------------------------- reductions
/** Where keep is false, only the first of the scope gets the result. */
static void reduce(const char *call, int scope, void *x, int n, const char *op, int type,
                   ARMCI_Group *group, bool keep)
{
    bool absolute = false;
    const type_ops_t *ops = find_type(call, type);
    cw_reduce_fn fn = find_op(call, ops, op, &absolute);
    if (n < 0 || (n && !x))
        aci_fail(call, "%d elements at %s", n, cw_at(x, 1));
    const cw_group_t *members = aci_group_scope(call, aci_group_of(call, group), scope);
    if (!members)
        return;
    if (CW_UNLIKELY(aci.check))
        cw_coll_agree_on(members, call, (uint64_t)n, CW_CLAIM_NONE, (uint64_t)type, 0, op);
    const size_t nbytes = (size_t)n * ops->nbytes;
    void *into = x;
    if (!keep && members->rank > 0) {
        if (!(into = malloc(nbytes + 1)))
            cwu_fatal("%s: out of memory for %d elements", call, n);
        memcpy(into, x, nbytes);
    }
    if (absolute)
        ops->absolute(into, (size_t)n);
    aci_reduce(members, into, (size_t)n, ops->nbytes, fn);
    if (into != x)
        free(into);
}

ACI_API void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
    ACI_ENTER();
    reduce(__func__, scope, x, n, op, type, NULL, true);
}

ACI_API void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
    ACI_ENTER();
    reduce(__func__, scope, x, n, op, type, NULL, false);
}

ACI_API void armci_msg_reduce(void *x, int n, char *op, int type)
{
    ACI_ENTER();
    reduce(__func__, SCOPE_ALL, x, n, op, type, NULL, false);
}

ACI_API void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type,
                                       ARMCI_Group *group)
{
    ACI_ENTER();
    reduce(__func__, scope, x, n, op, type, group, true);
}

#define GOPS(letter, ctype, code)                                                             \
    ACI_API void armci_msg_##letter##gop(ctype *x, int n, char *op)                           \
    {                                                                                         \
        ACI_ENTER();                                                                          \
        reduce(__func__, SCOPE_ALL, x, n, op, code, NULL, true);                              \
    }                                                                                         \
    ACI_API void armci_msg_clus_##letter##gop(ctype *x, int n, char *op)                      \
    {                                                                                         \
        ACI_ENTER();                                                                          \
        reduce(__func__, SCOPE_NODE, x, n, op, code, NULL, true);                             \
    }                                                                                         \
    ACI_API void armci_msg_group_##letter##gop(ctype *x, int n, char *op, ARMCI_Group *group) \
    {                                                                                         \
        ACI_ENTER();                                                                          \
        reduce(__func__, SCOPE_ALL, x, n, op, code, group, true);                             \
    }
GOPS(i, int, ARMCI_INT)
GOPS(l, long, ARMCI_LONG)
GOPS(ll, long long, ARMCI_LONG_LONG)
GOPS(f, float, ARMCI_FLOAT)
GOPS(d, double, ARMCI_DOUBLE)

// ---------------------------------------------------------------- addresses
static void exchange_addresses(const char *call, void *ptr_arr[], int n, ARMCI_Group *group)
{
    _Static_assert(sizeof(void *) == sizeof(long), "summed as numbers");
    reduce(call, SCOPE_ALL, ptr_arr, n, "+", ARMCI_LONG, group, true);
}

ACI_API void armci_exchange_address(void *ptr_arr[], int n)
{
    ACI_ENTER();
    exchange_addresses(__func__, ptr_arr, n, NULL);
}

ACI_API void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group)
{
    ACI_ENTER();
    exchange_addresses(__func__, ptr_arr, n, group);
}

// ---------------------------------------------------------------- selection
/** What a process brings: a value, with data behind it that goes along. */
typedef struct choice {
    uint64_t contributes, type, wants_max, nbytes;
    char data[];
} choice_t;

static void keep_better(void *acc, const void *in, size_t n)
{
    choice_t *a = acc;
    const choice_t *b = in;
    (void)n;  // one
    if (b->nbytes != a->nbytes || b->type != a->type || b->wants_max != a->wants_max)
        cwu_fatal("armci_msg_sel_scope: the processes give different sizes, types or operations");
    if (!b->contributes)
        return;
    const type_ops_t *type = &types[b->type];
    char value[sizeof(double)] CW_CACHE_ALIGNED;
    memcpy(value, a->data, type->nbytes);
    type->fn[b->wants_max ? MAX : MIN](value, b->data, 1);
    if (!a->contributes || memcmp(value, a->data, type->nbytes) != 0)
        memcpy(a, b, sizeof *b + b->nbytes);
}

ACI_API void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
    ACI_ENTER();
    const type_ops_t *ops = find_type(__func__, type);
    char text[OP_NAME_MAX + 1];
    const bool wants_max = begins_with(op, "max");
    if (!wants_max && !begins_with(op, "min"))
        aci_fail(__func__, "operation \"%s\": expected min or max", shown(op, text));
    const size_t whole = (sizeof(choice_t) + (size_t)(n < 0 ? 0 : n) + 7) & ~(size_t)7;
    if (n < (int)ops->nbytes || whole > ACI_ELEM_MOST || !x)
        aci_fail(__func__, "%d bytes at %s; a value of %zu bytes begins them, and there may be %zu",
                 n, cw_at(x, 1), ops->nbytes, ACI_ELEM_MOST - sizeof(choice_t));
    const cw_group_t *members = aci_group_scope(__func__, aci_group_of(__func__, NULL), scope);
    if (!members)
        return;
    if (CW_UNLIKELY(aci.check))
        cw_coll_agree_on(members, __func__, (uint64_t)n, CW_CLAIM_NONE, (uint64_t)type, 0,
                         wants_max ? "max" : "min");
    choice_t *mine = calloc(1, whole);
    if (!mine)
        cwu_fatal("%s: out of memory for %d bytes", __func__, n);
    *mine = (choice_t){.contributes = contribute != 0,
                       .type = (uint64_t)(ops - types),
                       .wants_max = wants_max,
                       .nbytes = (uint64_t)n};
    memcpy(mine->data, x, (size_t)n);
    aci_reduce(members, mine, 1, whole, keep_better);
    memcpy(x, mine->data, (size_t)n);
    free(mine);
}
