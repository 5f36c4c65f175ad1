// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of puts and gets. What is most frequent stands here: eight bytes, to a peer
// whose memory is mapped here or whose record is known. Everything else goes to rma.c.
#include "gasnet/quick.h"

/** Eight bytes that lie at src and go to dest, kept for a second try. */
typedef struct small {
    uint64_t bits;
    void *dest;
} small_t;

/** The put that the provider did not take, and the wait when too many were injected. */
static __attribute__((noinline, cold)) void put_again(uintptr_t word, ssize_t rc,
                                                      const small_t *small)
{
    if (rc)
        cw_put_scalar_retry(small->dest, small->bits, 8, word, &cw_ctx_default);
    else
        cw_put_scalar_drain(&cw_ctx_default);
}

/** Eight bytes to another node. */
static inline __attribute__((always_inline)) void put_far(uintptr_t word, void *dest,
                                                          const void *src)
{
    cwt_target_t *far = (cwt_target_t *)(word - 1);
    small_t small = {.dest = dest};
    memcpy(&small.bits, src, 8);
    ssize_t rc = far->inject(far->ep, &small.bits, 8, far->fabric_addr, (uintptr_t)dest + far->base,
                             far->key);
    __atomic_store_n(&far->last, word, __ATOMIC_RELEASE);
    cw_ctx_mark_word(&cw_hot, word);
    if (CW_UNLIKELY(rc != 0) || CW_UNLIKELY(cw_ctx_room_is_used_up(&cw_hot)))
        put_again(word, rc, &small);
}

static inline __attribute__((always_inline)) bool put_near(gasnet_node_t node, void *dest,
                                                           const void *src, uintptr_t *word_p)
{
    if (!gas_is_plain(node, word_p) || CW_UNLIKELY(*word_p & 3))
        return false;
    cw_store_bits(cw_local_address(*word_p, dest), *(const uint64_t *)src, 8);
    return true;
}

// What is not eight bytes, in three steps: a copy within the node, one call of the transport to a
// node that was reached before, and gas_put for the rest. Parameters in the order of the callers',
// so that these need not move theirs.

/** False: gas_put must do it. Else *under_way_p says whether there is something to wait for. */
static inline __attribute__((always_inline)) bool put_quickly(gasnet_node_t node, void *dest,
                                                              const void *src, size_t nbytes,
                                                              bool bulk, bool *under_way_p)
{
    uintptr_t word;
    cwt_target_t *far;
    *under_way_p = false;
    if (!gas_is_plain(node, &word))
        return false;
    if (gas_is_near(word)) {
        cw_copy(cw_local_address(word, dest), src, nbytes);
        return true;
    }
    if (!(far = gas_far(word)) || nbytes == 0)
        return false;
    cw_owner_put(far, dest, src, nbytes, bulk);
    *under_way_p = true;
    return true;
}

/** The same for gets. */
static inline __attribute__((always_inline)) bool get_quickly(void *dest, gasnet_node_t node,
                                                              const void *src, size_t nbytes,
                                                              bool nbi, bool *under_way_p)
{
    uintptr_t word;
    cwt_target_t *far;
    *under_way_p = false;
    if (!gas_is_plain(node, &word))
        return false;
    if (!(word & 1)) {
        cw_copy(dest, cw_local_address(word & ~(uintptr_t)3, src), nbytes);
        cw_get_done();
        return true;
    }
    if (!(far = gas_far(word)) || nbytes == 0)
        return false;
    cw_owner_get(dest, far, src, nbytes, nbi);
    *under_way_p = nbi;
    return true;
}

/** A blocking put: a copy, or one operation that is waited for. */
static inline __attribute__((always_inline)) void
put_any(gasnet_node_t node, void *dest, const void *src, size_t nbytes, const char *call)
{
    uintptr_t word = 0;
    cwt_target_t *far;
    bool plain = gas_is_plain(node, &word);
    if (plain && gas_is_near(word))
        cw_copy(cw_local_address(word, dest), src, nbytes);
    else if (plain && (far = gas_far(word)) && CW_LIKELY(nbytes != 0))
        cw_owner_put_complete(far, dest, src, nbytes);
    else
        gas_put(call, node, dest, src, nbytes, GAS_BLOCKING, NULL);
}

static inline __attribute__((always_inline)) void
get_any(void *dest, gasnet_node_t node, const void *src, size_t nbytes, const char *call)
{
    bool under_way;
    if (!get_quickly(dest, node, src, nbytes, false, &under_way))
        gas_get(call, dest, node, src, nbytes, GAS_BLOCKING, NULL);
}

static __attribute__((noinline)) void put_nbi_cold(gasnet_node_t node, void *dest, const void *src,
                                                   size_t nbytes, gas_mode_t mode, const char *call)
{
    gas_put(call, node, dest, src, nbytes, mode, gas_implicit(true));
    gas_implicit_issued();
}

static __attribute__((noinline)) void put_nbi_any(gasnet_node_t node, void *dest, const void *src,
                                                  size_t nbytes, gas_mode_t mode, const char *call)
{
    uintptr_t word;
    bool under_way;
    if (nbytes - 1 < __atomic_load_n(&gas.inject, __ATOMIC_RELAXED) && gas_is_plain(node, &word) &&
        (word & 1))
        gas_inject(word, dest, src, nbytes);
    else if (!put_quickly(node, dest, src, nbytes, mode == GAS_BULK, &under_way))
        put_nbi_cold(node, dest, src, nbytes, mode, call);
    else if (under_way)
        gas_implicit_issued();
}

