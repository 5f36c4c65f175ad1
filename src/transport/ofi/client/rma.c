// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets. Small puts are injected; medium ones are copied to a bounce buffer and forgotten;
// large ones go straight from the user's memory in fragments.
//
// Where the provider does not promise order, every put asks for delivery-complete and is counted:
// conn->writes == 0 then means "all in the target's memory". Where it does, conn->dirty says that a
// flush is due (order.c).
#include "calls.h"

#include <stdlib.h>
#include <string.h>

bool ofi_remote(cwt_conn_t *conn, uint64_t offset, size_t nbytes, uint64_t *addr_p, uint64_t *key_p)
{
    if (conn->nkeys == 1) {
        *addr_p = offset + conn->base;
        *key_p = conn->key;
        return true;
    }
    int piece = ofi_piece_of(&conn->client->config.layout, offset, nbytes);
    if (piece < 0 || (uint32_t)piece >= conn->nkeys) {
        cwu_error("%zu bytes at offset %llu are not symmetric memory of %s", nbytes,
                  (unsigned long long)offset, ofi_node_name(conn->client, conn->node));
        return false;
    }
    *addr_p = offset + conn->keys[piece].base;
    *key_p = conn->keys[piece].key;
    return true;
}

/** An operation record, waiting for one if all are under way. */
static int get_op(cwt_conn_t *conn, ofi_pool_t *pool, ofi_op_t **op_p)
{
    ofi_waiter_t w = OFI_WAITER("a free operation record");
    while (!(*op_p = ofi_pool_get(pool))) {
        int rc = ofi_wait_round(conn->client, conn, &w);
        if (rc != 0)
            return rc;
    }
    (*op_p)->conn = conn;
    return 0;
}

/** How a write's completion is proved: by a flush behind it, or by its own delivery. */
typedef enum proof { BY_FLUSH, BY_DELIVERY } proof_t;

static ssize_t write_once(cwt_conn_t *conn, ofi_op_t *op, const void *src, size_t nbytes,
                          void *desc, uint64_t addr, uint64_t key, proof_t proof)
{
    if (proof == BY_FLUSH)
        return fi_write(conn->ep, src, nbytes, desc, conn->fi_addr, addr, key, &op->context);
    struct iovec iov = {.iov_base = (void *)(uintptr_t)src, .iov_len = nbytes};
    struct fi_rma_iov rma = {.addr = addr, .len = nbytes, .key = key};
    struct fi_msg_rma msg = {.msg_iov = &iov,
                             .desc = &desc,
                             .iov_count = 1,
                             .addr = conn->fi_addr,
                             .rma_iov = &rma,
                             .rma_iov_count = 1,
                             .context = &op->context};
    return fi_writemsg(conn->ep, &msg, FI_DELIVERY_COMPLETE | FI_COMPLETION);
}

/** One RMA write, retried while the provider is busy. */
static int post_write(cwt_conn_t *conn, ofi_op_t *op, const void *src, size_t nbytes, void *desc,
                      uint64_t addr, uint64_t key, proof_t proof)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a put");
    for (;;) {
        ssize_t rc = write_once(conn, op, src, nbytes, desc, addr, key, proof);
        if (rc == 0)
            break;
        if (proof == BY_DELIVERY && ofi_choice.ordered && ofi_errno_to_cw(rc) == CW_ENOTSUP) {
            ofi_choice.delivery = false;  // not this provider
            proof = BY_FLUSH;
            continue;
        }
        int failed =
            rc == -FI_EAGAIN ? ofi_wait_round(conn->client, conn, &w) : ofi_errno_to_cw(rc);
        if (failed) {
            ofi_conn_fail(conn, failed, "put", ofi_reason(rc));
            return failed;
        }
    }
    op->kind = OFI_WRITE;
    conn->writes++;
    if (proof == BY_FLUSH)
        conn->dirty = true;
    return 0;
}

int ofi_read_raw(cwt_conn_t *conn, ofi_op_t *op, void *dst, size_t nbytes, void *desc,
                 uint64_t addr, uint64_t key)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a get");
    for (;;) {
        ssize_t rc = fi_read(conn->ep, dst, nbytes, desc, conn->fi_addr, addr, key, &op->context);
        if (rc == 0)
            break;
        int failed =
            rc == -FI_EAGAIN ? ofi_wait_round(conn->client, conn, &w) : ofi_errno_to_cw(rc);
        if (failed) {
            ofi_conn_fail(conn, failed, "get", ofi_reason(rc));
            return failed;
        }
    }
    op->kind = OFI_READ;
    conn->reads++;
    return 0;
}

// ---------------------------------------------------------------- small and medium puts

