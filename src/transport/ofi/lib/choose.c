// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses the provider once a process, and records what it demands and promises (ofi_choice_t).
// Nothing is assumed of a provider that it does not advertise.
//
// All offers of both endpoint types are candidates, with the address that the job would listen on
// and without one, since devices have no IP address, or that of another interface. They are judged
// in the order of their ranks; the first that is usable is chosen. Each keeps its verdict, for
// causeway-info.
#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offers.h"

ofi_choice_t ofi_choice;

typedef struct candidate {
    struct fi_info *info;
    ofi_question_t question;  // whose answer it is
    int rank;
    int place;  // of its provider in libfabric's own order, the fastest first
    ofi_verdict_t *verdict;
} candidate_t;

enum { CANDIDATES_MAX = 32 };
typedef struct candidates {
    candidate_t list[CANDIDATES_MAX];
    int count;
} candidates_t;

static ofi_verdict_t verdicts[CANDIDATES_MAX] CW_LARGE;
static int nverdicts;

int ofi_verdicts(const ofi_verdict_t **list_p)
{
    *list_p = verdicts;
    return nverdicts;
}

// ---------------------------------------------------------------- candidates

static bool is_known(const candidates_t *all, const struct fi_info *info, bool msg)
{
    // a device of software is an interface: the first one is that of the address, if there is one
    bool any_device = ofi_is_software(info);
    for (int i = 0; i < all->count; i++) {
        const struct fi_info *other = all->list[i].info;
        if (all->list[i].question.msg == msg &&
            strcmp(other->fabric_attr->prov_name, info->fabric_attr->prov_name) == 0 &&
            (any_device || ofi_is_same_device(other, info)))
            return true;
    }
    return false;
}

/** Some providers may say back what the caller accepts: is there an offer without raw keys? */
static struct fi_info *without_raw(const ofi_question_t *question, const struct fi_info *info)
{
    struct fi_info *plain = NULL;
    if (info->domain_attr->mr_mode & FI_MR_RAW)
        plain = ofi_ask_same(question, info);
    return plain ? plain : ofi_lib.dupinfo(info);
}

static void collect(candidates_t *all, const ofi_question_t *question)
{
    struct fi_info *list;
    ofi_question_t wide = *question;
    wide.raw = true;
    if (ofi_ask(&wide, &list) != 0)
        return;
    for (struct fi_info *info = list; info && all->count < CANDIDATES_MAX; info = info->next) {
        if (is_known(all, info, question->msg))
            continue;
        candidate_t *c = &all->list[all->count];
        *c = (candidate_t){.info = without_raw(question, info), .question = *question};
        if (!c->info)
            continue;
        c->rank = ofi_rank_of(c->info, question->msg);
        all->count++;
    }
    ofi_lib.freeinfo(list);
}

/** Devices of several providers: libfabric's own order decides between them. */
static void place_devices(candidates_t *all)
{
    struct fi_info *list;
    int devices = 0;
    for (int i = 0; i < all->count; i++)
        devices += !ofi_is_software(all->list[i].info);
    if (devices < 2 || ofi_lib.getinfo(OFI_API, NULL, NULL, 0, NULL, &list) != 0)
        return;
    for (int i = 0; i < all->count; i++)
        if (!ofi_is_software(all->list[i].info))
            all->list[i].place = ofi_place_of(list, all->list[i].info);
    ofi_lib.freeinfo(list);
}

static bool comes_before(const candidate_t *a, const candidate_t *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->place < b->place;
}

/** By insertion: equal ones keep the order of the questions. */
static void sort(candidates_t *all)
{
    for (int i = 1; i < all->count; i++) {
        candidate_t c = all->list[i];
        int at = i;
        for (; at > 0 && comes_before(&c, &all->list[at - 1]); at--)
            all->list[at] = all->list[at - 1];
        all->list[at] = c;
    }
}

/** local: "" where the host has no address. A job of one machine stays on its loopback, and one
 *  whose interface is named on that, unless nothing is offered there. */
