// SPDX-License-Identifier: BSD-3-Clause
//
// Completion queues, event queues and address vectors of the simulated provider.
#include "net.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "model.h"

static int no_close(struct fid *fid)
{
    (void)fid;
    return 0;
}

static int open_fd(enum fi_wait_obj wait)
{
    return wait == FI_WAIT_NONE ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void clear_fd(int fd)
{
    uint64_t count;
    if (fd >= 0 && read(fd, &count, sizeof count) < 0)
        return;  // it was clear
}

static int get_wait(int fd, int command, void *arg)
{
    if (command != FI_GETWAIT || fd < 0)
        return -FI_ENOSYS;
    NET_MAY_FAIL("fi_control");
    *(int *)arg = fd;
    return 0;
}

// ---------------------------------------------------------------- completions

static net_cq_t *cq_of(struct fid *fid)
{
    return (net_cq_t *)((char *)fid - offsetof(net_cq_t, fid.fid));
}

static int cq_close(struct fid *fid)
{
    net_cq_t *cq = cq_of(fid);
    if (cq->fd >= 0)
        close(cq->fd);
    cq->fd = -1;
    return 0;
}

static int cq_control(struct fid *fid, int command, void *arg)
{
    return get_wait(cq_of(fid)->fd, command, arg);
}

static ssize_t cq_read(struct fid_cq *fid, void *buf, size_t count)
{
    net_cq_t *cq = cq_of(&fid->fid);
    struct fi_cq_data_entry *out = buf;
    size_t n = 0;
    net_call(cq->domain, false);
    NET_MAY_FAIL_LOOK("fi_cq_read");
    cq->moved = false;
    if (cq->count > 0 && cq->queue[cq->first].err)
        return -FI_EAVAIL;
    for (; n < count && cq->count > 0 && !cq->queue[cq->first].err; n++) {
        out[n] = cq->queue[cq->first].entry;
        cq->first = (cq->first + 1) % NET_QUEUE;
        cq->count--;
    }
    sim_forget(buf, n * sizeof *out);
    return n > 0 ? (ssize_t)n : -FI_EAGAIN;
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *out, uint64_t flags)
{
    net_cq_t *cq = cq_of(&fid->fid);
    (void)flags;
    if (cq->count == 0 || !cq->queue[cq->first].err)
        return -FI_EAGAIN;
    const net_done_t *done = &cq->queue[cq->first];
    out->op_context = done->entry.op_context;
    out->flags = done->entry.flags;
    out->len = 0;
    out->err = done->err;
    cq->first = (cq->first + 1) % NET_QUEUE;
    cq->count--;
    return 1;
}

static ssize_t cq_sread(struct fid_cq *fid, void *buf, size_t count, const void *condition,
                        int timeout)
{
    (void)condition, (void)timeout;
    return count ? cq_read(fid, buf, count) : -FI_EAGAIN;
}

static const char *cq_strerror(struct fid_cq *fid, int err, const void *data, char *buf, size_t n)
{
    (void)fid, (void)err, (void)data, (void)buf, (void)n;
    return "simulated";
}

static struct fi_ops cq_fid_ops = {
    .size = sizeof(struct fi_ops), .close = cq_close, .control = cq_control};
static struct fi_ops_cq cq_ops = {.size = sizeof(struct fi_ops_cq),
                                  .read = cq_read,
                                  .readerr = cq_readerr,
                                  .sread = cq_sread,
                                  .strerror = cq_strerror};

int net_open_cq(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                void *context)
{
    NET_MAY_FAIL("fi_cq_open");
    net_cq_t *cq = sim_alloc(sizeof *cq);
    cq->domain = (net_domain_t *)domain;
    cq->pe = SIM_ME->pe;
    cq->fd = open_fd(attr->wait_obj);
    cq->fid = (struct fid_cq){
        .fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &cq_fid_ops}, .ops = &cq_ops};
    *cq_p = &cq->fid;
    return 0;
}

// ---------------------------------------------------------------- connection events

static net_eq_t *eq_of(struct fid *fid)
{
    return (net_eq_t *)((char *)fid - offsetof(net_eq_t, fid.fid));
}

static int eq_close(struct fid *fid)
{
    net_eq_t *eq = eq_of(fid);
    if (eq->fd >= 0)
        close(eq->fd);
    eq->fd = -1;
    return 0;
}

static int eq_control(struct fid *fid, int command, void *arg)
{
    return get_wait(eq_of(fid)->fd, command, arg);
}

