// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics. Elements of up to 8 bytes are updated by CPU atomics, here or by the node server of the
// target; what the processor has no instruction for, by compare-and-swap; elements of 1 and 2 bytes
// as parts of their 4-byte word. So all of these may meet on one location.
//
// Larger elements, operations of programs, and all of private memory (register.c) are read, changed
// and written back under a lock of the target unit, a word in the front end's own memory: atomic
// among each other.
#include <string.h>

#include "core/owner/lock.h"
#include "core/rma/amo.h"
#include "dart/memory.h"
#include "dart/op.h"
#include "dart/transfer.h"
#include "dart/update.h"

/** One update. */
typedef struct update {
    const char *call;
    dart_gptr_t gptr;
    const void *values;
    void *old;  // of the only element; NULL: not wanted
    size_t nelem;
    dart_datatype_t type;
    dart_operation_t op;
} update_t;

// ---------------------------------------------------------------- an element as a number
static uint64_t bits_of(const void *value, size_t nbytes)
{
    uint64_t bits = 0;
    memcpy(&bits, value, nbytes);  // little-endian
    return bits;
}

/** What the element becomes. */
static uint64_t applied(cw_reduce_fn fn, uint64_t old, uint64_t operand)
{
    fn(&old, &operand, 1);
    return old;
}

/** The operation of core that does it, if there is one: on integers of 4 and 8 bytes. */
static bool is_simple(dart_datatype_t type, dart_operation_t op, bool fetches, cw_amo_op_t *op_p)
{
    const bool real = type == DART_TYPE_FLOAT || type == DART_TYPE_DOUBLE;
    if (drt_basic_nbytes[type] < 4)
        return false;
    switch (op) {
    case DART_OP_SUM:
        *op_p = CW_AMO_ADD;
        return !real;
    case DART_OP_BAND:
        *op_p = CW_AMO_AND;
        return true;
    case DART_OP_BOR:
        *op_p = CW_AMO_OR;
        return true;
    case DART_OP_BXOR:
        *op_p = CW_AMO_XOR;
        return true;
    case DART_OP_REPLACE:
        *op_p = fetches ? CW_AMO_SWAP : CW_AMO_SET;
        return true;
    case DART_OP_NO_OP:
        *op_p = CW_AMO_FETCH;
        return true;
    default:
        return false;
    }
}

// ---------------------------------------------------------------- by the target's node server
static uint64_t ask(int pe, void *far, cw_amo_op_t op, size_t nbytes, uint64_t operand,
                    uint64_t compare)
{
    return cw_amo_fetching(&cw_ctx_default, far, op, nbytes, operand, compare, pe);
}

/** Exchanges an element of any size if it is as expected; returns what it was. */
static uint64_t exchange_there(int pe, char *far, size_t nbytes, uint64_t expected, uint64_t new)
{
    if (nbytes >= 4)
        return ask(pe, far, CW_AMO_CSWAP, nbytes, new, expected);
    const unsigned shift = (unsigned)((uintptr_t)far & 3) * 8;
    const uint64_t mask = (UINT64_C(1) << nbytes * 8) - 1;
    char *word_at = far - ((uintptr_t)far & 3);
    uint64_t word = ask(pe, word_at, CW_AMO_FETCH, 4, 0, 0), was;
    for (;; word = was) {
        if ((word >> shift & mask) != expected)
            return word >> shift & mask;
        uint64_t wanted = (word & ~(mask << shift)) | new << shift;
        if ((was = ask(pe, word_at, CW_AMO_CSWAP, 4, wanted, word)) == word)
            return expected;
    }
}

static uint64_t update_there(int pe, char *far, size_t nbytes, cw_reduce_fn fn, uint64_t operand)
{
    char *word_at = nbytes < 4 ? far - ((uintptr_t)far & 3) : far;
    uint64_t expected = ask(pe, word_at, CW_AMO_FETCH, nbytes < 4 ? 4 : nbytes, 0, 0), was;
    if (nbytes < 4)
        expected = expected >> ((uintptr_t)far & 3) * 8 & ((UINT64_C(1) << nbytes * 8) - 1);
    for (;; expected = was) {
        uint64_t new = applied(fn, expected, operand);
        if ((was = exchange_there(pe, far, nbytes, expected, new)) == expected)
            return was;
    }
}

