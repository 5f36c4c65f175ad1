// SPDX-License-Identifier: BSD-3-Clause
//
// Register-memory operations. A value of n bytes is stored like an integer of that size, so on a little-endian machine its
// first n bytes in memory are what travels; n need not be a power of two.
#include <stdlib.h>

#include "gasnet/gas.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes of a value come first");

struct gasnet_causeway_valget {
    gasnet_register_value_t value;
    gasnet_handle_t handle;
    struct gasnet_causeway_valget *next;
};

static void check_size(const char *call, size_t nbytes)
{
    if (nbytes == 0 || nbytes > sizeof(gasnet_register_value_t))
        gas_fail(call, "nbytes is %zu; a value has 1 to %zu bytes", nbytes, sizeof(gasnet_register_value_t));
}

static inline bool is_whole(size_t nbytes)
{
    return nbytes == 8 || nbytes == 4 || nbytes == 2 || nbytes == 1;
}

GAS_API void gasnet_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(is_whole(nbytes)) && gas_is_plain(node, &word) && CW_LIKELY(!(word & 3))) {
        cw_store_bits(cw_local_address(word, dest), value, nbytes);
        return;
    }
    check_size(__func__, nbytes);
    gas_put(__func__, node, dest, &value, nbytes, GAS_BLOCKING, NULL);
}

GAS_API gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest, gasnet_register_value_t value, size_t nbytes)
{
    check_size(__func__, nbytes);
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_put(__func__, node, dest, &value, nbytes, GAS_COPIED, op), op);
}

GAS_API void gasnet_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(is_whole(nbytes)) && gas_is_plain(node, &word) && CW_LIKELY(!(word & 3))) {
        cw_store_bits(cw_local_address(word, dest), value, nbytes);
        return;
    }
    check_size(__func__, nbytes);
    gas_put(__func__, node, dest, &value, nbytes, GAS_COPIED, gas_implicit(true));
}

GAS_API gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(is_whole(nbytes)) && gas_is_plain(node, &word) && CW_LIKELY(!(word & 3)))
        return cw_load_bits(cw_local_address(word, src), nbytes);
    gasnet_register_value_t value = 0;
    check_size(__func__, nbytes);
    gas_get(__func__, &value, node, src, nbytes, GAS_BLOCKING, NULL);
    return value;
}

GAS_API gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void *src, size_t nbytes)
{
    check_size(__func__, nbytes);
    gas_thread_t *me = gas_thread();
    struct gasnet_causeway_valget *get = me->free_values;
    if (get)
        me->free_values = get->next;
    else if (!(get = malloc(sizeof *get)))
        cwu_fatal("gasnet_get_nb_val: out of memory for one more value under way");
    get->value = 0;
    get->next = NULL;
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    get->handle = gas_handle(gas_get(__func__, &get->value, node, src, nbytes, GAS_COPIED, op), op);
    return get;
}

GAS_API gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    if (CW_UNLIKELY(!handle))
        gas_fail(__func__, "handle is NULL; give the one that gasnet_get_nb_val returned");
    gasnet_wait_syncnb(handle->handle);
    gas_thread_t *me = gas_thread();
    handle->next = me->free_values;
    me->free_values = handle;
    return handle->value;
}
