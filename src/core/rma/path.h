// SPDX-License-Identifier: BSD-3-Clause
//
// Paths: how puts leave a port for one PE of another node. The scalar put calls the inject of the
// record that its peer word leads to, and nothing before or behind that may cost it an instruction.
// So a path has two records, and the slow path chooses which of them the word names:
//
//   direct        the transport's own: the provider takes the put at once
//   intercepted   the same, but its inject is a function of this room, which sees each put
//
// Front ends with owners' addresses have such pairs, too (cw_owner_target_t).
//
// Core intercepts puts, instead of the provider's inject, in two cases. One that is alone between
// two quiets goes through the transport, which lets it prove its own delivery instead of sending a
// flush behind it (ADR 74). And of a flood on the default context all are collected (bundle.h, ADR
// 75); that it is one shows when the room for direct puts, which each counts down, is used up again
// and again without a pause.
//
// Only the context whose port it is chooses; words of those that share it stay direct. Threads:
// words are replaced under the lock of the port, while other threads read them.
#ifndef CW_CORE_RMA_PATH_H
#define CW_CORE_RMA_PATH_H

#include "core/collect/collect.h"
#include "core/rma/ctx.h"

/** A port's way to one node, and what is collected for it, which only the default port does. */
typedef struct cw_way {
    cw_queue_t queue CW_DEFAULT_PORT_GUARDS;  // first: the collector's functions get its address
    cwt_conn_t *conn;
    int node;
    // where its values go; NULL: it asks for none
    struct cw_scatter *values CW_DEFAULT_PORT_GUARDS;
} cw_way_t;

typedef struct cw_path {
    _Alignas(256) cwt_target_t direct;
    CW_CACHE_ALIGNED cwt_target_t intercepted;
    cw_ctx_t *ctx;  // whose words this path chooses; NULL: none that is known yet
    cw_way_t *way;
    int rank;        // in that context
    bool collects;   // intercepted puts are collected, else they are alone
    cw_way_t first;  // of slot 0: the way of all
} cw_path_t;
_Static_assert(sizeof(cw_path_t) == 256, "cw_path_of_record");

/** The path of either record. */
static inline cw_path_t *cw_path_of_record(const cwt_target_t *record)
{
    return (cw_path_t *)((uintptr_t)record & ~(sizeof(cw_path_t) - 1));
}

/** Records that take a PE's own addresses (core/owner/owner.h): of no context, with a word that
 *  the owner keeps. Which one it names is chosen as for paths, but a single put is never
 *  intercepted. */
typedef struct cw_owner_target {
    _Alignas(128) cwt_target_t direct;
    CW_CACHE_ALIGNED cwt_target_t intercepted;
    cw_path_t *path;    // of the same PE
    uintptr_t *word;    // names one of the records
    uint32_t straight;  // intercepted puts, one behind the other, that were not collected
} cw_owner_target_t;
_Static_assert(offsetof(cw_owner_target_t, intercepted) < 128 && sizeof(cw_owner_target_t) == 256,
               "cw_owner_target_of");

/** The owner target of either record. */
static inline cw_owner_target_t *cw_owner_target_of(const cwt_target_t *record)
{
    return (cw_owner_target_t *)((uintptr_t)record & ~(uintptr_t)127);
}

/** Direct and path are filled in. */
void cw_owner_target_init(cw_owner_target_t *target);
/** The room for puts is used up; the last one went by this word of an owner. */
void cw_owner_target_drain(uintptr_t word);

/** A context is about to use the path, of which the direct record has been filled in. Lock of the
 *  port held. */
void cw_path_own(cw_path_t *path, cw_ctx_t *ctx, int rank);
/** Do puts by this record go through the transport? */
bool cw_path_intercepts(const cwt_target_t *record);
/** Gives room for scalar puts. */
void cw_path_room(cw_ctx_t *ctx);
/** A quiet begins; last: the word that the context was marked with, due: what the port's ledger had
 *  then. Lock of the port held. */
void cw_path_quiet(cw_ctx_t *ctx, uintptr_t last, unsigned due);
/** The room for scalar puts is used up. */
void cw_path_drain(cw_ctx_t *ctx);

#endif
