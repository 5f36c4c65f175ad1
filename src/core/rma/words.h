// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of peer words (core/rma/hot.h): which ones a context reads, and how they change.
//
// The default context has a table of its own. All others begin with a shared one, `local`, which
// knows the PEs of this node and is cold for the rest: a team of consecutive PEs is a window of it,
// other teams get a copy in their own order. The first connection gives a context a table of its
// own (cw_words_own). Where every word must be cold, contexts read tables without any other
// content. Shared tables stay until the end, because other threads may be reading them.
//
// A table also has cold words for CW_GUARD_WORDS PEs below 0 and above the last, so that a PE that
// does not exist leads to a message and not to some memory. Threads: see each function. Blocking:
// cw_words_need_base waits for the PEs of the node.
#ifndef CW_CORE_WORDS_H
#define CW_CORE_WORDS_H

#include "core/rma/hot.h"

#define CW_GUARD_WORDS 256

// ---------------------------------------------------------------- cold ones (cold.c)
/** PEs for which a call before init or after finalize still finds a cold word, from
 *  -CW_OUTSIDE_BELOW on. */
#define CW_OUTSIDE_WORDS 256
#define CW_OUTSIDE_BELOW 16
/** Of the default context, and of others, outside of a job. */
extern const uintptr_t *const cw_words_outside, *const cw_words_none;
/** `node` of contexts outside of a job: no PE sleeps. */
extern cw_node_hot_t cw_node_none;

// ---------------------------------------------------------------- of contexts (words.c)
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
/** A table for a destroyed context. */
const uintptr_t *cw_words_cold(void);

/** Gives a context that leaves the node a table of its own, with all that it knew in it. Lock of
 *  its port held. */
uintptr_t *cw_words_own(cw_ctx_t *ctx);
/** Chooses the tables that transfers read: `word`, or one that is cold (every transfer is
 *  observed, a session batches, atomics go through the NIC). Lock of its port held. */
void cw_words_choose(cw_ctx_t *ctx);
/** Makes sure that there is a table without connections, for sessions. Lock of its port held. */
int cw_words_need_base(cw_ctx_t *ctx);

#endif
