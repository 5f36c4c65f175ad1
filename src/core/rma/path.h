// SPDX-License-Identifier: BSD-3-Clause
//
// Paths: how scalar puts leave a port for one PE of another node. The scalar put calls the inject
// of the record that its peer word leads to, and nothing before or behind that may cost it an
// instruction. So a path has two records, and the slow path chooses which of them the word names:
//
//   direct   the transport's own: the provider takes the put at once
//   minded   the same, but its inject is a function of this room, which sees each put
//
// A put that is alone between two quiets is minded: it goes through the transport, which lets it
// prove its own delivery instead of sending a flush behind it (ADR 74).
//
// Only the context whose port it is chooses; words of those that share it stay direct. Threads:
// words are replaced under the lock of the port, while other threads read them.
#ifndef CW_CORE_RMA_PATH_H
#define CW_CORE_RMA_PATH_H

#include "core/rma/ctx.h"

typedef struct cw_path {
    CW_CACHE_ALIGNED cwt_target_t direct;
    CW_CACHE_ALIGNED cwt_target_t minded;
    cw_ctx_t *ctx;  // whose words this path chooses; NULL: none that is known yet
    int rank;       // in that context
} cw_path_t;

/** A context is about to use the path, of which the direct record has been filled in. Lock of the
 *  port held. */
void cw_path_own(cw_path_t *path, cw_ctx_t *ctx, int rank);
/** Do puts by this record go through the transport? */
bool cw_path_minds(const cwt_target_t *record);
/** A quiet begins; last: the word that the context was marked with. Lock of the port held. */
void cw_path_quiet(cw_ctx_t *ctx, uintptr_t last);

#endif
