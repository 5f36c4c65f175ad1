// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints of the simulated provider: messages, puts, gets, connections.
#include "net.h"

#include <netinet/in.h>
#include <string.h>

#include "model.h"

enum { FIRST_PORT = 2000 };

static net_ep_t *ep_of(struct fid_ep *fid)
{
    return (net_ep_t *)((char *)fid - offsetof(net_ep_t, fid));
}

static net_ep_t *ep_of_fid(struct fid *fid)
{
    return fid->fclass == FI_CLASS_PEP ? (net_ep_t *)((char *)fid - offsetof(net_ep_t, pep.fid))
                                       : (net_ep_t *)((char *)fid - offsetof(net_ep_t, fid.fid));
}

/** Where it goes; NULL: nowhere. */
static net_ep_t *target(net_ep_t *ep, fi_addr_t addr)
{
    if (ep->msg)
        return ep->peer;
    return ep->av && addr < ep->av->count ? net_ep_at(ep->av->ports[addr]) : NULL;
}

// ---------------------------------------------------------------- data

/** As where the other side shuts the socket of a message that it took too long to read: the sender
 *  takes it for sent. Or it is late by as long as it takes to ask again some times. */
static bool loses_first(net_channel_t *c, net_op_t *op)
{
    enum { LATE_MS = 4000 };
    bool first = NET->firsts && op->kind == NET_SEND && !c->from->msg && !c->begun;
    c->begun |= op->kind == NET_SEND;
    if (first && sim_below(3) == 0)
        op->not_before = sim->now_ns + sim_below(LATE_MS) * UINT64_C(1000000);
    else if (first && sim_below(2) == 0)
        return true;
    return false;
}

/** All operations on their way. `early`: its completion may come before it is delivered. */
static ssize_t post(net_ep_t *ep, fi_addr_t addr, net_op_t op, const void *buf, bool early)
{
    static const char *const names[] = {"fi_send", "fi_write", "fi_read"};
    net_call(ep->domain, true);
    NET_MAY_FAIL(names[op.kind]);
    net_ep_t *to = target(ep, addr);
    if (ep->msg && ep->state != NET_UP)
        return ep->state == NET_DOWN ? -FI_ENOTCONN : -FI_EAGAIN;
    if (!to)
        return -FI_EHOSTUNREACH;
    net_channel_t *c = net_channel(ep, to);
    if (net_is_full(c))
        return -FI_EAGAIN;
    bool fails = NET->failures && c->answers && !ep->msg && op.kind == NET_SEND &&
                 sim_below(NET->failures) == 0;
    if (fails && (!op.signals || sim_below(2)))
        return -FI_ENOMEM;
    net_op_t *made =
        net_op(op.kind, op.kind == NET_READ ? NULL : buf, op.kind == NET_READ ? 0 : op.nbytes);
    op.data = made->data;
    *made = op;
    net_make_late(made);
    if (fails) {  // taken, and fails later
        net_fail(c, made, FI_EIO);
        return 0;
    }
    if (loses_first(c, made)) {
        net_settle(c, made);
        return 0;
    }
    if (early && op.signals && NET->early && sim_below(2)) {
        made->signals = false;
        net_op_t *done = net_op(NET_DONE, NULL, 0);
        done->context = op.context;
        done->flags = op.flags;
        net_push(&c->back, done);
    }
    net_push(&c->forth, made);
    return 0;
}

static ssize_t ep_inject(struct fid_ep *fid, const void *buf, size_t nbytes, fi_addr_t addr)
{
    if (nbytes > NET_INJECT)
        return -FI_EINVAL;
    return post(ep_of(fid), addr, (net_op_t){.kind = NET_SEND, .nbytes = nbytes}, buf, false);
}

static ssize_t ep_send(struct fid_ep *fid, const void *buf, size_t nbytes, void *desc,
                       fi_addr_t addr, void *context)
{
    (void)desc;
    return post(ep_of(fid), addr,
                (net_op_t){.kind = NET_SEND,
                           .nbytes = nbytes,
                           .signals = true,
                           .context = context,
                           .flags = FI_SEND | FI_MSG},
                buf, true);
}

static ssize_t receive(net_ep_t *ep, void *buf, size_t nbytes, uint64_t flags, void *context)
{
    net_call(ep->domain, true);
    NET_MAY_FAIL_LOOK("fi_recv");
    if (ep->state == NET_DOWN || ep->state == NET_CLOSED)
        return -FI_ENOTCONN;
    if (ep->count == NET_RECEIVES)
        return -FI_EAGAIN;
    ep->receives[(ep->first + ep->count++) % NET_RECEIVES] =
        (net_receive_t){.buf = buf, .nbytes = nbytes, .flags = flags, .context = context};
    sim_decide_soon();
    return 0;
}

