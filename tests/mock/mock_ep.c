// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints, passive endpoints, shared receive contexts and event queues.
#include "mock.h"

#include <stdlib.h>
#include <string.h>

size_t mock_cm_data(void)
{
    return mock_want.cm32 ? MOCK_CM_FEW : mock_want.cm55 ? MOCK_CM_DATA : 0;
}

int mock_getopt(fid_t fid, struct fi_ops_ep *real, int level, int name, void *value, size_t *len_p)
{
    if (!mock_cm_data() || level != FI_OPT_ENDPOINT || name != FI_OPT_CM_DATA_SIZE)
        return real->getopt(fid, level, name, value, len_p);
    size_t nbytes = mock_cm_data();
    if (*len_p < sizeof nbytes)
        return -FI_ETOOSMALL;
    memcpy(value, &nbytes, sizeof nbytes);
    *len_p = sizeof nbytes;
    return 0;
}

static bool too_long(enum mock_kind call, size_t nbytes)
{
    mock_count(call);
    if (!mock_cm_data() || nbytes <= mock_cm_data())
        return false;
    mock_count(N_CM_REFUSED);
    return true;
}

// ---------------------------------------------------------------- endpoints

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *len_p)
{
    struct mock_ep *ep = mock_state(fid);
    return mock_getopt(fid, ep->real_ops, level, name, value, len_p);
}

static int ep_connect(struct fid_ep *fid, const void *addr, const void *param, size_t nbytes)
{
    struct mock_ep *ep = mock_state(&fid->fid);
    return too_long(OP_CONNECT, nbytes) || mock_want.no_connect
               ? -FI_EINVAL
               : ep->real_cm->connect(fid, addr, param, nbytes);
}

static int ep_accept(struct fid_ep *fid, const void *param, size_t nbytes)
{
    struct mock_ep *ep = mock_state(&fid->fid);
    return too_long(OP_ACCEPT, nbytes) || mock_want.no_accept
               ? -FI_EINVAL
               : ep->real_cm->accept(fid, param, nbytes);
}

static int ep_shutdown(struct fid_ep *fid, uint64_t flags)
{
    struct mock_ep *ep = mock_state(&fid->fid);
    pthread_mutex_lock(&ep->domain->lock);
    mock_release_ep(ep);
    pthread_mutex_unlock(&ep->domain->lock);
    return ep->real_cm->shutdown(fid, flags);
}

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    struct mock_ep *ep = mock_state(fid);
    int rc = ep->base.real->bind(fid, other, flags);
    if (rc)
        return rc;
    if (other->fclass == FI_CLASS_CQ && (flags & FI_TRANSMIT)) {
        ep->tx_cq = mock_state(other);
        ep->selective = flags & FI_SELECTIVE_COMPLETION;
    }
    if (other->fclass == FI_CLASS_CQ && (flags & FI_RECV))
        ep->rx_cq = mock_state(other);
    if (other->fclass == FI_CLASS_CNTR) {
        if (flags & FI_READ)
            ep->read_cntr = mock_state(other);
        if (flags & FI_WRITE)
            ep->write_cntr = mock_state(other);
    }
    return 0;
}

static int ep_control(struct fid *fid, int command, void *arg)
{
    struct mock_ep *ep = mock_state(fid);
    int rc = ep->base.real->control(fid, command, arg);
    if (rc == 0 && command == FI_SETOPSFLAG && (*(uint64_t *)arg & FI_TRANSMIT))
        ep->tx_flags = *(uint64_t *)arg & ~FI_TRANSMIT;
    return rc;
}

static int ep_close(struct fid *fid)
{
    struct mock_ep *ep = mock_state(fid);
    pthread_mutex_lock(&ep->domain->lock);
    mock_drop(ep);
    if (ep->tx_cq)
        mock_cq_forget(ep->tx_cq, ep);
    if (ep->rx_cq)
        mock_cq_forget(ep->rx_cq, ep);
    struct mock_ep **p = &ep->domain->eps;
    while (*p != ep)
        p = &(*p)->next;
    *p = ep->next;
    pthread_mutex_unlock(&ep->domain->lock);
    int rc = ep->base.real->close(fid);
    if (rc == 0) {
        free(ep);
        return 0;
    }
    pthread_mutex_lock(&ep->domain->lock);
    ep->next = ep->domain->eps;
    ep->domain->eps = ep;
    pthread_mutex_unlock(&ep->domain->lock);
    return rc;
}

static struct mock_ep *wrap_ep(struct fid_domain *domain, struct fid_ep *fid)
{
    struct mock_ep *ep = mock_new(sizeof *ep);
    ep->fid = fid;
    ep->domain = mock_domain(&domain->fid);
    mock_wrap(&fid->fid, &ep->base, ep_close);
    ep->base.ops.table.bind = ep_bind;
    ep->base.ops.table.control = ep_control;
    if (fid->ops) {
        ep->real_ops = fid->ops;
        MOCK_COPY(ep->ops, fid->ops);
        ep->ops.table.getopt = ep_getopt;
        fid->ops = &ep->ops.table;
    }
    if (fid->cm) {
        ep->real_cm = fid->cm;
        MOCK_COPY(ep->cm_ops, fid->cm);
        ep->cm_ops.table.connect = ep_connect;
        ep->cm_ops.table.accept = ep_accept;
        ep->cm_ops.table.shutdown = ep_shutdown;
        fid->cm = &ep->cm_ops.table;
    }
    mock_wrap_data(ep);
    pthread_mutex_lock(&ep->domain->lock);
    ep->next = ep->domain->eps;
    ep->domain->eps = ep;
    pthread_mutex_unlock(&ep->domain->lock);
    mock_count(OP_EP_OPEN);
    return ep;
}

