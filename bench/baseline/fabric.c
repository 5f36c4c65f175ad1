// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints and completions for the baselines of libfabric (fabric.h).
#include "fabric.h"

#include <rdma/fi_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char LOOPBACK[] = "127.0.0.1";

void fabric_check(long ret, const char *what)
{
    if (ret >= 0)
        return;
    fprintf(stderr, "raw_fabric: %s: %s\n", what, fi_strerror((int)-ret));
    exit(1);
}

static int query_one(struct fabric *f, const char *provider, int msg, int source)
{
    struct fi_info *hints = fi_allocinfo();
    hints->ep_attr->type = msg ? FI_EP_MSG : FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup(provider);
    int ret =
        fi_getinfo(FI_VERSION(1, 17), LOOPBACK, NULL, source ? FI_SOURCE : 0, hints, &f->info);
    fi_freeinfo(hints);
    return ret;
}

// What Causeway would take: net, which from libfabric 1.18 on is called tcp.
static void query(struct fabric *f, const struct bench_opts *opts, int source)
{
    int msg = !strcmp(opts->endpoint, "msg");
    int ret = query_one(f, opts->provider ? opts->provider : "net", msg, source);
    if (ret == -FI_ENODATA && !opts->provider)
        ret = query_one(f, "tcp", msg, source);
    fabric_check(ret, "fi_getinfo");
}

static void register_memory(struct fabric *f, struct fabric_side *mine)
{
    f->mem = mmap(NULL, f->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f->mem == MAP_FAILED) {
        perror("raw_fabric: mmap");
        exit(1);
    }
    memset(f->mem, 0, f->nbytes);
    uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE;
    fabric_check(fi_mr_reg(f->domain, f->mem, f->nbytes, access, 0, 1, 0, &f->mr, NULL),
                 "fi_mr_reg");
    f->desc = fi_mr_desc(f->mr);
    mine->key = fi_mr_key(f->mr);
    mine->base = f->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)f->mem : 0;
}

static void open_domain(struct fabric *f)
{
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT, .size = 4096, .wait_obj = FI_WAIT_NONE};
    fabric_check(fi_fabric(f->info->fabric_attr, &f->fabric, NULL), "fi_fabric");
    fabric_check(fi_domain(f->fabric, f->info, &f->domain, NULL), "fi_domain");
    fabric_check(fi_cq_open(f->domain, &cq, &f->cq, NULL), "fi_cq_open");
}

static void open_endpoint(struct fabric *f, struct fi_info *info)
{
    fabric_check(fi_endpoint(f->domain, info, &f->ep, NULL), "fi_endpoint");
    fabric_check(fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    if (f->av)
        fabric_check(fi_ep_bind(f->ep, &f->av->fid, 0), "fi_ep_bind");
    if (f->eq)
        fabric_check(fi_ep_bind(f->ep, &f->eq->fid, 0), "fi_ep_bind");
}

static void await(struct fabric_side *side)
{
    while (!atomic_load_explicit(&side->ready, memory_order_acquire))
        sched_yield();
}

static void publish(struct fabric_side *side)
{
    atomic_store_explicit(&side->ready, 1, memory_order_release);
}

static void open_rdm(struct fabric *f, const struct bench_opts *opts, struct fabric_side *mine,
                     struct fabric_side *theirs)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    query(f, opts, 1);
    open_domain(f);
    fabric_check(fi_av_open(f->domain, &av, &f->av, NULL), "fi_av_open");
    open_endpoint(f, f->info);
    fabric_check(fi_enable(f->ep), "fi_enable");
    register_memory(f, mine);
    mine->addrlen = sizeof mine->addr;
    fabric_check(fi_getname(&f->ep->fid, mine->addr, &mine->addrlen), "fi_getname");
    publish(mine);
    await(theirs);
    if (fi_av_insert(f->av, theirs->addr, 1, &f->peer, 0, NULL) != 1)
        fabric_check(-FI_EADDRNOTAVAIL, "fi_av_insert");
}