static void collect_all(candidates_t *all, const char *mode, const char *local, bool elsewhere)
{
    for (int bound = 1; bound >= 0; bound--) {
        if (bound ? !local[0] : (all->count > 0 && !elsewhere))
            continue;
        for (int msg = 1; msg >= 0; msg--) {
            ofi_question_t q = {.msg = msg,
                                .threading = FI_THREAD_DOMAIN,
                                .provider = cwu_env.provider,
                                .local = bound ? local : ""};
            if (strcmp(mode, msg ? "rdm" : "msg") != 0)
                collect(all, &q);
        }
    }
    place_devices(all);
    sort(all);
}

// ---------------------------------------------------------------- verdicts

static CW_PRINTF(2, 3) bool refuse(candidate_t *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->verdict->text, sizeof c->verdict->text, format, args);
    va_end(args);
    return false;
}

static void open_verdict(candidate_t *c)
{
    const char *domain = c->info->domain_attr->name;
    c->verdict = &verdicts[nverdicts++];
    snprintf(c->verdict->provider, sizeof c->verdict->provider, "%s",
             c->info->fabric_attr->prov_name);
    snprintf(c->verdict->device, sizeof c->verdict->device, "%s", domain ? domain : "?");
    c->verdict->msg = c->question.msg;
    c->verdict->software = ofi_is_software(c->info);
}

/** Does a connection of this MSG provider carry the private data that connecting needs? A provider
 *  that does not say is taken to. */
static bool has_private_data(candidate_t *c, struct fid_fabric *fabric)
{
    struct fid_pep *pep;
    size_t most = OFI_PRIVATE_NBYTES, nbytes = sizeof most;
    int rc = fi_passive_ep(fabric, c->info, &pep, NULL);
    if (rc != 0)
        return refuse(c, "refused: it opens no listener: %s", ofi_reason(rc));
    rc = fi_getopt(&pep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &most, &nbytes);
    fi_close(&pep->fid);
    if (rc != 0 || most >= OFI_PRIVATE_NBYTES)
        return true;
    return refuse(c, "refused: its connections carry %zu bytes of private data, %u are needed",
                  most, OFI_PRIVATE_NBYTES);
}

static bool opens_domain(candidate_t *c, struct fid_fabric *fabric)
{
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD, .size = 16};
    int rc = fi_domain(fabric, c->info, &domain, NULL);
    if (rc != 0)
        return refuse(c, "refused: it opens no domain: %s", ofi_reason(rc));
    rc = fi_cq_open(domain, &attr, &cq, NULL);
    if (rc != 0) {
        attr.wait_obj = FI_WAIT_NONE;
        rc = fi_cq_open(domain, &attr, &cq, NULL);
    }
    if (rc == 0)
        fi_close(&cq->fid);
    fi_close(&domain->fid);
    return rc == 0 || refuse(c, "refused: it opens no completion queue: %s", ofi_reason(rc));
}

/** Tries what advertising does not prove. Datagrams over sockets always open. */
static bool opens(candidate_t *c)
{
    struct fid_fabric *fabric;
    if (!c->question.msg && ofi_is_software(c->info))
        return true;
    int rc = ofi_lib.fabric(c->info->fabric_attr, &fabric, NULL);
    if (rc != 0)
        return refuse(c, "refused: it does not open: %s", ofi_reason(rc));
    bool ok = (!c->question.msg || has_private_data(c, fabric)) && opens_domain(c, fabric);
    fi_close(&fabric->fid);
    return ok;
}

static bool is_usable(candidate_t *c)
{
    if (c->rank == 0)
        return refuse(c, "%s", ofi_why_not(c->info));
    ofi_ask_more(&c->question, &c->info);
    if (!ofi_proves_puts(&c->question, c->info))
        return refuse(c, "refused: it promises neither that reads stay after writes nor completion "
                         "by delivery, so quiet cannot prove a put");
    return opens(c);
}

static candidate_t *judge_all(candidates_t *all)
{
    candidate_t *chosen = NULL;
    nverdicts = 0;
    for (int i = 0; i < all->count; i++) {
        candidate_t *c = &all->list[i];
        open_verdict(c);
        if (chosen && c->rank > 0) {
            refuse(c, "ranks below");
        } else if (is_usable(c)) {
            chosen = c;
            refuse(c, "chosen");
        }
        cwu_debug("libfabric: %s (%s, %s, %s): %s", c->verdict->provider,
                  c->verdict->msg ? "msg" : "rdm", c->verdict->device,
                  c->verdict->software ? "software" : "device", c->verdict->text);
    }
    return chosen;
}

