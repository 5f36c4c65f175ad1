// SPDX-License-Identifier: BSD-3-Clause
//
// Cold peer words: a transfer may not simply go ahead (no connection, no job, observed, batched, no
// valid context). They lead to records without a connection, whose inject, or the test for one,
// leads to the cold path, which finds out why (cw_reach).
#include "core/port/ctx.h"

/** No job. Ends the program. */
static void refuse(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank)
{
    (void)bits;
    cw_ctx_watch(ctx, CW_OP_P, dest, NULL, nbytes, rank);
}

cw_cold_put_t *cw_cold_put = refuse;

/** The scalar put's, with the PE as the key. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                       uint64_t addr, uint64_t pe)
{
    uint64_t bits = 0;
    (void)ep, (void)fabric_addr;
    memcpy(&bits, buf, nbytes);
    cw_cold_put(&cw_ctx_default, (void *)(uintptr_t)addr, bits, nbytes, (int)pe);
    return 0;
}

/** With the context as the fabric address. */
ssize_t cw_ctx_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t ctx, uint64_t addr,
                           uint64_t rank)
{
    uint64_t bits = 0;
    (void)ep;
    memcpy(&bits, buf, nbytes);
    cw_cold_put((cw_ctx_t *)(uintptr_t)ctx, (void *)(uintptr_t)addr, bits, nbytes, (int)rank);
    return 0;
}

#if defined(__x86_64__)
#define COLD_INJECT(name) name##_thunk
#else
#define COLD_INJECT(name) name
#endif
cwt_target_t cw_cold_target CW_CACHE_ALIGNED = {.inject = COLD_INJECT(cw_cold_inject)};
cwt_target_t cw_ctx_cold_target CW_CACHE_ALIGNED = {.inject = COLD_INJECT(cw_ctx_cold_inject)};

// ---------------------------------------------------------------- outside of a job

// Until the constructors have run (core/port/words.c).
static struct {
    cwt_target_t cold;
    uintptr_t entry[256];
} before_load CW_CACHE_ALIGNED = {.cold = {.inject = COLD_INJECT(cw_cold_inject)}};
#define BEFORE_LOAD ((uintptr_t)&before_load.cold + 1)
cw_guarded_t cw_guarded = {BEFORE_LOAD, BEFORE_LOAD};

// Of size 0: no rank leads to a table.
cw_node_hot_t cw_node_none;
cw_ctx_t cw_ctx_default = {.node = &cw_node_none, .port = &cw_port_default, .stride = 1};
cw_ctx_t cw_ctx_none = {.node = &cw_node_none, .port = &cw_port_default, .stride = 1};
