// SPDX-License-Identifier: BSD-3-Clause
//
// The fast paths of medium and long requests within the node. If no message has arrived, a credit
// is free and the target's ring has room, these functions do what the general ones (send.c) do with
// fewer instructions. In all other cases they call those before anything is changed. What is called
// is called last, by a jump, but for the copies of longer payloads: so the others need no stack but
// for registers.
#include "core/am/fast.h"
#include "core/rma/rma.h"

/** The first and the last n of nbytes, which overlap or meet. */
static CW_ALWAYS_INLINE void copy_ends(char *to, const char *from, size_t nbytes, size_t n)
{
    memcpy(to, from, n);
    memcpy(to + nbytes - n, from + nbytes - n, n);
}

/** Up to 64 bytes without a call. A word is stored once, as in cw_copy_word. */
static CW_ALWAYS_INLINE void copy_small(char *to, const char *from, size_t nbytes)
{
    if (CW_LIKELY(nbytes == 8))
        memcpy(to, from, 8);
    else if (nbytes >= 32)
        copy_ends(to, from, nbytes, 32);
    else if (nbytes >= 16)
        copy_ends(to, from, nbytes, 16);
    else if (nbytes > 8)
        copy_ends(to, from, nbytes, 8);
    else if (nbytes == 4)
        memcpy(to, from, 4);
    else if (nbytes > 4)
        copy_ends(to, from, nbytes, 4);
    else if (nbytes == 2)
        memcpy(to, from, 2);
    else if (nbytes == 1)
        *to = *from;
    else if (nbytes == 3)
        copy_ends(to, from, 3, 2);
}
_Static_assert(CW_AM_INLINE_NBYTES <= 64 && CW_AM_SMALL_LONG <= 64, "what copy_small copies");

/** The end of the call: a jump, so the caller needs no stack for it. */
static CW_NOINLINE CW_COLD int wake(int pe)
{
    cw_wake_notify(pe);
    return CW_OK;
}

static CW_ALWAYS_INLINE int hand_over(cw_am_cell_t *cell, uint32_t full, uint32_t token, int pe,
                                      uint32_t head, const uint32_t *args, bool many, size_t nbytes,
                                      uint32_t flags)
{
    cell->head = head;
    cell->source = cw_am.pe;
    cell->token = token;
    *(volatile uint32_t *)&cell->nbytes = (uint32_t)nbytes;  // not built into a vector
    cell->flags = flags;
    if (head & CW_AM_ANY_ARGS)
        cw_am_copy_args(cell->args, args, head, many);
    cw_am_hand_over(cell, full);
    return CW_UNLIKELY(cw_has_sleepers()) ? wake(pe) : CW_OK;
}

/** Several threads: a cell and a token; false, and a token that was taken is given back, if
 *  something is in the way. */
static CW_ALWAYS_INLINE bool take_shared(int pe, cw_am_inbox_t *inbox, cw_am_cell_t **cell_p,
                                         uint32_t *full_p, uint32_t *token_p)
{
    int64_t token = cw_am_take_token_locked(pe);
    if (CW_UNLIKELY(token < 0))
        return false;
    *token_p = (uint32_t)token;
    if (CW_LIKELY(cw_am_take_at_once(inbox, cell_p, full_p)))
        return true;
    cw_am_credit_return(*token_p);
    return false;
}

static CW_ALWAYS_INLINE bool take(int pe, cw_am_inbox_t *inbox, bool shared, cw_am_cell_t **cell_p,
                                  uint32_t *full_p, uint32_t *token_p)
{
    if (shared)
        return take_shared(pe, inbox, cell_p, full_p, token_p);
    if (CW_UNLIKELY(!cw_am_take_at_once(inbox, cell_p, full_p)))
        return false;
    *token_p = cw_am_credit_take_plain(pe);
    return true;
}

typedef enum path { GENERAL, ALONE, SHARED } path_t;

/** Nothing in the way, and the PE is of this node, with that word: fast, alone or beside other
 *  threads. */
static CW_ALWAYS_INLINE path_t find_path(int pe, uintptr_t *word_p)
{
    bool alone = cw_am_is_clear();
    if (CW_UNLIKELY(!alone) && !cw_am_is_clear_shared())
        return GENERAL;
    *word_p = cw_am_word_of(pe);
    return *word_p & 1 ? GENERAL : alone ? ALONE : SHARED;
}

// ---------------------------------------------------------------- medium

/** A function, so that the fast paths leave the parameters where they are. */
static CW_NOINLINE int medium_general(int pe, uint32_t head, const void *src, size_t nbytes,
                                      const uint32_t *args)
{
    return cw_am_request_medium(pe, head, args, src, nbytes, 0);
}

