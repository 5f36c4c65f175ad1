// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and RMA: each call becomes a mock_op, is checked, perhaps held back, and goes to the
// provider by the same function that was called.
#include "mock.h"

#include <stdio.h>
#include <string.h>

static struct mock_ep *state_of(struct fid_ep *ep)
{
    return mock_state(&ep->fid);
}

static bool is_inject(const struct mock_op *op)
{
    return op->kind == OP_INJECT || op->kind == OP_INJECTDATA || op->kind == OP_INJECT_WRITE ||
           op->kind == OP_INJECT_WRITEDATA || (op->flags & FI_INJECT);
}

static uint64_t local_access(enum mock_kind kind)
{
    if (kind >= OP_READ)
        return FI_READ;
    if (kind >= OP_WRITE)
        return FI_WRITE;
    return kind >= OP_RECV ? FI_RECV : FI_SEND;
}

static ssize_t check(struct mock_ep *ep, const struct mock_op *op)
{
    if (is_inject(op)) {
        size_t total = 0;
        for (size_t i = 0; i < op->niov; i++)
            total += op->iov[i].iov_len;
        if (mock_want.small_inject && total > MOCK_INJECT) {
            fprintf(stderr, "mock-fabric: %zu bytes injected, at most %d may be\n", total,
                    MOCK_INJECT);
            mock_count(N_VIOLATIONS);
            return -FI_EINVAL;
        }
    } else if (mock_want.mr_local) {
        mock_check_local(ep->domain, op, local_access(op->kind));
    }
    int pid;
    for (size_t i = 0; mock_own_keys() && i < op->nrma; i++)
        mock_key_resolve(op->rma[i].key, op->rma[i].addr, op->rma[i].len, &pid);
    return 0;
}

void mock_use_context(void *context)
{
    if (!mock_want.context)
        return;
    if (!context)
        mock_violation("an operation without a context, where the fabric demands FI_CONTEXT2");
    memset(context, 0x5a, sizeof(struct fi_context2));
}

static bool is_receive(const struct mock_op *op)
{
    return op->kind >= OP_RECV && op->kind < OP_WRITE;
}

// Under few_receives: is the queue full? Call with the domain's lock.
static bool queue_full(const struct mock_ep *ep, const struct mock_op *op)
{
    if (!mock_want.few_receives || !is_receive(op) || !ep->rx_cq ||
        mock_cq_receives(ep->rx_cq, ep) < MOCK_RECEIVES)
        return false;
    mock_count(N_QUEUE_FULL);
    return true;
}

// Operations without a completion of their own take no entry.
static void use_entry(struct mock_ep *ep, const struct mock_op *op)
{
    struct mock_cq *cq = is_receive(op) ? ep->rx_cq : ep->tx_cq;
    bool silent = is_inject(op) && !(op->flags & FI_INJECT);
    bool left_out = !is_receive(op) && ep->selective && !(op->flags & FI_COMPLETION);
    if ((mock_want.few_receives || mock_want.few_completions) && cq && !silent && !left_out)
        mock_cq_use(cq, ep, op);
}

// Under foreign: a message that no PE of the job sent takes this receive. It is too long, or its
// sender goes away in the middle of it, or it is noise of any length. Call with the domain's lock.
static bool is_foreign(struct mock_ep *ep, const struct mock_op *op)
{
    if (!mock_want.foreign || !ep->domain->rdm || !ep->rx_cq || !is_receive(op) || mock_chance(4))
        return false;
    struct fi_cq_err_entry entry = {.op_context = op->context,
                                    .flags = FI_RECV | FI_MSG | (op->flags & FI_MULTI_RECV),
                                    .buf = op->iov[0].iov_base};
    uint32_t kind = mock_random() % 4;
    if (kind == 3) {
        entry.len = mock_random() % (op->iov[0].iov_len < 4096 ? op->iov[0].iov_len + 1 : 4097);
        for (size_t i = 0; i < entry.len; i++)
            ((unsigned char *)entry.buf)[i] = (unsigned char)mock_random();
    } else {
        entry.err = kind == 0 ? FI_ETRUNC : FI_ECANCELED;
        entry.olen = kind == 0 ? 1000000 : 0;
    }
    mock_use_context(op->context);
    mock_cq_post(ep->rx_cq, &entry);
    mock_count(N_STRANGE);
    return true;
}