// ---------------------------------------------------------------- the choice

/** Is that one of the names in a list with commas? */
static bool is_named(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; *at; at += strcspn(at, ","), at += strspn(at, ", "))
        if (strcspn(at, ",") == n && memcmp(at, name, n) == 0)
            return true;
    return false;
}

/** The names of all providers, for a setting that leaves no candidate. */
static void name_all(char *text, size_t nbytes)
{
    struct fi_info *list = NULL;
    if (ofi_lib.getinfo(OFI_API, NULL, NULL, 0, NULL, &list) != 0)
        return;
    for (struct fi_info *info = list; info; info = info->next) {
        const char *name = info->fabric_attr->prov_name;
        size_t used = strlen(text);
        if (!is_named(text, name))
            snprintf(text + used, nbytes - used, "%s%s", used ? ", " : "", name);
    }
    ofi_lib.freeinfo(list);
}

static void report_none(const char *mode, const char *local)
{
    char seen[640] = "";
    size_t used = 0;
    for (int i = 0; i < nverdicts && used < sizeof seen; i++)
        used += (size_t)snprintf(seen + used, sizeof seen - used, "%s%s (%s): %s", used ? "; " : "",
                                 verdicts[i].provider, verdicts[i].msg ? "msg" : "rdm",
                                 verdicts[i].text);
    if (nverdicts == 0)
        name_all(seen, sizeof seen);
    cwu_error("no usable libfabric provider%s%s for CAUSEWAY_ENDPOINT=%s%s%s (messages and RMA); "
              "libfabric %u.%u offers: %s; set CAUSEWAY_PROVIDER, CAUSEWAY_ENDPOINT (rdm over "
              "sockets only on request) or CAUSEWAY_LIBFABRIC",
              cwu_env.provider ? " named " : "", cwu_env.provider ? cwu_env.provider : "", mode,
              local[0] ? " on " : "", local, FI_MAJOR(ofi_lib.version), FI_MINOR(ofi_lib.version),
              seen[0] ? seen : "nothing");
}

/** Order of writes among themselves, of a read behind them and of a message behind them. */
static void read_orders(ofi_choice_t *c, const struct fi_info *info)
{
    size_t most;
    uint64_t order = ofi_order_of(info);
    c->ordered = ofi_promises_order(info, &most);
    c->send_after_write = (order & FI_ORDER_SAW) != 0 && c->ordered;
    c->send_after_send = (order & FI_ORDER_SAS) != 0;
    // the promise is for sizes below it; whole lines, so that elements are not cut
    size_t below = (most - 1) & ~(size_t)(CW_CACHE_LINE - 1);
    if (c->ordered && c->fragment > below)
        c->fragment = below;
    if (c->inject_nbytes > c->fragment)
        c->inject_nbytes = c->fragment;
}

static void read_info(ofi_choice_t *c, struct fi_info *info, const ofi_question_t *question)
{
    int mr = info->domain_attr->mr_mode;
    c->info = info;
    c->msg = question->msg;
    c->virt_addr = mr & FI_MR_VIRT_ADDR;
    c->prov_key = mr & FI_MR_PROV_KEY;
    c->pieces = mr & FI_MR_ALLOCATED;
    c->local_mr = (mr & FI_MR_LOCAL) != 0;
    c->mr_endpoint = mr & FI_MR_ENDPOINT;
    c->nic_atomics = question->atomics;
    c->multi_recv = !c->msg && (info->caps & FI_MULTI_RECV);
    c->copied = !CW_STORES_IN_ORDER && ofi_is_software(info);
    c->delivery = ofi_promises_delivery(question, info);
    c->inject_nbytes = info->tx_attr->inject_size;
    c->fragment = OFI_FRAGMENT;
    if (c->fragment > info->ep_attr->max_msg_size)
        c->fragment = info->ep_attr->max_msg_size;
    c->software = ofi_is_software(info) && !c->pieces;  // what pins memory stands for a device
    // where buffers are pinned, and a connection has many, they are small
    c->long_requests =
        c->software && !c->local_mr && info->ep_attr->max_msg_size >= CWT_REQUEST_MAX;
    read_orders(c, info);
    cwu_debug("libfabric %u.%u, provider %s (%s), interface %s: inject %zu, fragments "
              "%zu%s%s%s%s%s%s%s%s%s",
              FI_MAJOR(ofi_lib.version), FI_MINOR(ofi_lib.version), info->fabric_attr->prov_name,
              c->msg ? "msg" : "rdm", info->domain_attr->name ? info->domain_attr->name : "?",
              c->inject_nbytes, c->fragment, c->ordered ? ", ordered" : ", not ordered",
              c->delivery ? "" : ", no completion by delivery",
              c->virt_addr ? ", virtual addresses" : "", c->prov_key ? ", provider keys" : "",
              c->pieces ? ", regions by piece" : "", c->local_mr ? ", local registration" : "",
              c->mr_endpoint ? ", regions by endpoint" : "", c->nic_atomics ? ", atomics" : "",
              c->multi_recv ? ", buffers for many messages" : "");
}

