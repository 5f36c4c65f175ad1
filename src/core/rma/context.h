// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts, as front ends see them. Handles are pointers to cw_ctx_t; the default one has a fixed
// small handle.
#ifndef CW_CORE_CONTEXT_H
#define CW_CORE_CONTEXT_H

#include "core/rma/hot.h"
#include "core/world/world.h"

enum {
    CW_CTX_SERIALIZED = 1,  // never used by two threads at a time
    CW_CTX_PRIVATE = 2,     // only the creating thread uses it: no locks, its own port
    CW_CTX_NOSTORE = 4      // quiet and fence need not order the program's stores
};
typedef struct cw_ctx_config {
    int start, stride, size;  // rank r: start + r * stride,
    const int *pes;           // or pes[r]; must live as long as the context
    unsigned options;         // CW_CTX_…
    void *team;               // for the front end
} cw_ctx_config_t;
/** CW_ENOMEM, CW_EINVAL (unknown option): none was created, not reported. Any thread. */
int cw_ctx_create(const cw_ctx_config_t *config, cw_ctx_t **ctx_p);
/** Quiet, then destroys the context. [waits] */
void cw_ctx_destroy(cw_ctx_t *ctx);
/** All contexts of a team (config.team). [waits] */
void cw_ctx_destroy_of(const void *team);
/** For checking mode; walks a list. */
bool cw_ctx_is_alive(const cw_ctx_t *ctx);
/** Without the default one. */
int cw_ctx_count_alive(void);
/** Opens a session: small operations off the node may be collected (core/rma/batch.h). total_ops:
 *  expected ones, SIZE_MAX if unknown; starting again changes it. */
void cw_ctx_batch_start(cw_ctx_t *ctx, size_t total_ops);
void cw_ctx_batch_stop(cw_ctx_t *ctx);

/** A front end's operations are in order: only puts and gets that say so are collected. While no
 *  other thread puts. */
void cw_ctx_puts_in_order(void);

// rank: within the context's team; the PE number on the default context.
/** On the default context, to a PE of another node? Any thread. */
bool cw_is_connected(int pe);
/** Where that object of `pe` is mapped here; NULL: nowhere, or it is not symmetric. */
void *cw_ptr(const void *symmetric, int pe);
struct cw_owner_target;
/** Fills in the records (core/rma/path.h), which must live as long as the job, for the own
 *  addresses of a PE of another node; `origin`: where its slice begins (core/mem/area.h). The
 *  caller then sets *word to direct + 1. Connects if need be. */
void cw_target_of_owner(int pe, uintptr_t origin, uintptr_t *word, struct cw_owner_target *target);
/** These chunks of a PE of another node (core/mem/blocks.h) will be freed, and this PE has
 *  completed all on them: their node may give them up. [waits] */
void cw_release_chunks(int pe, uint64_t chunks);

#endif
