// SPDX-License-Identifier: BSD-3-Clause
//
// Native atomics: only if the user asks for them (CAUSEWAY_ATOMICS=nic) and the provider's query
// confirms every operation on 4 and 8 bytes; advertising them is not enough (some providers return
// "not implemented" when called).
#include "calls.h"

#include <rdma/fi_atomic.h>

/** The numbers of cw_amo_op_t, which this layer must not include. */
enum { AMO_FETCH, AMO_SET, AMO_ADD, AMO_AND, AMO_OR, AMO_XOR, AMO_SWAP, AMO_CSWAP, AMO_OPS };

static const enum fi_op provider_op[AMO_OPS] = {
    [AMO_FETCH] = FI_ATOMIC_READ, [AMO_SET] = FI_ATOMIC_WRITE, [AMO_ADD] = FI_SUM,
    [AMO_AND] = FI_BAND,          [AMO_OR] = FI_BOR,           [AMO_XOR] = FI_BXOR,
    [AMO_SWAP] = FI_ATOMIC_WRITE, [AMO_CSWAP] = FI_CSWAP,
};

/** All or nothing: one domain of atomicity. */
static bool all_supported(cwt_client_t *client)
{
    const enum fi_datatype types[] = {FI_UINT32, FI_UINT64};
    if (!ofi_choice.nic_atomics)
        return false;
    for (int op = 0; op < AMO_OPS; op++)
        for (int i = 0; i < 2; i++) {
            struct fi_atomic_attr attr = {0, 0};
            uint64_t flags = op == AMO_CSWAP ? FI_COMPARE_ATOMIC : FI_FETCH_ATOMIC;
            int rc =
                fi_query_atomic(client->device.domain, types[i], provider_op[op], &attr, flags);
            if (rc != 0 || attr.count < 1) {
                cwu_debug("provider atomics not used: operation %d on %d bytes: %s", op, i ? 8 : 4,
                          ofi_reason(rc));
                return false;
            }
        }
    return true;
}

// Layout of the client's scratch area: [0] flushes, [1] operand, [2] compare value, [3] result.
static ssize_t post(cwt_conn_t *conn, ofi_op_t *op, int amo, enum fi_datatype type, uint64_t addr,
                    uint64_t key)
{
    uint64_t *s = conn->client->scratch;
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    if (amo == AMO_CSWAP)
        return fi_compare_atomic(conn->ep, &s[1], 1, desc, &s[2], desc, &s[3], desc, conn->fi_addr,
                                 addr, key, type, provider_op[amo], &op->context);
    return fi_fetch_atomic(conn->ep, &s[1], 1, desc, &s[3], desc, conn->fi_addr, addr, key, type,
                           provider_op[amo], &op->context);
}

static void store(uint64_t *at, uint64_t value, int nbytes)
{
    if (nbytes == 4)
        *(uint32_t *)(void *)at = (uint32_t)value;
    else
        *at = value;
}

static int amo_locked(cwt_conn_t *conn, uint64_t offset, int amo, int nbytes, uint64_t operand,
                      uint64_t compare, uint64_t *old_p)
{
    cwt_client_t *client = conn->client;
    if (client->atomics == 0)
        client->atomics = all_supported(client) ? 1 : -1;
    if (client->atomics < 0)
        return CW_ENOTSUP;
    uint64_t addr, key;
    int rc = ofi_conn_up(conn, "atomic");
    if (rc != 0)
        return rc;
    size_t left = (size_t)nbytes;
    if (amo < 0 || amo >= AMO_OPS || (nbytes != 4 && nbytes != 8))
        return CW_EINVAL;
    rc = ofi_remote(conn, offset, &left, &addr, &key);
    if (rc == 0 && left < (size_t)nbytes)
        rc = CW_EINVAL;  // not aligned
    if (rc == 0)
        rc = ofi_drain_puts(conn);  // no provider promises order of atomics behind writes
    ofi_op_t *op = NULL;
    ofi_waiter_t w = OFI_WAITER("an atomic operation");
    while (rc == 0 && !(op = ofi_pool_get(&client->ops)))
        rc = ofi_wait_round(client, conn, &w);
    if (rc != 0)
        return rc;
    ofi_completion_t completion = {.left = 2};
    op->conn = conn;
    op->completion = &completion;
    store(&client->scratch[1], operand, nbytes);
    store(&client->scratch[2], compare, nbytes);
    ssize_t posted;
    while ((posted = post(conn, op, amo, nbytes == 4 ? FI_UINT32 : FI_UINT64, addr, key)) ==
               -FI_EAGAIN &&
           rc == 0)
        rc = ofi_wait_round(client, conn, &w);
    if (posted != 0) {
        ofi_pool_put(op);
        rc = rc ? rc : ofi_errno_to_cw(posted);
        ofi_conn_fail(conn, rc, "atomic", ofi_reason(posted));
        return rc;
    }
    op->kind = OFI_AMO;
    conn->reads++;
    while (rc == 0 && completion.left > 1)
        rc = ofi_wait_round(client, conn, &w);
    if (rc != 0)
        ofi_completion_forget(client, &completion);
    else if (old_p)
        *old_p = nbytes == 4 ? *(uint32_t *)(void *)&client->scratch[3] : client->scratch[3];
    return rc;
}

int ofi_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
            uint64_t compare, uint64_t *old_p)
{
    ofi_enter(conn->client);
    conn->waiting++;
    bool mine = ofi_exclusive_begin(conn->client);  // one scratch area for operands and result
    conn->waiting--;
    int rc = amo_locked(conn, offset, op, nbytes, operand, compare, old_p);
    if (mine)
        ofi_exclusive_end(conn->client);
    ofi_unlock(conn->client);
    return rc;
}
