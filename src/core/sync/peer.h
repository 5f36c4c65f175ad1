// SPDX-License-Identifier: BSD-3-Clause
//
// How collectives reach other PEs' memory: loads and stores within the node, the transport between
// nodes, without checks: front ends check. Transfers complete with cw_quiet(&cw_ctx_default).
#ifndef CW_CORE_PEER_H
#define CW_CORE_PEER_H

#include "core/mem/gather.h"
#include "core/port/ctx.h"

/** cw_local_stored after a seq_cst store or fence: either it sees the sleeper, or the sleeper sees
 *  the store. Pairs with announce() in wait.c. */
static inline void cw_local_stored_in_order(int pe)
{
    if (CW_UNLIKELY(atomic_load(&cw_hot.node->sleepers)))
        cw_wake(pe);
}

static inline bool cw_coll_is_local(int pe)
{
    return cw_world.node_of_pe[pe] == cw_world.node;
}

/** Where a symmetric object of a PE of this node is mapped. Waits until the node's PEs have
 *  gathered. */
static inline void *cw_coll_at(int pe, const void *symmetric)
{
    cw_gather();
    return cw_local_address(cw_ctx_default.word[pe], symmetric);
}

/** Of scratch, which may be used before its PE has come. Never waits. */
void *cw_coll_before(int pe, const void *scratch);

/** To another node. nbi: src stays in use until quiet. */
void cw_coll_put(int pe, void *dest, const void *src, size_t nbytes, bool nbi);
/** To another node; a note or a word follows. Leaves nothing for quiet; src may be written
 *  again. */
void cw_coll_put_noted(int pe, void *dest, const void *src, size_t nbytes);
/** To another node, then raises a word there that is never cleared; acquiring it shows the data.
 *  One message, if that is as fast and fits. No earlier put to dest is under way. Leaves nothing
 *  for quiet. */
void cw_coll_put_marked(int pe, void *dest, const void *src, size_t nbytes, long *word, long value);
/** From another node; dest is valid after quiet. */
void cw_coll_get_nbi(int pe, void *dest, const void *src, size_t nbytes);

/** Sets an 8-byte word of any PE, after all that this PE has put to it. An active set's owner
 *  clears its words, so an atomic stores them: a provider may store a put twice. */
void cw_coll_set_word(int pe, long *word, long value);
/** Adds to such a word on another node. */
void cw_coll_add_word(int pe, long *word, long value);
/** Raises a word on another node, by a put; it is never cleared. */
void cw_coll_raise_word(int pe, long *word, long value);
/** Acquires what came before cw_coll_set_word(). */
void cw_coll_await_word(const long *word, long value);
/** Acquires what came before cw_coll_raise_word(). */
void cw_coll_await_at_least(const long *word, long value);

#endif
