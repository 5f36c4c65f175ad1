// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: puts and gets between memories. The most frequent case stands here: eight bytes, to a
// peer whose memory is mapped here or whose record is known.
#include "base/compiler.h"
#include "gasnet_job/transfer.h"

// ---------------------------------------------------------------- blocking
// Apart, so that eight bytes within the node keep the registers that they came in.
static CW_NOINLINE void put_other(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    gas_put_blocking(node, dest, src, nbytes, "gasnet_put");
}

static CW_NOINLINE void get_other(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    gas_get_blocking(dest, node, src, nbytes, "gasnet_get");
}

GAS_API void gasnet_put(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8) || !cw_owner_put8_near(node, dest, src, &word))
        put_other(node, dest, src, nbytes);
}

GAS_API void gasnet_put_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    gas_put_blocking(node, dest, src, nbytes, __func__);
}

GAS_API void gasnet_get(void *dest, gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(nbytes != 8) || !cw_owner_is_fast(node, &word) || CW_UNLIKELY(word & 3))
        get_other(dest, node, src, nbytes);
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
    if (CW_LIKELY(nbytes == 8) && cw_owner_put8_near(node, dest, src, &word))
        return GASNET_INVALID_HANDLE;
    return gas_put_nb(node, dest, src, nbytes, CW_OWNER_COPIED, __func__);
}

GAS_API gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    return gas_put_nb(node, dest, src, nbytes, CW_OWNER_BULK, __func__);
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
    if (CW_UNLIKELY(nbytes != 8) || !cw_owner_is_fast(node, &word) || (word & 3) == 2)
        gas_put_nbi(node, dest, src, nbytes, CW_OWNER_COPIED, __func__);
    else if (word & 1)
        cw_owner_put8_far(word, dest, src);
    else
        cw_store_bits(cw_local_address(word, dest), *(const uint64_t *)src, 8);
}

GAS_API void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes)
{
    uintptr_t word = 0;
    if (CW_LIKELY(nbytes == 8) && cw_owner_is_fast(node, &word) && CW_LIKELY(word & 1))
        cw_owner_put8_far(word, dest, src);
    else
        gas_put_nbi(node, dest, src, nbytes, CW_OWNER_BULK, __func__);
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
}

GAS_API gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    cw_handle_op_t *op = gas_op_create();
    return cw_handle_make(gas_memset(__func__, node, dest, val, nbytes, op), op);
}

GAS_API void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    gas_memset(__func__, node, dest, val, nbytes, cw_implicit_op(true));
    cw_implicit_issued();
}
