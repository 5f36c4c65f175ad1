// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of puts and gets. What is most frequent stands here: eight bytes, to a peer whose memory is mapped here
// or whose record is known. Everything else goes to rma.c.
#include "gasnet/gas.h"

static inline __attribute__((always_inline)) bool put_near(gasnet_node_t node, void *dest, const void *src,
                                                           size_t nbytes, uintptr_t word)
{
    (void)node;
    if (CW_UNLIKELY(word & 3) || CW_UNLIKELY(nbytes != 8))
        return false;
    cw_store_bits(cw_local_address(word, dest), *(const uint64_t *)src, 8);
    return true;
}

/** The put that the provider did not take, and the wait when too many were injected. */
static __attribute__((noinline, cold)) void put_again(gas_far_t *far, ssize_t rc, void *dest, uint64_t bits,
                                                      size_t nbytes)
{
    gasnet_node_t node = (gasnet_node_t)(far - gas.far_records);
    if (rc)
        cw_put_scalar_retry(gas_symmetric(node, dest), bits, nbytes, (uintptr_t)far->record + 1, &cw_ctx_default);
    else
        cw_put_scalar_drain(&cw_ctx_default);
}

/** A small put to another node that was reached before. */
static inline __attribute__((always_inline)) void put_far(uintptr_t word, void *dest, uint64_t bits, size_t nbytes)
{
    gas_far_t *far = (gas_far_t *)(word - 1);
    ssize_t rc = far->inject(far->ep, &bits, nbytes, far->fabric_addr, (uintptr_t)dest + far->base, far->key);
    __atomic_store_n(&far->record->last, word, __ATOMIC_RELEASE);
#if defined(__x86_64__)
    cw_hot.last = word;  // stores become visible in order
#else
    __atomic_exchange_n(&cw_hot.last, word, __ATOMIC_ACQ_REL);
#endif
    if (CW_UNLIKELY(rc != 0 || --cw_hot.room < 0))
        put_again(far, rc, dest, bits, nbytes);
}

static inline bool is_far(uintptr_t word)
{
    return (word & 1) && word != GAS_COLD;
}

static __attribute__((noinline)) void put_nbi_any(const char *call, gasnet_node_t node, void *dest, const void *src,
                                                  size_t nbytes, gas_mode_t mode)
{
    gas_put(call, node, dest, src, nbytes, mode, gas_implicit(true));
}

static __attribute__((noinline)) void get_nbi_any(const char *call, void *dest, gasnet_node_t node, const void *src,
                                                  size_t nbytes, gas_mode_t mode)
{
    gas_get(call, dest, node, src, nbytes, mode, gas_implicit(false));
}

static __attribute__((noinline)) gasnet_handle_t put_nb_any(const char *call, gasnet_node_t node, void *dest,
                                                            const void *src, size_t nbytes, gas_mode_t mode)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_put(call, node, dest, src, nbytes, mode, op), op);
}

static __attribute__((noinline)) gasnet_handle_t get_nb_any(const char *call, void *dest, gasnet_node_t node,
                                                            const void *src, size_t nbytes, gas_mode_t mode)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_get(call, dest, node, src, nbytes, mode, op), op);
}

// ---------------------------------------------------------------- blocking
GAS_API void gasnet_put(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    if (!put_near(node, dest, src, nbytes, gas_peer_word(node)))
        gas_put(__func__, node, dest, src, nbytes, GAS_BLOCKING, NULL);
}

GAS_API void gasnet_put_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    gas_put(__func__, node, dest, src, nbytes, GAS_BLOCKING, NULL);
}

GAS_API void gasnet_get(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word = gas_peer_word(node);
    if (CW_UNLIKELY(word & 1) || CW_UNLIKELY(nbytes != 8)) {
        gas_get(__func__, dest, node, src, nbytes, GAS_BLOCKING, NULL);
        return;
    }
    *(uint64_t *)dest = cw_load_bits(cw_local_address(word & ~(uintptr_t)2, src), 8);
}

GAS_API void gasnet_get_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    gas_get(__func__, dest, node, src, nbytes, GAS_BLOCKING, NULL);
}

// ---------------------------------------------------------------- explicit handles
GAS_API gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    if (put_near(node, dest, src, nbytes, gas_peer_word(node)))
        return GASNET_INVALID_HANDLE;
    return put_nb_any(__func__, node, dest, src, nbytes, GAS_COPIED);
}

GAS_API gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    return put_nb_any(__func__, node, dest, src, nbytes, GAS_BULK);
}

GAS_API gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return get_nb_any(__func__, dest, node, src, nbytes, GAS_COPIED);
}

GAS_API gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return get_nb_any(__func__, dest, node, src, nbytes, GAS_BULK);
}

// ---------------------------------------------------------------- implicit
GAS_API void gasnet_put_nbi(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = gas_peer_word(node);
    if (put_near(node, dest, src, nbytes, word))
        return;
    if (CW_LIKELY(nbytes == 8) && CW_LIKELY(is_far(word)))
        put_far(word, dest, *(const uint64_t *)src, 8);
    else
        put_nbi_any(__func__, node, dest, src, nbytes, GAS_COPIED);
}

GAS_API void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = gas_peer_word(node);
    if (CW_LIKELY(is_far(word)) && nbytes == 8) {
        uint64_t bits;
        memcpy(&bits, src, 8);
        put_far(word, dest, bits, 8);
        return;
    }
    put_nbi_any(__func__, node, dest, src, nbytes, GAS_BULK);
}

GAS_API void gasnet_get_nbi(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    get_nbi_any(__func__, dest, node, src, nbytes, GAS_COPIED);
}

GAS_API void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    get_nbi_any(__func__, dest, node, src, nbytes, GAS_BULK);
}

// ---------------------------------------------------------------- memset
GAS_API void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    gas_op_t op = {0};
    if (gas_memset(__func__, node, dest, val, nbytes, &op)) {
        gas_op_wait(__func__, &op);
        gas_quiet();
    }
}

GAS_API gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_memset(__func__, node, dest, val, nbytes, op), op);
}

GAS_API void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    gas_memset(__func__, node, dest, val, nbytes, gas_implicit(true));
}
