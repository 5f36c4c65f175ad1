// SPDX-License-Identifier: BSD-3-Clause
//
// The fast paths of medium and long requests within the node. If no message has arrived, a credit
// is free and the target's ring has room, these functions do what the general ones (send.c) do with
// fewer instructions. In all other cases they call those before anything is changed. Functions of
// one step each: those that only test, and that of payloads in the cell, need no stack.
#include "core/am/fast.h"
#include "core/rma/rma.h"

/** Up to CW_AM_INLINE_NBYTES bytes, into memory that is not handed over, in pieces that overlap. */
static CW_ALWAYS_INLINE void copy_small(char *to, const char *from, size_t nbytes)
{
    if (nbytes >= 16) {
        for (size_t i = 0; i + 16 < nbytes; i += 16)
            memcpy(to + i, from + i, 16);
        memcpy(to + nbytes - 16, from + nbytes - 16, 16);
    } else if (nbytes >= 8) {
        memcpy(to, from, 8);
        memcpy(to + nbytes - 8, from + nbytes - 8, 8);
    } else if (nbytes >= 4) {
        memcpy(to, from, 4);
        memcpy(to + nbytes - 4, from + nbytes - 4, 4);
    } else {
        for (size_t i = 0; i < nbytes; i++)
            *(volatile char *)(to + i) = from[i];
    }
}

static CW_ALWAYS_INLINE int hand_over(cw_am_cell_t *cell, uint32_t full, uint32_t token, int pe,
                                      uint32_t head, const uint32_t *args, size_t nbytes,
                                      uint32_t flags)
{
    cell->head = head;
    cell->source = cw_am.pe;
    cell->token = token;
    *(volatile uint32_t *)&cell->nbytes = (uint32_t)nbytes;  // not built into a vector
    cell->flags = flags;
    cw_am_copy_args(cell->args, args, head, false);
    cw_am_hand_over(cell, full);
    cw_local_notify(pe);
    return CW_OK;
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

/** Few arguments, nothing in the way, and the PE is of this node: fast, alone or beside other
 *  threads. */
static CW_ALWAYS_INLINE path_t find_path(int pe, uint32_t head)
{
    if (CW_UNLIKELY(head & CW_AM_MANY_ARGS))
        return GENERAL;
    if (CW_LIKELY(cw_am_is_clear()))
        return cw_am_word_of(pe) & 1 ? GENERAL : ALONE;
    if (cw_am_is_clear_shared())
        return cw_am_word_of(pe) & 1 ? GENERAL : SHARED;
    return GENERAL;
}

// ---------------------------------------------------------------- medium

static CW_ALWAYS_INLINE int medium_here(int pe, uint32_t head, const uint32_t *args,
                                        const void *src, size_t nbytes, bool shared)
{
    cw_am_inbox_t *inbox = cw_am_inbox_at(cw_am_word_of(pe));
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, inbox, shared, &cell, &full, &token)))
        return cw_am_request_medium(pe, head, args, src, nbytes, 0);
    memcpy(cw_am_request_buffer(inbox, cell), src, nbytes);
    return hand_over(cell, full, token, pe, head, args, nbytes, CW_AM_MEDIUM);
}

static CW_ALWAYS_INLINE int medium_in_cell(int pe, uint32_t head, const uint32_t *args,
                                           const void *src, size_t nbytes, bool shared)
{
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, cw_am_inbox_at(cw_am_word_of(pe)), shared, &cell, &full, &token)))
        return cw_am_request_medium(pe, head, args, src, nbytes, 0);
    copy_small((char *)(cell->args + CW_AM_INLINE_ARGS), src, nbytes);
    return hand_over(cell, full, token, pe, head, args, nbytes, CW_AM_MEDIUM | CW_AM_C_INLINE);
}

#define KIND(name, step, shared)                                                              \
    static CW_NOINLINE int name(int pe, uint32_t head, const uint32_t *args, const void *src, \
                                size_t nbytes)                                                \
    {                                                                                         \
        return step(pe, head, args, src, nbytes, shared);                                     \
    }
KIND(medium_alone, medium_here, false)
KIND(medium_shared, medium_here, true)
KIND(small_alone, medium_in_cell, false)
KIND(small_shared, medium_in_cell, true)

int cw_am_medium(int pe, uint32_t head, const uint32_t *args, const void *src, size_t nbytes)
{
    bool small = nbytes <= CW_AM_INLINE_NBYTES;
    path_t path = find_path(pe, head);
    if (CW_LIKELY(path == ALONE))
        return small ? small_alone(pe, head, args, src, nbytes)
                     : medium_alone(pe, head, args, src, nbytes);
    if (CW_LIKELY(path == SHARED))
        return small ? small_shared(pe, head, args, src, nbytes)
                     : medium_shared(pe, head, args, src, nbytes);
    return cw_am_request_medium(pe, head, args, src, nbytes, 0);
}

// ---------------------------------------------------------------- long

static CW_ALWAYS_INLINE int long_here(int pe, uint32_t head, const uint32_t *args, const void *src,
                                      size_t nbytes, uint64_t offset, bool shared)
{
    uintptr_t word = cw_am_word_of(pe);
    cw_am_cell_t *cell;
    uint32_t full, token;
    if (CW_UNLIKELY(!take(pe, cw_am_inbox_at(word), shared, &cell, &full, &token)))
        return cw_am_request_long(pe, head, args, src, nbytes, (void *)(cw_segment.origin + offset),
                                  0);
    cw_copy((void *)(cw_segment.origin + offset + word), src, nbytes);
    cell->dest = offset;
    return hand_over(cell, full, token, pe, head, args, nbytes, CW_AM_LONG);
}

static CW_NOINLINE int long_alone(int pe, uint32_t head, const uint32_t *args, const void *src,
                                  size_t nbytes, uint64_t offset)
{
    return long_here(pe, head, args, src, nbytes, offset, false);
}

static CW_NOINLINE int long_shared(int pe, uint32_t head, const uint32_t *args, const void *src,
                                   size_t nbytes, uint64_t offset)
{
    return long_here(pe, head, args, src, nbytes, offset, true);
}

int cw_am_long_at(int pe, uint32_t head, const uint32_t *args, const void *src, size_t nbytes,
                  uint64_t offset)
{
    path_t path = find_path(pe, head);
    if (CW_LIKELY(path == ALONE))
        return long_alone(pe, head, args, src, nbytes, offset);
    if (CW_LIKELY(path == SHARED))
        return long_shared(pe, head, args, src, nbytes, offset);
    return cw_am_request_long(pe, head, args, src, nbytes, (void *)(cw_segment.origin + offset), 0);
}