static ssize_t ep_recv(struct fid_ep *fid, void *buf, size_t nbytes, void *desc, fi_addr_t addr,
                       void *context)
{
    (void)desc, (void)addr;
    return receive(ep_of(fid), buf, nbytes, 0, context);
}

static ssize_t ep_recvmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags)
{
    return receive(ep_of(fid), msg->msg_iov->iov_base, msg->msg_iov->iov_len, flags, msg->context);
}

static ssize_t ep_write_with(struct fid_ep *fid, const void *buf, size_t nbytes, fi_addr_t addr,
                             uint64_t remote, uint64_t key, void *context, bool signals, bool early)
{
    return post(ep_of(fid), addr,
                (net_op_t){.kind = NET_WRITE,
                           .nbytes = nbytes,
                           .signals = signals,
                           .context = context,
                           .remote = remote,
                           .key = key,
                           .flags = FI_WRITE | FI_RMA},
                buf, early);
}

static ssize_t ep_inject_write(struct fid_ep *fid, const void *buf, size_t nbytes, fi_addr_t addr,
                               uint64_t remote, uint64_t key)
{
    if (nbytes > NET_INJECT)
        return -FI_EINVAL;
    return ep_write_with(fid, buf, nbytes, addr, remote, key, NULL, false, false);
}

static ssize_t ep_write(struct fid_ep *fid, const void *buf, size_t nbytes, void *desc,
                        fi_addr_t addr, uint64_t remote, uint64_t key, void *context)
{
    (void)desc;
    return ep_write_with(fid, buf, nbytes, addr, remote, key, context, true, true);
}

static ssize_t ep_writemsg(struct fid_ep *fid, const struct fi_msg_rma *msg, uint64_t flags)
{
    return ep_write_with(fid, msg->msg_iov->iov_base, msg->msg_iov->iov_len, msg->addr,
                         msg->rma_iov->addr, msg->rma_iov->key, msg->context, true,
                         !(flags & FI_DELIVERY_COMPLETE));
}

static ssize_t ep_read(struct fid_ep *fid, void *buf, size_t nbytes, void *desc, fi_addr_t addr,
                       uint64_t remote, uint64_t key, void *context)
{
    (void)desc;
    return post(ep_of(fid), addr,
                (net_op_t){.kind = NET_READ,
                           .nbytes = nbytes,
                           .signals = true,
                           .context = context,
                           .remote = remote,
                           .key = key,
                           .local = buf,
                           .flags = FI_READ | FI_RMA},
                NULL, false);
}

static struct fi_ops_msg msg_ops = {.size = sizeof(struct fi_ops_msg),
                                    .recv = ep_recv,
                                    .recvmsg = ep_recvmsg,
                                    .send = ep_send,
                                    .inject = ep_inject};
static struct fi_ops_rma rma_ops = {.size = sizeof(struct fi_ops_rma),
                                    .read = ep_read,
                                    .write = ep_write,
                                    .writemsg = ep_writemsg,
                                    .inject = ep_inject_write};

// ---------------------------------------------------------------- connections

static int cm_getname(fid_t fid, void *addr, size_t *nbytes_p)
{
    NET_MAY_FAIL("fi_getname");
    size_t room = *nbytes_p;
    *nbytes_p = sizeof(struct sockaddr_in);
    if (room < sizeof(struct sockaddr_in))
        return -FI_ETOOSMALL;
    net_name(ep_of_fid(fid)->port, addr);
    return 0;
}

static int cm_getpeer(struct fid_ep *fid, void *addr, size_t *nbytes_p)
{
    net_ep_t *ep = ep_of(fid);
    if (!ep->peer || *nbytes_p < sizeof(struct sockaddr_in))
        return -FI_ENOTCONN;
    *nbytes_p = sizeof(struct sockaddr_in);
    net_name(ep->peer->port, addr);
    return 0;
}

static int cm_connect(struct fid_ep *fid, const void *addr, const void *data, size_t nbytes)
{
    net_ep_t *ep = ep_of(fid), *listener = net_ep_at(net_port(addr));
    sim_point();
    NET_MAY_FAIL("fi_connect");
    ep->state = NET_ASKED;
    if (!listener || !listener->listens) {
        net_event(ep->eq, &(net_event_t){.fid = &ep->fid.fid, .err = FI_ECONNREFUSED});
        return 0;
    }
    net_push(&net_channel(ep, listener)->forth, net_op(NET_ASK, data, nbytes));
    return 0;
}

static int cm_listen(struct fid_pep *fid)
{
    net_ep_t *ep = ep_of_fid(&fid->fid);
    NET_MAY_FAIL("fi_listen");
    ep->listens = true;
    return 0;
}

static int cm_accept(struct fid_ep *fid, const void *data, size_t nbytes)
{
    net_ep_t *ep = ep_of(fid);
    sim_point();
    NET_MAY_FAIL("fi_accept");
    if (!ep->peer)
        return -FI_EINVAL;
    ep->state = NET_ASKED;
    net_push(&net_channel(ep, ep->peer)->forth, net_op(NET_ACCEPT, data, nbytes));
    return 0;
}