static CW_ALWAYS_INLINE int medium_here(int pe, uint32_t head, const void *src, size_t nbytes,
                                        const uint32_t *args, uintptr_t word, bool shared)
{
    cw_am_inbox_t *inbox = cw_am_inbox_at(word);
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, inbox, shared, &cell, &full, &token)))
        return medium_general(pe, head, src, nbytes, args);
    memcpy(cw_am_request_buffer(inbox, cell), src, nbytes);
    return hand_over(cell, full, token, pe, head, args, true, nbytes, CW_AM_MEDIUM);
}

static CW_ALWAYS_INLINE int medium_in_cell(int pe, uint32_t head, const void *src, size_t nbytes,
                                           const uint32_t *args, uintptr_t word, bool shared)
{
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, cw_am_inbox_at(word), shared, &cell, &full, &token)))
        return medium_general(pe, head, src, nbytes, args);
    copy_small((char *)(cell->args + CW_AM_INLINE_ARGS), src, nbytes);
    return hand_over(cell, full, token, pe, head, args, false, nbytes,
                     CW_AM_MEDIUM | CW_AM_C_INLINE);
}

#define KIND(name, step, shared)                                                       \
    static CW_NOINLINE int name(int pe, uint32_t head, const void *src, size_t nbytes, \
                                const uint32_t *args, uintptr_t word)                  \
    {                                                                                  \
        return step(pe, head, src, nbytes, args, word, shared);                        \
    }
KIND(medium_alone, medium_here, false)
KIND(medium_shared, medium_here, true)
KIND(small_alone, medium_in_cell, false)
KIND(small_shared, medium_in_cell, true)

static CW_ALWAYS_INLINE int medium(int pe, uint32_t head, const void *src, size_t nbytes,
                                   const uint32_t *args, bool in_cell)
{
    uintptr_t word;
    path_t path = find_path(pe, &word);
    if (CW_LIKELY(path == ALONE))
        return in_cell ? small_alone(pe, head, src, nbytes, args, word)
                       : medium_alone(pe, head, src, nbytes, args, word);
    if (CW_LIKELY(path == SHARED))
        return in_cell ? small_shared(pe, head, src, nbytes, args, word)
                       : medium_shared(pe, head, src, nbytes, args, word);
    return medium_general(pe, head, src, nbytes, args);
}

int cw_am_medium(int pe, uint32_t head, const void *src, size_t nbytes, const uint32_t *args)
{
    bool in_cell = nbytes <= CW_AM_INLINE_NBYTES && !(head & CW_AM_MANY_ARGS);
    return medium(pe, head, src, nbytes, args, in_cell);
}

int cw_am_medium_few(int pe, uint32_t head, const void *src, size_t nbytes, const uint32_t *args)
{
    return medium(pe, head, src, nbytes, args, nbytes <= CW_AM_INLINE_NBYTES);
}

// ---------------------------------------------------------------- long

static CW_NOINLINE int long_general(int pe, uint32_t head, const void *src, size_t nbytes,
                                    uint64_t offset, const uint32_t *args)
{
    return cw_am_request_long(pe, head, args, src, nbytes, (void *)(cw_segment.origin + offset), 0);
}

static CW_ALWAYS_INLINE int long_here(int pe, uint32_t head, const void *src, size_t nbytes,
                                      uint64_t offset, const uint32_t *args, uintptr_t word,
                                      bool shared, bool small)
{
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, cw_am_inbox_at(word), shared, &cell, &full, &token)))
        return long_general(pe, head, src, nbytes, offset, args);
    char *to = (char *)(cw_segment.origin + offset + word);
    __asm__("" : "+r"(to));  // summed up once
    if (small)
        copy_small(to, src, nbytes);
    else
        cw_copy(to, src, nbytes);
    cell->dest = offset;
    return hand_over(cell, full, token, pe, head, args, !small, nbytes, CW_AM_LONG);
}

static CW_NOINLINE int long_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                   uint64_t offset, const uint32_t *args)
{
    return long_here(pe, head, src, nbytes, offset, args, cw_am_word_of(pe), true, false);
}

static CW_NOINLINE int small_long_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                         uint64_t offset, const uint32_t *args)
{
    return long_here(pe, head, src, nbytes, offset, args, cw_am_word_of(pe), true, true);
}

static CW_ALWAYS_INLINE int long_at(int pe, uint32_t head, const void *src, size_t nbytes,
                                    uint64_t offset, const uint32_t *args, bool small)
{
    uintptr_t word;
    path_t path = find_path(pe, &word);
    if (CW_LIKELY(path == ALONE))
        return long_here(pe, head, src, nbytes, offset, args, word, false, small);
    if (CW_LIKELY(path == SHARED))
        return small ? small_long_shared(pe, head, src, nbytes, offset, args)
                     : long_shared(pe, head, src, nbytes, offset, args);
    return long_general(pe, head, src, nbytes, offset, args);
}

int cw_am_long_at(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
                  const uint32_t *args)
{
    return long_at(pe, head, src, nbytes, offset, args, false);
}

int cw_am_small_long_at(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
                        const uint32_t *args)
{
    return long_at(pe, head, src, nbytes, offset, args, true);
}
