// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: register-memory operations. A value of n bytes is stored like an integer of that size,
// so on a little-endian machine its first n bytes in memory travel; n need not be a power of two.
#include <stdlib.h>

#include "base/compiler.h"
#include "gasnet_job/sync.h"
#include "gasnet_job/transfer.h"

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

static CW_NOINLINE void put_val_any(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                    size_t nbytes)
{
    uintptr_t word;
    cwt_target_t *record;
    check_size("gasnet_put_val", nbytes);
    if (cw_owner_is_fast(&gas_owner, node, &word) && (record = cw_owner_record(word))) {
        cw_target_put_complete(record, dest, &value, nbytes);
    } else {
        gas_put("gasnet_put_val", node, dest, &value, nbytes, CW_OWNER_BLOCKING, NULL);
    }
}

static CW_NOINLINE CW_COLD void put_val_due(gasnet_node_t node, void *dest,
                                            gasnet_register_value_t value, size_t nbytes)
{
    put_val_any(node, dest, value, nbytes);
    gas_poll_due();
}

GAS_API void gasnet_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                            size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(gas_is_due(node)))
        put_val_due(node, dest, value, nbytes);
    else if (CW_UNLIKELY(!cw_owner_is_fast(&gas_owner, node, &word)) || !cw_owner_is_plain(word) ||
             CW_UNLIKELY(!cw_owner_store_value(cw_local_address(word, dest), value, nbytes)))
        put_val_any(node, dest, value, nbytes);
}

GAS_API gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                          gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    if (cw_owner_is_fast(&gas_owner, node, &word) && nbytes - 1 < sizeof value) {
        if (cw_owner_is_plain(word) &&
            cw_owner_store_value(cw_local_address(word, dest), value, nbytes))
            return GASNET_INVALID_HANDLE;
        if (word & 1) {
            cw_owner_inject(word, dest, &value, nbytes);
            return cw_handle_in_flight();
        }
    }
    check_size(__func__, nbytes);
    cw_handle_op_t *op = gas_op_create();
    bool in_flight = gas_put(__func__, node, dest, &value, nbytes, CW_OWNER_NBI_COPIED, op);
    return gas_given(__func__, cw_handle_make(in_flight, op));
}

static CW_NOINLINE void put_nbi_val_any(gasnet_node_t node, void *dest,
                                        gasnet_register_value_t value, size_t nbytes)
{
    check_size("gasnet_put_nbi_val", nbytes);
    gas_put("gasnet_put_nbi_val", node, dest, &value, nbytes, CW_OWNER_NBI_COPIED,
            cw_implicit_op(true));
    cw_implicit_issued();
}

static CW_NOINLINE void put_nbi_val_far(gasnet_node_t node, void *dest,
                                        gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word = __atomic_load_n(&gas_owner.word[node], CW_DEPENDED_ON);
    if (CW_LIKELY(nbytes - 1 < sizeof value) && CW_LIKELY(word & 1))
        cw_owner_inject(word, dest, &value, nbytes);
    else
        put_nbi_val_any(node, dest, value, nbytes);
}

GAS_API void gasnet_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(!cw_owner_is_fast(&gas_owner, node, &word)))
        put_nbi_val_any(node, dest, value, nbytes);
    else if (!cw_owner_is_plain(word) ||
             CW_UNLIKELY(!cw_owner_store_value(cw_local_address(word, dest), value, nbytes)))
        put_nbi_val_far(node, dest, value, nbytes);
}

static CW_NOINLINE gasnet_register_value_t get_val_any(gasnet_node_t node, void *src, size_t nbytes)
{
    gasnet_register_value_t value = 0;
    uintptr_t word;
    cwt_target_t *record;
    check_size("gasnet_get_val", nbytes);
    if (cw_owner_is_fast(&gas_owner, node, &word) && (record = cw_owner_record(word)))
        cw_target_get(&value, record, src, nbytes);
    else
        gas_get("gasnet_get_val", &value, node, src, nbytes, CW_OWNER_BLOCKING, NULL);
    return value;
}

static CW_NOINLINE CW_COLD gasnet_register_value_t get_val_due(gasnet_node_t node, void *src,
                                                               size_t nbytes)
{
    gasnet_register_value_t value = get_val_any(node, src, nbytes);
    gas_poll_due();
    return value;
}

GAS_API gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (CW_UNLIKELY(gas_is_due(node)))
        return get_val_due(node, src, nbytes);
    if (CW_LIKELY(cw_owner_is_fast(&gas_owner, node, &word)) && cw_owner_is_plain(word)) {
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
        cwu_fatal("gasnet_get_nb_val: out of memory for one more value in flight");
    get->value = 0;
    get->next = NULL;
    cw_handle_op_t *op = gas_op_create();
    bool in_flight = gas_get(__func__, &get->value, node, src, nbytes, CW_OWNER_COPIED, op);
    get->handle = gas_given(__func__, cw_handle_make(in_flight, op));
    return get;
}

GAS_API gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    if (CW_UNLIKELY(!handle))
        gas_fail(__func__, "handle is NULL; give the one that gasnet_get_nb_val returned");
    gas_handle_wait(__func__, handle->handle);
    gas_thread_t *me = gas_thread();
    handle->next = me->free_values;
    me->free_values = handle;
    return handle->value;
}
