// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own functions of the simulated provider: what it offers, fabrics, domains, regions.
#include "net.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- offers

static struct fi_info *blank(void)
{
    struct fi_info *info = calloc(1, sizeof *info);
    info->tx_attr = calloc(1, sizeof *info->tx_attr);
    info->rx_attr = calloc(1, sizeof *info->rx_attr);
    info->ep_attr = calloc(1, sizeof *info->ep_attr);
    info->domain_attr = calloc(1, sizeof *info->domain_attr);
    info->fabric_attr = calloc(1, sizeof *info->fabric_attr);
    return info;
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void *copy_bytes(const void *bytes, size_t nbytes)
{
    void *copy = bytes ? malloc(nbytes) : NULL;
    return copy ? memcpy(copy, bytes, nbytes) : NULL;
}

static struct fi_info *dup_info(const struct fi_info *from)
{
    struct fi_info *info = blank();
    if (!from)
        return info;
    struct fi_info made = *info;
    *info = *from;
    info->next = NULL;
    *(info->tx_attr = made.tx_attr) = *from->tx_attr;
    *(info->rx_attr = made.rx_attr) = *from->rx_attr;
    *(info->ep_attr = made.ep_attr) = *from->ep_attr;
    *(info->domain_attr = made.domain_attr) = *from->domain_attr;
    *(info->fabric_attr = made.fabric_attr) = *from->fabric_attr;
    info->domain_attr->name = copy_text(from->domain_attr->name);
    info->fabric_attr->name = copy_text(from->fabric_attr->name);
    info->fabric_attr->prov_name = copy_text(from->fabric_attr->prov_name);
    info->src_addr = copy_bytes(from->src_addr, from->src_addrlen);
    info->dest_addr = copy_bytes(from->dest_addr, from->dest_addrlen);
    return info;
}

static void free_info(struct fi_info *info)
{
    while (info) {
        struct fi_info *next = info->next;
        free(info->domain_attr->name);
        free(info->fabric_attr->name);
        free(info->fabric_attr->prov_name);
        free(info->src_addr);
        free(info->dest_addr);
        free(info->tx_attr);
        free(info->rx_attr);
        free(info->ep_attr);
        free(info->domain_attr);
        free(info->fabric_attr);
        free(info);
        info = next;
    }
}

struct fi_info *net_info(const struct fi_info *hints, bool msg)
{
    const uint64_t order = NET->order = net_promised();
    if ((NET->card = getenv("SIM_CARD") != NULL))
        NET->refusals = NET->late_ns = 0;  // also in the start-up
    NET->unproved = getenv("SIM_UNPROVED") ? 4 : 0;
    NET->failures = getenv("SIM_FAILURES") ? 4 : 0;
    NET->firsts = getenv("SIM_FIRSTS") != NULL;
    struct fi_info *info = blank();
    info->caps = FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ |
                 FI_REMOTE_WRITE | (msg ? 0 : FI_MULTI_RECV);
    info->addr_format = FI_SOCKADDR_IN;
    info->ep_attr->type = msg ? FI_EP_MSG : FI_EP_RDM;
    info->ep_attr->max_msg_size = 1u << 30;
    info->ep_attr->max_order_raw_size = info->ep_attr->max_order_waw_size = 1u << 30;
    info->tx_attr->msg_order = info->rx_attr->msg_order = order;
    info->tx_attr->inject_size = NET_INJECT;
    info->tx_attr->size = info->rx_attr->size = 256;
    info->domain_attr->threading = hints ? hints->domain_attr->threading : FI_THREAD_DOMAIN;
    info->domain_attr->mr_key_size = 8;
    info->domain_attr->av_type = FI_AV_TABLE;
    info->domain_attr->name = strdup("sim0");
    info->fabric_attr->name = strdup("sim");
    const char *name = getenv("SIM_PROVIDER");
    info->fabric_attr->prov_name = strdup(name ? name : "sim");
    if (hints)
        info->tx_attr->op_flags = hints->tx_attr->op_flags;
    return info;
}

static int get_info(uint32_t version, const char *node, const char *service, uint64_t flags,
                    const struct fi_info *hints, struct fi_info **info_p)
{
    (void)version, (void)node, (void)service, (void)flags;
    NET_MAY_FAIL("fi_getinfo");
    if (hints && (hints->caps & FI_ATOMIC))
        return -FI_ENODATA;
    if (hints && hints->ep_attr->type != FI_EP_UNSPEC) {
        *info_p = net_info(hints, hints->ep_attr->type == FI_EP_MSG);
        return 0;
    }
    *info_p = net_info(hints, true);
    (*info_p)->next = net_info(hints, false);
    return 0;
}

// ---------------------------------------------------------------- regions

static int mr_close(struct fid *fid)
{
    ((net_region_t *)fid)->open = false;
    return 0;
}

static struct fi_ops mr_fid_ops = {.size = sizeof(struct fi_ops), .close = mr_close};

void net_add_region(net_region_t *region)
{
    if (NET->nregions == NET_REGIONS)
        sim_stop(SIM_STUCK, "more than %d regions", NET_REGIONS);
    NET->regions[NET->nregions++] = region;
}

static int mr_reg(struct fid *domain, const void *buf, size_t nbytes, uint64_t access,
                  uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr_p,
                  void *context)
{
    (void)domain, (void)access, (void)offset, (void)flags;
    NET_MAY_FAIL("fi_mr_reg");
    if (NET->nregions == NET_REGIONS)
        return -FI_ENOMEM;
    net_region_t *r = sim_alloc(sizeof *r);
    r->fid = (struct fid_mr){.fid = {.fclass = FI_CLASS_MR, .context = context, .ops = &mr_fid_ops},
                             .key = key};
    r->pe = SIM_ME->pe;
    r->base = (uint8_t *)(uintptr_t)buf;
    r->nbytes = nbytes;
    r->key = key;
    r->open = true;
    net_add_region(r);
    *mr_p = &r->fid;
    return 0;
}

// ---------------------------------------------------------------- domains and fabrics

static int close_one(struct fid *fid)
{
    (void)fid;
    return 0;
}

static int query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
                        struct fi_atomic_attr *attr, uint64_t flags)
{
    (void)domain, (void)type, (void)op, (void)attr, (void)flags;
    return -FI_ENOSYS;
}

