// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts, as front ends see them. Handles are pointers to cw_ctx_t; the default one has a fixed
// small handle.
#ifndef CW_CORE_CONTEXT_H
#define CW_CORE_CONTEXT_H

#include "core/port/hot.h"
#include "core/world/world.h"

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

/** Where that object of `pe` is mapped here; NULL: nowhere, or it is not symmetric. */
void *cw_ptr(const void *symmetric, int pe);

// ---------------------------------------------------------------- for rooms that open and end
/** After placement and segment. */
int cw_ctx_open(void);
/** Destroys the rest; then calls find "not initialised". cw_ctx_destroy_all comes first, while the
 *  network is up. */
void cw_ctx_shut(void);
void cw_ctx_destroy_all(void);
/** Symmetric memory of devices appears: every transfer takes a cold path until the job ends.
 *  CW_ENOMEM: not reported, nothing changed. No other thread may be in the library. */
int cw_ctx_go_cold(void);

#endif
