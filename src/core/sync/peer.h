// SPDX-License-Identifier: BSD-3-Clause
//
// How collectives reach the memory of other PEs: loads and stores within the node, the transport
// between nodes. These calls bypass the checks of the public ones: the front end has checked the
// arguments of the collective once, and scratch is not the user's symmetric memory.
// Completion of transfers to other nodes: cw_quiet(&cw_ctx_default).
#ifndef CW_CORE_PEER_H
#define CW_CORE_PEER_H

#include "core/rma/ctx.h"

/** cw_local_stored behind a sequentially consistent store or fence, with which the test for
 *  sleepers is in order: either it sees the sleeper, or the sleeper sees the store (announce() in
 *  wait.c). */
static inline void cw_local_stored_in_order(int pe)
{
    if (CW_UNLIKELY(atomic_load(&cw_hot.node->sleepers)))
        cw_wake(pe);
}

static inline bool cw_coll_is_local(int pe)
{
    return cw_world.node_of_pe[pe] == cw_world.node;
}

/** Where the symmetric object of `pe`, a PE of this node, is mapped here. Waits until the PEs of
 *  the node have gathered (core/mem/gather.h). */
static inline void *cw_coll_at(int pe, const void *symmetric)
{
    cw_gather();
    return cw_local_address(cw_ctx_default.word[pe], symmetric);
}

/** The same for scratch, which is zero from the start and may be used before its PE has come. Never
 *  waits. */
void *cw_coll_before(int pe, const void *scratch);

/** To a PE of another node. nbi: src stays in use until quiet. */
void cw_coll_put(int pe, void *dest, const void *src, size_t nbytes, bool nbi);
/** To a PE of another node, which a note or a word behind it tells that it has come. src may be
 *  written again; leaves nothing for quiet. */
void cw_coll_put_noted(int pe, void *dest, const void *src, size_t nbytes);
/** Into symmetric memory of a PE of another node, and behind it raises a word there that is never
 *  cleared: who has acquired the word sees what was put. One message, where messages are as fast as
 *  puts and it fits. No earlier put to dest is under way. Leaves nothing for quiet. */
void cw_coll_put_marked(int pe, void *dest, const void *src, size_t nbytes, long *word, long value);
/** From a PE of another node; dest is valid after quiet. */
void cw_coll_get_nbi(int pe, void *dest, const void *src, size_t nbytes);

/** Sets an 8-byte word of any PE, after everything that this PE has put to it before. The words are
 *  those of an active set; their owner clears them, so they are stored exactly once: by an atomic,
 *  not by a put, whose bytes a provider may store more than once (a memcpy of 8 bytes does), the
 *  second time after the owner has cleared them. */
void cw_coll_set_word(int pe, long *word, long value);
/** Adds to such a word, for a PE of another node. */
void cw_coll_add_word(int pe, long *word, long value);
/** Raises a word that is never cleared, of a PE of another node: by a put. */
void cw_coll_raise_word(int pe, long *word, long value);
/** Waits until this PE's word has the value. Acquires what came before cw_coll_set_word(). */
void cw_coll_await_word(const long *word, long value);
/** Waits until it has reached the value. Acquires what came before cw_coll_raise_word(). */
void cw_coll_await_at_least(const long *word, long value);

#endif