// Waits for one connection event and checks its kind.
static void next_event(struct fabric *f, uint32_t wanted, struct fi_eq_cm_entry *entry)
{
    uint32_t event;
    ssize_t n;
    do {
        fi_cq_read(f->cq, NULL, 0);  // some providers move connections only inside calls on the
                                     // queue
        n = fi_eq_sread(f->eq, &event, entry, sizeof *entry, 100, 0);
    } while (n == -FI_EAGAIN);
    fabric_check(n, "fi_eq_sread");
    if (event != wanted) {
        fprintf(stderr, "raw_fabric: connection event %u instead of %u\n", event, wanted);
        exit(1);
    }
}

static void listen_msg(struct fabric *f, const struct bench_opts *opts, struct fabric_side *mine,
                       struct fabric_side *theirs)
{
    struct fi_eq_attr eq = {.wait_obj = FI_WAIT_UNSPEC};
    struct fi_eq_cm_entry entry;
    query(f, opts, 1);
    open_domain(f);
    fabric_check(fi_eq_open(f->fabric, &eq, &f->eq, NULL), "fi_eq_open");
    fabric_check(fi_passive_ep(f->fabric, f->info, &f->pep, NULL), "fi_passive_ep");
    fabric_check(fi_pep_bind(f->pep, &f->eq->fid, 0), "fi_pep_bind");
    fabric_check(fi_listen(f->pep), "fi_listen");
    register_memory(f, mine);
    mine->addrlen = sizeof mine->addr;
    fabric_check(fi_getname(&f->pep->fid, mine->addr, &mine->addrlen), "fi_getname");
    publish(mine);
    next_event(f, FI_CONNREQ, &entry);
    open_endpoint(f, entry.info);
    fabric_check(fi_accept(f->ep, NULL, 0), "fi_accept");
    fi_freeinfo(entry.info);
    next_event(f, FI_CONNECTED, &entry);
    await(theirs);
}

static void connect_msg(struct fabric *f, const struct bench_opts *opts, struct fabric_side *mine,
                        struct fabric_side *theirs)
{
    struct fi_eq_attr eq = {.wait_obj = FI_WAIT_UNSPEC};
    struct fi_eq_cm_entry entry;
    query(f, opts, 0);
    open_domain(f);
    fabric_check(fi_eq_open(f->fabric, &eq, &f->eq, NULL), "fi_eq_open");
    open_endpoint(f, f->info);
    fabric_check(fi_enable(f->ep), "fi_enable");
    register_memory(f, mine);
    publish(mine);
    await(theirs);
    fabric_check(fi_connect(f->ep, theirs->addr, NULL, 0), "fi_connect");
    next_event(f, FI_CONNECTED, &entry);
}

void fabric_open(struct fabric *f, const struct bench_opts *opts, struct fabric_meet *meet,
                 int side, size_t nbytes)
{
    struct fabric_side *mine = &meet->side[side], *theirs = &meet->side[!side];
    *f = (struct fabric){.nbytes = nbytes};
    if (strcmp(opts->endpoint, "msg"))
        open_rdm(f, opts, mine, theirs);
    else if (side == 1)
        listen_msg(f, opts, mine, theirs);
    else
        connect_msg(f, opts, mine, theirs);
    f->rbase = theirs->base;
    f->rkey = theirs->key;
}

void fabric_close(struct fabric *f)
{
    struct fid *fids[] = {
        &f->ep->fid, f->pep ? &f->pep->fid : NULL, &f->mr->fid,     f->av ? &f->av->fid : NULL,
        &f->cq->fid, f->eq ? &f->eq->fid : NULL,   &f->domain->fid, &f->fabric->fid};
    for (size_t i = 0; i < sizeof fids / sizeof fids[0]; i++)
        if (fids[i])
            fi_close(fids[i]);
    fi_freeinfo(f->info);
}
