// SPDX-License-Identifier: BSD-3-Clause
//
// Fast paths of medium and long requests within the node, if no message has arrived, a credit is
// free and the target has room. Else they call the general ones (send.c) with nothing changed.
//
// Small payloads with up to four arguments have the shortest, with parameters in registers.
// Obstacles lead to the paths with arguments in memory.
#include "core/am/fast.h"
#include "core/rma/rma.h"

/** The first and last n bytes, which overlap or meet. */
static CW_ALWAYS_INLINE void copy_ends(char *to, const char *from, size_t nbytes, size_t n)
{
    memcpy(to, from, n);
    memcpy(to + nbytes - n, from + nbytes - n, n);
}

/** Up to 64 bytes without a call; a word is stored once. */
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
_Static_assert(CW_AM_INLINE_NBYTES <= 64 && CW_AM_SMALL <= 64, "what copy_small copies");
_Static_assert(CW_AM_SMALL <= CW_AM_INLINE_NBYTES, "small ones fit the cell");

/** Called last, so the caller needs no stack. */
static CW_NOINLINE CW_COLD int wake(int pe)
{
    cw_wake_notify(pe);
    return CW_OK;
}

static CW_ALWAYS_INLINE int hand_over(cw_am_cell_t *cell, cw_am_from_t from, int pe, uint32_t head,
                                      size_t nbytes, uint32_t flags)
{
    cell->head = head;
    cell->from = from;
    *(volatile uint32_t *)&cell->nbytes = (uint32_t)nbytes;  // not built into a vector
    cell->flags = flags;
    cw_am_hand_over_free(cell);
    return CW_UNLIKELY(cw_has_sleepers()) ? wake(pe) : CW_OK;
}

/** The cell gets the offset in the slice. */
static CW_ALWAYS_INLINE char *long_dest(const cw_am_inbox_t *inbox, cw_am_cell_t *cell,
                                        uint64_t offset)
{
    cell->dest = offset + cw_am.heap_offset;
    return (char *)((uintptr_t)inbox + cw_am.heap_distance + offset);
}

static CW_ALWAYS_INLINE char *in_cell(cw_am_cell_t *cell)
{
    return (char *)(cell->args + CW_AM_INLINE_ARGS);
}

// A template for small payloads and one for any. Kind and threads, one or several, are constants:
// the first two parameters.
#define NO_OFFSET UINT64_MAX  // says to cold functions that it is a medium

// ----------------------------- small payloads, up to four arguments: what is in their way
static CW_NOINLINE int medium_other(int pe, uint32_t head, const void *src, size_t nbytes,
                                    cw_am_args4_t args)
{
    uint32_t room[4];
    memcpy(room, &args, sizeof room);
    return cw_am_medium(pe, head, src, nbytes, room);
}

static CW_NOINLINE int long_other(int pe, uint32_t head, const void *src, size_t nbytes,
                                  uint64_t offset, cw_am_args4_t args)
{
    uint32_t room[4];
    memcpy(room, &args, sizeof room);
    return cw_am_long(pe, head, src, nbytes, offset, room);
}

static CW_ALWAYS_INLINE int other(cw_am_kind_t kind, int pe, uint32_t head, const void *src,
                                  size_t nbytes, uint64_t offset, cw_am_args4_t args)
{
    return kind == CW_AM_LONG ? long_other(pe, head, src, nbytes, offset, args)
                              : medium_other(pe, head, src, nbytes, args);
}

static CW_ALWAYS_INLINE cw_am_kind_t kind_of(uint64_t offset)
{
    return offset == NO_OFFSET ? CW_AM_MEDIUM : CW_AM_LONG;
}

/** No token is free; releases the lock. */
static CW_NOINLINE CW_COLD int other_unlock(int pe, uint32_t head, const void *src, size_t nbytes,
                                            uint64_t offset, cw_am_args4_t args)
{
    cwu_unlock(&cw_am.credit_lock);
    return other(kind_of(offset), pe, head, src, nbytes, offset, args);
}

/** Gives the token back. */
static CW_NOINLINE CW_COLD int other_return(int pe, uint32_t head, const void *src, size_t nbytes,
                                            uint64_t offset, cw_am_from_t from, cw_am_args4_t args)
{
    cw_am_credit_return(CW_AM_FROM_TOKEN(from));
    return other(kind_of(offset), pe, head, src, nbytes, offset, args);
}

