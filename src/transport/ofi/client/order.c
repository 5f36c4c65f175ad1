// SPDX-License-Identifier: BSD-3-Clause
//
// Quiet and fence.
//
// A provider that keeps a read behind the writes before it (FI_ORDER_RAW) lets one small read per
// dirty connection prove that all its puts are in the target's memory. Requests prove themselves by
// acknowledgement; where messages stay behind writes too (FI_ORDER_SAW), an acknowledgement covers
// the puts as well. A provider that promises nothing has counted every put by its delivery (rma.c),
// and there is nothing to flush.
#include "issue.h"

// tests of a quiet per read of connection events, which is a system call
#define TESTS_PER_EVENT 64u

void ofi_collect_dirty(cwt_conn_t *conn)
{
    for (ofi_target_t *t = conn->targets; t; t = t->next)
        if (ofi_is_marked(t)) {
            // the inject came before its mark, so all marked injects come before the flush that
            // follows
            __atomic_exchange_n(&t->record->last, 0, __ATOMIC_ACQ_REL);
            conn->dirty = conn->used = true;
        }
}

/** The flush of a connection that is up and has puts only; false: nothing was done. */
FAST bool flush_fast(cwt_conn_t *conn)
{
    cwt_client_t *client = conn->client;
    if (conn->down || conn->error || conn->sent != conn->acked)
        return false;
    if (!conn->dirty)
        return true;
    ofi_op_t *op = client->ops.free;
    if (conn->nkeys != 1 || !op || client->scratch_mr || !ofi_choice.ordered)
        return false;
    client->ops.free = op->next;
    op->conn = conn;
    if (ofi_issue_read(conn, op, client->scratch, 8, NULL, conn->base, conn->key, OFI_FLUSH) != 0) {
        ofi_pool_put(op);
        return false;
    }
    conn->dirty = false;
    client->stats.flushes++;
    return true;
}

/** The next put is the first one after a quiet again (fast.c). So is the next request, which asks
 *  for its acknowledgement itself if there was only one before this quiet: a quiet behind a single
 *  request then has no message to send, and in a flood one of many has an answer of its own. */
static inline void reset_counts(cwt_conn_t *conn)
{
    if (conn->puts_since_quiet)
        conn->single_puts = conn->puts_since_quiet == 1;
    conn->puts_since_quiet = conn->injected = 0;
    if (conn->sent != conn->sent_before)
        conn->ask_next = conn->sent - conn->sent_before == 1;
    conn->sent_before = conn->sent;
    ofi_first_put_is_next(conn);
}

/** Where messages stay behind writes its acknowledgement covers the puts before it, marked or not:
 *  then nothing is left to flush. The lock is not given up between the wire and here. */
int ofi_last_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    ofi_enter(conn->client);
    ofi_collect_dirty(conn);
    conn->ask_next = true;
    int rc = ofi_request_locked(conn, msg, nbytes, reply);
    if (rc == 0 && ofi_choice.send_after_write)
        conn->dirty = false;
    ofi_unlock(conn->client);
    return rc;
}

/** The flush of a connection in any state. */
static CW_NOINLINE int flush_slow(cwt_conn_t *conn)
{
    if (conn->error)
        return conn->error;
    if (conn->evicted || conn->changing) {  // drained before; a mark belongs to an inject that was
                                            // not taken
        conn->dirty = false;
        return 0;
    }
    bool unacked = conn->sent != conn->acked;
    if (conn->down && (conn->dirty || unacked)) {
        ofi_conn_fail(conn, CW_ELOST, "quiet", "the peer closed it before");
        return conn->error;
    }
    bool covered = false;  // the acknowledgement covers the puts
    if (unacked && !ofi_is_asked(conn, conn->sent)) {
        int rc = ofi_acks_ask(conn, conn->sent);
        if (rc != 0)
            return rc;
        covered = ofi_choice.send_after_write;
    }
    // read here: threads that were inside a put may have finished it while the request waited, and
    // their own quiet would find the connection clean
    bool dirty = conn->dirty && ofi_choice.ordered && !covered;
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
    if (!ofi_known(conn, 0, 8, &addr, &key)) {
        ofi_pool_put(op);
        return CW_EINVAL;
    }
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    int rc = ofi_read_raw(conn, op, conn->client->scratch, 8, desc, addr, key, OFI_FLUSH);
    if (rc != 0) {
        ofi_pool_put(op);
        return rc;
    }
    conn->client->stats.flushes++;
    return 0;
}

/** Sends what proves completion of all earlier operations on this connection; finish_flush waits.
 */
FAST int begin_flush(cwt_conn_t *conn)
{
    ofi_collect_dirty(conn);
    reset_counts(conn);
    return CW_LIKELY(flush_fast(conn)) ? 0 : flush_slow(conn);
}

static int start_flush(cwt_conn_t *conn)
{
    return begin_flush(conn);
}

ssize_t ofi_start_probe(cwt_conn_t *conn)
{
    uint64_t addr, key;
    ofi_op_t *op = ofi_pool_get(&conn->client->ops);
    if (!op)
        return -FI_EAGAIN;
    ssize_t rc = -FI_EINVAL;
    void *desc = conn->client->scratch_mr ? fi_mr_desc(conn->client->scratch_mr) : NULL;
    if (ofi_known(conn, 0, 8, &addr, &key))
        rc = ofi_issue_read(conn, op, conn->client->scratch, 8, desc, addr, key, OFI_FLUSH);
    if (rc != 0)
        ofi_pool_put(op);
    else
        op->conn = conn;
    return rc;
}

