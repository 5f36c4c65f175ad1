// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: puts and gets between memories. The most frequent case stands here: eight bytes, to a
// peer whose memory is mapped here or whose record is known.
#include "base/compiler.h"
#include "gasnet_job/sync.h"
#include "gasnet_job/transfer.h"

// ---------------------------------------------------------------- blocking
// Apart, so that eight bytes within the node keep the registers that they came in.
static CW_NOINLINE void put_sized(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    gas_put_blocking(node, dest, src, nbytes, "gasnet_put");
}

static CW_NOINLINE void put8_far(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    gas_put_now(node, dest, src, nbytes, "gasnet_put");
}

static CW_NOINLINE CW_COLD void put8_due(gasnet_node_t node, void *dest, const void *src)
{
    gas_put_due(node, dest, src, 8, "gasnet_put");
}

static CW_NOINLINE void get_sized(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    gas_get_blocking(dest, node, src, nbytes, "gasnet_get");
}

static CW_NOINLINE void get8_far(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    gas_get_now(dest, node, src, nbytes, "gasnet_get");
}

static CW_NOINLINE CW_COLD void get8_due(void *dest, gasnet_node_t node, const void *src)
{
    gas_get_due(dest, node, src, 8, "gasnet_get");
}

/** Of a node that was not due. */
static CW_ALWAYS_INLINE uintptr_t word_of(gasnet_node_t node)
{
    return __atomic_load_n(&gas_owner.word[node], CW_DEPENDED_ON);
}

GAS_API void gasnet_put(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8))
        put_sized(node, dest, src, nbytes);
    else if (CW_UNLIKELY(gas_is_due(node)))
        put8_due(node, dest, src);
    else if (CW_UNLIKELY((word = word_of(node)) & 3))
        put8_far(node, dest, src, nbytes);
    else
        cw_store_bits(cw_local_address(word, dest), *(const uint64_t *)src, 8);
}

GAS_API void gasnet_put_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    gas_put_blocking(node, dest, src, nbytes, __func__);
}

GAS_API void gasnet_get(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8))
        get_sized(dest, node, src, nbytes);
    else if (CW_UNLIKELY(gas_is_due(node)))
        get8_due(dest, node, src);
    else if (CW_UNLIKELY((word = word_of(node)) & 3))
        get8_far(dest, node, src, nbytes);
    else
        *(uint64_t *)dest = cw_load_bits(cw_local_address(word, src), 8);
}

GAS_API void gasnet_get_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    gas_get_blocking(dest, node, src, nbytes, __func__);
}

// ---------------------------------------------------------------- explicit handles
GAS_API gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(nbytes == 8) && cw_owner_put8_near(&gas_owner, node, dest, src, &word))
        return GASNET_INVALID_HANDLE;
    return gas_put_nb(node, dest, src, nbytes, false, __func__);
}

GAS_API gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    return gas_put_nb(node, dest, src, nbytes, true, __func__);
}

GAS_API gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return gas_get_nb(dest, node, src, nbytes, __func__);
}

GAS_API gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    return gas_get_nb(dest, node, src, nbytes, __func__);
}

// ---------------------------------------------------------------- implicit
GAS_API void gasnet_put_nbi(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = 0;
    if (CW_UNLIKELY(nbytes != 8) || !cw_owner_is_fast(&gas_owner, node, &word) || (word & 3) == 2)
        gas_put_nbi(node, dest, src, nbytes, false, __func__);
    else if (word & 1)
        cw_owner_put8_far(word, dest, src);
    else
        cw_store_bits(cw_local_address(word, dest), *(const uint64_t *)src, 8);
}

GAS_API void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = 0;
    if (CW_LIKELY(nbytes == 8) && cw_owner_is_fast(&gas_owner, node, &word) && CW_LIKELY(word & 1))
        cw_owner_put8_far(word, dest, src);
    else
        gas_put_nbi(node, dest, src, nbytes, true, __func__);
}

GAS_API void gasnet_get_nbi(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    gas_get_nbi(dest, node, src, nbytes, __func__);
}

GAS_API void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    gas_get_nbi(dest, node, src, nbytes, __func__);
}

// ---------------------------------------------------------------- memset
GAS_API void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    cw_handle_op_t op = {0};
    if (gas_memset(__func__, node, dest, val, nbytes, &op)) {
        cw_handle_op_wait(__func__, &op);
        cw_handle_quiet();
    }
    cw_am_poll();
}

GAS_API gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    cw_handle_op_t *op = gas_op_create();
    bool in_flight = gas_memset(__func__, node, dest, val, nbytes, op);
    return gas_given(__func__, cw_handle_make(in_flight, op));
}

GAS_API void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    gas_memset(__func__, node, dest, val, nbytes, cw_implicit_op(true));
    cw_implicit_issued();
}
