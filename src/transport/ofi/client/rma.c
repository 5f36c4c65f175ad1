// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets in all cases: the slow half of fast.c, which waits and reports. Small puts are
// injected; medium ones are copied to a bounce buffer and forgotten; large ones go directly from
// the user's memory in fragments.
//
// Where the provider does not promise order, every put asks for delivery-complete and is counted:
// conn->writes == 0 then means "all in the target's memory". Where it does, conn->dirty means that
// a flush is due (order.c).
#include "issue.h"

#include <stdlib.h>
#include <string.h>

/** Gets an operation; waits if all are under way. */
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

/** The provider did not take an operation: waits for room (0: try again), or reports. */
static int refused(cwt_conn_t *conn, ofi_waiter_t *w, const char *what, ssize_t rc)
{
    int failed = rc == -FI_EAGAIN ? ofi_wait_round(conn->client, conn, w) : ofi_errno_to_cw(rc);
    if (failed)
        ofi_conn_fail(conn, failed, what, ofi_reason(rc));
    return failed;
}

/** One RMA write, tried again while the provider is busy. */
static int post_write(cwt_conn_t *conn, ofi_op_t *op, const void *src, size_t nbytes, void *desc,
                      uint64_t addr, uint64_t key, ofi_proof_t proof)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a put");
    ssize_t posted;
    int rc = 0;
    while (rc == 0 && (posted = ofi_issue_write(conn, op, src, nbytes, desc, addr, key, proof))) {
        if (proof == OFI_BY_DELIVERY && ofi_choice.ordered &&
            ofi_errno_to_cw(posted) == CW_ENOTSUP) {
            ofi_choice.delivery = false;  // this provider refuses it
            proof = OFI_BY_FLUSH;
            continue;
        }
        rc = refused(conn, &w, "put", posted);
    }
    return rc;
}

int ofi_read_raw(cwt_conn_t *conn, ofi_op_t *op, void *dst, size_t nbytes, void *desc,
                 uint64_t addr, uint64_t key, ofi_kind_t kind)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a get");
    ssize_t posted;
    int rc = 0;
    while (rc == 0 && (posted = ofi_issue_read(conn, op, dst, nbytes, desc, addr, key, kind)))
        rc = refused(conn, &w, "get", posted);
    return rc;
}

// ---------------------------------------------------------------- small and medium puts

static int inject_waiting(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src,
                          size_t nbytes)
{
    ofi_waiter_t w = OFI_WAITER_FOR_ROOM("room to send a put");
    ssize_t posted;
    int rc = 0;
    while (rc == 0 && (posted = ofi_issue_inject(conn, src, nbytes, addr, key)))
        rc = refused(conn, &w, "put", posted);
    // some providers queue without bound what a busy target does not take
    return rc || conn->injected < OFI_INJECT_MAX ? rc : ofi_drain_puts(conn);
}

int ofi_bounce_waiting(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src,
                       size_t nbytes, ofi_proof_t proof)
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
    ofi_proof_t proof;  // of a write
    uint64_t addr, key;
    uint8_t *local;
    size_t nbytes;
    void *desc;
    ofi_completion_t *completion;
    bool bounce;            // local memory must be registered, and registering does not pay
    cwt_header_t *message;  // NULL, or sent behind a write, before the wait for its completion
    cwt_reply_t *landed;    // NULL, or what says that it is over
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
    if (t->bounce && !t->write)
        op->copy_to = t->local;
    op->nbytes = nbytes;
    op->completion = t->completion;
    if (t->completion)
        t->completion->left++;
    rc = t->write ? post_write(t->conn, op, at, nbytes, desc, t->addr, t->key, t->proof)
                  : ofi_read_raw(t->conn, op, at, nbytes, desc, t->addr, t->key, OFI_READ);
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

/** Registers local memory if the provider demands it and it pays; otherwise decides to bounce.
 *  Memory that cannot be registered bounces too: providers that cache registrations ask for write
 *  access to a put's source, which const data refuses, and the memory that may be locked is
 *  limited. */
static void prepare_local(transfer_t *t)
{
    const ofi_device_t *device = &t->conn->client->device;
    t->bounce = ofi_choice.local_mr && t->nbytes < OFI_REGISTER_MIN;
    if (!ofi_choice.local_mr || t->bounce)
        return;
    uint64_t access = t->write ? FI_WRITE : FI_READ;
    if (ofi_register(device, t->local, t->nbytes, access, &t->completion->mr) == 0)
        t->desc = fi_mr_desc(t->completion->mr);
    else
        t->bounce = true;
}

