// SPDX-License-Identifier: BSD-3-Clause
//
// What a client receives: completions, failures, connection events.
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"

const char *ofi_node_name(const cwt_client_t *client, int node)
{
    const char *name = client->config.node_name ? client->config.node_name(node) : NULL;
    return name ? name : "another node";
}

void ofi_completion_done(ofi_completion_t *completion)
{
    if (--completion->left > 0)
        return;
    if (completion->mr)
        fi_close(&completion->mr->fid);
    completion->mr = NULL;
    if (completion->reply)
        completion->reply->done = 1;
    if (completion->owned)
        free(completion);
}

static void forget(ofi_op_t *op, void *completion)
{
    if (op->completion == completion)
        op->completion = NULL;
}

void ofi_completion_forget(cwt_client_t *client, ofi_completion_t *completion)
{
    ofi_pool_each(&client->ops, forget, completion);
    ofi_pool_each(&client->bounce, forget, completion);
}

/** A get that is waited for by itself. */
static void fail_get(ofi_op_t *op, void *conn)
{
    ofi_completion_t *completion = op->completion;
    if (op->conn != conn || !completion || !completion->reply)
        return;
    completion->reply->done = op->conn->error;
    completion->reply = NULL;
}

static void fail_replies(cwt_conn_t *conn, int code)
{
    ofi_pool_each(&conn->client->ops, fail_get, conn);
    ofi_pool_each(&conn->client->bounce, fail_get, conn);
    for (uint32_t i = 0; i < OFI_CREDITS; i++) {
        cwt_reply_t *reply = conn->replies[i].reply;
        if (!reply)
            continue;
        ofi_reply_give(conn, i);
        reply->done = code;
    }
}

static const char *remedy(int code)
{
    return code == CW_ETIMEOUT ? "CAUSEWAY_TIMEOUT waits longer"
           : cwu_env.check ? "that node's first PE has ended (look for its own message), or the "
                             "network has failed"
                           : "that node's first PE has ended (look for its own message), the "
                             "network has failed, or an address is wrong: CAUSEWAY_CHECK=1 "
                             "checks every call";
}

void ofi_conn_fail(cwt_conn_t *conn, int code, const char *what, const char *reason)
{
    if (conn->error)
        return;
    conn->error = code;
    conn->down = true;
    const cwt_client_config_t *config = &conn->client->config;
    // servers that leave owe each other nothing that a PE waits for
    bool expected = config->of_server && config->leaving && config->leaving();
    if (!conn->closing && !expected) {
        conn->client->lost = code;
        if (!config->ended || !config->ended())
            cwu_error("lost the connection to %s at %s: %s: %s; %s",
                      ofi_node_name(conn->client, conn->node), conn->address, what, reason,
                      remedy(code));
    }
    fail_replies(conn, code);
}

static const char *kind_name(ofi_kind_t kind)
{
    static const char *const names[] = {"nothing", "put",   "get",    "request",
                                        "reply",   "quiet", "atomic", "messages"};
    return names[kind];
}

bool ofi_puts_outstanding(const cwt_conn_t *conn)
{
    if (conn->writes || conn->dirty)
        return true;
    for (const ofi_target_t *t = conn->targets; t; t = t->next)
        if (ofi_is_marked(t))
            return true;
    return false;
}

bool ofi_outstanding(const cwt_conn_t *conn)
{
    return conn->reads || conn->sent != conn->acked || ofi_puts_outstanding(conn);
}

/** Is something under way that a call waits for, or will? A request of which no acknowledgement was
 *  asked was sent, and that is all. */
static bool is_due(const cwt_conn_t *conn)
{
    const cwt_client_config_t *config = &conn->client->config;
    return conn->reads || !ofi_is_executed(conn, conn->asked) || ofi_puts_outstanding(conn) ||
           ((conn->id & OFI_ID_NOTIFY) && config->due &&
            config->due(config->notified_arg, conn->node));
}

bool ofi_is_needed(const cwt_conn_t *conn)
{
    return conn->sent != conn->acked || is_due(conn);
}

/** An operation is complete, or failed. Receive buffers belong to their connection, all other
 *  operations to pools. */
static void retire(ofi_op_t *op, bool ok)
{
    cwt_conn_t *conn = op->conn;
    if (op->kind == OFI_READ && ok && op->copy_to && op->completion)
        memcpy(op->copy_to, op->buf, op->nbytes);
    if (op->kind == OFI_WRITE)
        conn->writes--;
    else if (op->kind == OFI_READ || op->kind == OFI_FLUSH || op->kind == OFI_AMO)
        conn->reads--;
    if (op->kind == OFI_FLUSH) {
        conn->probing = false;
        conn->stuck_ns = 0;
    }
    if (op->awaited) {
        op->awaited = false;
        conn->client->awaited--;
    }
    ofi_completion_t *completion = op->completion;
    ofi_pool_put(op);
    if (completion)
        ofi_completion_done(completion);
}

