// SPDX-License-Identifier: BSD-3-Clause
//
// Register-memory operations. A value of n bytes is stored like an integer of that size, so on a
// little-endian machine its first n bytes in memory are what travels; n need not be a power of two.
#include <stdlib.h>

#include "gasnet/quick.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes of a value come first");

struct gasnet_causeway_valget {
    gasnet_register_value_t value;
    gasnet_handle_t handle;
    struct gasnet_causeway_valget *next;
};

static void check_size(const char *call, size_t nbytes)
{
    if (nbytes == 0 || nbytes > sizeof(gasnet_register_value_t))
        gas_fail(call, "nbytes is %zu; a value has 1 to %zu bytes", nbytes,
                 sizeof(gasnet_register_value_t));
}

/** What one store can do: it is done. */
static inline __attribute__((always_inline)) bool
store_value(void *dest, gasnet_register_value_t value, size_t nbytes)
{
    if (nbytes == 4)
        cw_store_bits(dest, value, 4);
    else if (nbytes == 8)
        cw_store_bits(dest, value, 8);
    else if (nbytes == 1)
        cw_store_bits(dest, value, 1);
    else if (nbytes == 2)
        cw_store_bits(dest, value, 2);
    else
        return false;
    return true;
}

static __attribute__((noinline)) void put_val_any(gasnet_node_t node, void *dest,
                                                  gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    cwt_target_t *far;
    check_size("gasnet_put_val", nbytes);
    if (gas_is_plain(node, &word) && (far = gas_far(word))) {
        cw_owner_put_complete(far, dest, &value, nbytes);
    } else {
        gas_put("gasnet_put_val", node, dest, &value, nbytes, GAS_BLOCKING, NULL);
    }
}

GAS_API void gasnet_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                            size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(!gas_is_plain(node, &word)) || !gas_is_near(word) ||
        CW_UNLIKELY(!store_value(cw_local_address(word, dest), value, nbytes)))
        put_val_any(node, dest, value, nbytes);
}

GAS_API gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                          gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    if (gas_is_plain(node, &word) && nbytes - 1 < sizeof value) {
        if (gas_is_near(word) && store_value(cw_local_address(word, dest), value, nbytes))
            return GASNET_INVALID_HANDLE;
        if (word & 1) {
            gas_inject(word, dest, &value, nbytes);
            return gas_handle(true, NULL);
        }
    }
    check_size(__func__, nbytes);
    gas_op_t *op = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
    return gas_handle(gas_put(__func__, node, dest, &value, nbytes, GAS_COPIED, op), op);
}

static __attribute__((noinline)) void put_nbi_val_any(gasnet_node_t node, void *dest,
                                                      gasnet_register_value_t value, size_t nbytes)
{
    check_size("gasnet_put_nbi_val", nbytes);
    gas_put("gasnet_put_nbi_val", node, dest, &value, nbytes, GAS_COPIED, gas_implicit(true));
    gas_implicit_issued();
}

static __attribute__((noinline)) void put_nbi_val_far(gasnet_node_t node, void *dest,
                                                      gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word = gas_word(node);
    if (CW_LIKELY(nbytes - 1 < sizeof value) && CW_LIKELY(word & 1))
        gas_inject(word, dest, &value, nbytes);
    else
        put_nbi_val_any(node, dest, value, nbytes);
}

GAS_API void gasnet_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(!gas_is_plain(node, &word)))
        put_nbi_val_any(node, dest, value, nbytes);
    else if (!gas_is_near(word) ||
             CW_UNLIKELY(!store_value(cw_local_address(word, dest), value, nbytes)))
        put_nbi_val_far(node, dest, value, nbytes);
}

static __attribute__((noinline)) gasnet_register_value_t get_val_any(gasnet_node_t node, void *src,
                                                                     size_t nbytes)
{
    gasnet_register_value_t value = 0;
    uintptr_t word;
    cwt_target_t *far;
    check_size("gasnet_get_val", nbytes);
    if (gas_is_plain(node, &word) && (far = gas_far(word)))
        cw_owner_get(&value, far, src, nbytes, false);
    else
        gas_get("gasnet_get_val", &value, node, src, nbytes, GAS_BLOCKING, NULL);
    return value;
}

GAS_API gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_LIKELY(gas_is_plain(node, &word)) && gas_is_near(word)) {
        const void *here = cw_local_address(word, src);
        if (nbytes == 4)
            return cw_load_bits(here, 4);
        if (nbytes == 8)
            return cw_load_bits(here, 8);
        if (nbytes == 1 || nbytes == 2)
            return cw_load_bits(here, nbytes);
    }
    return get_val_any(node, src, nbytes);
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