static __attribute__((noinline)) void get_nbi_cold(void *dest, gasnet_node_t node, const void *src,
                                                   size_t nbytes, gas_mode_t mode, const char *call)
{
    gas_get(call, dest, node, src, nbytes, mode, gas_implicit(false));
    gas_implicit_issued();
}

static inline __attribute__((always_inline)) void get_nbi_any(void *dest, gasnet_node_t node,
                                                              const void *src, size_t nbytes,
                                                              gas_mode_t mode, const char *call)
{
    bool under_way;
    if (!get_quickly(dest, node, src, nbytes, true, &under_way))
        get_nbi_cold(dest, node, src, nbytes, mode, call);
    else if (under_way)
        gas_implicit_issued();
}

static __attribute__((noinline)) gasnet_handle_t put_nb_cold(gasnet_node_t node, void *dest,
                                                             const void *src, size_t nbytes,
                                                             gas_mode_t mode, const char *call)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_put(call, node, dest, src, nbytes, mode, op), op);
}

static __attribute__((noinline)) gasnet_handle_t put_nb_any(gasnet_node_t node, void *dest,
                                                            const void *src, size_t nbytes,
                                                            gas_mode_t mode, const char *call)
{
    bool under_way;
    if (!put_quickly(node, dest, src, nbytes, mode == GAS_BULK, &under_way))
        return put_nb_cold(node, dest, src, nbytes, mode, call);
    return under_way ? gas_handle(true, NULL) : GASNET_INVALID_HANDLE;
}

static __attribute__((noinline)) gasnet_handle_t get_nb_cold(void *dest, gasnet_node_t node,
                                                             const void *src, size_t nbytes,
                                                             gas_mode_t mode, const char *call)
{
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_get(call, dest, node, src, nbytes, mode, op), op);
}

static inline __attribute__((always_inline)) gasnet_handle_t
get_nb_any(void *dest, gasnet_node_t node, const void *src, size_t nbytes, gas_mode_t mode,
           const char *call)
{
    bool under_way;
    if (!get_quickly(dest, node, src, nbytes, true, &under_way))
        return get_nb_cold(dest, node, src, nbytes, mode, call);
    return under_way ? gas_handle(true, NULL) : GASNET_INVALID_HANDLE;
}

// ---------------------------------------------------------------- blocking
// Apart, so that eight bytes within the node keep the registers that they came in.
static __attribute__((noinline)) void put_other(gasnet_node_t node, void *dest, const void *src,
                                                size_t nbytes)
{
    put_any(node, dest, src, nbytes, "gasnet_put");
}

static __attribute__((noinline)) void get_other(void *dest, gasnet_node_t node, const void *src,
                                                size_t nbytes)
{
    get_any(dest, node, src, nbytes, "gasnet_get");
}

GAS_API void gasnet_put(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8) || !put_near(node, dest, src, &word))
        put_other(node, dest, src, nbytes);
}

GAS_API void gasnet_put_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    put_any(node, dest, src, nbytes, __func__);
}

GAS_API void gasnet_get(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8) || !gas_is_plain(node, &word) || CW_UNLIKELY(word & 3))
        get_other(dest, node, src, nbytes);
    else
        *(uint64_t *)dest = cw_load_bits(cw_local_address(word, src), 8);
}

GAS_API void gasnet_get_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    get_any(dest, node, src, nbytes, __func__);
}

// ---------------------------------------------------------------- explicit handles
GAS_API gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(nbytes == 8) && put_near(node, dest, src, &word))
        return GASNET_INVALID_HANDLE;
    return put_nb_any(node, dest, src, nbytes, GAS_COPIED, __func__);
}

GAS_API gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    return put_nb_any(node, dest, src, nbytes, GAS_BULK, __func__);
}

GAS_API gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return get_nb_any(dest, node, src, nbytes, GAS_COPIED, __func__);
}

GAS_API gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return get_nb_any(dest, node, src, nbytes, GAS_BULK, __func__);
}

// ---------------------------------------------------------------- implicit
GAS_API void gasnet_put_nbi(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = 0;
    if (CW_UNLIKELY(nbytes != 8) || !gas_is_plain(node, &word) || (word & 3) == 2)
        put_nbi_any(node, dest, src, nbytes, GAS_COPIED, __func__);
    else if (word & 1)
        put_far(word, dest, src);
    else
        cw_store_bits(cw_local_address(word, dest), *(const uint64_t *)src, 8);
}

GAS_API void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = 0;
    if (CW_LIKELY(nbytes == 8) && gas_is_plain(node, &word) && CW_LIKELY(word & 1))
        put_far(word, dest, src);
    else
        put_nbi_any(node, dest, src, nbytes, GAS_BULK, __func__);
}

GAS_API void gasnet_get_nbi(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    get_nbi_any(dest, node, src, nbytes, GAS_COPIED, __func__);
}

GAS_API void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    get_nbi_any(dest, node, src, nbytes, GAS_BULK, __func__);
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
    gas_implicit_issued();
}
