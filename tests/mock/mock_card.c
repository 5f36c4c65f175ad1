// SPDX-License-Identifier: BSD-3-Clause
//
// `card`: one more provider, "card" with the device "card0", which has datagram endpoints only and
// is listed only where no address is asked for, as cards without IP are. It comes last. Behind it
// is the real provider of such endpoints over TCP: "net", or "tcp" where that has them.
#include "mock.h"

#include <stdlib.h>
#include <string.h>

#define CARD "card"
#define DEVICE "card0"

static struct {
    char provider[16], domain[64];
} behind;

static bool is_card(const char *provider)
{
    return provider && strcmp(provider, CARD) == 0;
}

char *mock_card_behind(char *provider)
{
    return is_card(provider) ? behind.provider : provider;
}

static void rename_to(char **name, const char *to)
{
    free(*name);
    *name = strdup(to);
}

void mock_card_undecorate(struct fi_info *info)
{
    if (!is_card(info->fabric_attr->prov_name))
        return;
    rename_to(&info->fabric_attr->prov_name, behind.provider);
    rename_to(&info->domain_attr->name, behind.domain);
}

bool mock_is_broken(const struct fi_info *info)
{
    return mock_want.card_broken && is_card(info->fabric_attr->prov_name);
}

// The first offer of a real provider under the card's name.
static struct fi_info *offer(uint32_t version, const struct fi_info *hints)
{
    static const char *const providers[] = {"net", "tcp"};
    struct fi_info *asked = mock_real()->dupinfo(hints), *list = NULL, *card = NULL;
    if (hints && !asked)
        return NULL;
    if (!asked)
        asked = mock_real()->dupinfo(NULL);
    asked->ep_attr->type = FI_EP_RDM;
    for (int i = 0; i < 2 && !card; i++) {
        rename_to(&asked->fabric_attr->prov_name, providers[i]);
        if (mock_real()->getinfo(version, NULL, NULL, 0, asked, &list) != 0)
            continue;
        card = mock_real()->dupinfo(list);
        mock_real()->freeinfo(list);
        strcpy(behind.provider, providers[i]);
        strncpy(behind.domain, card->domain_attr->name, sizeof behind.domain - 1);
        rename_to(&card->fabric_attr->prov_name, CARD);
        rename_to(&card->domain_attr->name, DEVICE);
    }
    mock_real()->freeinfo(asked);
    return card;
}

int mock_card_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                      struct fi_info *hints, struct fi_info **info)
{
    const char *provider = hints && hints->fabric_attr ? hints->fabric_attr->prov_name : NULL;
    bool only = mock_want.card && is_card(provider),
         fits = mock_want.card && !node && (!provider || only) &&
                !(hints && hints->ep_attr && hints->ep_attr->type == FI_EP_MSG);
    *info = NULL;
    int rc = only ? -FI_ENODATA : mock_real()->getinfo(version, node, service, flags, hints, info);
    struct fi_info *card = fits ? offer(version, hints) : NULL, **end = info;
    while (card && *end)
        end = &(*end)->next;
    if (card)
        *end = card;
    return card ? 0 : rc;
}
