// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine's libfabric offers, in a few lines for causeway-info.
#include "ofi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "lib/lib.h"

enum { LINE_MAX_NBYTES = 600 };

static bool listed(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n) {
        bool begins = at == text || at[-1] == ' ', ends = at[n] == ',' || at[n] == 0;
        if (begins && ends)
            return true;
    }
    return false;
}

/** Names of the providers with this type of endpoint that can do messages and RMA. */
static void list_providers(const struct fi_info *list, enum fi_ep_type type, char *text,
                           size_t nbytes)
{
    text[0] = 0;
    for (const struct fi_info *info = list; info; info = info->next) {
        const uint64_t needed = FI_MSG | FI_RMA;
        const char *name = info->fabric_attr->prov_name;
        if (info->ep_attr->type != type || (info->caps & needed) != needed || listed(text, name))
            continue;
        size_t used = strlen(text);
        snprintf(text + used, nbytes - used, "%s%s", used ? ", " : "", name);
    }
    if (!text[0])
        snprintf(text, nbytes, "none");
}

/** The orders that the transport makes use of: send or read or write, after send or write. */
static void describe_order(const struct fi_info *info, char *text, size_t nbytes)
{
    static const struct {
        uint64_t order;
        const char *name;
    } orders[] = {{FI_ORDER_SAS, "SAS"},
                  {FI_ORDER_SAW, "SAW"},
                  {FI_ORDER_RAW | FI_ORDER_RMA_RAW, "RAW"},
                  {FI_ORDER_WAW | FI_ORDER_RMA_WAW, "WAW"}};
    size_t used = (size_t)snprintf(text, nbytes, "order");
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (info->tx_attr->msg_order & info->rx_attr->msg_order & orders[i].order)
            used += (size_t)snprintf(text + used, nbytes - used, " %s", orders[i].name);
    if (used == strlen("order"))
        snprintf(text, nbytes, "no order");
}

static void describe_choice(char *text, size_t nbytes)
{
    const ofi_choice_t *c = &ofi_choice;
    const char *domain = c->info->domain_attr->name;
    char order[32];
    describe_order(c->info, order, sizeof order);
    snprintf(text, nbytes, "  a job would use   %s, %s endpoints, on %s, %s%s%s%s%s%s",
             c->info->fabric_attr->prov_name, c->msg ? "msg" : "rdm", domain ? domain : "?", order,
             c->delivery ? "" : ", no completion by delivery",
             c->local_mr ? ", local registration" : "", c->prov_key ? ", provider keys" : "",
             c->nic_atomics ? ", native atomics" : "",
             ofi_one_client() ? ", one client a process (no CAUSEWAY_TOPOLOGY)" : "");
}

/** Every candidate of the choice, the best first. */
static void describe_candidates(void (*line)(const char *text))
{
    char text[LINE_MAX_NBYTES], where[120];
    const ofi_verdict_t *list;
    int count = ofi_verdicts(&list);
    for (int i = 0; i < count; i++) {
        const ofi_verdict_t *v = &list[i];
        snprintf(where, sizeof where, "%s, %s endpoints, on %s", v->provider,
                 v->msg ? "msg" : "rdm", v->device);
        snprintf(text, sizeof text, "    %-40s %-8s %s", where, v->software ? "software" : "device",
                 v->text);
        line(text);
    }
}

int ofi_describe(void (*line)(const char *text))
{
    char text[LINE_MAX_NBYTES], names[LINE_MAX_NBYTES - 40];
    int rc = ofi_load(false);
    if (!ofi_lib.handle)
        return rc;
    Dl_info where = {0};
    dladdr((void *)ofi_lib.fversion, &where);
    snprintf(text, sizeof text, "libfabric %u.%u from %.400s", FI_MAJOR(ofi_lib.version),
             FI_MINOR(ofi_lib.version), where.dli_fname ? where.dli_fname : "?");
    line(text);
    struct fi_info *list = NULL;
    if (ofi_lib.getinfo(OFI_API, NULL, NULL, 0, NULL, &list) == 0) {
        list_providers(list, FI_EP_MSG, names, sizeof names);
        snprintf(text, sizeof text, "  msg endpoints     %s", names);
        line(text);
        list_providers(list, FI_EP_RDM, names, sizeof names);
        snprintf(text, sizeof text, "  rdm endpoints     %s", names);
        line(text);
        ofi_lib.freeinfo(list);
    }
    if (rc == 0) {
        describe_choice(text, sizeof text);
        line(text);
    }
    line("  candidates, the best first");
    describe_candidates(line);
    return rc;
}