// ---------------------------------------------------------------- under the target's lock
static void read_whole(const char *call, const drt_target_t *target, size_t at, void *dest,
                       size_t nbytes)
{
    drt_land(drt_read(call, target, at, dest, nbytes));
}

static void write_whole(const char *call, const drt_target_t *target, size_t at, const void *src,
                        size_t nbytes)
{
    drt_land(drt_write(call, target, at, src, nbytes));
}

/** n elements, as the operation says. */
static void change(const update_t *u, const drt_user_op_t *user, void *old, const void *values,
                   size_t n, size_t each)
{
    if (!user) {
        drt_op_fn(u->type, u->op)(old, values, n);
        return;
    }
    char new[each];
    for (size_t i = 0; i < n; i++, old = (char *)old + each) {
        memcpy(new, (const char *)values + i * each, each);
        user->fn(old, new, 1, user->userdata);
        memcpy(old, new, each);
    }
}

enum { LARGEST = 64 << 10 };  // bytes that are updated at a time: they are copied to the stack

static dart_ret_t update_locked(const update_t *u, const drt_target_t *target,
                                const drt_user_op_t *user, size_t each)
{
    if (each > LARGEST)
        return drt_refuse(u->call, DART_ERR_INVAL, "elements of %zu bytes; at most %d are updated",
                          each, LARGEST);
    const size_t most = u->nelem * each < LARGEST ? u->nelem : LARGEST / each;
    _Alignas(16) char values[most * each];
    cw_owner_lock(u->call, drt_update_lock(), target->pe);
    for (size_t i = 0, n; i < u->nelem; i += n) {
        n = u->nelem - i < most ? u->nelem - i : most;
        read_whole(u->call, target, i * each, values, n * each);
        if (u->old)
            memcpy(u->old, values, each);
        if (u->op == DART_OP_NO_OP)
            continue;
        change(u, user, values, (const char *)u->values + i * each, n, each);
        write_whole(u->call, target, i * each, values, n * each);
    }
    cw_owner_unlock(drt_update_lock(), target->pe);
    return DART_OK;
}

/** Of private memory: all updates of a unit's memory are under its lock. */
static uint64_t exchange_locked(const char *call, const drt_target_t *target, size_t nbytes,
                                uint64_t expected, uint64_t new)
{
    uint64_t old = 0;
    cw_owner_lock(call, drt_update_lock(), target->pe);
    read_whole(call, target, 0, &old, nbytes);
    if (old == expected)
        write_whole(call, target, 0, &new, nbytes);
    cw_owner_unlock(drt_update_lock(), target->pe);
    return old;
}

// ---------------------------------------------------------------- updates
/** Many small requests travel together, unless the program has its own session. */
static bool begin_batch(const update_t *u, const drt_target_t *target)
{
    bool batch = u->nelem >= 4 && !cw_world.thread_multiple && !cw_world.nic_atomics &&
                 cw_world.node_of_pe[target->pe] != cw_world.node &&
                 !cw_batch_is_on(&cw_ctx_default);
    if (batch)
        cw_ctx_batch_start(&cw_ctx_default, u->nelem);
    return batch;
}

/** By one request each, without a reply. */
static void post(const update_t *u, const drt_target_t *target, cw_amo_op_t op, size_t each)
{
    bool batch = begin_batch(u, target);
    for (size_t i = 0; i < u->nelem; i++)
        cw_amo_posting(&cw_ctx_default, target->far + i * each, op, each,
                       bits_of((const char *)u->values + i * each, each), target->pe);
    if (batch)
        cw_ctx_batch_stop(&cw_ctx_default);
}

/** Off the node: many elements with one request. Where the network executes atomics, those that it
 *  has not by compare-and-swap, for one domain of atomicity. */
