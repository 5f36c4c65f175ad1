// SPDX-License-Identifier: BSD-3-Clause
//
// Completion queues and counters: simulated completions come first, then the provider's.
#include "mock.h"

#include <stdlib.h>
#include <string.h>

static struct mock_cq *state_of(struct fid_cq *cq)
{
    return mock_state(&cq->fid);
}

void mock_cq_post(struct mock_cq *cq, const struct fi_cq_err_entry *entry)
{
    struct mock_done *done = mock_new(sizeof *done);
    *done = (struct mock_done){.entry = *entry, .has_error = entry->err != 0};
    *cq->last_p = done;
    cq->last_p = &done->next;
    mock_cq_wake(cq);
}

bool mock_cq_pending(struct mock_cq *cq)
{
    return cq->first;
}

void mock_cq_wake(struct mock_cq *cq)
{
    if (cq->has_wait)
        cq->real->signal(cq->fid);
}

static void take_first(struct mock_cq *cq)
{
    struct mock_done *done = cq->first;
    cq->first = done->next;
    if (!cq->first)
        cq->last_p = &cq->first;
    free(done);
}

static size_t entry_size(enum fi_cq_format format)
{
    switch (format) {
    case FI_CQ_FORMAT_MSG:
        return sizeof(struct fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
        return sizeof(struct fi_cq_data_entry);
    case FI_CQ_FORMAT_TAGGED:
        return sizeof(struct fi_cq_tagged_entry);
    default:
        return sizeof(struct fi_cq_entry);
    }
}

// Simulated completions into buf; -FI_EAVAIL if the first is an error, -FI_EAGAIN if there are
// none. Each entry format is a prefix of fi_cq_err_entry (context, flags, len, buf, data, tag).
static ssize_t simulated(struct mock_cq *cq, void *buf, size_t count, fi_addr_t *peers)
{
    size_t n = 0, nbytes = entry_size(cq->format);
    if (cq->first && cq->first->has_error)
        return -FI_EAVAIL;
    while (n < count && cq->first && !cq->first->has_error) {
        memcpy((char *)buf + n * nbytes, &cq->first->entry, nbytes);
        if (peers)
            peers[n] = FI_ADDR_NOTAVAIL;
        take_first(cq);
        n++;
    }
    return n ? (ssize_t)n : -FI_EAGAIN;
}

static ssize_t begin_read(struct mock_cq *cq, void *buf, size_t count, fi_addr_t *peers,
                          bool sleeps)
{
    mock_count(OP_CQ_READ);
    pthread_mutex_lock(&cq->domain->lock);
    if (sleeps)
        mock_release_all(cq->domain);
    else
        mock_step(cq->domain);
    ssize_t n = cq->overrun ? -FI_EAVAIL : simulated(cq, buf, count, peers);
    pthread_mutex_unlock(&cq->domain->lock);
    return n;
}

// ---------------------------------------------------------------- entries in use

void mock_cq_use(struct mock_cq *cq, struct mock_ep *ep, const struct mock_op *op)
{
    bool receive = op->kind >= OP_RECV && op->kind < OP_WRITE;
    if (cq->nuses == cq->room) {
        size_t room = cq->room ? 2 * cq->room : 64;
        cq->uses = realloc(cq->uses, room * sizeof *cq->uses);
        if (!cq->uses)
            abort();
        cq->room = room;
    }
    cq->uses[cq->nuses++] =
        (struct mock_use){op->context, ep, receive, receive && (op->flags & FI_MULTI_RECV)};
    if (!mock_want.few_completions || cq->nuses <= cq->entries)
        return;
    mock_count(N_OVERRUN);
    cq->overrun = true;
    mock_cq_wake(cq);
}

size_t mock_cq_receives(const struct mock_cq *cq, const struct mock_ep *ep)
{
    size_t n = 0;
    for (size_t i = 0; i < cq->nuses; i++)
        n += cq->uses[i].ep == ep && cq->uses[i].receive;
    return n;
}

void mock_cq_forget(struct mock_cq *cq, const struct mock_ep *ep)
{
    for (size_t i = cq->nuses; i-- > 0;)
        if (cq->uses[i].ep == ep)
            cq->uses[i] = cq->uses[--cq->nuses];
}

static void complete(struct mock_cq *cq, const void *context, uint64_t flags)
{
    for (size_t i = 0; i < cq->nuses; i++) {
        if (cq->uses[i].context != context)
            continue;
        if (!cq->uses[i].many || (flags & FI_MULTI_RECV))
            cq->uses[i] = cq->uses[--cq->nuses];
        return;
    }
}

// All formats begin with the context, and all but the first have flags behind it.
static void complete_all(struct mock_cq *cq, const void *buf, ssize_t n)
{
    if (n <= 0 || !(mock_want.few_receives || mock_want.few_completions))
        return;
    pthread_mutex_lock(&cq->domain->lock);
    for (ssize_t i = 0; i < n; i++) {
        const struct fi_cq_msg_entry *entry =
            (const void *)((const char *)buf + (size_t)i * entry_size(cq->format));
        complete(cq, entry->op_context, cq->format == FI_CQ_FORMAT_CONTEXT ? 0 : entry->flags);
    }
    pthread_mutex_unlock(&cq->domain->lock);
}

// ---------------------------------------------------------------- reading

static ssize_t cq_read(struct fid_cq *fid, void *buf, size_t count)
{
    struct mock_cq *cq = state_of(fid);
    ssize_t n = begin_read(cq, buf, count, NULL, false);
    if (n != -FI_EAGAIN)
        return n;
    n = cq->real->read(fid, buf, count);
    complete_all(cq, buf, n);
    return n;
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *peers)
{
    struct mock_cq *cq = state_of(fid);
    ssize_t n = begin_read(cq, buf, count, peers, false);
    return n == -FI_EAGAIN ? cq->real->readfrom(fid, buf, count, peers) : n;
}

static ssize_t cq_sread(struct fid_cq *fid, void *buf, size_t count, const void *cond, int timeout)
{
    struct mock_cq *cq = state_of(fid);
    ssize_t n = begin_read(cq, buf, count, NULL, true);
    if (n != -FI_EAGAIN)
        return n;
    n = cq->real->sread(fid, buf, count, cond, timeout);
    complete_all(cq, buf, n);
    return n;
}

static ssize_t cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *peers,
                            const void *cond, int timeout)
{
    struct mock_cq *cq = state_of(fid);
    ssize_t n = begin_read(cq, buf, count, peers, true);
    return n == -FI_EAGAIN ? cq->real->sreadfrom(fid, buf, count, peers, cond, timeout) : n;
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags)
{
    struct mock_cq *cq = state_of(fid);
    pthread_mutex_lock(&cq->domain->lock);
    bool mine = cq->first && cq->first->has_error;
    if (cq->overrun) {  // for good, as a queue of verbs
        entry->op_context = NULL;
        entry->flags = 0;
        entry->err = FI_EOVERRUN;
        entry->err_data_size = 0;
        pthread_mutex_unlock(&cq->domain->lock);
        return 1;
    }
    if (mine) {
        // err_data and its size are in/out; the mock has none.
        memcpy(entry, &cq->first->entry, offsetof(struct fi_cq_err_entry, err_data));
        entry->err_data_size = 0;
        take_first(cq);
    }
    ssize_t n = mine ? 1 : cq->real->readerr(fid, entry, flags);
    if (n > 0)
        complete(cq, entry->op_context, entry->flags);
    pthread_mutex_unlock(&cq->domain->lock);
    return n;
}

