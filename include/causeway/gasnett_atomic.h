// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet tools, atomic operations: gasnett_atomic_, gasnett_atomic32_, gasnett_atomic64_ are atomic
// in thread-safe mode and plain operations in single-threaded mode; gasnett_strongatomic_... are
// atomic (and safe in signal handlers) in every mode. Included by <gasnet_tools.h> only.
//
// An operation has no order of its own; its flags select fences before and after it. Flags are
// constants nearly always, and then the compiler keeps only the selected ones.
#ifndef CAUSEWAY_GASNETT_ATOMIC_H
#define CAUSEWAY_GASNETT_ATOMIC_H

#include <stdint.h>

#include "gasnett_base.h"

GASNETT_BEGIN_EXTERNC

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 0x01
#define GASNETT_ATOMIC_WMB_PRE 0x02
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_RMB_POST 0x04
#define GASNETT_ATOMIC_WMB_POST 0x08
#define GASNETT_ATOMIC_MB_POST (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 0x10
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 0x20
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer sees no fences: every operation is ordered instead.
#define GASNETT_ATOMIC_ORDER __ATOMIC_SEQ_CST
#define GASNETT_ATOMIC_FENCE(order) ((void)(order))
#else
#define GASNETT_ATOMIC_ORDER __ATOMIC_RELAXED
#define GASNETT_ATOMIC_FENCE(order) __atomic_thread_fence(order)
#endif

// What the operation itself does decides how strong the fences must be: a write fence orders stores
// before a load only by the full fence; x86's locked instructions are full fences themselves.
#define GASNETT_ATOMIC_IS_READ 0
#define GASNETT_ATOMIC_IS_SET 1
#define GASNETT_ATOMIC_IS_RMW 2

GASNETT_INLINE(gasnett_atomic_pre_) void gasnett_atomic_pre_(int flags, int what)
{
#if defined(__x86_64__) || defined(__i386__)
    int full = (flags & GASNETT_ATOMIC_WMB_PRE) &&
               (what == GASNETT_ATOMIC_IS_READ ||
                (what == GASNETT_ATOMIC_IS_SET && (flags & GASNETT_ATOMIC_RMB_PRE)));
#else
    int full = (flags & GASNETT_ATOMIC_WMB_PRE) &&
               (what != GASNETT_ATOMIC_IS_SET || (flags & GASNETT_ATOMIC_RMB_PRE));
#endif
    if (full)
        GASNETT_ATOMIC_FENCE(__ATOMIC_SEQ_CST);
    else if ((flags & GASNETT_ATOMIC_MB_PRE) != 0)
        GASNETT_ATOMIC_FENCE(__ATOMIC_ACQ_REL);
}

GASNETT_INLINE(gasnett_atomic_post_) void gasnett_atomic_post_(int flags, int what)
{
#if defined(__x86_64__) || defined(__i386__)
    int full = what != GASNETT_ATOMIC_IS_RMW && (flags & GASNETT_ATOMIC_WMB_POST);
#else
    int full = (flags & GASNETT_ATOMIC_WMB_POST) != 0;
#endif
    if (full || (what == GASNETT_ATOMIC_IS_SET && (flags & GASNETT_ATOMIC_RMB_POST)))
        GASNETT_ATOMIC_FENCE(__ATOMIC_SEQ_CST);
    else if ((flags & GASNETT_ATOMIC_MB_POST) != 0)
        GASNETT_ATOMIC_FENCE(__ATOMIC_ACQ_REL);
}

/** The flags of a boolean operation once its result is known. */
GASNETT_INLINE(gasnett_atomic_after_) int gasnett_atomic_after_(int flags, int result)
{
    int asked = result ? GASNETT_ATOMIC_RMB_POST_IF_TRUE : GASNETT_ATOMIC_RMB_POST_IF_FALSE;
    return (flags & asked) ? flags | GASNETT_ATOMIC_RMB_POST : flags;
}