static int cq_error(cwt_client_t *client)
{
    union {
        struct fi_cq_err_entry err;
        uint8_t room[256];  // newer libraries have more fields
    } u;
    memset(&u, 0, sizeof u);
    if (fi_cq_readerr(client->device.cq, &u.err, 0) <= 0)
        return 0;
    ofi_op_t *op = u.err.op_context;
    if (u.err.err == FI_EOVERRUN) {
        client->error =
            client->error ? client->error : ofi_device_cq_failed(&client->device, FI_EOVERRUN);
        return 0;
    }
    if (!op) {
        if (!client->error)
            cwu_error("libfabric (%s): an operation failed: %s",
                      ofi_choice.info->fabric_attr->prov_name, ofi_reason(u.err.err));
        client->error = CW_ELOST;
        return 1;
    }
    ofi_kind_t kind = op->kind;
    bool receive = kind == OFI_RECV || kind == OFI_RECV_MANY;
    // The endpoint of all connections is open, so this client has cancelled nothing: a message was
    // too long, or its sender went away in the middle of it.
    if (receive && !ofi_choice.msg) {
        ofi_reply_refused(client, op, kind == OFI_RECV || (u.err.flags & FI_MULTI_RECV));
        return 1;
    }
    cwt_conn_t *conn = receive ? op->receives->conn : op->conn;
    // receives of a closed endpoint are cancelled: an error only if something is due
    if (receive) {
        if (!conn->welcomed || conn->closing)
            return 1;
        conn->down = true;
        if (is_due(conn))
            ofi_conn_fail(conn, CW_ELOST, "closed with operations under way",
                          ofi_reason(u.err.err));
        return 1;
    }
    if (conn && conn->welcomed)
        ofi_conn_fail(conn, CW_ELOST, kind_name(kind), ofi_reason(u.err.err));
    else if (conn)
        conn->error = CW_ELOST;  // still connecting: connect_msg.c or connect_rdm.c reports it
    retire(op, false);
    return 1;
}

int ofi_client_poll(cwt_client_t *client)
{
    struct fi_cq_data_entry entries[16];
    // behind a failure the queue may name what is freed
    if (CW_UNLIKELY(client->error))
        return 0;
    ssize_t n = fi_cq_read(client->device.cq, entries, 16);
    if (CW_UNLIKELY(client->late))
        ofi_post_late(client);
    if (n == -FI_EAGAIN)
        return 0;
    if (n == -FI_EAVAIL)
        return cq_error(client);
    if (n < 0) {
        client->error = ofi_device_cq_failed(&client->device, n);
        return 0;
    }
    for (ssize_t i = 0; i < n; i++) {
        ofi_op_t *op = entries[i].op_context;
        if (!op)
            continue;
        if (op->kind == OFI_RECV || op->kind == OFI_RECV_MANY)
            ofi_reply_arrived(client, &entries[i]);
        else
            retire(op, true);
    }
    return (int)n;
}

static cwt_conn_t *conn_of(cwt_client_t *client, const struct fid *fid)
{
    cwt_conn_t *conn = client->conns;
    while (conn && !(conn->ep && &conn->ep->fid == fid))
        conn = conn->next;
    return conn;
}

static void shutdown_event(cwt_conn_t *conn, const char *reason)
{
    const cwt_client_config_t *config = &conn->client->config;
    conn->down = true;
    if (is_due(conn))
        ofi_conn_fail(conn, CW_ELOST, "closed by the peer with operations under way", reason);
    else if (config->leaving && !config->leaving())
        ofi_conn_fail(conn, CW_ELOST, "closed by the peer before the end of the job", reason);
}

static void error_event(cwt_client_t *client)
{
    struct fi_eq_err_entry err;
    memset(&err, 0, sizeof err);
    if (fi_eq_readerr(client->device.eq, &err, 0) <= 0)
        return;
    cwt_conn_t *conn = conn_of(client, err.fid);
    if (!conn)
        return;
    if (!conn->attempt) {
        shutdown_event(conn, ofi_reason(err.err));
        return;
    }
    ofi_reject_t reject = {0, 0};
    if (err.err_data && err.err_data_size >= sizeof reject)
        memcpy(&reject, err.err_data, sizeof reject);
    conn->attempt->over = true;
    conn->attempt->err = err.err ? err.err : FI_ECONNREFUSED;
    conn->attempt->reason = reject.magic == OFI_MAGIC ? reject.reason : 0;
}

/** An attempt to connect ended; private data may be padded with zeros. */
static void attempt_event(ofi_attempt_t *attempt, uint32_t kind, const void *data, size_t nbytes)
{
    attempt->over = true;
    attempt->err = kind == FI_CONNECTED ? 0 : FI_ECONNABORTED;
    memset(attempt->welcome, 0, sizeof *attempt->welcome);
    memcpy(attempt->welcome, data,
           nbytes < sizeof *attempt->welcome ? nbytes : sizeof *attempt->welcome);
}

int ofi_client_events(cwt_client_t *client)
{
    if (!ofi_choice.msg)
        return 0;
    _Alignas(struct fi_eq_cm_entry) uint8_t bytes[sizeof(struct fi_eq_cm_entry) + 256];
    const struct fi_eq_cm_entry *entry = (const struct fi_eq_cm_entry *)bytes;
    uint32_t kind = 0;
    ssize_t n = fi_eq_read(client->device.eq, &kind, bytes, sizeof bytes, 0);
    if (n == -FI_EAVAIL) {
        error_event(client);
        return 1;
    }
    if (n < (ssize_t)sizeof *entry)
        return 0;
    cwt_conn_t *conn = conn_of(client, entry->fid);
    if (conn && conn->attempt) {
        attempt_event(conn->attempt, kind, entry->data, (size_t)n - sizeof *entry);
    } else if (conn && kind == FI_SHUTDOWN) {
        while (ofi_client_poll(client) > 0)  // takes in what arrived before the end
            ;
        shutdown_event(conn, "end of connection");
    }
    return 1;
}
