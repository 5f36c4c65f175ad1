// SPDX-License-Identifier: BSD-3-Clause
//
// Scalar puts and gets, quiet and fence: the paths whose instructions are counted.
//
// Local: one load of the peer word, one test, the store itself, one look at the sleepers.
// Off-node: the same test, then the provider's inject is called with a record that holds every argument ready.
// Completion bookkeeping is two plain stores: cw_hot.last (the context has something in flight) and target->last
// (this target has; also the address, should the provider not take the put and the cold path must repeat it).
#ifndef CW_CORE_RMA_H
#define CW_CORE_RMA_H

#include "core/core.h"

/** The put that could not be done inline: not connected, or checked. */
void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int pe) __attribute__((cold));
/** The put that the provider did not take: cw_hot.last and its target say where it was going. */
void cw_put_scalar_retry(uint64_t bits, size_t nbytes) __attribute__((cold));
/** CW_INJECT_ROOM puts were injected: waits until the targets have them. */
void cw_put_scalar_drain(void) __attribute__((cold));
/** An off-node put through the target's inject; x86-64 has it in assembly (core/put_scalar_x86_64.h). */
void cw_put_scalar_off_node(void *dest, uint64_t bits, size_t nbytes, int pe, uintptr_t word);
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr, uint64_t pe);
ssize_t cw_cold_inject_thunk(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                             uint64_t key);
uint64_t cw_get_scalar_cold(cw_ctx_t *ctx, const void *src, size_t nbytes, int pe);
void cw_quiet_cold(cw_ctx_t *ctx);
void cw_fence_cold(cw_ctx_t *ctx);

static inline __attribute__((always_inline)) void cw_store_bits(void *p, uint64_t bits, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        __atomic_store_n((uint8_t *)p, (uint8_t)bits, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)p, (uint16_t)bits, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)p, (uint32_t)bits, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)p, bits, __ATOMIC_RELAXED);
        break;
    }
}

static inline __attribute__((always_inline)) uint64_t cw_load_bits(const void *p, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
    }
}

/** Puts the low nbytes (1, 2, 4, 8; a constant) of bits. Default context. */
static inline __attribute__((always_inline)) void cw_put_scalar(void *dest, uint64_t bits, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (cw_word_is_local(word)) {
        cw_store_bits(cw_local_address(word, dest), bits, nbytes);
        cw_local_stored(pe);
        return;
    }
    cw_put_scalar_off_node(dest, bits, nbytes, pe, word);
}

static inline __attribute__((always_inline)) uint64_t cw_get_scalar(const void *src, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (cw_word_is_local(word))
        return cw_load_bits(cw_local_address(word, src), nbytes);
    return cw_get_scalar_cold(&cw_ctx_default, src, nbytes, pe);
}

/** Everything this context issued is done and visible. The fence is seq_cst: quiet also orders local stores
 *  against later loads (store buffering must not be observable across it). */
static inline __attribute__((always_inline)) void cw_quiet_default(void)
{
    if (CW_UNLIKELY(cw_hot.last != 0))
        cw_quiet_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_seq_cst);
}

/** Order to each PE. Local stores: release. Off-node: what the transport needs. */
static inline __attribute__((always_inline)) void cw_fence_default(void)
{
    if (CW_UNLIKELY(cw_hot.last != 0))
        cw_fence_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_acq_rel);
}

void cw_quiet(cw_ctx_t *ctx);
void cw_fence(cw_ctx_t *ctx);

#endif
