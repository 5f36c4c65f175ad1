// SPDX-License-Identifier: BSD-3-Clause
//
// Target records: what the core's inlined scalar puts read. A record leads to the provider's own
// inject where its demands allow that, else to a function of the transport.
#include "issue.h"

#include <stdlib.h>

/** Inject of an evicted connection: the put that follows opens it. */
static ssize_t not_taken(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                         uint64_t addr, uint64_t key)
{
    (void)ep, (void)buf, (void)nbytes, (void)fabric_addr, (void)addr, (void)key;
    return CW_EAGAIN;
}

/** Inject of a record that is not plain: ep is the record itself, addr an offset of the node
 *  object. */
static ssize_t inject_shim(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                           uint64_t addr, uint64_t key)
{
    cwt_target_t *target = ep;
    cwt_conn_t *conn = target->conn;
    cwt_client_t *client = conn->client;
    uint64_t remote, rkey;
    (void)fabric_addr;
    (void)key;
    ofi_enter(client);
    ssize_t rc;
    conn->used = true;
    if (conn->error || conn->down)
        rc = CW_EAGAIN;  // the put that follows opens it or reports
    else if (!ofi_known(conn, addr, nbytes, &remote, &rkey))
        rc = CW_EAGAIN;  // the put that follows asks for the key, or reports
    else if (ofi_choice.ordered && nbytes <= ofi_choice.inject_nbytes)
        rc = conn->injected + 1 < OFI_INJECT_MAX ? ofi_issue_inject(conn, buf, nbytes, remote, rkey)
                                                 : CW_EAGAIN;  // the put that follows drains
    else if (nbytes > OFI_BOUNCE_NBYTES)
        rc = CW_EAGAIN;
    else if ((rc = ofi_bounce_waiting(conn, remote, rkey, buf, nbytes,
                                      ofi_choice.ordered ? OFI_BY_FLUSH : OFI_BY_DELIVERY)) == 0)
        client->stats.injects++;
    ofi_unlock(client);
    return rc;
}

/** May scalar puts call the provider's own inject? Several threads need no lock of the transport
 *  for it if the provider locks for itself; but then the transport cannot know when no thread is
 *  inside, so the connection is never evicted. */
static bool is_plain(const cwt_conn_t *conn)
{
    const cwt_client_t *client = conn->client;
    bool alone = !client->config.thread_multiple || (client->safe && cwu_env.max_connections == 0);
    return ofi_choice.ordered && conn->nkeys == 1 && alone && ofi_choice.inject_nbytes >= 16;
}

size_t ofi_inject_most(void)
{
    // the shim copies what a provider does not inject
    return ofi_choice.inject_nbytes < 8 ? 8 : ofi_choice.inject_nbytes;
}

void ofi_target_fill(cwt_target_t *record, cwt_conn_t *conn, uint64_t slice_delta)
{
    bool plain = is_plain(conn);
    record->conn = conn;
    record->offset = slice_delta;
    record->fabric_addr = conn->fi_addr;
    if (plain && !conn->evicted) {
        // the provider's own function has the same arguments
        record->inject = (ssize_t(*)(void *, const void *, size_t, uint64_t, uint64_t,
                                     uint64_t))conn->ep->rma->inject;
        record->ep = conn->ep;
        record->base = slice_delta + conn->base;
        record->key = conn->key;
        conn->pinned = conn->client->config.thread_multiple;
    } else {
        record->inject = plain ? not_taken : inject_shim;
        record->ep = record;
        record->base = slice_delta;
    }
}

void ofi_targets_refill(cwt_conn_t *conn)
{
    for (ofi_target_t *t = conn->targets; t; t = t->next)
        ofi_target_fill(t->record, conn, t->slice_delta);
}

int ofi_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    (void)slot;
    ofi_target_t *known = malloc(sizeof *known);
    if (!known)
        return CW_ENOMEM;
    ofi_lock(conn->client);
    *target = (cwt_target_t){.inject = NULL};
    ofi_target_fill(target, conn, slice_delta);
    known->slice_delta = slice_delta;
    known->record = target;
    known->next = conn->targets;
    conn->targets = known;
    ofi_unlock(conn->client);
    return 0;
}