static void update_far(const update_t *u, const drt_target_t *target, size_t each, bool simple,
                       cw_amo_op_t op)
{
    cw_reduce_fn fn = drt_op_fn(u->type, u->op);
    const drt_bulk_t bulk = {u->call, target->pe, target->far, u->values, u->nelem, u->type, u->op};
    uint64_t old = 0, value = u->op == DART_OP_NO_OP ? 0 : bits_of(u->values, each);
    if (simple && u->old)
        old = ask(target->pe, target->far, op, each, value, 0);
    else if (u->op == DART_OP_NO_OP && !u->old)
        return;
    else if (simple && (u->nelem == 1 || cw_world.nic_atomics))
        post(u, target, op, each);
    else if (!cw_world.nic_atomics && u->old)
        old = drt_update_fetching(&bulk);
    else if (!cw_world.nic_atomics)
        drt_update_bulk(&bulk);
    else
        for (size_t i = 0; i < u->nelem; i++)
            old = update_there(target->pe, target->far + i * each, each, fn,
                               bits_of((const char *)u->values + i * each, each));
    if (u->old)
        memcpy(u->old, &old, each);
}

static dart_ret_t update_words(const update_t *u, const drt_target_t *target, size_t each)
{
    cw_amo_op_t op = CW_AMO_FETCH;
    cw_reduce_fn fn = drt_op_fn(u->type, u->op);
    // one domain: where the network executes atomics, it executes all
    char *near = cw_world.nic_atomics ? NULL : target->near;
    bool simple = is_simple(u->type, u->op, u->old != NULL, &op);
    if (!near) {
        update_far(u, target, each, simple, op);
        return DART_OK;
    }
    for (size_t i = 0; i < u->nelem; i++) {
        uint64_t value =
                     u->op == DART_OP_NO_OP ? 0 : bits_of((const char *)u->values + i * each, each),
                 old;
        if (simple && op == CW_AMO_FETCH)
            old = cw_amo_polling(near + i * each, each);
        else if (simple)
            old = cw_amo_local(near + i * each, op, each, value, 0);
        else
            old = drt_update_here(near + i * each, each, fn, value);
        if (u->old)
            memcpy(u->old, &old, each);
    }
    return DART_OK;
}

/** The general path. */
static CW_NOINLINE dart_ret_t update(const update_t *u)
{
    size_t nbytes, each;
    drt_target_t target;
    const drt_user_op_t *user = drt_user_op(u->op);
    drt_gets_finish();
    if (!drt_nbytes(u->nelem, u->type, &nbytes) || !drt_nbytes(1, u->type, &each))
        return drt_refuse_size(u->call, u->nelem, u->type);
    if (u->op == DART_OP_MINMAX || (user ? user->type != u->type : !drt_op_fn(u->type, u->op)))
        return drt_refuse_op(u->call, u->type, u->op);
    dart_ret_t rc = drt_resolve(u->call, u->gptr, nbytes, &target);
    if (rc != DART_OK || u->nelem == 0 || target.is_nowhere)
        return rc;
    if (!u->values && u->op != DART_OP_NO_OP)
        return drt_refuse_null(u->call, "values");
    if (u->values)
        rc = drt_check_buffer(u->call, "values", u->values, nbytes);
    if (rc == DART_OK && u->old)
        rc = drt_check_buffer(u->call, "result", u->old, nbytes);
    if (rc != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(u->call));
    if (user || target.is_private || each > 8)
        return update_locked(u, &target, user, each);
    if ((uintptr_t)target.far % each)
        return drt_refuse(u->call, DART_ERR_INVAL, "offset %llu is not aligned to %zu bytes",
                          (unsigned long long)u->gptr.addr_or_offs.offset, each);
    return update_words(u, &target, each);
}

