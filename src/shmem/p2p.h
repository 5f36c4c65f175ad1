// SPDX-License-Identifier: BSD-3-Clause
//
// Comparing words of any integer type that other PEs write, by one code for all types.
//
// A word's kind is its size and signedness. Its key is a signed 64-bit number that orders as the
// word does: the value itself, or, for unsigned 64-bit words, the value with its top bit flipped
// (so that the key of a key is the value). Each load of a word is an acquire load: it pairs with
// the release in the writer's fence, put-signal or atomic, so a reader of the word sees all that
// was written before it.
#ifndef SHM_P2P_H
#define SHM_P2P_H

#include "base/compiler.h"
#include "shmem/shm.h"

typedef unsigned shm_kind_t;  // bytes * 2 + signed
typedef int64_t shm_key_t;

#define SHM_KIND(T) ((shm_kind_t)sizeof(T) * 2 + ((T)-1 < (T)1))

static CW_ALWAYS_INLINE shm_key_t shm_key(uint64_t bits, shm_kind_t kind)
{
    switch (kind) {
    case 4:
        return (uint16_t)bits;
    case 5:
        return (int16_t)bits;
    case 8:
        return (uint32_t)bits;
    case 9:
        return (int32_t)bits;
    case 16:
        return (int64_t)(bits ^ (UINT64_C(1) << 63));
    default:
        return (int64_t)bits;
    }
}

static CW_ALWAYS_INLINE shm_key_t shm_load_key(const void *word, shm_kind_t kind)
{
    switch (kind / 2) {
    case 2:
        return shm_key(__atomic_load_n((const uint16_t *)word, __ATOMIC_ACQUIRE), kind);
    case 4:
        return shm_key(__atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE), kind);
    default:
        return shm_key(__atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE), kind);
    }
}

// A comparison is a set of outcomes, of which one always holds: equal 1, greater 2, less 4.
#define SHM_EQUAL 1
#define SHM_GREATER 2
#define SHM_LESS 4
_Static_assert(SHMEM_CMP_EQ == SHM_EQUAL && SHMEM_CMP_GT == SHM_GREATER && SHMEM_CMP_LT == SHM_LESS,
               "outcomes");
_Static_assert(SHMEM_CMP_GE == (SHM_EQUAL | SHM_GREATER) && SHMEM_CMP_LE == (SHM_EQUAL | SHM_LESS),
               "outcomes");
_Static_assert(SHMEM_CMP_NE == (SHM_GREATER | SHM_LESS), "outcomes");

static CW_ALWAYS_INLINE bool shm_matches(shm_key_t a, int cmp, shm_key_t b)
{
    int outcome = a == b ? SHM_EQUAL : a > b ? SHM_GREATER : SHM_LESS;
    return cmp & outcome;
}

static inline void shm_check_compare(const char *func, int cmp)
{
    if (CW_UNLIKELY(cmp < SHM_EQUAL || cmp > (SHM_GREATER | SHM_LESS)))
        shm_bad_compare(func, cmp);  // otherwise the wait never ends
}

/** For the deadlock report: word i of nelems at addr, and the condition. The key of a key is the
 *  value. */
static inline CW_COLD cw_wait_on_t shm_wait_on(const void *addr, shm_kind_t kind, int cmp,
                                               shm_key_t want, size_t i, size_t nelems)
{
    return (cw_wait_on_t){.kind = CW_WAIT_WORD,
                          .nbytes = (uint8_t)(kind / 2),
                          .is_unsigned = !(kind & 1),
                          .cmp = (uint8_t)cmp,
                          .addr = addr,
                          .want = (int64_t)shm_key((uint64_t)want, kind),
                          .index = i,
                          .nelems = nelems};
}

/** A set of words to wait for: those of nelems whose status is 0 (or all), compared with one value
 *  or with a value each. */
typedef struct shm_wait_set {
    const char *func;
    const void *words;
    shm_kind_t kind;
    int cmp;
    size_t nelems;
    const int *status;   // may be NULL
    shm_key_t value;
    const void *values;  // vector forms: a value for each word; else NULL
} shm_wait_set_t;

int shm_set_test_all(const shm_wait_set_t *set);
size_t shm_set_test_any(const shm_wait_set_t *set);
size_t shm_set_test_some(const shm_wait_set_t *set, size_t *indices);
void shm_set_wait_all(const shm_wait_set_t *set);
size_t shm_set_wait_any(const shm_wait_set_t *set);
size_t shm_set_wait_some(const shm_wait_set_t *set, size_t *indices);

#endif
