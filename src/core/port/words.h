// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of peer words (core/port/hot.h): which ones a context reads, and how they change.
//
// The default context has its own table. All others begin with a shared one, `local`, cold off the
// node: consecutive PEs are a window of it, other teams a copy. The first connection gives a
// context its own (cw_words_set). Shared tables stay to the end: other threads may read them.
//
// Threads: see each function. Blocking: cw_words_need_base waits for the PEs of the node.
#ifndef CW_CORE_PORT_WORDS_H
#define CW_CORE_PORT_WORDS_H

#include "core/port/hot.h"

/** Of contexts outside of a job. */
extern cw_node_hot_t cw_node_none;

/** Gives the default context its tables. CW_ENOMEM: reported. */
int cw_words_open(void);
/** Takes them away, after all other contexts. */
void cw_words_shut(void);
/** The node's PEs have come: the default context learns where their memory is. Any threads, several
 *  at once. */
void cw_words_gathered(void);

/** First tables of another context, after cw_gather(). CW_ENOMEM: not done, not reported. The
 *  registry of contexts is locked here and in the next two. */
int cw_words_give(cw_ctx_t *ctx);
/** Frees the context's own tables. */
void cw_words_take(cw_ctx_t *ctx);

/** Sets how a PE is reached; the first PE off the node gives the context a table of its own. Lock
 *  of its port held. */
void cw_words_set(cw_ctx_t *ctx, int rank, uintptr_t word);
/** Chooses the tables that transfers read: `word`, or a cold one: every transfer is observed, a
 *  session batches, or atomics go through the NIC or are routed. Lock of its port held. */
void cw_words_choose(cw_ctx_t *ctx);
/** Makes tables that are cold everywhere. CW_ENOMEM: not reported. The registry of contexts is
 *  locked. */
int cw_words_need_cold(void);
/** Makes a table without connections, for sessions. Lock of its port held. */
int cw_words_need_base(cw_ctx_t *ctx);

#endif