int mock_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                  void *context)
{
    struct fi_info *plain = mock_undecorate(info);
    if (!plain)
        return -FI_ENOMEM;
    int rc = fi_endpoint(mock_domain(&domain->fid)->real, plain, ep_p, context);
    mock_real()->freeinfo(plain);
    if (rc)
        return rc;
    struct mock_ep *ep = wrap_ep(domain, *ep_p);
    ep->tx_flags = info->tx_attr ? info->tx_attr->op_flags : 0;
    if (mock_want.atomics && (info->caps & FI_ATOMIC))
        mock_wrap_atomic(ep);
    return 0;
}

int mock_srx(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **ep, void *context)
{
    struct fi_rx_attr plain = attr ? *attr : (struct fi_rx_attr){0};
    if (mock_want.atomics)
        plain.caps &= ~FI_ATOMIC;
    int rc = fi_srx_context(mock_domain(&domain->fid)->real, attr ? &plain : NULL, ep, context);
    if (rc == 0)
        wrap_ep(domain, *ep);
    return rc;
}

// ---------------------------------------------------------------- passive endpoints

static int pep_getopt(fid_t fid, int level, int name, void *value, size_t *len_p)
{
    struct mock_pep *pep = mock_state(fid);
    return mock_getopt(fid, pep->real_ops, level, name, value, len_p);
}

static int pep_reject(struct fid_pep *fid, fid_t handle, const void *param, size_t nbytes)
{
    struct mock_pep *pep = mock_state(&fid->fid);
    return too_long(OP_REJECT, nbytes) ? -FI_EINVAL
                                       : pep->real_cm->reject(fid, handle, param, nbytes);
}

int mock_passive_ep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep_p,
                    void *context)
{
    struct fi_info *plain = mock_undecorate(info);
    if (!plain)
        return -FI_ENOMEM;
    int rc = fi_passive_ep(((struct mock_fabric *)fabric)->real, plain, pep_p, context);
    mock_real()->freeinfo(plain);
    if (rc)
        return rc;
    struct fid_pep *fid = *pep_p;
    struct mock_pep *pep = mock_new(sizeof *pep);
    mock_wrap(&fid->fid, &pep->base, mock_close);
    pep->atomics = info->caps & FI_ATOMIC;
    pep->real_ops = fid->ops;
    MOCK_COPY(pep->ops, fid->ops);
    pep->ops.table.getopt = pep_getopt;
    fid->ops = &pep->ops.table;
    pep->real_cm = fid->cm;
    MOCK_COPY(pep->cm_ops, fid->cm);
    pep->cm_ops.table.reject = pep_reject;
    fid->cm = &pep->cm_ops.table;
    return 0;
}

// ---------------------------------------------------------------- event queues

// A connection request's info goes to the caller, so it carries the mock's demands. Fabrics with
// little private data deliver it padded to its greatest size: so does the mock.
static ssize_t event(uint32_t kind, void *buf, size_t room, ssize_t n)
{
    struct fi_eq_cm_entry *entry = buf;
    if (n < (ssize_t)sizeof *entry || (kind != FI_CONNREQ && kind != FI_CONNECTED))
        return n;
    if (kind == FI_CONNREQ && entry->info)
        mock_decorate(entry->info, ((struct mock_pep *)mock_state(entry->fid))->atomics);
    size_t padded = sizeof *entry + mock_cm_data();
    if (mock_cm_data() && padded <= room && (size_t)n < padded) {
        memset((char *)buf + n, 0, padded - (size_t)n);
        n = (ssize_t)padded;
    }
    return n;
}

// The provider's own readerr reads by this table, too: without a place for the kind.
static ssize_t eq_read(struct fid_eq *fid, uint32_t *kind, void *buf, size_t len, uint64_t flags)
{
    struct mock_eq *eq = mock_state(&fid->fid);
    ssize_t n = eq->real->read(fid, kind, buf, len, flags);
    return n > 0 && kind ? event(*kind, buf, len, n) : n;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *kind, void *buf, size_t len, int timeout,
                        uint64_t flags)
{
    struct mock_eq *eq = mock_state(&fid->fid);
    ssize_t n = eq->real->sread(fid, kind, buf, len, timeout, flags);
    return n > 0 ? event(*kind, buf, len, n) : n;
}

int mock_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq_p,
                 void *context)
{
    if (mock_want.no_wait_fd && attr && attr->wait_obj == FI_WAIT_FD)
        return -FI_ENOSYS;
    int rc = fi_eq_open(((struct mock_fabric *)fabric)->real, attr, eq_p, context);
    if (rc)
        return rc;
    struct fid_eq *fid = *eq_p;
    struct mock_eq *eq = mock_new(sizeof *eq);
    mock_wrap(&fid->fid, &eq->base, mock_close);
    eq->real = fid->ops;
    MOCK_COPY(eq->ops, fid->ops);
    eq->ops.table.read = eq_read;
    eq->ops.table.sread = eq_sread;
    fid->ops = &eq->ops.table;
    return 0;
}