int ofi_completion_wait(cwt_conn_t *conn, ofi_completion_t *completion, const char *what)
{
    ofi_waiter_t w = OFI_WAITER(what);
    int rc = 0;
    while (completion->left > 1 && rc == 0)
        rc = ofi_wait_round(conn->client, conn, &w);
    ofi_settle(conn);
    rc = rc ? rc : conn->error;  // an operation that fails is over, too
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
    if (nbi) {  // outlives this call, with the registration
        completion = calloc(1, sizeof *completion);
        if (!completion)
            return CW_ENOMEM;
        completion->left = 1;
        completion->owned = true;
        completion->reply = t->landed;
    }
    t->completion = completion;
    t->conn->moving += t->nbytes;
    prepare_local(t);
    int rc = all_fragments(t);
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

static ofi_proof_t common_proof(void)
{
    return ofi_choice.ordered ? OFI_BY_FLUSH : OFI_BY_DELIVERY;
}

/** How a put is proved that returns when its source is free. By its delivery it takes a round trip,
 *  which the quiet behind it then saves; among others, to any nodes, it would make them wait. */
static ofi_proof_t proof_of_long(cwt_client_t *client, ofi_proof_t proof)
{
    bool single = client->long_puts++ == 0 && client->single_long;
    return single ? proof : common_proof();
}

/** A put to memory of one key. A large one that may be alone is proved by its delivery as well. */
static int put_part(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src, size_t nbytes,
                    bool nbi)
{
    ofi_proof_t proof = ofi_may_be_single(conn) ? OFI_BY_DELIVERY : common_proof();
    ofi_count_put(conn);
    if (proof == OFI_BY_FLUSH && nbytes <= ofi_choice.inject_nbytes)
        return inject_waiting(conn, addr, key, src, nbytes);
    bool small = nbytes <= OFI_BOUNCE_NBYTES && nbytes <= ofi_choice.fragment;
    if (small && (!nbi || ofi_choice.local_mr || nbytes <= OFI_BOUNCE_NBI_NBYTES))
        return ofi_bounce_waiting(conn, addr, key, src, nbytes, proof);
    transfer_t t = {.conn = conn,
                    .write = true,
                    .proof = nbi ? proof : proof_of_long(conn->client, proof),
                    .addr = addr,
                    .key = key,
                    .local = (uint8_t *)(uintptr_t)src,
                    .nbytes = nbytes};
    return transfer(&t, nbi, "a put");
}

int ofi_put_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    if (nbytes == 0)
        return 0;
    int rc = nbytes > PTRDIFF_MAX ? CW_ECOUNT : ofi_conn_up(conn, "put");
    if (rc == 0)
        conn->client->stats.puts++;
    for (size_t n; rc == 0 && nbytes > 0; nbytes -= n, offset += n) {
        uint64_t addr, key;
        n = nbytes;
        rc = ofi_remote(conn, offset, &n, &addr, &key);
        if (rc == 0)
            rc = put_part(conn, addr, key, src, n, nbi);
        src = (const uint8_t *)src + n;
    }
    return rc;
}

/** The same, with a message behind it. Where the provider promises no order, the request waits for
 *  the put's delivery. */
static int part_with_message(cwt_conn_t *conn, uint64_t addr, uint64_t key, const void *src,
                             size_t nbytes, bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    transfer_t t = {.conn = conn,
                    .write = true,
                    .proof = common_proof(),
                    .addr = addr,
                    .key = key,
                    .local = (uint8_t *)(uintptr_t)src,
                    .nbytes = nbytes,
                    .message = msg,
                    .message_nbytes = msg_nbytes};
    ofi_count_put(conn);
    if (nbytes > OFI_BOUNCE_NBYTES || nbytes > ofi_choice.fragment)
        return transfer(&t, nbi, "a put with a message");
    int rc = ofi_bounce_waiting(conn, addr, key, src, nbytes, common_proof());
    return rc ? rc : ofi_request_locked(conn, msg, msg_nbytes, NULL);
}

static int put_message_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                              bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    int rc = nbytes > PTRDIFF_MAX ? CW_ECOUNT : ofi_conn_up(conn, "put");
    if (rc == 0)
        conn->client->stats.puts++;
    for (size_t n; rc == 0;) {
        uint64_t addr, key;
        n = nbytes;
        rc = ofi_remote(conn, offset, &n, &addr, &key);
        if (rc == 0 && n == nbytes)
            return part_with_message(conn, addr, key, src, n, nbi, msg, msg_nbytes);
        if (rc == 0)
            rc = put_part(conn, addr, key, src, n, nbi);
        nbytes -= n;
        offset += n;
        src = (const uint8_t *)src + n;
    }
    return rc;
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
    if (nbytes == 0)
        return 0;
    int rc = nbytes > PTRDIFF_MAX ? CW_ECOUNT : ofi_conn_up(conn, "get");
    if (rc == 0)
        conn->client->stats.gets++;
    for (size_t n; rc == 0 && nbytes > 0; nbytes -= n, offset += n) {
        transfer_t t = {.conn = conn, .write = false, .local = dst};
        n = nbytes;
        rc = ofi_remote(conn, offset, &n, &t.addr, &t.key);
        t.nbytes = n;
        if (rc == 0)
            rc = transfer(&t, nbi, "a get");
        dst = (uint8_t *)dst + n;
    }
    return rc;
}

/** The same, waited for by itself. Memory of several keys is got here and now. */
static int get_begin_locked(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                            cwt_reply_t *landed)
{
    transfer_t t = {.conn = conn, .write = false, .local = dst, .landed = landed};
    t.nbytes = nbytes;
    int rc = nbytes > PTRDIFF_MAX ? CW_ECOUNT : ofi_conn_up(conn, "get");
    if (rc == 0)
        rc = ofi_remote(conn, offset, &t.nbytes, &t.addr, &t.key);
    if (rc == 0 && t.nbytes == nbytes) {
        conn->client->stats.gets++;
        return transfer(&t, true, "a get");
    }
    if (rc == 0)
        rc = ofi_get_locked(conn, offset, dst, nbytes, false);
    landed->done = rc ? rc : 1;
    return rc;
}

int ofi_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed)
{
    ofi_enter(conn->client);
    landed->done = nbytes == 0;
    int rc = nbytes ? get_begin_locked(conn, offset, dst, nbytes, landed) : 0;
    ofi_unlock(conn->client);
    return rc;
}
