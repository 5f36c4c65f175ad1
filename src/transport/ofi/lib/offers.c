// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to fi_getinfo.
#include "offers.h"

#include <stdlib.h>
#include <string.h>

#define MR_MODES (FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)

static struct fi_info *hints_of(const ofi_question_t *q)
{
    struct fi_info *hints = ofi_lib.dupinfo(NULL);
    if (!hints)
        return NULL;
    hints->ep_attr->type = q->msg ? FI_EP_MSG : FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA | (q->atomics ? FI_ATOMIC : 0);
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->domain_attr->mr_mode = MR_MODES | (q->msg ? 0 : FI_MR_ENDPOINT);
    if (q->raw)
        hints->domain_attr->mr_mode |= FI_MR_RAW;
    if (q->unregistered)
        hints->domain_attr->mr_mode &= ~FI_MR_LOCAL;
    hints->domain_attr->threading = q->threading;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    if (q->provider)
        hints->fabric_attr->prov_name = strdup(q->provider);
    if (!q->msg) {  // layered providers allocate tens of megabytes for their default queue sizes
        hints->tx_attr->size = 256;
        hints->rx_attr->size = 256;
    }
    hints->tx_attr->msg_order = hints->rx_attr->msg_order = q->order;
    hints->tx_attr->op_flags = q->op_flags;
    return hints;
}

static bool is_same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

int ofi_ask(const ofi_question_t *q, struct fi_info **list_p)
{
    struct fi_info *hints = hints_of(q);
    if (!hints)
        return -FI_ENOMEM;
    // shm makes the address the name of the endpoint, and all processes would have the same.
    bool bound = q->local[0] != 0 && !is_same_text(q->provider, "shm");
    int rc = ofi_lib.getinfo(OFI_API, bound ? q->local : NULL, NULL, bound ? FI_SOURCE : 0, hints,
                             list_p);
    ofi_lib.freeinfo(hints);
    return rc;
}

bool ofi_is_same_device(const struct fi_info *a, const struct fi_info *b)
{
    return is_same_text(a->fabric_attr->prov_name, b->fabric_attr->prov_name) &&
           is_same_text(a->domain_attr->name, b->domain_attr->name);
}

/** A device may have several addresses. */
static bool is_same_address(const struct fi_info *a, const struct fi_info *b)
{
    return a->src_addrlen == b->src_addrlen &&
           (a->src_addrlen == 0 || memcmp(a->src_addr, b->src_addr, a->src_addrlen) == 0);
}

struct fi_info *ofi_ask_same(const ofi_question_t *question, const struct fi_info *offer)
{
    ofi_question_t q = *question;
    struct fi_info *list;
    const struct fi_info *same = NULL;
    q.provider = offer->fabric_attr->prov_name;
    if (ofi_ask(&q, &list) != 0)
        return NULL;
    for (const struct fi_info *info = list; info; info = info->next)
        if (ofi_is_same_device(info, offer) &&
            (!same || (!is_same_address(same, offer) && is_same_address(info, offer))))
            same = info;
    struct fi_info *found = same ? ofi_lib.dupinfo(same) : NULL;
    ofi_lib.freeinfo(list);
    return found;
}

uint64_t ofi_order_of(const struct fi_info *info)
{
    return info->tx_attr->msg_order & info->rx_attr->msg_order;
}
