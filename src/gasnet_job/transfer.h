// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of both interfaces: the fast paths of core/owner/transfer.h, and behind them the
// general path with the checks and observers that GASNet's calls have. `call`: as the client
// calls it.
#ifndef GAS_TRANSFER_H
#define GAS_TRANSFER_H

#include "base/compiler.h"
#include "gasnet_job/gas.h"

// ---------------------------------------------------------------- the general path (transfer.c)
/** op: counts messages; NULL when blocking. True: something is in flight. */
bool gas_put(const char *call, gasnet_node_t node, void *dest, const void *src, size_t nbytes,
             cw_owner_mode_t mode, cw_handle_op_t *op);
bool gas_get(const char *call, void *dest, gasnet_node_t node, const void *src, size_t nbytes,
             cw_owner_mode_t mode, cw_handle_op_t *op);
bool gas_memset(const char *call, gasnet_node_t node, void *dest, int value, size_t nbytes,
                cw_handle_op_t *op);
/** What counts the messages of an operation that has a handle, or NULL if there are none. */
static inline cw_handle_op_t *gas_op_create(void)
{
    return gas.segments == GAS_EVERYTHING ? cw_handle_op_create() : NULL;
}

// What is not fast, with each kind of completion.
cw_handle_t gas_put_nb_general(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                               bool bulk, const char *call);
cw_handle_t gas_get_nb_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                               const char *call);
void gas_put_nbi_general(gasnet_node_t node, void *dest, const void *src, size_t nbytes, bool bulk,
                         const char *call);
void gas_get_nbi_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                         const char *call);

// ---------------------------------------------------------------- polls of blocking calls
// A client may wait for a handler by blocking puts and gets alone, so these poll now and then. The
// test for a fast path counts the calls: it compares the node with a limit of the thread, which
// begins above the number of nodes and which each call lowers. A node that it has come down to is
// due for a poll, and the limit begins anew: 1 to CW_OWNER_BEYOND + nodes calls, at two
// instructions more in each. Waits for operations, which name no node, lower the limit too, and are
// due when it is 0.
extern _Thread_local uint32_t gasnet_causeway_patience CW_EXPORTED CW_INITIAL_EXEC;
/** Behind the call that was due. */
void gas_poll_due(void);

/** True: the caller takes the general path, and then polls. Else the table of words has an entry
 *  for the node. */
static CW_ALWAYS_INLINE bool gas_is_due(gasnet_node_t node)
{
    if (CW_UNLIKELY(node >= gasnet_causeway_patience))
        return true;
    __asm__("" : "+m"(gasnet_causeway_patience));  // not in a register: one instruction lowers it
    gasnet_causeway_patience--;
    return false;
}

/** In a wait: polls if it is due. */
static CW_ALWAYS_INLINE void gas_poll_if_due(void)
{
    __asm__("" : "+m"(gasnet_causeway_patience));
    if (CW_UNLIKELY((int32_t)--gasnet_causeway_patience < 0))
        gas_poll_due();
}

/** In checking mode, behind a call that had a pair: as often as it would be due without checks. */
static inline void gas_poll_in_turn(void)
{
    if (CW_UNLIKELY(++cw_known_mine->turns % CW_OWNER_BEYOND == 0))
        gas_poll_due();
}

void gas_put_due(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                 const char *call) CW_COLD;
void gas_get_due(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                 const char *call) CW_COLD;

// ---------------------------------------------------------------- any size, any node
// Parameters in the order of the API's, so that its functions need not move theirs. bulk: the
// source stays in use until the put is complete.
cw_handle_t gas_put_nb(gasnet_node_t node, void *dest, const void *src, size_t nbytes, bool bulk,
                       const char *call);
void gas_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes, bool bulk,
                 const char *call);

/** Of a node that was not due. */
static CW_ALWAYS_INLINE void gas_put_now(gasnet_node_t node, void *dest, const void *src,
                                         size_t nbytes, const char *call)
{
    if (!cw_owner_put_fast_complete(&gas_owner, node, dest, src, nbytes))
        gas_put(call, node, dest, src, nbytes, CW_OWNER_BLOCKING, NULL);
}

static CW_ALWAYS_INLINE void gas_put_blocking(gasnet_node_t node, void *dest, const void *src,
                                              size_t nbytes, const char *call)
{
    if (CW_UNLIKELY(gas_is_due(node)))
        gas_put_due(node, dest, src, nbytes, call);
    else
        gas_put_now(node, dest, src, nbytes, call);
}

static CW_ALWAYS_INLINE void gas_get_now(void *dest, gasnet_node_t node, const void *src,
                                         size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(&gas_owner, dest, node, src, nbytes, false, &in_flight))
        gas_get(call, dest, node, src, nbytes, CW_OWNER_BLOCKING, NULL);
}

static CW_ALWAYS_INLINE void gas_get_blocking(void *dest, gasnet_node_t node, const void *src,
                                              size_t nbytes, const char *call)
{
    if (CW_UNLIKELY(gas_is_due(node)))
        gas_get_due(dest, node, src, nbytes, call);
    else
        gas_get_now(dest, node, src, nbytes, call);
}

static CW_ALWAYS_INLINE cw_handle_t gas_get_nb(void *dest, gasnet_node_t node, const void *src,
                                               size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(&gas_owner, dest, node, src, nbytes, true, &in_flight))
        return gas_get_nb_general(dest, node, src, nbytes, call);
    return in_flight ? cw_handle_in_flight() : CW_HANDLE_DONE;
}

static CW_ALWAYS_INLINE void gas_get_nbi(void *dest, gasnet_node_t node, const void *src,
                                         size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(&gas_owner, dest, node, src, nbytes, true, &in_flight))
        gas_get_nbi_general(dest, node, src, nbytes, call);
    else if (in_flight)
        cw_implicit_issued();
}

#endif