// `name`: prefix of the operations; `type`: what they work on; READ, WRITE, ADD, SWAP, CAS: how;
// MASK: the flags that count (plain operations need no fences). The pointer may have been
// cast from any scalar type of that width, hence may_alias.
#define GASNETT_ATOMIC_FAMILY(name, type, uint, READ, WRITE, ADD, SWAP, CAS, MASK)                 \
    GASNETT_INLINE(name) uint name##_read(type *p, int flags)                                      \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_READ);                             \
        uint value = READ(p);                                                                      \
        gasnett_atomic_post_((flags) & (MASK), GASNETT_ATOMIC_IS_READ);                            \
        return value;                                                                              \
    }                                                                                              \
    GASNETT_INLINE(name) void name##_set(type *p, uint v, int flags)                               \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_SET);                              \
        WRITE(p, v);                                                                               \
        gasnett_atomic_post_((flags) & (MASK), GASNETT_ATOMIC_IS_SET);                             \
    }                                                                                              \
    GASNETT_INLINE(name) uint name##_add(type *p, uint v, int flags)                               \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                              \
        uint value = ADD(p, v);                                                                    \
        gasnett_atomic_post_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                             \
        return value;                                                                              \
    }                                                                                              \
    GASNETT_INLINE(name) uint name##_subtract(type *p, uint v, int flags)                          \
    {                                                                                              \
        return name##_add(p, (uint)(0 - v), flags);                                                \
    }                                                                                              \
    GASNETT_INLINE(name) void name##_increment(type *p, int flags)                                 \
    {                                                                                              \
        (void)name##_add(p, 1, flags);                                                             \
    }                                                                                              \
    GASNETT_INLINE(name) void name##_decrement(type *p, int flags)                                 \
    {                                                                                              \
        (void)name##_subtract(p, 1, flags);                                                        \
    }                                                                                              \
    GASNETT_INLINE(name) int name##_decrement_and_test(type *p, int flags)                         \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                              \
        int zero = ADD(p, (uint)-1) == 0;                                                          \
        gasnett_atomic_post_(gasnett_atomic_after_((flags) & (MASK), zero),                        \
                             GASNETT_ATOMIC_IS_RMW);                                               \
        return zero;                                                                               \
    }                                                                                              \
    GASNETT_INLINE(name) uint name##_swap(type *p, uint v, int flags)                              \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                              \
        uint old = SWAP(p, v);                                                                     \
        gasnett_atomic_post_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                             \
        return old;                                                                                \
    }                                                                                              \
    GASNETT_INLINE(name) int name##_compare_and_swap(type *p, uint oldval, uint newval, int flags) \
    {                                                                                              \
        gasnett_atomic_pre_((flags) & (MASK), GASNETT_ATOMIC_IS_RMW);                              \
        int swapped = CAS(p, oldval, newval);                                                      \
        gasnett_atomic_post_(gasnett_atomic_after_((flags) & (MASK), swapped),                     \
                             GASNETT_ATOMIC_IS_RMW);                                               \
        return swapped;                                                                            \
    }

#define GASNETT_ATOMIC_READ_(p) __atomic_load_n(&(p)->value, GASNETT_ATOMIC_ORDER)
#define GASNETT_ATOMIC_WRITE_(p, v) __atomic_store_n(&(p)->value, v, GASNETT_ATOMIC_ORDER)
#define GASNETT_ATOMIC_ADD_(p, v) __atomic_add_fetch(&(p)->value, v, GASNETT_ATOMIC_ORDER)
#define GASNETT_ATOMIC_SWAP_(p, v) __atomic_exchange_n(&(p)->value, v, GASNETT_ATOMIC_ORDER)
#define GASNETT_ATOMIC_CAS_(p, old, v) \
    __atomic_compare_exchange_n(&(p)->value, &(old), v, 0, GASNETT_ATOMIC_ORDER, \
                                GASNETT_ATOMIC_ORDER)

#define GASNETT_PLAIN_READ_(p) ((p)->value)
#define GASNETT_PLAIN_WRITE_(p, v) ((void)((p)->value = (v)))
#define GASNETT_PLAIN_ADD_(p, v) ((p)->value += (v))
#define GASNETT_PLAIN_SWAP_(p, v) gasnett_plain_swap_(&(p)->value, sizeof((p)->value), v)
#define GASNETT_PLAIN_CAS_(p, old, v) ((p)->value == (old) ? ((p)->value = (v), 1) : 0)

typedef uint32_t __attribute__((__may_alias__)) gasnett_alias32_t_;
typedef uint64_t __attribute__((__may_alias__)) gasnett_alias64_t_;

GASNETT_INLINE(gasnett_plain_swap_) uint64_t gasnett_plain_swap_(void *p, size_t nbytes, uint64_t v)
{
    uint64_t old = nbytes == 4 ? *(gasnett_alias32_t_ *)p : *(gasnett_alias64_t_ *)p;
    if (nbytes == 4)
        *(gasnett_alias32_t_ *)p = (uint32_t)v;
    else
        *(gasnett_alias64_t_ *)p = v;
    return old;
}

typedef struct {
    gasnett_alias32_t_ value;
} __attribute__((__may_alias__)) gasnett_strongatomic32_t;
typedef struct {
    gasnett_alias64_t_ value;
} __attribute__((__may_alias__)) gasnett_strongatomic64_t;
typedef gasnett_strongatomic32_t gasnett_atomic32_t;
typedef gasnett_strongatomic64_t gasnett_atomic64_t;
#define gasnett_strongatomic32_init(v) { (v) }
#define gasnett_strongatomic64_init(v) { (v) }
#define gasnett_atomic32_init(v) { (v) }
#define gasnett_atomic64_init(v) { (v) }

GASNETT_ATOMIC_FAMILY(gasnett_strongatomic32, gasnett_strongatomic32_t, uint32_t,
                      GASNETT_ATOMIC_READ_, GASNETT_ATOMIC_WRITE_, GASNETT_ATOMIC_ADD_,
                      GASNETT_ATOMIC_SWAP_, GASNETT_ATOMIC_CAS_, -1)