/** Another thread sleeps on the released lock. */
static CW_NOINLINE CW_COLD int other_wake(int pe, uint32_t head, const void *src, size_t nbytes,
                                          uint64_t offset, cw_am_from_t from, cw_am_args4_t args)
{
    cwu_lock_wake(&cw_am.credit_lock);
    return other_return(pe, head, src, nbytes, offset, from, args);
}

// ----------------------------- the common case
/** With the lock of credits held; NULL, not held: not now. */
static CW_ALWAYS_INLINE cw_am_inbox_t *find_shared(int pe)
{
    cw_am_inbox_t *inbox = cw_am_is_clear_shared() ? cw_am_near(pe) : NULL;
    return CW_LIKELY(inbox != NULL) && CW_LIKELY(cwu_trylock_jump(&cw_am.credit_lock)) ? inbox
                                                                                       : NULL;
}

static CW_ALWAYS_INLINE int send_small(cw_am_kind_t kind, bool shared, int pe, uint32_t head,
                                       const void *src, size_t nbytes, uint64_t offset,
                                       cw_am_args4_t args)
{
    cw_am_inbox_t *inbox = shared ? find_shared(pe) : cw_am_near(pe);
    cw_am_cell_t *cell;
    cw_am_from_t from;
    if (CW_UNLIKELY(!inbox))
        return other(kind, pe, head, src, nbytes, offset, args);
    if (shared && CW_UNLIKELY(!cw_am_take_token(pe, &from)))
        return other_unlock(pe, head, src, nbytes, offset, args);
    if (shared && CW_UNLIKELY(cwu_unlock_silently(&cw_am.credit_lock)))
        return other_wake(pe, head, src, nbytes, offset, from, args);
    if (CW_UNLIKELY(!cw_am_take_at_once(inbox, &cell)))
        return shared ? other_return(pe, head, src, nbytes, offset, from, args)
                      : other(kind, pe, head, src, nbytes, offset, args);
    if (!shared)
        from = cw_am_credit_take_plain(pe);
    copy_small(kind == CW_AM_LONG ? long_dest(inbox, cell, offset) : in_cell(cell), src, nbytes);
    memcpy(cell->args, &args, sizeof args);
    return hand_over(cell, from, pe, head, nbytes,
                     kind == CW_AM_LONG ? CW_AM_LONG : CW_AM_MEDIUM | CW_AM_C_INLINE);
}

static CW_NOINLINE int medium_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                     cw_am_args4_t args)
{
    return send_small(CW_AM_MEDIUM, true, pe, head, src, nbytes, NO_OFFSET, args);
}

static CW_NOINLINE int long_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                   uint64_t offset, cw_am_args4_t args)
{
    return send_small(CW_AM_LONG, true, pe, head, src, nbytes, offset, args);
}

static CW_NOINLINE int medium_alone(int pe, uint32_t head, const void *src, size_t nbytes,
                                    cw_am_args4_t args)
{
    return send_small(CW_AM_MEDIUM, false, pe, head, src, nbytes, NO_OFFSET, args);
}

static CW_NOINLINE int long_alone(int pe, uint32_t head, const void *src, size_t nbytes,
                                  uint64_t offset, cw_am_args4_t args)
{
    return send_small(CW_AM_LONG, false, pe, head, src, nbytes, offset, args);
}

// Functions that only test need no more registers.
int cw_am_medium4(int pe, uint32_t head, const void *src, size_t nbytes, cw_am_args4_t args)
{
    return CW_LIKELY(cw_am_is_clear()) ? medium_alone(pe, head, src, nbytes, args)
                                       : medium_shared(pe, head, src, nbytes, args);
}

int cw_am_long4(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
                cw_am_args4_t args)
{
    return CW_LIKELY(cw_am_is_clear()) ? long_alone(pe, head, src, nbytes, offset, args)
                                       : long_shared(pe, head, src, nbytes, offset, args);
}