static int finish_flush(cwt_conn_t *conn, const char *what)
{
    ofi_waiter_t w = OFI_WAITER(what);
    while (conn->writes || conn->reads || conn->sent != conn->acked) {
        int rc = conn->sent == conn->acked ? 0 : ofi_acks_ask(conn, conn->sent);
        if (rc == 0)
            rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0)
            return rc;
    }
    conn->moving = 0;
    return conn->error;
}

int ofi_drain(cwt_conn_t *conn)
{
    ofi_waiter_t w = OFI_WAITER("operations on a connection to be closed");
    int rc = start_flush(conn);
    uint32_t sent = conn->sent;
    while (rc == 0 && (conn->writes || conn->reads || !ofi_is_executed(conn, sent)))
        rc = ofi_acks_round(conn, sent, &w);
    return rc ? rc : conn->error;
}

int ofi_drain_puts(cwt_conn_t *conn)
{
    conn->waiting++;
    bool mine = ofi_exclusive_begin(conn->client);
    conn->waiting--;
    ofi_collect_dirty(conn);
    int rc = 0;
    if (conn->dirty || conn->writes || conn->reads) {  // a read may be a flush
        rc = start_flush(conn);
        if (rc == 0)
            rc = finish_flush(conn, "puts before a request");
    }
    if (mine)
        ofi_exclusive_end(conn->client);
    return rc;
}

static int quiet_locked(cwt_client_t *client)
{
    int result = client->error;
    if (client->long_puts) {
        client->single_long = client->long_puts == 1;
        client->long_puts = 0;
    }
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = begin_flush(conn);
        result = result ? result : rc;
    }
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = finish_flush(conn, "quiet");
        result = result ? result : rc;
    }
    return result;
}

static CW_NOINLINE int quiet_shared(cwt_client_t *client)
{
    ofi_enter(client);
    bool mine = ofi_exclusive_begin(client);
    int rc = quiet_locked(client);
    if (mine)
        ofi_exclusive_end(client);
    ofi_unlock(client);
    return rc;
}

int ofi_quiet(cwt_client_t *client)
{
    return client->config.thread_multiple ? quiet_shared(client) : quiet_locked(client);
}

// ------------------------------------------------------------ quiet in two steps, which never wait

/** As start_flush, without waiting. 0, CW_EAGAIN: not now, or an error. */
static int try_flush(cwt_conn_t *conn)
{
    ofi_collect_dirty(conn);
    bool unasked = !ofi_is_executed(conn, conn->sent) && !ofi_is_asked(conn, conn->sent);
    if (conn->evicted || conn->changing || conn->error || conn->down)
        return start_flush(conn);  // does not wait then, and reports errors
    if (conn->dirty && ofi_choice.ordered) {
        ssize_t rc = ofi_start_probe(conn);
        if (rc != 0)
            return rc == -FI_EAGAIN ? CW_EAGAIN : start_flush(conn);
        conn->client->stats.flushes++;
    }
    conn->dirty = false;
    reset_counts(conn);
    if (!unasked)
        return 0;
    bool at_once = !conn->sending &&
                   conn->sent - conn->acked < (ofi_choice.send_after_send ? OFI_CREDITS : 1) &&
                   (ofi_choice.send_after_write || conn->writes == 0);
    return at_once ? ofi_acks_ask(conn, conn->sent) : CW_EAGAIN;
}

static void await(ofi_op_t *op, void *arg)
{
    cwt_client_t *client = arg;
    if (op->kind == OFI_SEND || op->kind == OFI_RECV || op->awaited)
        return;
    op->awaited = true;
    client->awaited++;
}

static int begin_locked(cwt_client_t *client)
{
    if (client->error)
        return client->error;
    ofi_client_poll(client);
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = try_flush(conn);
        if (rc != 0)
            return rc == CW_EAGAIN ? 0 : rc;
        // now: while another connection waits for room, threads may send more on this one, of which
        // no acknowledgement is asked
        conn->awaited_sent = conn->sent;
    }
    ofi_pool_each(&client->ops, await, client);
    ofi_pool_each(&client->bounce, await, client);
    return 1;
}

int ofi_quiet_begin(cwt_client_t *client)
{
    ofi_lock(client);
    int rc = client->exclusive ? 0 : begin_locked(client);
    ofi_unlock(client);
    return rc;
}

static int test_locked(cwt_client_t *client)
{
    ofi_client_poll(client);
    if (++client->tests % TESTS_PER_EVENT == 0)
        ofi_client_events(client);
    bool over = client->awaited == 0;
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (conn->error)
            return conn->error;
        over = over && ofi_is_executed(conn, conn->awaited_sent);
    }
    return client->error ? client->error : over;
}

int ofi_quiet_test(cwt_client_t *client)
{
    ofi_lock(client);
    int rc = test_locked(client);
    ofi_unlock(client);
    return rc;
}

/** The provider keeps puts and requests behind earlier puts; a put behind a request must wait.
 *  Where a thread of the target copies puts with plain stores, their order is that of its processor
 *  (tests/litmus/herd): nothing but the round trip lies between the copies of two puts. */
static int fence_locked(cwt_client_t *client)
{
    if (!ofi_choice.ordered || !ofi_choice.send_after_write || ofi_choice.copied)
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
    bool mine = ofi_exclusive_begin(client);
    int rc = fence_locked(client);
    if (mine)
        ofi_exclusive_end(client);
    ofi_unlock(client);
    return rc;
}

int ofi_poll(cwt_client_t *client)
{
    ofi_lock(client);
    int n = ofi_client_poll(client);
    ofi_unlock(client);
    return n;
}

int ofi_progress(cwt_client_t *client)
{
    ofi_lock(client);
    ofi_client_poll(client);
    ofi_client_events(client);
    ofi_watch_peers(client);
    int rc = client->error ? client->error : client->lost;
    ofi_unlock(client);
    return rc;
}