static int put_inject(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src, size_t nbytes)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a put");
    for (;;) {
        ssize_t rc = fi_inject_write(conn->ep, src, nbytes, conn->fi_addr, addr, key);
        if (rc == 0)
            break;
        int failed =
            rc == -FI_EAGAIN ? ofi_wait_round(conn->client, conn, &w) : ofi_errno_to_cw(rc);
        if (failed) {
            ofi_conn_fail(conn, failed, "put", ofi_reason(rc));
            return failed;
        }
    }
    conn->client->stats.injects++;
    conn->dirty = true;
    // some providers queue without bound what a busy target does not take
    return ++conn->injected < OFI_INJECT_MAX ? 0 : ofi_drain_puts(conn);
}

static int put_bounce(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src, size_t nbytes,
                      proof_t proof)
{
    ofi_op_t *op;
    int rc = get_op(conn, &conn->client->bounce, &op);
    if (rc != 0)
        return rc;
    memcpy(op->buf, src, nbytes);
    rc = post_write(conn, op, op->buf, nbytes, op->desc, addr, key, proof);
    if (rc != 0)
        ofi_pool_put(op);
    return rc;
}

// ---------------------------------------------------------------- large transfers

/** The state of one transfer in fragments. */
typedef struct transfer {
    cwt_conn_t *conn;
    bool write;
    uint64_t addr, key;
    uint8_t *local;
    size_t nbytes;
    void *desc;
    ofi_completion_t *completion;
    bool bounce;            // local memory must be registered and the transfer is too small for
                            // that
    cwt_header_t *message;  // to be sent behind a write, before its completion is waited for; or
                            // NULL
    size_t message_nbytes;
} transfer_t;

static int one_fragment(transfer_t *t, size_t nbytes)
{
    cwt_client_t *client = t->conn->client;
    ofi_op_t *op;
    int rc = get_op(t->conn, t->bounce ? &client->bounce : &client->ops, &op);
    if (rc != 0)
        return rc;
    void *at = t->bounce ? op->buf : t->local, *desc = t->bounce ? op->desc : t->desc;
    if (t->bounce && t->write)
        memcpy(op->buf, t->local, nbytes);
    op->copy_to = t->bounce && !t->write ? t->local : NULL;
    op->nbytes = nbytes;
    op->completion = t->completion;
    if (t->completion)
        t->completion->left++;
    proof_t proof = ofi_choice.ordered ? BY_FLUSH : BY_DELIVERY;
    rc = t->write ? post_write(t->conn, op, at, nbytes, desc, t->addr, t->key, proof)
                  : ofi_read_raw(t->conn, op, at, nbytes, desc, t->addr, t->key);
    if (rc != 0) {
        if (t->completion)
            t->completion->left--;
        ofi_pool_put(op);
    }
    return rc;
}

static int all_fragments(transfer_t *t)
{
    size_t most = t->bounce && OFI_BOUNCE_NBYTES < ofi_choice.fragment ? OFI_BOUNCE_NBYTES
                                                                       : ofi_choice.fragment;
    ofi_waiter_t w = OFI_WAITER("fragments of a large transfer");
    while (t->nbytes > 0) {
        size_t n = t->nbytes < most ? t->nbytes : most;
        // the completion holds one count for the caller
        if (t->completion && !t->bounce && t->completion->left > OFI_FRAGMENTS) {
            int rc = ofi_wait_round(t->conn->client, t->conn, &w);
            if (rc != 0)
                return rc;
            continue;
        }
        int rc = one_fragment(t, n);
        if (rc != 0)
            return rc;
        t->addr += n;
        t->local += n;
        t->nbytes -= n;
    }
    return 0;
}

/** Prepares local memory: registers it when the provider wants that and it pays, else decides to
 *  bounce. */
static int prepare_local(transfer_t *t)
{
    t->bounce = ofi_choice.local_mr && t->nbytes < OFI_REGISTER_MIN;
    if (!ofi_choice.local_mr || t->bounce)
        return 0;
    int rc =
        ofi_register_local(t->conn->client->device.domain, t->local, t->nbytes, &t->completion->mr);
    if (rc == 0)
        t->desc = fi_mr_desc(t->completion->mr);
    return rc;
}

int ofi_completion_wait(cwt_conn_t *conn, ofi_completion_t *completion, const char *what)
{
    ofi_waiter_t w = OFI_WAITER(what);
    int rc = 0;
    while (completion->left > 1 && rc == 0)
        rc = ofi_wait_round(conn->client, conn, &w);
    if (rc != 0) {
        ofi_completion_forget(conn->client, completion);
        completion->left = 1;
    }
    return rc;
}

static int transfer(transfer_t *t, bool nbi, const char *what)
{
    cwt_client_t *client = t->conn->client;
    ofi_completion_t here = {.left = 1}, *completion = &here;
    if (nbi) {  // outlives this call, with the registration if there is one
        completion = calloc(1, sizeof *completion);
        if (!completion)
            return CW_ENOMEM;
        completion->left = 1;
        completion->owned = true;
    }
    t->completion = completion;
    int rc = prepare_local(t);
    if (rc == 0)
        rc = all_fragments(t);
    if (rc == 0 && t->message)
        rc = ofi_request_locked(t->conn, t->message, t->message_nbytes, NULL);
    if (nbi || rc != 0) {
        if (rc != 0 && !nbi) {
            ofi_completion_forget(client, completion);
            completion->left = 1;
        }
        ofi_completion_done(completion);
        return rc;
    }
    rc = ofi_completion_wait(t->conn, completion, what);
    ofi_completion_done(completion);
    return rc;
}