static net_event_t take_event(net_eq_t *eq)
{
    net_event_t event = eq->queue[eq->first];
    eq->first = (eq->first + 1) % (sizeof eq->queue / sizeof *eq->queue);
    eq->count--;
    return event;
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *kind_p, void *buf, size_t nbytes,
                       uint64_t flags)
{
    net_eq_t *eq = eq_of(&fid->fid);
    sim_device(false);
    sim_point();
    NET_MAY_FAIL_LOOK("fi_eq_read");
    if (eq->count == 0 || (flags & FI_PEEK))
        return -FI_EAGAIN;
    if (eq->queue[eq->first].err)
        return -FI_EAVAIL;
    net_event_t event = take_event(eq);
    struct fi_eq_cm_entry *entry = buf;
    if (nbytes < sizeof *entry + event.nbytes)
        return -FI_ETOOSMALL;
    entry->fid = event.fid;
    entry->info = NULL;
    if (event.kind == FI_CONNREQ) {
        entry->info = net_info(NULL, true);
        entry->info->handle = (fid_t)event.from;
    }
    memcpy(entry->data, event.data, event.nbytes);
    *kind_p = event.kind;
    return (ssize_t)(sizeof *entry + event.nbytes);
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *out, uint64_t flags)
{
    net_eq_t *eq = eq_of(&fid->fid);
    (void)flags;
    if (eq->count == 0 || !eq->queue[eq->first].err)
        return -FI_EAGAIN;
    net_event_t event = take_event(eq);
    memcpy(eq->err_data, event.data, sizeof eq->err_data);
    *out = (struct fi_eq_err_entry){.fid = event.fid,
                                    .context = event.fid->context,
                                    .err = event.err,
                                    .err_data = eq->err_data,
                                    .err_data_size = event.nbytes};
    return sizeof *out;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *kind_p, void *buf, size_t nbytes, int timeout,
                        uint64_t flags)
{
    (void)timeout;
    return eq_read(fid, kind_p, buf, nbytes, flags);
}

static struct fi_ops eq_fid_ops = {
    .size = sizeof(struct fi_ops), .close = eq_close, .control = eq_control};
static struct fi_ops_eq eq_ops = {
    .size = sizeof(struct fi_ops_eq), .read = eq_read, .readerr = eq_readerr, .sread = eq_sread};

int net_open_eq(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq_p,
                void *context)
{
    (void)fabric;
    NET_MAY_FAIL("fi_eq_open");
    net_eq_t *eq = sim_alloc(sizeof *eq);
    eq->pe = SIM_ME->pe;
    eq->fd = open_fd(attr->wait_obj);
    eq->fid = (struct fid_eq){
        .fid = {.fclass = FI_CLASS_EQ, .context = context, .ops = &eq_fid_ops}, .ops = &eq_ops};
    *eq_p = &eq->fid;
    return 0;
}

static bool has_news(struct fid *fid)
{
    if (fid->fclass != FI_CLASS_CQ)
        return eq_of(fid)->count > 0;
    const net_cq_t *cq = cq_of(fid);
    return cq->count > 0 || cq->moved || net_has_room(cq);
}

int net_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
    (void)fabric;
    NET_MAY_FAIL_LOOK("fi_trywait");
    for (int i = 0; i < count; i++) {
        if (fids[i]->fclass == FI_CLASS_CQ)
            net_call(cq_of(fids[i])->domain, false);
        if (has_news(fids[i]))
            return -FI_EAGAIN;
        clear_fd(fids[i]->fclass == FI_CLASS_CQ ? cq_of(fids[i])->fd : eq_of(fids[i])->fd);
    }
    return 0;
}

// ---------------------------------------------------------------- addresses

static int av_insert(struct fid_av *fid, const void *addr, size_t count, fi_addr_t *out,
                     uint64_t flags, void *context)
{
    net_av_t *av = (net_av_t *)fid;
    (void)flags, (void)context;
    NET_MAY_FAIL("fi_av_insert");
    if (count != 1 || av->count == sizeof av->ports / sizeof *av->ports)
        return 0;
    av->ports[av->count] = net_port(addr);
    *out = av->count++;
    return 1;
}

static int av_remove(struct fid_av *fid, fi_addr_t *addr, size_t count, uint64_t flags)
{
    (void)fid, (void)addr, (void)count, (void)flags;
    return 0;
}

static struct fi_ops av_fid_ops = {.size = sizeof(struct fi_ops), .close = no_close};
static struct fi_ops_av av_ops = {
    .size = sizeof(struct fi_ops_av), .insert = av_insert, .remove = av_remove};

int net_open_av(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av_p,
                void *context)
{
    (void)domain, (void)attr;
    NET_MAY_FAIL("fi_av_open");
    net_av_t *av = sim_alloc(sizeof *av);
    av->fid = (struct fid_av){
        .fid = {.fclass = FI_CLASS_AV, .context = context, .ops = &av_fid_ops}, .ops = &av_ops};
    *av_p = &av->fid;
    return 0;
}