static struct fi_ops plain_ops = {.size = sizeof(struct fi_ops), .close = close_one};
static struct fi_ops_mr mr_ops = {.size = sizeof(struct fi_ops_mr), .reg = mr_reg};
static struct fi_ops_domain domain_ops = {.size = sizeof(struct fi_ops_domain),
                                          .av_open = net_open_av,
                                          .cq_open = net_open_cq,
                                          .endpoint = net_open_ep,
                                          .query_atomic = query_atomic};

static int open_domain(struct fid_fabric *fabric, struct fi_info *info,
                       struct fid_domain **domain_p, void *context)
{
    (void)fabric;
    NET_MAY_FAIL("fi_domain");
    net_domain_t *domain = sim_alloc(sizeof *domain);
    domain->fid = (struct fid_domain){
        .fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &plain_ops},
        .ops = &domain_ops,
        .mr = &mr_ops};
    domain->is_safe = info->domain_attr->threading == FI_THREAD_SAFE;
    *domain_p = &domain->fid;
    return 0;
}

static struct fi_ops_fabric fabric_ops = {.size = sizeof(struct fi_ops_fabric),
                                          .domain = open_domain,
                                          .passive_ep = net_open_pep,
                                          .eq_open = net_open_eq,
                                          .trywait = net_trywait};

static int open_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p, void *context)
{
    (void)attr;
    NET_MAY_FAIL("fi_fabric");
    struct fid_fabric *fabric = sim_alloc(sizeof *fabric);
    *fabric = (struct fid_fabric){
        .fid = {.fclass = FI_CLASS_FABRIC, .context = context, .ops = &plain_ops},
        .ops = &fabric_ops,
        .api_version = FI_VERSION(1, 17)};
    *fabric_p = fabric;
    return 0;
}

// ---------------------------------------------------------------- names

static const char *text_of(int err)
{
    return strerror(err < 0 ? -err : err);
}

static uint32_t version(void)
{
    return FI_VERSION(1, 17);
}

void *sim_net_library(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } names[] = {
        {"fi_getinfo", (void *)get_info}, {"fi_freeinfo", (void *)free_info},
        {"fi_dupinfo", (void *)dup_info}, {"fi_fabric", (void *)open_fabric},
        {"fi_strerror", (void *)text_of}, {"fi_version", (void *)version},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].function;
    return NULL;
}
