// SPDX-License-Identifier: BSD-3-Clause
//
// Cold peer words, and what they lead to. A word is cold where a transfer may not simply go ahead:
// the PE's node is not connected yet, the library is not initialised or finalised, every transfer
// is observed, operations are batched, or the context is destroyed or none. A cold word leads to
// one of two records without a connection, so the fast path needs no test for any of these: the
// scalar put calls the record's inject, all other operations find no connection, and both continue
// in the operation's cold path, which finds out why (core/rma/ctx.h: cw_reach).
#include "core/rma/ctx.h"
#include "core/rma/rma.h"

/** What the inlined scalar put calls when its word is cold, with the PE where the key would be. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                       uint64_t addr, uint64_t pe)
{
    uint64_t bits = 0;
    (void)ep, (void)fabric_addr;
    memcpy(&bits, buf, nbytes);
    cw_put_scalar_cold(&cw_ctx_default, (void *)(uintptr_t)addr, bits, nbytes, (int)pe);
    return 0;
}

/** The same with the context where the fabric address would be. */
ssize_t cw_ctx_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t ctx, uint64_t addr,
                           uint64_t rank)
{
    uint64_t bits = 0;
    (void)ep;
    memcpy(&bits, buf, nbytes);
    cw_put_scalar_cold((cw_ctx_t *)(uintptr_t)ctx, (void *)(uintptr_t)addr, bits, nbytes,
                       (int)rank);
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

// Until the library's constructors have run (core/rma/words.c).
static struct {
    cwt_target_t cold;
    uintptr_t entry[256];
} before_load CW_CACHE_ALIGNED = {.cold = {.inject = COLD_INJECT(cw_cold_inject)}};
#define BEFORE_LOAD ((uintptr_t)&before_load.cold + 1)
cw_guarded_t cw_guarded = {BEFORE_LOAD, BEFORE_LOAD};

// Their size is 0: no rank leads to a table.
cw_node_hot_t cw_node_none;
cw_ctx_t cw_ctx_default = {.node = &cw_node_none, .port = &cw_port_default, .stride = 1};
cw_ctx_t cw_ctx_none = {.node = &cw_node_none, .port = &cw_port_default, .stride = 1};