// ---------------------------------------------------------------- one word, mapped here
/** Of any basic type. NULL: the general path. */
static CW_ALWAYS_INLINE void *word_near(dart_gptr_t gptr, dart_datatype_t type)
{
    if (CW_UNLIKELY(!drt_is_basic(type)) || CW_UNLIKELY(cw_world.nic_atomics))
        return NULL;
    size_t nbytes = drt_basic_nbytes[type];
    char *near = drt_near(gptr, nbytes);
    return CW_LIKELY(((uintptr_t)near & (nbytes - 1)) == 0) ? near : NULL;
}

#define ONE(ctype)                                                                            \
    static CW_ALWAYS_INLINE bool one_##ctype(ctype *p, const ctype *value, ctype *result,     \
                                             dart_operation_t op)                             \
    {                                                                                         \
        switch (op) {                                                                         \
        case DART_OP_SUM:                                                                     \
            *result = __atomic_fetch_add(p, *value, __ATOMIC_ACQ_REL);                        \
            return true;                                                                      \
        case DART_OP_BAND:                                                                    \
            *result = __atomic_fetch_and(p, *value, __ATOMIC_ACQ_REL);                        \
            return true;                                                                      \
        case DART_OP_BOR:                                                                     \
            *result = __atomic_fetch_or(p, *value, __ATOMIC_ACQ_REL);                         \
            return true;                                                                      \
        case DART_OP_BXOR:                                                                    \
            *result = __atomic_fetch_xor(p, *value, __ATOMIC_ACQ_REL);                        \
            return true;                                                                      \
        case DART_OP_REPLACE:                                                                 \
            *result = __atomic_exchange_n(p, *value, __ATOMIC_ACQ_REL);                       \
            return true;                                                                      \
        case DART_OP_NO_OP:                                                                   \
            *result = (ctype)cw_amo_polling(p, sizeof *p);                                    \
            return true;                                                                      \
        default:                                                                              \
            return false;                                                                     \
        }                                                                                     \
    }
ONE(uint32_t)
ONE(uint64_t)

/** Of 4 or 8 bytes, a constant, for the CPU's atomics; NULL: the general path. */
static CW_ALWAYS_INLINE void *cell_near(dart_gptr_t gptr, size_t nbytes)
{
    // parts of allocated segments begin at whole words
    if (CW_UNLIKELY(gptr.addr_or_offs.offset & (nbytes - 1)) || CW_UNLIKELY(cw_world.nic_atomics))
        return NULL;
    return drt_near_word(gptr, nbytes);
}

/** False: the general path. */
static CW_ALWAYS_INLINE bool fetch_near(dart_gptr_t gptr, const void *value, void *result,
                                        dart_datatype_t type, dart_operation_t op)
{
    void *p;
    if (CW_UNLIKELY(!value && op != DART_OP_NO_OP) || CW_UNLIKELY(drt_gets_under_way()))
        return false;
    if (type >= DART_TYPE_LONG && type <= DART_TYPE_ULONGLONG)
        return CW_LIKELY((p = cell_near(gptr, 8)) != NULL) && one_uint64_t(p, value, result, op);
    if (type == DART_TYPE_INT || type == DART_TYPE_UINT)
        return CW_LIKELY((p = cell_near(gptr, 4)) != NULL) && one_uint32_t(p, value, result, op);
    return false;
}

// ---------------------------------------------------------------- calls
static CW_NOINLINE dart_ret_t fetch_anywhere(dart_gptr_t gptr, const void *value, void *result,
                                             dart_datatype_t dtype, dart_operation_t op)
{
    if (!result)
        return drt_refuse_null("dart_fetch_and_op", "result");
    const update_t u = {"dart_fetch_and_op", gptr, value, result, 1, dtype, op};
    return update(&u);
}

DRT_API dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void *value, void *result,
                                     dart_datatype_t dtype, dart_operation_t op)
{
    if (CW_LIKELY(result != NULL) && CW_LIKELY(fetch_near(gptr, value, result, dtype, op)))
        return DART_OK;
    return fetch_anywhere(gptr, value, result, dtype, op);
}

