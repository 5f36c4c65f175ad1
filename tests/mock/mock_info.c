// SPDX-License-Identifier: BSD-3-Clause
//
// fi_info: the caller sees the provider's offer plus the mock's demands, and the provider sees the
// caller's request without them.
#include "mock.h"

#include <string.h>

// Every demand about memory registration that the mock may make; the real provider need not know.
static const int mr_bits =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

// Registration by endpoint is for endpoints that reach all peers; connected endpoints do not know
// it.
static int demanded_mr_mode(const struct fi_info *info)
{
    int mode = 0;
    if (mock_want.mr_endpoint && !(info->ep_attr && info->ep_attr->type == FI_EP_MSG))
        mode |= FI_MR_ENDPOINT;
    if (mock_want.mr_raw)
        mode |= FI_MR_RAW;
    if (mock_want.mr_local)
        mode |= FI_MR_LOCAL;
    if (mock_want.virt_addr)
        mode |= FI_MR_VIRT_ADDR;
    if (mock_want.mr_allocated)
        mode |= FI_MR_ALLOCATED;
    if (mock_own_keys())
        mode |= FI_MR_PROV_KEY;
    return mode;
}

// The orders that exist at most, under no_saw and only_sas.
static uint64_t orders(void)
{
    return mock_want.only_sas ? FI_ORDER_SAS : mock_want.no_saw ? ~FI_ORDER_SAW : ~0ull;
}

// A provider with these demands offers nothing to a caller that does not accept them.
static bool acceptable(const struct fi_info *hints)
{
    if (!hints)
        return true;
    if (hints->domain_attr) {
        int mode = hints->domain_attr->mr_mode;
        if (mode & FI_MR_BASIC)
            mode |= FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
        if (demanded_mr_mode(hints) & ~mode)
            return false;
    }
    if (mock_want.context && !(hints->mode & FI_CONTEXT2))
        return false;
    const struct fi_tx_attr *tx = hints->tx_attr;
    const struct fi_rx_attr *rx = hints->rx_attr;
    if (mock_want.unordered &&
        ((tx && (tx->msg_order || tx->comp_order)) || (rx && (rx->msg_order || rx->comp_order))))
        return false;
    if (((tx ? tx->msg_order : 0) | (rx ? rx->msg_order : 0)) & ~orders())
        return false;
    if (mock_no_delivery() && tx && (tx->op_flags & FI_DELIVERY_COMPLETE))
        return false;
    return !(mock_want.small_inject && tx && tx->inject_size > MOCK_INJECT);
}

static void remove_atomics(struct fi_info *info)
{
    info->caps &= ~FI_ATOMIC;
    if (info->tx_attr)
        info->tx_attr->caps &= ~FI_ATOMIC;
    if (info->rx_attr)
        info->rx_attr->caps &= ~FI_ATOMIC;
}

int mock_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                 const struct fi_info *hints, struct fi_info **info)
{
    if (!acceptable(hints))
        return -FI_ENODATA;
    struct fi_info *asked = hints ? mock_real()->dupinfo(hints) : NULL;
    if (hints && !asked)
        return -FI_ENOMEM;
    if (asked && mock_want.atomics)
        remove_atomics(asked);
    int rc = mock_card_getinfo(version, node, service, flags, asked, info);
    if (asked)
        mock_real()->freeinfo(asked);
    if (rc)
        return rc;
    for (struct fi_info *i = *info; i && mock_want.order_asked; i = i->next) {
        i->tx_attr->msg_order &= hints && hints->tx_attr ? hints->tx_attr->msg_order : 0;
        i->rx_attr->msg_order &= hints && hints->rx_attr ? hints->rx_attr->msg_order : 0;
    }
    bool accepts = hints && hints->domain_attr && (hints->domain_attr->mr_mode & FI_MR_LOCAL);
    for (struct fi_info *i = *info; i && mock_want.mr_accepted && accepts; i = i->next)
        i->domain_attr->mr_mode |= FI_MR_LOCAL;
    bool atomics = !hints || !hints->caps || (hints->caps & FI_ATOMIC);
    for (struct fi_info *i = *info; i; i = i->next)
        mock_decorate(i, atomics);
    return 0;
}

