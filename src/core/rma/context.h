// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts, as front ends see them: creation, destruction, sessions, questions.
#ifndef CW_CORE_CONTEXT_H
#define CW_CORE_CONTEXT_H

#include "core/rma/hot.h"
#include "core/world/world.h"

// Handles of front ends are pointers to cw_ctx_t (core/rma/hot.h); the default one has a fixed
// small handle.
enum {
    CW_CTX_SERIALIZED = 1,  // its user never calls from two threads at a time
    CW_CTX_PRIVATE = 2,     // only the creating thread uses it: nothing is locked, and its port is
                            // its own
    CW_CTX_NOSTORE = 4      // quiet and fence need not order the program's own stores
};
typedef struct cw_ctx_config {
    int start, stride, size;  // PE of rank r: start + r * stride,
    const int *pes;           // or pes[r] if not NULL; the table stays as long as the context
    unsigned options;         // CW_CTX_…
    void *team;               // kept for the front end
} cw_ctx_config_t;
/** Creates a context for the PEs of a team. CW_ENOMEM, CW_EINVAL (unknown option): none was
 *  created, which is not reported. Any thread. */
int cw_ctx_create(const cw_ctx_config_t *config, cw_ctx_t **ctx_p);
/** Quiet, then destroys the context. [waits] */
void cw_ctx_destroy(cw_ctx_t *ctx);
/** The same for all contexts of a team (config.team). [waits] */
void cw_ctx_destroy_of(const void *team);
/** For checking mode; walks a list. */
bool cw_ctx_is_alive(const cw_ctx_t *ctx);
/** Without the default one. */
int cw_ctx_count_alive(void);
/** Between start and stop small operations off the node may be kept until there are more of them
 *  (core/rma/batch.h). total_ops: how many are expected, SIZE_MAX if unknown. Starting again
 *  changes total_ops. */
void cw_ctx_batch_start(cw_ctx_t *ctx, size_t total_ops);
void cw_ctx_batch_stop(cw_ctx_t *ctx);

/** Operations of a front end of this process are in order: from now on only those puts and gets are
 *  collected that say so (core/rma/bundle.h). While no other thread puts. */
void cw_ctx_puts_in_order(void);

// rank: within the context's team; the PE number on the default context.
/** Has the default context been connected to that PE, of another node? Any thread. */
bool cw_is_connected(int pe);
/** Where that object of `pe` is mapped here, or NULL when it is not load/store reachable or not
 *  symmetric. */
void *cw_ptr(const void *symmetric, int pe);
struct cw_owner_target;
/** Fills in the records (core/rma/path.h), kept by the caller as long as the job lasts, of a PE of
 *  another node: they take the PE's own addresses, of which `origin` is where its slice begins
 *  (core/mem/area.h). The word, which the caller sets to direct + 1 then, says later which of them
 *  puts find. Connects if need be. */
void cw_target_of_owner(int pe, uintptr_t origin, uintptr_t *word, struct cw_owner_target *target);
/** Those chunks of a PE of another node (core/mem/blocks.h) are about to be freed, and this PE has
 *  completed what it did there on the default context: their node may give them up. [waits] */
void cw_release_chunks(int pe, uint64_t chunks);

#endif