// Under first_lost: the first message of an RDM endpoint to each peer is lost without a word, as by
// net where the connection ends behind its send. Call with the domain's lock.
static bool is_lost(struct mock_ep *ep, const struct mock_op *op)
{
    if (!mock_want.first_lost || !ep->domain->rdm || op->kind >= OP_RECV ||
        op->peer >= MOCK_GREETED || (ep->greeted[op->peer / 64] >> op->peer % 64 & 1))
        return false;
    ep->greeted[op->peer / 64] |= UINT64_C(1) << op->peer % 64;
    mock_count(N_FIRST_LOST);
    bool silent = is_inject(op) && !(op->flags & FI_INJECT);
    if (silent || (ep->selective && !(op->flags & FI_COMPLETION)))
        return true;
    mock_use_context(op->context);
    mock_cq_post(ep->tx_cq,
                 &(struct fi_cq_err_entry){.op_context = op->context, .flags = FI_SEND | FI_MSG});
    return true;
}

static ssize_t post(struct mock_ep *ep, const struct mock_op *op)
{
    mock_count(op->kind);
    if (mock_want.eagain && mock_chance(3)) {
        mock_count(N_EAGAIN);
        return -FI_EAGAIN;
    }
    pthread_mutex_lock(&ep->domain->lock);
    ssize_t rc = queue_full(ep, op) ? -FI_EAGAIN : check(ep, op);
    if (rc == 0 && !is_foreign(ep, op) && !is_lost(ep, op)) {
        if (!is_inject(op) || op->flags & FI_INJECT)
            mock_use_context(op->context);
        mock_step(ep->domain);
        if (op->flags & FI_FENCE)
            mock_release_ep(ep);
        bool fenced_off = (op->flags & FI_FENCE) && ep->held;
        if (fenced_off) {
            rc = -FI_EAGAIN;
        } else if ((op->flags & FI_FENCE) || !mock_hold(ep, op)) {
            rc = mock_issue(ep, op);
            if (rc == 0)
                mock_issued(ep, op->peer);
        }
        if (rc == 0)
            use_entry(ep, op);
    }
    pthread_mutex_unlock(&ep->domain->lock);
    return rc;
}

static ssize_t issue_message(struct mock_ep *ep, const struct mock_op *op)
{
    const struct fi_ops_msg *real = ep->real_msg;
    const struct iovec *iov = op->iov;
    void **desc = op->has_desc ? (void **)op->desc : NULL;
    struct fi_msg msg = {iov, desc, op->niov, op->peer, op->context, op->data};
    switch (op->kind) {
    case OP_SEND:
        return real->send(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->peer, op->context);
    case OP_SENDV:
        return real->sendv(ep->fid, iov, desc, op->niov, op->peer, op->context);
    case OP_SENDMSG:
        return real->sendmsg(ep->fid, &msg, op->flags);
    case OP_SENDDATA:
        return real->senddata(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->data, op->peer,
                              op->context);
    case OP_INJECT:
        return real->inject(ep->fid, iov->iov_base, iov->iov_len, op->peer);
    case OP_INJECTDATA:
        return real->injectdata(ep->fid, iov->iov_base, iov->iov_len, op->data, op->peer);
    case OP_RECV:
        return real->recv(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->peer, op->context);
    case OP_RECVV:
        return real->recvv(ep->fid, iov, desc, op->niov, op->peer, op->context);
    default:
        return real->recvmsg(ep->fid, &msg, op->flags);
    }
}

ssize_t mock_issue(struct mock_ep *ep, const struct mock_op *op)
{
    if (op->kind < OP_WRITE)
        return issue_message(ep, op);
    if (mock_is_direct(op))
        return mock_direct(ep, op);
    const struct fi_ops_rma *real = ep->real_rma;
    const struct iovec *iov = op->iov;
    void **desc = op->has_desc ? (void **)op->desc : NULL;
    uint64_t addr = op->rma[0].addr, key = op->rma[0].key;
    struct fi_msg_rma msg = {iov,     desc,     op->niov,    op->peer,
                             op->rma, op->nrma, op->context, op->data};
    switch (op->kind) {
    case OP_WRITE:
        return real->write(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->peer, addr, key,
                           op->context);
    case OP_WRITEV:
        return real->writev(ep->fid, iov, desc, op->niov, op->peer, addr, key, op->context);
    case OP_WRITEMSG:
        return real->writemsg(ep->fid, &msg, op->flags);
    case OP_WRITEDATA:
        return real->writedata(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->data,
                               op->peer, addr, key, op->context);
    case OP_INJECT_WRITE:
        return real->inject(ep->fid, iov->iov_base, iov->iov_len, op->peer, addr, key);
    case OP_INJECT_WRITEDATA:
        return real->injectdata(ep->fid, iov->iov_base, iov->iov_len, op->data, op->peer, addr,
                                key);
    case OP_READ:
        return real->read(ep->fid, iov->iov_base, iov->iov_len, op->desc[0], op->peer, addr, key,
                          op->context);
    case OP_READV:
        return real->readv(ep->fid, iov, desc, op->niov, op->peer, addr, key, op->context);
    default:
        return real->readmsg(ep->fid, &msg, op->flags);
    }
}