// The CPU executes the mock's atomics at once, so they overtake RMA and messages in flight: orders
// that concern both become orders of RMA alone, and those after a send are removed.
static uint64_t order_beside_atomics(uint64_t order)
{
    static const struct {
        uint64_t both, rma;
    } pairs[] = {{FI_ORDER_RAR, FI_ORDER_RMA_RAR},
                 {FI_ORDER_RAW, FI_ORDER_RMA_RAW},
                 {FI_ORDER_WAR, FI_ORDER_RMA_WAR},
                 {FI_ORDER_WAW, FI_ORDER_RMA_WAW}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (order & pairs[i].both)
            order = (order & ~pairs[i].both) | pairs[i].rma;
    return order & ~(FI_ORDER_RAS | FI_ORDER_WAS);
}

static void decorate_atomics(struct fi_info *info)
{
    info->caps |= FI_ATOMIC;
    if (info->tx_attr) {
        info->tx_attr->caps |= FI_ATOMIC;
        info->tx_attr->msg_order = order_beside_atomics(info->tx_attr->msg_order);
    }
    if (info->rx_attr) {
        info->rx_attr->caps |= FI_ATOMIC;
        info->rx_attr->msg_order = order_beside_atomics(info->rx_attr->msg_order);
    }
}

// RMA that a card executes at once overtakes messages in flight.
static void remove_order_after_sends(struct fi_info *info)
{
    if (info->tx_attr)
        info->tx_attr->msg_order &= ~(uint64_t)(FI_ORDER_RAS | FI_ORDER_WAS);
    if (info->rx_attr)
        info->rx_attr->msg_order &= ~(uint64_t)(FI_ORDER_RAS | FI_ORDER_WAS);
}

static void decorate_order(struct fi_info *info)
{
    if (info->tx_attr)
        info->tx_attr->msg_order = info->tx_attr->comp_order = FI_ORDER_NONE;
    if (info->rx_attr)
        info->rx_attr->msg_order = info->rx_attr->comp_order = FI_ORDER_NONE;
    if (info->ep_attr) {
        info->ep_attr->max_order_raw_size = 0;
        info->ep_attr->max_order_war_size = 0;
        info->ep_attr->max_order_waw_size = 0;
    }
}

// Idempotent: a connection request may be examined twice.
void mock_decorate(struct fi_info *info, bool atomics)
{
    if (info->domain_attr)
        info->domain_attr->mr_mode |= demanded_mr_mode(info);
    if (info->domain_attr && mock_want.key2)
        info->domain_attr->mr_key_size = MOCK_KEY;
    if (mock_want.context)
        info->mode |= FI_CONTEXT2;
    if (mock_want.atomics && atomics)
        decorate_atomics(info);
    else if (mock_want.atomics)
        remove_atomics(info);
    if (mock_want.no_events)
        remove_order_after_sends(info);
    if (mock_want.unordered)
        decorate_order(info);
    if (info->tx_attr)
        info->tx_attr->msg_order &= orders();
    if (info->rx_attr)
        info->rx_attr->msg_order &= orders();
    if (mock_no_delivery() && info->tx_attr)
        info->tx_attr->op_flags &= ~FI_DELIVERY_COMPLETE;
    if (mock_want.few_receives && info->rx_attr)
        info->rx_attr->size = MOCK_RECEIVES;
    if (mock_want.small_inject && info->tx_attr && info->tx_attr->inject_size > MOCK_INJECT)
        info->tx_attr->inject_size = MOCK_INJECT;
}

// Virtual addressing is left to the real domain (libfabric's common code translates and checks by
// the mode that its domain was opened with); everything else is the mock's.
struct fi_info *mock_undecorate(const struct fi_info *info)
{
    struct fi_info *copy = mock_real()->dupinfo(info);
    if (!copy)
        return NULL;
    if (copy->domain_attr) {
        int mine = demanded_mr_mode(info) & mr_bits & ~(mock_want.virt_addr ? FI_MR_VIRT_ADDR : 0);
        copy->domain_attr->mr_mode &= ~mine;
        if (mock_want.unordered)  // the mock runs a thread
            copy->domain_attr->threading = FI_THREAD_SAFE;
    }
    if (mock_want.context)
        copy->mode &= ~FI_CONTEXT2;
    mock_card_undecorate(copy);
    if (mock_want.atomics)
        remove_atomics(copy);
    return copy;
}