static int cq_close(struct fid *fid)
{
    struct mock_cq *cq = mock_state(fid);
    int rc = cq->base.real->close(fid);
    if (rc)
        return rc;
    while (cq->first)
        take_first(cq);
    free(cq->uses);
    free(cq);
    return 0;
}

int mock_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                 void *context)
{
    if (mock_want.no_wait_fd && attr &&
        (attr->wait_obj == FI_WAIT_FD || attr->wait_obj == FI_WAIT_POLLFD))
        return -FI_ENOSYS;
    if (mock_want.few_completions && attr && attr->size > MOCK_COMPLETIONS) {
        mock_count(N_CQ_REFUSED);
        return -FI_EINVAL;
    }
    struct mock_domain *state = mock_domain(&domain->fid);
    int rc = fi_cq_open(state->real, attr, cq_p, context);
    if (rc)
        return rc;
    struct fid_cq *fid = *cq_p;
    struct mock_cq *cq = mock_new(sizeof *cq);
    mock_wrap(&fid->fid, &cq->base, cq_close);
    cq->fid = fid;
    cq->domain = state;
    cq->format = attr ? attr->format : FI_CQ_FORMAT_CONTEXT;
    cq->has_wait = attr && attr->wait_obj != FI_WAIT_NONE;
    cq->last_p = &cq->first;
    cq->entries = attr && attr->size ? attr->size : MOCK_COMPLETIONS;
    cq->real = fid->ops;
    MOCK_COPY(cq->ops, fid->ops);
    cq->ops.table.read = cq_read;
    cq->ops.table.readfrom = cq_readfrom;
    cq->ops.table.sread = cq_sread;
    cq->ops.table.sreadfrom = cq_sreadfrom;
    cq->ops.table.readerr = cq_readerr;
    fid->ops = &cq->ops.table;
    return 0;
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
    struct mock_cntr *cntr = mock_state(&fid->fid);
    pthread_mutex_lock(&cntr->domain->lock);
    mock_step(cntr->domain);
    pthread_mutex_unlock(&cntr->domain->lock);
    return cntr->real->read(fid);
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
    struct mock_cntr *cntr = mock_state(&fid->fid);
    pthread_mutex_lock(&cntr->domain->lock);
    mock_release_all(cntr->domain);
    pthread_mutex_unlock(&cntr->domain->lock);
    return cntr->real->wait(fid, threshold, timeout);
}

int mock_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr_p,
                   void *context)
{
    struct mock_domain *state = mock_domain(&domain->fid);
    int rc = fi_cntr_open(state->real, attr, cntr_p, context);
    if (rc)
        return rc;
    struct fid_cntr *fid = *cntr_p;
    struct mock_cntr *cntr = mock_new(sizeof *cntr);
    mock_wrap(&fid->fid, &cntr->base, mock_close);
    cntr->fid = fid;
    cntr->domain = state;
    cntr->real = fid->ops;
    MOCK_COPY(cntr->ops, fid->ops);
    cntr->ops.table.read = cntr_read;
    cntr->ops.table.wait = cntr_wait;
    fid->ops = &cntr->ops.table;
    return 0;
}
