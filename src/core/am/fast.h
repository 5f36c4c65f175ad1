// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the fast paths of requests (short.c, loaded.c), and the way to a PE. With several
// threads (cw_am.locked) tokens are taken under a lock.
#ifndef CW_CORE_AM_FAST_H
#define CW_CORE_AM_FAST_H

#include <string.h>

#include "base/compiler.h"
#include "core/am/private.h"

#define CW_AM_MANY_ARGS (0x18u << 8)  // in head: more than 7
#define CW_AM_ANY_ARGS (0x1fu << 8)

/** many: perhaps more than 7. */
static CW_ALWAYS_INLINE void cw_am_copy_args(uint32_t *to, const uint32_t *from, uint32_t head,
                                             bool many)
{
    if (many && (head & 0x10u << 8))
        memcpy(to, from, 64), to += 16, from += 16;
    if (many && (head & 8u << 8))
        memcpy(to, from, 32), to += 8, from += 8;
    if (head & 4u << 8)
        memcpy(to, from, 16), to += 4, from += 4;
    if (!(head & 3u << 8))
        return;
    if (head & 2u << 8)
        memcpy(to, from, 8), to += 2, from += 2;
    if (head & 1u << 8)
        *to = *from;
}

/** cw_am_poll's test by plain words: below THREAD_MULTIPLE no other thread advances the gates. */
static CW_ALWAYS_INLINE bool cw_am_something_came(void)
{
    const volatile uint32_t *reply =
        *(const volatile uint32_t *const *)(const void *)&cw_am_gates.reply.turn;
    const volatile uint32_t *request =
        *(const volatile uint32_t *const *)(const void *)&cw_am_gates.request.turn;
    return CW_UNLIKELY(*reply == *(const uint32_t *)(const void *)&cw_am_gates.reply.full) ||
           CW_UNLIKELY(*request == *(const uint32_t *)(const void *)&cw_am_gates.request.full);
}

/** Has no message arrived, and is a token free? */
static CW_ALWAYS_INLINE bool cw_am_is_clear(void)
{
    return cw_am_credit_is_plain() && !cw_am_something_came();
}

/** As above for several threads; the token is not tested. */
static CW_ALWAYS_INLINE bool cw_am_is_clear_shared(void)
{
    return CW_LIKELY(cw_am.shared) && CW_LIKELY(cw_am_in_handler == NULL) &&
           !CW_UNLIKELY(cw_am_gate_is_open(&cw_am_gates.reply)) &&
           !CW_UNLIKELY(cw_am_gate_is_open(&cw_am_gates.request));
}

// ---------------------------------------------------------------- where to

static CW_ALWAYS_INLINE uintptr_t cw_am_word_of(int pe)
{
    const uintptr_t *words = __atomic_load_n(&cw_ctx_default.word, CW_DEPENDED_ON);
    return __atomic_load_n(&words[(uint32_t)pe], CW_DEPENDED_ON);
}

static CW_ALWAYS_INLINE cw_am_inbox_t *cw_am_inbox_at(uintptr_t word)
{
    return (cw_am_inbox_t *)((uintptr_t)cw_am.mine + word);
}

/** Of a neighbour known to the general path; NULL: none. */
static CW_ALWAYS_INLINE cw_am_inbox_t *cw_am_near(int pe)
{
    return (cw_am_inbox_t *)atomic_load_explicit(&cw_am.near[(uint32_t)pe], memory_order_relaxed);
}

/** Lock held. False: the general path must take one. */
static CW_ALWAYS_INLINE bool cw_am_take_token(int pe, cw_am_from_t *from_p)
{
    uint32_t nfree = cw_am.nfree_locked;
    if (CW_UNLIKELY(nfree <= cw_am.low))
        return false;
    // other threads read it without the lock
    __atomic_store_n(&cw_am.nfree_locked, --nfree, __ATOMIC_RELAXED);
    *from_p = cw_am_credit_give(cw_am.free[nfree], pe);
    return true;
}

/** Takes the lock. */
static CW_ALWAYS_INLINE bool cw_am_take_token_locked(int pe, cw_am_from_t *from_p)
{
    cwu_lock(&cw_am.credit_lock);
    bool taken = cw_am_take_token(pe, from_p);
    cwu_unlock(&cw_am.credit_lock);
    return taken;
}

#endif