static CW_NOINLINE dart_ret_t accumulate_anywhere(dart_gptr_t gptr, const void *values,
                                                  size_t nelem, dart_datatype_t dtype,
                                                  dart_operation_t op)
{
    const update_t u = {"dart_accumulate", gptr, values, NULL, nelem, dtype, op};
    return update(&u);
}

static CW_NOINLINE dart_ret_t accumulate_local_anywhere(dart_gptr_t gptr, const void *values,
                                                        size_t nelem, dart_datatype_t dtype,
                                                        dart_operation_t op)
{
    const update_t u = {"dart_accumulate_blocking_local", gptr, values, NULL, nelem, dtype, op};
    return update(&u);
}

/** One word that is mapped here; false: the general path. */
static CW_ALWAYS_INLINE bool accumulate_near(dart_gptr_t gptr, const void *values, size_t nelem,
                                             dart_datatype_t type, dart_operation_t op)
{
    uint64_t old;  // of no interest
    return CW_LIKELY(nelem == 1) && fetch_near(gptr, values, &old, type, op);
}

DRT_API dart_ret_t dart_accumulate(dart_gptr_t gptr, const void *values, size_t nelem,
                                   dart_datatype_t dtype, dart_operation_t op)
{
    if (CW_LIKELY(accumulate_near(gptr, values, nelem, dtype, op)))
        return DART_OK;
    return accumulate_anywhere(gptr, values, nelem, dtype, op);
}

DRT_API dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void *values,
                                                  size_t nelem, dart_datatype_t dtype,
                                                  dart_operation_t op)
{
    if (CW_LIKELY(accumulate_near(gptr, values, nelem, dtype, op)))
        return DART_OK;
    return accumulate_local_anywhere(gptr, values, nelem, dtype, op);
}

/** Mapped here: all four sizes. */
static CW_ALWAYS_INLINE void compare_near(void *p, const void *value, const void *compare,
                                          void *result, size_t nbytes)
{
#define COMPARE(ctype)                                                                        \
    {                                                                                         \
        ctype old = *(const ctype *)compare;                                                  \
        if (!__atomic_compare_exchange_n((ctype *)p, &old, *(const ctype *)value, false,      \
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))                 \
            cw_amo_left(p, old);                                                              \
        *(ctype *)result = old;                                                               \
        break;                                                                                \
    }
    switch (nbytes) {
    case 1:
        COMPARE(uint8_t)
    case 2:
        COMPARE(uint16_t)
    case 4:
        COMPARE(uint32_t)
    default:
        COMPARE(uint64_t)
    }
}

DRT_API dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void *value, const void *compare,
                                         void *result, dart_datatype_t dtype)
{
    DRT_WANT(value);
    DRT_WANT(compare);
    DRT_WANT(result);
    if (CW_UNLIKELY(!drt_is_basic(dtype) || dtype >= DART_TYPE_FLOAT))
        return drt_refuse(__func__, DART_ERR_INVAL, "type %lld is no integer", (long long)dtype);
    size_t nbytes = drt_basic_nbytes[dtype];
    void *near = word_near(gptr, dtype);
    if (CW_LIKELY(near != NULL) && CW_LIKELY(!drt_gets_under_way())) {
        compare_near(near, value, compare, result, nbytes);
        return DART_OK;
    }
    drt_gets_finish();
    drt_target_t target;
    dart_ret_t rc = drt_resolve(__func__, gptr, nbytes, &target);
    if (rc != DART_OK || target.is_nowhere)
        return rc;
    if ((uintptr_t)target.far % nbytes)
        return drt_refuse(__func__, DART_ERR_INVAL, "offset %llu is not aligned to %zu bytes",
                          (unsigned long long)gptr.addr_or_offs.offset, nbytes);
    CW_WATCH(cw_watch_call(__func__));
    const uint64_t expected = bits_of(compare, nbytes), new = bits_of(value, nbytes);
    uint64_t old = target.is_private ? exchange_locked(__func__, &target, nbytes, expected, new)
                                     : exchange_there(target.pe, target.far, nbytes, expected, new);
    memcpy(result, &old, nbytes);
    return DART_OK;
}