// ---------------------------------------------------------------- arguments in memory
/** A cell and a token; false, and neither: something is in the way. */
static CW_ALWAYS_INLINE bool take(int pe, cw_am_inbox_t *inbox, bool shared, cw_am_cell_t **cell_p,
                                  cw_am_from_t *from_p)
{
    if (!shared) {
        if (CW_UNLIKELY(!cw_am_take_at_once(inbox, cell_p)))
            return false;
        *from_p = cw_am_credit_take_plain(pe);
        return true;
    }
    if (CW_UNLIKELY(!cw_am_take_token_locked(pe, from_p)))
        return false;
    if (CW_LIKELY(cw_am_take_at_once(inbox, cell_p)))
        return true;
    cw_am_credit_return(CW_AM_FROM_TOKEN(*from_p));
    return false;
}

/** NULL: something is in the way. */
static CW_ALWAYS_INLINE cw_am_inbox_t *find(int pe, bool *shared_p)
{
    *shared_p = !cw_am_is_clear();
    return *shared_p && !cw_am_is_clear_shared() ? NULL : cw_am_near(pe);
}

/** A function, so that the fast paths leave parameters in place. */
static CW_NOINLINE int medium_general(int pe, uint32_t head, const void *src, size_t nbytes,
                                      const uint32_t *args)
{
    return cw_am_request_medium(pe, head, args, src, nbytes, 0);
}

static CW_NOINLINE int long_general(int pe, uint32_t head, const void *src, size_t nbytes,
                                    uint64_t offset, const uint32_t *args)
{
    void *dest = (void *)(cw_segment.origin + cw_am.heap_offset + offset);
    return cw_am_request_long(pe, head, args, src, nbytes, dest, 0);
}

static CW_ALWAYS_INLINE int send_any(cw_am_kind_t kind, bool shared, int pe, uint32_t head,
                                     const void *src, size_t nbytes, uint64_t offset,
                                     const uint32_t *args, cw_am_inbox_t *inbox)
{
    cw_am_cell_t *cell;
    cw_am_from_t from;
    uint32_t flags = kind;
    if (CW_UNLIKELY(!take(pe, inbox, shared, &cell, &from)))
        return kind == CW_AM_LONG ? long_general(pe, head, src, nbytes, offset, args)
                                  : medium_general(pe, head, src, nbytes, args);
    if (kind == CW_AM_LONG) {
        cw_copy(long_dest(inbox, cell, offset), src, nbytes);
    } else if (nbytes <= CW_AM_SMALL && !(head & CW_AM_MANY_ARGS)) {
        copy_small(in_cell(cell), src, nbytes);
        flags |= CW_AM_C_INLINE;
    } else {
        memcpy(cw_am_request_buffer(inbox, cell), src, nbytes);
    }
    cw_am_copy_args(cell->args, args, head, true);
    return hand_over(cell, from, pe, head, nbytes, flags);
}

static CW_NOINLINE int medium_any_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                         const uint32_t *args, cw_am_inbox_t *inbox)
{
    return send_any(CW_AM_MEDIUM, true, pe, head, src, nbytes, NO_OFFSET, args, inbox);
}

static CW_NOINLINE int long_any_shared(int pe, uint32_t head, const void *src, size_t nbytes,
                                       uint64_t offset, const uint32_t *args)
{
    return send_any(CW_AM_LONG, true, pe, head, src, nbytes, offset, args, cw_am_near(pe));
}

int cw_am_medium(int pe, uint32_t head, const void *src, size_t nbytes, const uint32_t *args)
{
    bool shared;
    cw_am_inbox_t *inbox = find(pe, &shared);
    if (CW_UNLIKELY(!inbox))
        return medium_general(pe, head, src, nbytes, args);
    return shared ? medium_any_shared(pe, head, src, nbytes, args, inbox)
                  : send_any(CW_AM_MEDIUM, false, pe, head, src, nbytes, NO_OFFSET, args, inbox);
}

int cw_am_long(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
               const uint32_t *args)
{
    bool shared;
    cw_am_inbox_t *inbox = find(pe, &shared);
    if (CW_UNLIKELY(!inbox))
        return long_general(pe, head, src, nbytes, offset, args);
    return shared ? long_any_shared(pe, head, src, nbytes, offset, args)
                  : send_any(CW_AM_LONG, false, pe, head, src, nbytes, offset, args, inbox);
}
