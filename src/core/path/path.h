// SPDX-License-Identifier: BSD-3-Clause
//
// Paths: how puts leave a port for one PE of another node. The scalar put calls the inject of the
// record that its peer word names, and no more. So a path has two, and the slow path chooses:
//
//   direct        the transport's own: the provider takes the put at once
//   intercepted   its inject is a function of this room, which sees each put
//
// A put that is single between two quiets is intercepted: the transport can prove its delivery
// without a flush (ADR 74). A flood on the default context, which uses up the room for direct puts
// again and again without a pause, is collected (bundle.h, ADR 75).
//
// Only the port's own context chooses; those that share it put directly. Threads: words are
// replaced under the port's lock, while others read them.
#ifndef CW_CORE_PATH_H
#define CW_CORE_PATH_H

#include "core/collect/collect.h"
#include "core/port/ctx.h"

/** A port's way to a node; what is collected is the default port's. */
typedef struct cw_way {
    cw_queue_t queue CW_DEFAULT_PORT_GUARDS;  // first: the collector gets its address
    cwt_conn_t *conn;
    int node;
    // where its values go; NULL: it asks for none
    struct cw_scatter *values CW_DEFAULT_PORT_GUARDS;
} cw_way_t;

typedef struct cw_path {
    _Alignas(256) cwt_target_t direct;
    CW_CACHE_ALIGNED cwt_target_t intercepted;
    cw_ctx_t *ctx;  // whose words this path chooses; NULL: none known
    cw_way_t *way;
    int rank;        // in that context
    bool collects;   // intercepted puts are collected, else single
    cw_way_t first;  // slot 0's: the way of all
} cw_path_t;
_Static_assert(sizeof(cw_path_t) == 256, "cw_path_of_record");

static inline cw_path_t *cw_path_of_record(const cwt_target_t *record)
{
    return (cw_path_t *)((uintptr_t)record & ~(sizeof(cw_path_t) - 1));
}

/** Records for a PE's own addresses (core/owner/owner.h), and a word that the owner keeps. A single
 *  put is never intercepted. */
typedef struct cw_owner_target {
    _Alignas(128) cwt_target_t direct;
    CW_CACHE_ALIGNED cwt_target_t intercepted;
    cw_path_t *path;    // of that PE
    uintptr_t *word;    // names one of them
    uint32_t straight;  // intercepted puts in a row that were not collected
} cw_owner_target_t;
_Static_assert(offsetof(cw_owner_target_t, intercepted) < 128 && sizeof(cw_owner_target_t) == 256,
               "cw_owner_target_of");

static inline cw_owner_target_t *cw_owner_target_of(const cwt_target_t *record)
{
    return (cw_owner_target_t *)((uintptr_t)record & ~(uintptr_t)127);
}

/** direct and path are filled in. */
void cw_owner_target_init(cw_owner_target_t *target);
/** As cw_path_is_full, after a put by this word. */
bool cw_owner_target_is_full(uintptr_t word);

/** The context will use the path, whose direct record is filled in. Lock of the port held. */
void cw_path_own(cw_path_t *path, cw_ctx_t *ctx, int rank);
/** Do puts by this record go through the transport? */
bool cw_path_intercepts(const cwt_target_t *record);
void cw_path_room(cw_ctx_t *ctx);
/** A quiet begins; last, due: the context's mark and the port's ledger before it. Lock of the port
 *  held. */
void cw_path_quiet(cw_ctx_t *ctx, uintptr_t last, unsigned due);
/** The room for scalar puts is used up: gives some. True: not without a quiet. */
bool cw_path_is_full(cw_ctx_t *ctx);

#endif