GASNETT_ATOMIC_FAMILY(gasnett_strongatomic64, gasnett_strongatomic64_t, uint64_t,
                      GASNETT_ATOMIC_READ_, GASNETT_ATOMIC_WRITE_, GASNETT_ATOMIC_ADD_,
                      GASNETT_ATOMIC_SWAP_, GASNETT_ATOMIC_CAS_, -1)
#if defined(GASNETT_THREAD_SAFE)
GASNETT_ATOMIC_FAMILY(gasnett_atomic32, gasnett_atomic32_t, uint32_t, GASNETT_ATOMIC_READ_,
                      GASNETT_ATOMIC_WRITE_, GASNETT_ATOMIC_ADD_, GASNETT_ATOMIC_SWAP_,
                      GASNETT_ATOMIC_CAS_, -1)
GASNETT_ATOMIC_FAMILY(gasnett_atomic64, gasnett_atomic64_t, uint64_t, GASNETT_ATOMIC_READ_,
                      GASNETT_ATOMIC_WRITE_, GASNETT_ATOMIC_ADD_, GASNETT_ATOMIC_SWAP_,
                      GASNETT_ATOMIC_CAS_, -1)
#else
GASNETT_ATOMIC_FAMILY(gasnett_atomic32, gasnett_atomic32_t, uint32_t, GASNETT_PLAIN_READ_,
                      GASNETT_PLAIN_WRITE_, GASNETT_PLAIN_ADD_, (uint32_t)GASNETT_PLAIN_SWAP_,
                      GASNETT_PLAIN_CAS_, 0)
GASNETT_ATOMIC_FAMILY(gasnett_atomic64, gasnett_atomic64_t, uint64_t, GASNETT_PLAIN_READ_,
                      GASNETT_PLAIN_WRITE_, GASNETT_PLAIN_ADD_, GASNETT_PLAIN_SWAP_,
                      GASNETT_PLAIN_CAS_, 0)
#endif

// --------------------------------------------------------------- the type without a width: 32 bits
typedef gasnett_strongatomic32_t gasnett_atomic_t;
typedef gasnett_strongatomic32_t gasnett_strongatomic_t;
typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
#define GASNETT_ATOMIC_MAX ((gasnett_atomic_val_t)UINT32_MAX)
#define GASNETT_ATOMIC_SIGNED_MIN ((gasnett_atomic_sval_t)INT32_MIN)
#define GASNETT_ATOMIC_SIGNED_MAX ((gasnett_atomic_sval_t)INT32_MAX)
#define gasnett_atomic_signed(v) ((gasnett_atomic_sval_t)(v))
#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1
#define GASNETT_ATOMIC_CONFIG atomics_builtin
#define GASNETT_ATOMIC32_CONFIG atomic32_builtin
#define GASNETT_ATOMIC64_CONFIG atomic64_builtin

#define gasnett_atomic_init(v) gasnett_atomic32_init(v)
#define gasnett_atomic_read(p, f) gasnett_atomic32_read(p, f)
#define gasnett_atomic_set(p, v, f) gasnett_atomic32_set(p, v, f)
#define gasnett_atomic_add(p, v, f) gasnett_atomic32_add(p, v, f)
#define gasnett_atomic_subtract(p, v, f) gasnett_atomic32_subtract(p, v, f)
#define gasnett_atomic_increment(p, f) gasnett_atomic32_increment(p, f)
#define gasnett_atomic_decrement(p, f) gasnett_atomic32_decrement(p, f)
#define gasnett_atomic_decrement_and_test(p, f) gasnett_atomic32_decrement_and_test(p, f)
#define gasnett_atomic_swap(p, v, f) gasnett_atomic32_swap(p, v, f)
#define gasnett_atomic_compare_and_swap(p, o, n, f) gasnett_atomic32_compare_and_swap(p, o, n, f)

#define gasnett_strongatomic_init(v) gasnett_strongatomic32_init(v)
#define gasnett_strongatomic_read(p, f) gasnett_strongatomic32_read(p, f)
#define gasnett_strongatomic_set(p, v, f) gasnett_strongatomic32_set(p, v, f)
#define gasnett_strongatomic_add(p, v, f) gasnett_strongatomic32_add(p, v, f)
#define gasnett_strongatomic_subtract(p, v, f) gasnett_strongatomic32_subtract(p, v, f)
#define gasnett_strongatomic_increment(p, f) gasnett_strongatomic32_increment(p, f)
#define gasnett_strongatomic_decrement(p, f) gasnett_strongatomic32_decrement(p, f)
#define gasnett_strongatomic_decrement_and_test(p, f) \
    gasnett_strongatomic32_decrement_and_test(p, f)
#define gasnett_strongatomic_swap(p, v, f) gasnett_strongatomic32_swap(p, v, f)
#define gasnett_strongatomic_compare_and_swap(p, o, n, f) \
    gasnett_strongatomic32_compare_and_swap(p, o, n, f)

GASNETT_END_EXTERNC

#endif