/**
 * Without order every put is proved by its delivery. With order a flush at quiet proves them all
 * for one round trip, but a put all alone between two quiets is cheaper by its own delivery: one
 * message instead of two. So the first put after a quiet goes that way when the epoch before had no
 * other.
 */
static proof_t choose_proof(cwt_conn_t *conn)
{
    bool first = conn->epoch_puts++ == 0;
    return !ofi_choice.ordered || (first && conn->lone_puts && ofi_choice.delivery) ? BY_DELIVERY
                                                                                    : BY_FLUSH;
}

int ofi_put_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    uint64_t addr, key;
    if (nbytes == 0)
        return 0;
    int rc = ofi_conn_up(conn, "put");
    if (rc != 0)
        return rc;
    if (!ofi_remote(conn, offset, nbytes, &addr, &key))
        return CW_EINVAL;
    conn->client->stats.puts++;
    proof_t proof = choose_proof(conn);
    if (proof == BY_FLUSH && nbytes <= ofi_choice.inject_nbytes)
        return put_inject(conn, addr, key, src, nbytes);
    bool small = nbytes <= OFI_BOUNCE_NBYTES && nbytes <= ofi_choice.fragment;
    if (small && (!nbi || ofi_choice.local_mr || nbytes <= OFI_BOUNCE_NBI_NBYTES))
        return put_bounce(conn, addr, key, src, nbytes, proof);
    transfer_t t = {.conn = conn,
                    .write = true,
                    .addr = addr,
                    .key = key,
                    .local = (uint8_t *)(uintptr_t)src,
                    .nbytes = nbytes};
    return transfer(&t, nbi, "a put");
}

/** Where the provider promises no order, the request waits for the put's delivery. */
static int put_message_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                              bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    transfer_t t = {.conn = conn,
                    .write = true,
                    .local = (uint8_t *)(uintptr_t)src,
                    .nbytes = nbytes,
                    .message = msg,
                    .message_nbytes = msg_nbytes};
    int rc = ofi_conn_up(conn, "put");
    if (rc != 0)
        return rc;
    if (!ofi_remote(conn, offset, nbytes, &t.addr, &t.key))
        return CW_EINVAL;
    conn->client->stats.puts++;
    conn->epoch_puts++;
    if (nbytes > OFI_BOUNCE_NBYTES || nbytes > ofi_choice.fragment)
        return transfer(&t, nbi, "a put with a message");
    rc = put_bounce(conn, t.addr, t.key, src, nbytes, ofi_choice.ordered ? BY_FLUSH : BY_DELIVERY);
    return rc ? rc : ofi_request_locked(conn, msg, msg_nbytes, NULL);
}

int ofi_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                    cwt_header_t *msg, size_t msg_nbytes)
{
    ofi_enter(conn->client);
    int rc = put_message_locked(conn, offset, src, nbytes, nbi, msg, msg_nbytes);
    ofi_unlock(conn->client);
    return rc;
}

int ofi_get_locked(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    transfer_t t = {.conn = conn, .write = false, .local = dst, .nbytes = nbytes};
    if (nbytes == 0)
        return 0;
    int rc = ofi_conn_up(conn, "get");
    if (rc != 0)
        return rc;
    if (!ofi_remote(conn, offset, nbytes, &t.addr, &t.key))
        return CW_EINVAL;
    conn->client->stats.gets++;
    return transfer(&t, nbi, "a get");
}

// ------------------------------------------------ the target record's inject, when it is not plain

/** ep is the target record; addr is an offset of the node object. 0: taken. */
ssize_t ofi_inject_shim(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
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
    else if (!ofi_remote(conn, addr, nbytes, &remote, &rkey))
        rc = CW_EINVAL;
    else if (ofi_choice.ordered && nbytes <= ofi_choice.inject_nbytes)
        rc = ++conn->injected < OFI_INJECT_MAX
                 ? fi_inject_write(conn->ep, buf, nbytes, conn->fi_addr, remote, rkey)
                 : CW_EAGAIN;  // the put that follows drains
    else
        rc = nbytes <= OFI_BOUNCE_NBYTES ? put_bounce(conn, remote, rkey, buf, nbytes,
                                                      ofi_choice.ordered ? BY_FLUSH : BY_DELIVERY)
                                         : CW_EAGAIN;
    if (rc == 0) {
        client->stats.injects++;
        conn->dirty = conn->dirty || ofi_choice.ordered;
    }
    ofi_unlock(client);
    return rc;
}