// ---------------------------------------------------------------- from the calls to mock_op

static bool fill_iov(struct mock_op *op, const struct iovec *iov, void **desc, size_t count)
{
    if (count > MOCK_IOV)
        return false;
    for (size_t i = 0; i < count; i++) {
        op->iov[i] = iov[i];
        op->desc[i] = desc ? desc[i] : NULL;
    }
    op->niov = count;
    op->has_desc = desc != NULL;
    return true;
}

static struct mock_op one(enum mock_kind kind, const void *buf, size_t len, void *desc,
                          fi_addr_t peer, void *context)
{
    struct mock_op op = {
        .kind = kind, .peer = peer, .context = context, .niov = 1, .has_desc = desc != NULL};
    op.iov[0] = (struct iovec){(void *)buf, len};
    op.desc[0] = desc;
    return op;
}

static ssize_t post_rma(struct fid_ep *ep, struct mock_op op, uint64_t addr, uint64_t key)
{
    op.nrma = 1;
    op.rma[0] = (struct fi_rma_iov){addr, 0, key};
    for (size_t i = 0; i < op.niov; i++)
        op.rma[0].len += op.iov[i].iov_len;
    return post(state_of(ep), &op);
}

static ssize_t post_msg(struct fid_ep *ep, enum mock_kind kind, const struct fi_msg *msg,
                        uint64_t flags)
{
    struct mock_op op = {.kind = kind,
                         .flags = flags,
                         .peer = msg->addr,
                         .context = msg->context,
                         .data = msg->data};
    if (!fill_iov(&op, msg->msg_iov, msg->desc, msg->iov_count))
        return -FI_EINVAL;
    return post(state_of(ep), &op);
}

static ssize_t post_vector(struct fid_ep *ep, enum mock_kind kind, const struct iovec *iov,
                           void **desc, size_t count, fi_addr_t peer, void *context)
{
    struct fi_msg msg = {iov, desc, count, peer, context, 0};
    return post_msg(ep, kind, &msg, 0);
}

// Under delivery_refused and delivery_ignored; false: the operation is refused.
static bool take_delivery(uint64_t *flags_p)
{
    if (!mock_no_delivery() || !(*flags_p & FI_DELIVERY_COMPLETE))
        return true;
    mock_count(mock_want.delivery_refused ? N_DELIVERY_REFUSED : N_DELIVERY_IGNORED);
    *flags_p &= ~FI_DELIVERY_COMPLETE;
    return !mock_want.delivery_refused;
}

static ssize_t post_rma_msg(struct fid_ep *ep, enum mock_kind kind, const struct fi_msg_rma *msg,
                            uint64_t flags)
{
    if (!take_delivery(&flags))
        return -FI_EOPNOTSUPP;
    struct mock_op op = {.kind = kind,
                         .flags = flags,
                         .peer = msg->addr,
                         .context = msg->context,
                         .data = msg->data};
    if (!fill_iov(&op, msg->msg_iov, msg->desc, msg->iov_count) || msg->rma_iov_count > MOCK_IOV)
        return -FI_EINVAL;
    op.nrma = msg->rma_iov_count;
    for (size_t i = 0; i < op.nrma; i++)
        op.rma[i] = msg->rma_iov[i];
    return post(state_of(ep), &op);
}

static ssize_t post_rma_vector(struct fid_ep *ep, enum mock_kind kind, const struct iovec *iov,
                               void **desc, size_t count, fi_addr_t peer, uint64_t addr,
                               uint64_t key, void *context)
{
    struct mock_op op = {.kind = kind, .peer = peer, .context = context};
    if (!fill_iov(&op, iov, desc, count))
        return -FI_EINVAL;
    return post_rma(ep, op, addr, key);
}

// ---------------------------------------------------------------- messages

static ssize_t do_recv(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t peer,
                       void *context)
{
    struct mock_op op = one(OP_RECV, buf, len, desc, peer, context);
    return post(state_of(ep), &op);
}

