// SPDX-License-Identifier: BSD-3-Clause
//
// First contact: a port's client, connections, records. Threads: any. Blocking: what connects.
#ifndef CW_CORE_PATH_CONTACT_H
#define CW_CORE_PATH_CONTACT_H

#include "core/mem/gather.h"
#include "core/port/ctx.h"

/** On the default context, to a PE of another node? Any thread. */
bool cw_is_connected(int pe);
/** Connects to the rank's node if need be; returns its record. Fatal if that fails. Takes the
 *  lock. */
cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int rank);
/** CAUSEWAY_CONNECT=static. */
void cw_ctx_connect_all(void);
/** Connects to the node if need be; fatal if that fails. Lock held. */
cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node);
/** The general route, for a cold path that has opened its frame (CW_WATCH); may connect. NULL:
 *  mapped here, at *delta_p. No lock held. */
static inline cwt_target_t *cw_reach(cw_ctx_t *ctx, const char *call, int rank, uintptr_t *delta_p)
{
    if (!cw_ctx_has(ctx, rank))
        cw_ctx_validate(ctx, call, rank);
    cw_gather();
    uintptr_t word = cw_entry(&ctx->word, rank);
    if (cw_word_is_local(word)) {
        *delta_p = word;
        return NULL;
    }
    cwt_target_t *target = cw_warm_target(word);
    return target ? target : cw_ctx_connect(ctx, rank);
}

struct cw_owner_target;
/** Fills in the records (core/path/path.h), which must live as long as the job, for the own
 *  addresses of a PE of another node; `origin`: where its slice begins (core/mem/area.h). The
 *  caller then sets *word to direct + 1. Connects if need be. */
void cw_target_of_owner(int pe, uintptr_t origin, uintptr_t *word, struct cw_owner_target *target);
/** These chunks of a PE of another node (core/mem/blocks.h) will be freed, and this PE has
 *  completed all on them: their node may give them up. [waits] */
void cw_release_chunks(int pe, uint64_t chunks);

// ---------------------------------------------------------------- control areas
//
// Of any node's object, on the default context. cw_node_put is in order with all else that this PE
// sends to that node there. A quiet does not prove it: a caller that needs that waits for a reply.
// Both may wait. A node out of reach ends the job.

/** From any node, this one too. A word of 8 bytes acquires what its writer released. */
void cw_node_read(int node, uint64_t control_offset, void *dest, size_t nbytes);
/** To another node. */
void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes);

#endif
