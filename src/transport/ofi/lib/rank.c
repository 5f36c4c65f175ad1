// SPDX-License-Identifier: BSD-3-Clause
//
// Which offers come first: devices before software, connected endpoints before datagrams where a
// kernel's sockets carry both, and a provider before the layers above it.
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "offers.h"

static bool names(const struct fi_info *info, const char *name)
{
    return strcmp(info->fabric_attr->prov_name, name) == 0;
}

/** The provider itself, without the layers above it. */
static bool core_is(const struct fi_info *info, const char *name)
{
    const char *prov = info->fabric_attr->prov_name;
    size_t n = strlen(name);
    return strncmp(prov, name, n) == 0 && (prov[n] == 0 || prov[n] == ';');
}

bool ofi_over_tcp(const struct fi_info *info)
{
    return core_is(info, "tcp") || core_is(info, "net") || core_is(info, "sockets");
}

bool ofi_over_sockets(const struct fi_info *info)
{
    if (ofi_over_tcp(info) || core_is(info, "udp"))
        return true;
    // psm3 has a part of that kind, too; its domain has the name of an interface then
    const char *domain = info->domain_attr->name;
    return domain && if_nametoindex(domain) != 0;
}

bool ofi_is_software(const struct fi_info *info)
{
    return ofi_over_sockets(info) || core_is(info, "shm") || core_is(info, "sm2") ||
           core_is(info, "lnx");
}

/** RDM endpoints over sockets take messages of every process that reaches their port, before
 *  anything is proved: only on request (ADR 40). */
static bool is_exposed(const struct fi_info *info)
{
    return info->ep_attr->type == FI_EP_RDM && ofi_over_sockets(info) &&
           !(cwu_env.endpoint && strcmp(cwu_env.endpoint, "rdm") == 0);
}

/** Known to be of no use where it is not asked for: slow, on this machine only, or for tests. */
static bool is_last_resort(const struct fi_info *info)
{
    const char *name = info->fabric_attr->prov_name;
    return names(info, "sockets") || names(info, "shm") || names(info, "udp;ofi_rxd") ||
           strstr(name, "hook") || strstr(name, "lnx") || strstr(name, "sm2");
}

/** Keys longer than 64 bits (ucx): welcomes and records have no room for them. */
static bool has_raw_keys(const struct fi_info *info)
{
    return info->domain_attr->mr_mode & FI_MR_RAW;
}

const char *ofi_why_not(const struct fi_info *info)
{
    if (has_raw_keys(info))
        return "refused: it demands FI_MR_RAW, keys of more than 8 bytes";
    return is_last_resort(info) ? "only if CAUSEWAY_PROVIDER names it"
                                : "over sockets: only if CAUSEWAY_ENDPOINT=rdm or "
                                  "CAUSEWAY_PROVIDER asks for it";
}

int ofi_rank_of(const struct fi_info *info, bool msg)
{
    bool layered = strchr(info->fabric_attr->prov_name, ';');
    if (has_raw_keys(info))
        return 0;
    if (cwu_env.provider)
        return (names(info, cwu_env.provider) ? 92 : 90) + msg;
    if (is_last_resort(info) || is_exposed(info))
        return 0;
    if (!ofi_is_software(info))
        return layered ? 50 : 60;
    // net of 1.17 is what tcp is from 1.18 on; a message's completion costs its own tcp a signal
    // (ADR 22). Layers take tens of megabytes an endpoint.
    int rank = layered ? 1 : names(info, "net") ? 3 : names(info, "tcp") ? 2 : 1;
    return (msg ? 20 : 10) + rank;
}

int ofi_place_of(const struct fi_info *list, const struct fi_info *info)
{
    int place = 0;
    for (; list && !names(list, info->fabric_attr->prov_name); list = list->next)
        place++;
    return place;
}
