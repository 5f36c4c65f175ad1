// SPDX-License-Identifier: BSD-3-Clause
//
// Wrapping in general, and the fabric and domain objects. Scalable endpoints and collectives are
// not offered: no demand concerns them.
#include "mock.h"

#include <stdlib.h>
#include <string.h>

void *mock_new(size_t nbytes)
{
    void *state = calloc(1, nbytes);
    if (!state)
        abort();
    return state;
}

// Each table begins with its size, as known to the provider that made it.
void mock_copy_table(void *copy, const void *table, size_t room)
{
    size_t nbytes = *(const size_t *)table;
    memcpy(copy, table, nbytes < room ? nbytes : room);
}

void mock_wrap(struct fid *fid, struct mock_fid *state, int (*close)(struct fid *))
{
    state->real = fid->ops;
    MOCK_COPY(state->ops, fid->ops);
    state->ops.table.close = close;
    fid->ops = &state->ops.table;
}

int mock_close(struct fid *fid)
{
    struct mock_fid *state = mock_state(fid);
    int rc = state->real->close(fid);
    if (rc == 0)
        free(state);
    return rc;
}

// ---------------------------------------------------------------- domains: objects of the mock

static int domain_close(struct fid *fid)
{
    struct mock_domain *domain = mock_domain(fid);
    mock_domain_closing(domain);
    int rc = fi_close(&domain->real->fid);
    if (rc)
        mock_domain_opened(domain);
    if (rc == 0) {
        pthread_mutex_destroy(&domain->lock);
        free(domain);
    }
    return rc;
}

static int domain_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    return fi_domain_bind(mock_domain(fid)->real, other, flags);
}

static int domain_control(struct fid *fid, int command, void *arg)
{
    return fi_control(&mock_domain(fid)->real->fid, command, arg);
}

static int domain_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
                           void *context)
{
    return fi_open_ops(&mock_domain(fid)->real->fid, name, flags, ops, context);
}

static int av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
                   void *context)
{
    return fi_av_open(mock_domain(&domain->fid)->real, attr, av, context);
}

static int scalable_ep(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
                       void *context)
{
    (void)domain, (void)info, (void)ep, (void)context;
    return -FI_ENOSYS;
}

static int poll_open(struct fid_domain *domain, struct fi_poll_attr *attr, struct fid_poll **set)
{
    return fi_poll_open(mock_domain(&domain->fid)->real, attr, set);
}

static int stx_ctx(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
                   void *context)
{
    return fi_stx_context(mock_domain(&domain->fid)->real, attr, stx, context);
}

static int query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
                        struct fi_atomic_attr *attr, uint64_t flags)
{
    if (mock_want.atomics)
        return mock_query_atomic(domain, type, op, attr, flags);
    return fi_query_atomic(mock_domain(&domain->fid)->real, type, op, attr, flags);
}

static struct fi_ops domain_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = domain_close,
    .bind = domain_bind,
    .control = domain_control,
    .ops_open = domain_ops_open,
};

static struct fi_ops_domain domain_ops = {
    .size = offsetof(struct fi_ops_domain, query_collective),
    .av_open = av_open,
    .cq_open = mock_cq_open,
    .endpoint = mock_endpoint,
    .scalable_ep = scalable_ep,
    .cntr_open = mock_cntr_open,
    .poll_open = poll_open,
    .stx_ctx = stx_ctx,
    .srx_ctx = mock_srx,
    .query_atomic = query_atomic,
};

static int domain_open(struct fid_fabric *fabric, struct fi_info *info,
                       struct fid_domain **domain_p, void *context)
{
    if (mock_is_broken(info))
        return -FI_ENODEV;
    struct fi_info *plain = mock_undecorate(info);
    if (!plain)
        return -FI_ENOMEM;
    struct fid_domain *real;
    int rc = fi_domain(((struct mock_fabric *)fabric)->real, plain, &real, context);
    mock_real()->freeinfo(plain);
    if (rc)
        return rc;
    struct mock_domain *domain = mock_new(sizeof *domain);
    pthread_mutex_init(&domain->lock, NULL);
    domain->real = real;
    domain->rdm = !(info->ep_attr && info->ep_attr->type == FI_EP_MSG);
    domain->fid =
        (struct fid_domain){{FI_CLASS_DOMAIN, context, &domain_fid_ops}, &domain_ops, &mock_mr_ops};
    mock_domain_opened(domain);
    *domain_p = &domain->fid;
    return 0;
}

// ---------------------------------------------------------------- fabrics

static struct fid_fabric *real_fabric(struct fid *fid)
{
    return ((struct mock_fabric *)fid)->real;
}

static int fabric_close(struct fid *fid)
{
    int rc = fi_close(&real_fabric(fid)->fid);
    if (rc == 0)
        free(fid);
    return rc;
}

static int fabric_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    struct fid *real = &real_fabric(fid)->fid;
    return real->ops->bind(real, other, flags);
}

static int fabric_control(struct fid *fid, int command, void *arg)
{
    return fi_control(&real_fabric(fid)->fid, command, arg);
}

static int fabric_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
                           void *context)
{
    return fi_open_ops(&real_fabric(fid)->fid, name, flags, ops, context);
}

static int wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr, struct fid_wait **set)
{
    return fi_wait_open(real_fabric(&fabric->fid), attr, set);
}

// A caller must not sleep on a CQ with simulated completions or with operations held back.
static bool must_not_wait(struct fid *fid)
{
    if (fid->fclass != FI_CLASS_CQ && fid->fclass != FI_CLASS_CNTR)
        return false;
    struct mock_cq *cq = fid->fclass == FI_CLASS_CQ ? mock_state(fid) : NULL;
    struct mock_domain *domain = cq ? cq->domain : ((struct mock_cntr *)mock_state(fid))->domain;
    pthread_mutex_lock(&domain->lock);
    bool busy = !mock_release_all(domain) || (cq && mock_cq_pending(cq));
    pthread_mutex_unlock(&domain->lock);
    return busy;
}

static int trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
    for (int i = 0; i < count; i++)
        if (must_not_wait(fids[i]))
            return -FI_EAGAIN;
    return fi_trywait(real_fabric(&fabric->fid), fids, count);
}

static struct fi_ops fabric_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = fabric_close,
    .bind = fabric_bind,
    .control = fabric_control,
    .ops_open = fabric_ops_open,
};

static struct fi_ops_fabric fabric_ops = {
    .size = offsetof(struct fi_ops_fabric, domain2),
    .domain = domain_open,
    .passive_ep = mock_passive_ep,
    .eq_open = mock_eq_open,
    .wait_open = wait_open,
    .trywait = trywait,
};

int mock_wrap_fabric(struct fid_fabric **fabric_p)
{
    struct mock_fabric *fabric = mock_new(sizeof *fabric);
    fabric->real = *fabric_p;
    fabric->fid = *fabric->real;
    fabric->fid.fid.ops = &fabric_fid_ops;
    fabric->fid.ops = &fabric_ops;
    *fabric_p = &fabric->fid;
    return 0;
}
