// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of peer words (core/rma/hot.h): which ones a context reads, and how they change.
//
// The default context has a table of its own. All others begin with a shared one, `local`, which
// knows the PEs of this node and is cold for the rest: a team of consecutive PEs is a window of it,
// other teams get a copy in their own order. The first connection gives a context a table of its
// own (cw_words_set). Where every word must be cold, contexts read tables without any other
// content. Shared tables stay until the end, because other threads may be reading them.
//
// What the default context's fast paths read are guarded copies of its tables. Threads: see each
// function. Blocking:
// cw_words_need_base waits for the PEs of the node.
#ifndef CW_CORE_WORDS_H
#define CW_CORE_WORDS_H

#include "core/rma/hot.h"

/** `node` of contexts outside of a job: no PE sleeps. */
extern cw_node_hot_t cw_node_none;

/** Gives the default context its tables, when the job is joined. CW_ENOMEM: reported. */
int cw_words_open(void);
/** Takes them away: calls find "not initialised". All other contexts are destroyed. */
void cw_words_shut(void);
/** The PEs of this node have come: the default context learns where their memory is. Any thread,
 *  and several at once. */
void cw_words_gathered(void);

/** Gives another context its first tables, after cw_gather(). CW_ENOMEM: not done, not reported.
 *  The registry of contexts is locked here and in the next two. */
int cw_words_give(cw_ctx_t *ctx);
/** Frees what belongs to the context alone. */
void cw_words_take(cw_ctx_t *ctx);

/** The context learns how a PE is reached. One that leaves the node for the first time gets a table
 *  of its own for that, with all that it knew in it. Lock of its port held. */
void cw_words_set(cw_ctx_t *ctx, int rank, uintptr_t word);
/** Chooses the tables that transfers read: `word`, or one that is cold (every transfer is
 *  observed, a session batches, atomics go through the NIC or are routed). Lock of its port held.
 */
void cw_words_choose(cw_ctx_t *ctx);
/** Makes sure that there are tables which are cold everywhere, also where the job began without.
 *  CW_ENOMEM: not reported. The registry of contexts is locked. */
int cw_words_need_cold(void);
/** Makes sure that there is a table without connections, for sessions. Lock of its port held. */
int cw_words_need_base(cw_ctx_t *ctx);

#endif
