// SPDX-License-Identifier: BSD-3-Clause
//
// Quiet and fence.
//
// A provider that keeps a read behind the writes before it (FI_ORDER_RAW) lets one small read per dirty connection
// prove that all its puts are in the target's memory. Requests prove themselves by acknowledgement; where messages
// stay behind writes too (FI_ORDER_SAW), an acknowledgement covers the puts as well. A provider that promises
// nothing has counted every put by its delivery (rma.c), and there is nothing to flush.
#include "ofi.h"

void ofi_collect_dirty(cwt_conn_t *conn)
{
    for (ofi_target_t *t = conn->targets; t; t = t->next)
        if (t->record->last) {
            // the inject came before the mark, so what is marked until now goes before the flush that follows
            __atomic_exchange_n(&t->record->last, 0, __ATOMIC_ACQ_REL);
            conn->dirty = conn->used = true;
        }
}

/** Sends what proves completion of everything before it on this connection; the wait comes later. */
static int start_flush(cwt_conn_t *conn)
{
    ofi_collect_dirty(conn);
    if (conn->epoch_puts)
        conn->lone_puts = conn->epoch_puts == 1;
    conn->epoch_puts = conn->injected = 0;
    if (conn->error)
        return conn->error;
    if (conn->parked || conn->changing) {  // drained before; a mark is that of an inject which was not taken
        conn->dirty = false;
        return 0;
    }
    bool unacked = conn->sent != conn->acked;
    if (conn->down && (conn->dirty || unacked)) {
        ofi_conn_fail(conn, CW_ELOST, "quiet", "the peer closed it before");
        return conn->error;
    }
    bool dirty = conn->dirty && ofi_choice.ordered;
    if (unacked && conn->asked != conn->sent) {
        int rc = ofi_request_own(conn, OFI_OWN_NOP, NULL, 0);
        if (rc != 0)
            return rc;
        dirty = dirty && !ofi_choice.send_after_write;
    }
    conn->dirty = false;
    if (!dirty)
        return 0;
    uint64_t addr, key;
    ofi_waiter_t w = OFI_WAITER("a free operation record");
    ofi_op_t *op;
    while (!(op = ofi_pool_get(&conn->client->ops))) {
        int rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0)
            return rc;
    }
    op->conn = conn;
    if (!ofi_remote(conn, 0, 8, &addr, &key)) {
        ofi_pool_put(op);
        return CW_EINVAL;
    }
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    int rc = ofi_read_raw(conn, op, conn->client->scratch, 8, desc, addr, key);
    if (rc != 0) {
        ofi_pool_put(op);
        return rc;
    }
    op->kind = OFI_FLUSH;
    conn->client->stats.flushes++;
    return 0;
}

ssize_t ofi_start_probe(cwt_conn_t *conn)
{
    uint64_t addr, key;
    ofi_op_t *op = ofi_pool_get(&conn->client->ops);
    if (!op)
        return -FI_EAGAIN;
    ssize_t rc = -FI_EINVAL;
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    if (ofi_remote(conn, 0, 8, &addr, &key))
        rc = fi_read(conn->ep, conn->client->scratch, 8, desc, conn->fi_addr, addr, key, &op->context);
    if (rc != 0) {
        ofi_pool_put(op);
        return rc;
    }
    op->conn = conn;
    op->kind = OFI_FLUSH;
    conn->reads++;
    return 0;
}

static int finish_flush(cwt_conn_t *conn, const char *what)
{
    ofi_waiter_t w = OFI_WAITER(what);
    while (conn->writes || conn->reads || conn->sent != conn->acked) {
        // a thread that was in the middle of a request may have sent it behind the one that asked
        int rc = conn->sent != conn->acked && conn->asked != conn->sent ? ofi_request_own(conn, OFI_OWN_NOP, NULL, 0) : 0;
        if (rc == 0)
            rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0)
            return rc;
    }
    return conn->error;
}

int ofi_drain(cwt_conn_t *conn)
{
    ofi_waiter_t w = OFI_WAITER("what is under way on a connection to be closed");
    int rc = start_flush(conn);
    uint32_t sent = conn->sent;
    while (rc == 0 && (conn->writes || conn->reads || (int32_t)(conn->acked - sent) < 0))
        rc = ofi_wait_round(conn->client, conn, &w);
    return rc;
}

int ofi_drain_puts(cwt_conn_t *conn)
{
    conn->waiting++;
    bool mine = ofi_empty_begin(conn->client);
    conn->waiting--;
    ofi_collect_dirty(conn);
    int rc = 0;
    if (conn->dirty || conn->writes) {
        rc = start_flush(conn);
        if (rc == 0)
            rc = finish_flush(conn, "puts before a request");
    }
    if (mine)
        ofi_empty_end(conn->client);
    return rc;
}

static int quiet_locked(cwt_client_t *client)
{
    int result = client->error;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = start_flush(conn);
        result = result ? result : rc;
    }
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = finish_flush(conn, "quiet");
        result = result ? result : rc;
    }
    return result;
}

int ofi_quiet(cwt_client_t *client)
{
    ofi_enter(client);
    bool mine = ofi_empty_begin(client);
    int rc = quiet_locked(client);
    if (mine)
        ofi_empty_end(client);
    ofi_unlock(client);
    return rc;
}

/** Puts and requests behind puts stay in order by the provider's promise; a put behind a request does not. */
static int fence_locked(cwt_client_t *client)
{
    if (!ofi_choice.ordered || !ofi_choice.send_after_write)
        return quiet_locked(client);
    int result = client->error;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = conn->sent != conn->acked ? ofi_wait_acks(conn) : conn->error;
        result = result ? result : rc;
    }
    return result;
}

int ofi_fence(cwt_client_t *client)
{
    ofi_enter(client);
    bool mine = ofi_empty_begin(client);
    int rc = fence_locked(client);
    if (mine)
        ofi_empty_end(client);
    ofi_unlock(client);
    return rc;
}

bool ofi_pending(cwt_client_t *client)
{
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (conn->dirty || conn->writes || conn->reads || conn->sent != conn->acked)
            return true;
        for (ofi_target_t *t = conn->targets; t; t = t->next)
            if (t->record->last)
                return true;
    }
    return false;
}

int ofi_progress(cwt_client_t *client)
{
    ofi_lock(client);
    ofi_client_poll(client);
    ofi_client_events(client);
    int rc = client->error ? client->error : client->lost;
    ofi_unlock(client);
    return rc;
}
