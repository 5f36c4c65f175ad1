// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets behind the fast paths: frames for observers, checks, the kinds of completion.
#include "gasnet_job/transfer.h"
#include "base/compiler.h"
#include "base/symbol.h"
#include "gasnet_job/sync.h"

gasnet_causeway_near_t gasnet_causeway_near;

bool gas_put(const char *call, gasnet_node_t node, void *dest, const void *src, size_t nbytes,
             cw_owner_mode_t mode, cw_handle_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_transfer(call, node, dest, src, nbytes);
    bool in_flight = cw_owner_put_general(&gas_owner, call, node, dest, src, nbytes, mode, op);
    if (CW_UNLIKELY(gas.check))
        gas_saw(node, dest, src, nbytes);
    return in_flight;
}

bool gas_get(const char *call, void *dest, gasnet_node_t node, const void *src, size_t nbytes,
             cw_owner_mode_t mode, cw_handle_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_transfer(call, node, src, dest, nbytes);
    bool in_flight = cw_owner_get_general(&gas_owner, call, dest, node, src, nbytes, mode, op);
    if (CW_UNLIKELY(gas.check))
        gas_saw(node, src, dest, nbytes);
    return in_flight;
}

bool gas_memset(const char *call, gasnet_node_t node, void *dest, int value, size_t nbytes,
                cw_handle_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_set(call, node, dest, nbytes);
    return cw_owner_set_general(&gas_owner, node, dest, value, nbytes, op);
}

// ---------------------------------------------------------------- polls of blocking calls
__thread uint32_t gasnet_causeway_patience;

void gas_poll_due(void)
{
    gasnet_causeway_patience = gas_owner.limit ? gas_owner.limit + CW_OWNER_BEYOND : 0;
    cw_am_poll();
}

/** In checking mode: done, if this thread remembers that it is right. */
static inline bool put_is_seen(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    return gas.check && cw_owner_put_seen(node, dest, src, nbytes, GAS_PAIRS);
}

static inline bool get_is_seen(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    return gas.check && cw_owner_get_seen(dest, node, src, nbytes, GAS_PAIRS);
}

void gas_put_due(gasnet_node_t node, void *dest, const void *src, size_t nbytes, const char *call)
{
    if (put_is_seen(node, dest, src, nbytes)) {
        gas_poll_in_turn();
        return;
    }
    gas_put_now(node, dest, src, nbytes, call);
    gas_poll_due();
}

void gas_get_due(void *dest, gasnet_node_t node, const void *src, size_t nbytes, const char *call)
{
    if (get_is_seen(dest, node, src, nbytes)) {
        gas_poll_in_turn();
        return;
    }
    gas_get_now(dest, node, src, nbytes, call);
    gas_poll_due();
}

// ---------------------------------------------------------------- explicit handles
CW_NOINLINE cw_handle_t gas_put_nb_general(gasnet_node_t node, void *dest, const void *src,
                                           size_t nbytes, bool bulk, const char *call)
{
    cw_owner_mode_t mode = bulk ? CW_OWNER_BULK : CW_OWNER_COPIED;
    cw_handle_t handle = CW_HANDLE_DONE;
    if (!put_is_seen(node, dest, src, nbytes)) {
        cw_handle_op_t *op = gas_op_create();
        bool in_flight = gas_put(call, node, dest, src, nbytes, mode, op);
        handle = cw_handle_make(in_flight, op);
    }
    if (CW_LIKELY(!gas.check))
        return handle;
    handle = cw_handle_given(call, handle);
    if (bulk)
        cw_handle_keep_source(handle, CWU_CALLER, src, nbytes, (int)node);
    return handle;
}

cw_handle_t gas_put_nb(gasnet_node_t node, void *dest, const void *src, size_t nbytes, bool bulk,
                       const char *call)
{
    bool in_flight;
    if (!cw_owner_put_fast(&gas_owner, node, dest, src, nbytes, bulk, &in_flight))
        return gas_put_nb_general(node, dest, src, nbytes, bulk, call);
    return in_flight ? cw_handle_in_flight() : CW_HANDLE_DONE;
}

cw_handle_t gas_get_nb_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                               const char *call)
{
    if (get_is_seen(dest, node, src, nbytes))
        return gas_given(call, CW_HANDLE_DONE);
    cw_handle_op_t *op = gas_op_create();
    bool in_flight = gas_get(call, dest, node, src, nbytes, CW_OWNER_BULK, op);
    return gas_given(call, cw_handle_make(in_flight, op));
}

// ---------------------------------------------------------------- implicit
CW_NOINLINE void gas_put_nbi_general(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                                     bool bulk, const char *call)
{
    cw_owner_mode_t mode = bulk ? CW_OWNER_NBI_BULK : CW_OWNER_NBI_COPIED;
    if (!put_is_seen(node, dest, src, nbytes)) {
        gas_put(call, node, dest, src, nbytes, mode, cw_implicit_op(true));
        cw_implicit_issued();
    }
    if (CW_UNLIKELY(gas.check) && bulk)
        cw_implicit_keep_source(CWU_CALLER, src, nbytes, (int)node);
}

void gas_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes, bool bulk,
                 const char *call)
{
    uintptr_t word;
    bool in_flight;
    if (nbytes - 1 < __atomic_load_n(&gas_owner.inject_nbytes, __ATOMIC_RELAXED) &&
        cw_owner_is_fast(&gas_owner, node, &word) && !cw_owner_is_mapped(word))
        cw_owner_inject(word, dest, src, nbytes);
    else if (!cw_owner_put_fast(&gas_owner, node, dest, src, nbytes, bulk, &in_flight))
        gas_put_nbi_general(node, dest, src, nbytes, bulk, call);
    else if (in_flight)
        cw_implicit_issued();
}

void gas_get_nbi_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                         const char *call)
{
    if (!get_is_seen(dest, node, src, nbytes)) {
        gas_get(call, dest, node, src, nbytes, CW_OWNER_BULK, cw_implicit_op(false));
        cw_implicit_issued();
    }
    if (CW_UNLIKELY(gas.check) && nbytes > 0)
        cw_implicit_keep_get(CWU_CALLER, (int)node);
}