static int cm_reject(struct fid_pep *pep, fid_t handle, const void *data, size_t nbytes)
{
    net_ep_t *from = (net_ep_t *)handle, *listener = ep_of_fid(&pep->fid);
    sim_point();
    NET_MAY_FAIL("fi_reject");
    net_push(&net_channel(listener, from)->forth, net_op(NET_REFUSE, data, nbytes));
    return 0;
}

static int cm_shutdown(struct fid_ep *fid, uint64_t flags)
{
    net_ep_t *ep = ep_of(fid);
    (void)flags;
    NET_MAY_FAIL("fi_shutdown");
    if (ep->peer && ep->state == NET_UP)
        net_push(&net_channel(ep, ep->peer)->forth, net_op(NET_END, NULL, 0));
    return 0;
}

static struct fi_ops_cm cm_ops = {.size = sizeof(struct fi_ops_cm),
                                  .getname = cm_getname,
                                  .getpeer = cm_getpeer,
                                  .connect = cm_connect,
                                  .listen = cm_listen,
                                  .accept = cm_accept,
                                  .reject = cm_reject,
                                  .shutdown = cm_shutdown};

// ---------------------------------------------------------------- objects

static int ep_close(struct fid *fid)
{
    sim_point();
    net_close_ep(ep_of_fid(fid));
    return 0;
}

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    net_ep_t *ep = ep_of_fid(fid);
    (void)flags;
    NET_MAY_FAIL("fi_ep_bind");
    if (other->fclass == FI_CLASS_CQ)
        ep->cq = (net_cq_t *)other;
    else if (other->fclass == FI_CLASS_EQ)
        ep->eq = (net_eq_t *)other;
    else if (other->fclass == FI_CLASS_AV)
        ep->av = (net_av_t *)other;
    else
        return -FI_ENOSYS;
    return 0;
}

static int ep_control(struct fid *fid, int command, void *arg)
{
    (void)fid, (void)arg;
    NET_MAY_FAIL("fi_enable");
    return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *nbytes_p)
{
    (void)fid, (void)level;
    NET_MAY_FAIL("fi_getopt");
    if (name != FI_OPT_CM_DATA_SIZE || *nbytes_p < sizeof(size_t))
        return -FI_ENOPROTOOPT;
    *(size_t *)value = NET_PRIVATE;
    *nbytes_p = sizeof(size_t);
    return 0;
}

static int ep_setopt(fid_t fid, int level, int name, const void *value, size_t nbytes)
{
    (void)level;
    NET_MAY_FAIL("fi_setopt");
    if (name != FI_OPT_MIN_MULTI_RECV || nbytes != sizeof(size_t))
        return -FI_ENOPROTOOPT;
    ep_of_fid(fid)->least_room = *(const size_t *)value;
    return 0;
}

static struct fi_ops ep_fid_ops = {
    .size = sizeof(struct fi_ops), .close = ep_close, .bind = ep_bind, .control = ep_control};
static struct fi_ops_ep ep_ops = {
    .size = sizeof(struct fi_ops_ep), .getopt = ep_getopt, .setopt = ep_setopt};

net_ep_t *net_new_ep(void *context)
{
    if (NET->neps == NET_CHANNELS)
        sim_stop(SIM_STUCK, "more than %d endpoints", NET_CHANNELS);
    net_ep_t *ep = sim_alloc(sizeof *ep);
    ep->pe = SIM_ME->pe;
    ep->port = (uint16_t)(FIRST_PORT + NET->neps);
    ep->fid =
        (struct fid_ep){.fid = {.fclass = FI_CLASS_EP, .context = context, .ops = &ep_fid_ops},
                        .ops = &ep_ops,
                        .cm = &cm_ops,
                        .msg = &msg_ops,
                        .rma = &rma_ops};
    ep->pep =
        (struct fid_pep){.fid = {.fclass = FI_CLASS_PEP, .context = context, .ops = &ep_fid_ops},
                         .ops = &ep_ops,
                         .cm = &cm_ops};
    NET->eps[NET->neps++] = ep;
    return ep;
}

int net_open_ep(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                void *context)
{
    NET_MAY_FAIL("fi_endpoint");
    net_ep_t *ep = net_new_ep(context);
    ep->domain = (net_domain_t *)domain;
    ep->msg = info->ep_attr->type == FI_EP_MSG;
    ep->peer = (net_ep_t *)info->handle;
    if (ep->peer)
        ep->peer->peer = ep;
    *ep_p = &ep->fid;
    return 0;
}

int net_open_pep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep_p,
                 void *context)
{
    (void)fabric, (void)info;
    NET_MAY_FAIL("fi_passive_ep");
    net_ep_t *ep = net_new_ep(context);
    ep->msg = true;
    *pep_p = &ep->pep;
    return 0;
}