static ssize_t do_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                        fi_addr_t peer, void *context)
{
    return post_vector(ep, OP_RECVV, iov, desc, count, peer, context);
}

static ssize_t do_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
    return post_msg(ep, OP_RECVMSG, msg, flags);
}

static ssize_t do_send(struct fid_ep *ep, const void *buf, size_t len, void *desc, fi_addr_t peer,
                       void *context)
{
    struct mock_op op = one(OP_SEND, buf, len, desc, peer, context);
    return post(state_of(ep), &op);
}

static ssize_t do_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                        fi_addr_t peer, void *context)
{
    return post_vector(ep, OP_SENDV, iov, desc, count, peer, context);
}

static ssize_t do_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
    return post_msg(ep, OP_SENDMSG, msg, flags);
}

static ssize_t do_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t peer)
{
    struct mock_op op = one(OP_INJECT, buf, len, NULL, peer, NULL);
    return post(state_of(ep), &op);
}

static ssize_t do_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                           uint64_t data, fi_addr_t peer, void *context)
{
    struct mock_op op = one(OP_SENDDATA, buf, len, desc, peer, context);
    op.data = data;
    return post(state_of(ep), &op);
}

static ssize_t do_injectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
                             fi_addr_t peer)
{
    struct mock_op op = one(OP_INJECTDATA, buf, len, NULL, peer, NULL);
    op.data = data;
    return post(state_of(ep), &op);
}

// ---------------------------------------------------------------- RMA

static ssize_t do_read(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t peer,
                       uint64_t addr, uint64_t key, void *context)
{
    return post_rma(ep, one(OP_READ, buf, len, desc, peer, context), addr, key);
}

static ssize_t do_readv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                        fi_addr_t peer, uint64_t addr, uint64_t key, void *context)
{
    return post_rma_vector(ep, OP_READV, iov, desc, count, peer, addr, key, context);
}

static ssize_t do_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
    return post_rma_msg(ep, OP_READMSG, msg, flags);
}

static ssize_t do_write(struct fid_ep *ep, const void *buf, size_t len, void *desc, fi_addr_t peer,
                        uint64_t addr, uint64_t key, void *context)
{
    return post_rma(ep, one(OP_WRITE, buf, len, desc, peer, context), addr, key);
}

static ssize_t do_writev(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t peer, uint64_t addr, uint64_t key, void *context)
{
    return post_rma_vector(ep, OP_WRITEV, iov, desc, count, peer, addr, key, context);
}

static ssize_t do_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
    return post_rma_msg(ep, OP_WRITEMSG, msg, flags);
}

static ssize_t do_inject_write(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t peer,
                               uint64_t addr, uint64_t key)
{
    return post_rma(ep, one(OP_INJECT_WRITE, buf, len, NULL, peer, NULL), addr, key);
}

static ssize_t do_writedata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                            uint64_t data, fi_addr_t peer, uint64_t addr, uint64_t key,
                            void *context)
{
    struct mock_op op = one(OP_WRITEDATA, buf, len, desc, peer, context);
    op.data = data;
    return post_rma(ep, op, addr, key);
}

static ssize_t do_inject_writedata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
                                   fi_addr_t peer, uint64_t addr, uint64_t key)
{
    struct mock_op op = one(OP_INJECT_WRITEDATA, buf, len, NULL, peer, NULL);
    op.data = data;
    return post_rma(ep, op, addr, key);
}

static const struct fi_ops_msg msg_ops = {sizeof(struct fi_ops_msg),
                                          do_recv,
                                          do_recvv,
                                          do_recvmsg,
                                          do_send,
                                          do_sendv,
                                          do_sendmsg,
                                          do_inject,
                                          do_senddata,
                                          do_injectdata};
static const struct fi_ops_rma rma_ops = {sizeof(struct fi_ops_rma),
                                          do_read,
                                          do_readv,
                                          do_readmsg,
                                          do_write,
                                          do_writev,
                                          do_writemsg,
                                          do_inject_write,
                                          do_writedata,
                                          do_inject_writedata};

void mock_wrap_data(struct mock_ep *ep)
{
    if (ep->fid->msg) {
        ep->real_msg = ep->fid->msg;
        ep->msg_ops.table = msg_ops;
        ep->fid->msg = &ep->msg_ops.table;
    }
    if (ep->fid->rma) {
        ep->real_rma = ep->fid->rma;
        ep->rma_ops.table = rma_ops;
        ep->fid->rma = &ep->rma_ops.table;
    }
}