static char chosen_local[OFI_IP_TEXT];  // "": the provider was asked without an address
static ofi_question_t chosen_question;

static int choose_from(candidates_t *all, const char *mode, const char *local)
{
    candidate_t *chosen = judge_all(all);
    if (!chosen) {
        report_none(mode, local);
        return CW_ENOENT;
    }
    snprintf(chosen_local, sizeof chosen_local, "%s", chosen->question.local);
    chosen_question = chosen->question;
    chosen_question.local = chosen_local;
    read_info(&ofi_choice, chosen->info, &chosen_question);
    chosen->info = NULL;
    return 0;
}

int ofi_choose(bool one_machine)
{
    const char *mode = cwu_env.endpoint ? cwu_env.endpoint : "auto";
    if (strcmp(mode, "auto") != 0 && strcmp(mode, "msg") != 0 && strcmp(mode, "rdm") != 0) {
        cwu_error("CAUSEWAY_ENDPOINT=%s: must be rdm, msg or auto", mode);
        return CW_EINVAL;
    }
    char local[OFI_IP_TEXT] = "";
    ofi_ips_t ips;
    int rc = ofi_local_addresses(one_machine, &ips);
    if (rc == 0 && ips.count > 0)
        ofi_ip_text(&ips.list[0], local);
    candidates_t *all = rc ? NULL : calloc(1, sizeof *all);
    if (!all)
        return rc ? rc : CW_ENOMEM;
    collect_all(all, mode, local, !one_machine && !cwu_env.interface);
    rc = choose_from(all, mode, local);
    if (rc == 0 && ips.count > 1 && chosen_local[0] && ofi_over_tcp(ofi_choice.info)) {
        ofi_choice.ips = ips;
        ofi_listen_everywhere(ofi_choice.info, &ips);
    }
    for (int i = 0; i < all->count; i++)
        if (all->list[i].info)
            ofi_lib.freeinfo(all->list[i].info);
    free(all);
    return rc;
}

/** Is this the same device with the same promises? Only the threading may differ. */
static bool same_but_threads(const struct fi_info *a, const struct fi_info *b)
{
    return a->domain_attr->mr_mode == b->domain_attr->mr_mode &&
           a->tx_attr->msg_order == b->tx_attr->msg_order &&
           a->rx_attr->msg_order == b->rx_attr->msg_order &&
           a->tx_attr->inject_size == b->tx_attr->inject_size &&
           a->ep_attr->max_msg_size == b->ep_attr->max_msg_size;
}

void ofi_choose_safe(void)
{
    ofi_question_t q = chosen_question;
    q.threading = FI_THREAD_SAFE;
    struct fi_info *info = ofi_ask_same(&q, ofi_choice.info);
    if (info && ofi_choice.ips.count > 0)
        ofi_listen_everywhere(info, &ofi_choice.ips);
    if (info && info->domain_attr->threading == FI_THREAD_SAFE &&
        same_but_threads(info, ofi_choice.info))
        ofi_choice.safe_info = info;
    else if (info)
        ofi_lib.freeinfo(info);
    cwu_debug("libfabric: the provider %s for several threads",
              ofi_choice.safe_info ? "locks" : "does not lock");
}
