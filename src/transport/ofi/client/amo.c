// SPDX-License-Identifier: BSD-3-Clause
//
// Native atomics, where the provider has all of them (lib/atomics.c).
#include "calls.h"

#include <rdma/fi_atomic.h>

// Layout of the client's scratch area: [0] flushes, [1] operand, [2] compare value, [3] result.
static ssize_t post(cwt_conn_t *conn, ofi_op_t *op, int amo, enum fi_datatype type, uint64_t addr,
                    uint64_t key)
{
    uint64_t *s = conn->client->scratch;
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    if (amo == OFI_AMO_CSWAP)
        return fi_compare_atomic(conn->ep, &s[1], 1, desc, &s[2], desc, &s[3], desc, conn->fi_addr,
                                 addr, key, type, ofi_atomic_ops[amo], &op->context);
    return fi_fetch_atomic(conn->ep, &s[1], 1, desc, &s[3], desc, conn->fi_addr, addr, key, type,
                           ofi_atomic_ops[amo], &op->context);
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
    if (!ofi_choice.nic_atomics)
        return CW_ENOTSUP;
    uint64_t addr, key;
    int rc = ofi_conn_up(conn, "atomic");
    if (rc != 0)
        return rc;
    size_t left = (size_t)nbytes;
    if (amo < 0 || amo >= OFI_AMO_OPS || (nbytes != 4 && nbytes != 8))
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
    rc = rc ? rc : conn->error;  // an operation that fails is over, too
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
