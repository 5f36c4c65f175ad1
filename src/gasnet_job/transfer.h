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
                               cw_owner_mode_t mode, const char *call);
cw_handle_t gas_get_nb_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                               const char *call);
void gas_put_nbi_general(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                         cw_owner_mode_t mode, const char *call);
void gas_get_nbi_general(void *dest, gasnet_node_t node, const void *src, size_t nbytes,
                         const char *call);

// ---------------------------------------------------------------- any size, any node
// Parameters in the order of the API's, so that its functions need not move theirs.
cw_handle_t gas_put_nb(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                       cw_owner_mode_t mode, const char *call);
void gas_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes,
                 cw_owner_mode_t mode, const char *call);

static CW_ALWAYS_INLINE void gas_put_blocking(gasnet_node_t node, void *dest, const void *src,
                                              size_t nbytes, const char *call)
{
    if (!cw_owner_put_fast_complete(node, dest, src, nbytes))
        gas_put(call, node, dest, src, nbytes, CW_OWNER_BLOCKING, NULL);
}

static CW_ALWAYS_INLINE void gas_get_blocking(void *dest, gasnet_node_t node, const void *src,
                                              size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(dest, node, src, nbytes, false, &in_flight))
        gas_get(call, dest, node, src, nbytes, CW_OWNER_BLOCKING, NULL);
}

static CW_ALWAYS_INLINE cw_handle_t gas_get_nb(void *dest, gasnet_node_t node, const void *src,
                                               size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(dest, node, src, nbytes, true, &in_flight))
        return gas_get_nb_general(dest, node, src, nbytes, call);
    return in_flight ? cw_handle_make(true, NULL) : CW_HANDLE_DONE;
}

static CW_ALWAYS_INLINE void gas_get_nbi(void *dest, gasnet_node_t node, const void *src,
                                         size_t nbytes, const char *call)
{
    bool in_flight;
    if (!cw_owner_get_fast(dest, node, src, nbytes, true, &in_flight))
        gas_get_nbi_general(dest, node, src, nbytes, call);
    else if (in_flight)
        cw_implicit_issued();
}

#endif
