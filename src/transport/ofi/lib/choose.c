// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses the provider once a process, and records what it demands and promises (ofi_choice_t).
// Nothing is assumed of a provider that it does not advertise.
#include "lib.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe.h"

ofi_choice_t ofi_choice;

#define MR_MODES (FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)

static bool want_nic_atomics(void)
{
    return cwu_env.atomics && strcmp(cwu_env.atomics, "nic") == 0;
}

static struct fi_info *make_hints(bool msg, bool atomics, enum fi_threading threading)
{
    struct fi_info *hints = ofi_lib.dupinfo(NULL);
    if (!hints)
        return NULL;
    hints->ep_attr->type = msg ? FI_EP_MSG : FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA;
    if (atomics)
        hints->caps |= FI_ATOMIC;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->domain_attr->mr_mode = MR_MODES | (msg ? 0 : FI_MR_ENDPOINT);
    hints->domain_attr->threading = threading;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    if (cwu_env.provider)
        hints->fabric_attr->prov_name = strdup(cwu_env.provider);
    if (!msg) {  // layered providers allocate tens of megabytes for their default queue sizes
        hints->tx_attr->size = 256;
        hints->rx_attr->size = 256;
    }
    return hints;
}

static bool names(const struct fi_info *info, const char *name)
{
    return strcmp(info->fabric_attr->prov_name, name) == 0;
}

bool ofi_over_sockets(const struct fi_info *info)
{
    static const char *const parts[] = {"tcp", "net", "udp", "sockets"};
    char name[64];
    snprintf(name, sizeof name, "%s", info->fabric_attr->prov_name);
    for (char *rest = name, *layer; (layer = strsep(&rest, ";"));)
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (strcmp(layer, parts[i]) == 0)
                return true;
    return false;
}

/** RDM endpoints over sockets take messages of every process that reaches their port, before
 *  anything is proved: only on request (ADR 40). */
static bool is_exposed(const struct fi_info *info)
{
    return info->ep_attr->type == FI_EP_RDM && ofi_over_sockets(info) &&
           !(cwu_env.endpoint && strcmp(cwu_env.endpoint, "rdm") == 0);
}

/** Higher is better; 0: only when the user names it. Equal ranks: libfabric's own order, the
 *  fastest first. */
static int rank_of(const struct fi_info *info)
{
    if (cwu_env.provider)
        return names(info, cwu_env.provider) ? 9 : 8;
    if (is_exposed(info))
        return 0;
    const char *name = info->fabric_attr->prov_name;
    if (names(info, "sockets") || names(info, "shm") || names(info, "udp;ofi_rxd") ||
        strstr(name, "hook") || strstr(name, "lnx") || strstr(name, "sm2"))
        return 0;
    // net of 1.17 is what tcp is from 1.18 on; a message's completion costs its own tcp a signal
    // (ADR 22)
    if (names(info, "net"))
        return 5;
    if (names(info, "tcp"))
        return 4;
    if (strstr(name, "tcp") || strstr(name, "net;"))
        return 3;  // layered over tcp: tens of megabytes an endpoint
    return 6;      // real hardware
}

static int query(const struct fi_info *hints, const char *local, struct fi_info **list_p)
{
    int rc =
        local[0] ? ofi_lib.getinfo(OFI_API, local, NULL, FI_SOURCE, hints, list_p) : -FI_ENODATA;
    // else a provider without IP addresses, or no interface
    return rc == 0 ? 0 : ofi_lib.getinfo(OFI_API, NULL, NULL, 0, hints, list_p);
}

static uint64_t order_of(const struct fi_info *info)
{
    return info->tx_attr->msg_order & info->rx_attr->msg_order;
}

static bool is_same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same_device(const struct fi_info *a, const struct fi_info *b)
{
    return is_same_text(a->fabric_attr->prov_name, b->fabric_attr->prov_name) &&
           is_same_text(a->domain_attr->name, b->domain_attr->name);
}

/** The same offer with this order, or NULL: the provider does not grant it. */
static struct fi_info *with_order(const struct fi_info *offer, const struct fi_info *hints,
                                  uint64_t order, const char *local)
{
    struct fi_info *asked = ofi_lib.dupinfo(hints), *list = NULL, *found = NULL;
    if (!asked)
        return NULL;
    free(asked->fabric_attr->prov_name);
    asked->fabric_attr->prov_name = strdup(offer->fabric_attr->prov_name);
    asked->tx_attr->msg_order = asked->rx_attr->msg_order = order;
    if (query(asked, local, &list) == 0) {
        for (struct fi_info *info = list; info && !found; info = info->next)
            if (is_same_device(info, offer) && (order_of(info) & order) == order)
                found = ofi_lib.dupinfo(info);
        ofi_lib.freeinfo(list);
    }
    ofi_lib.freeinfo(asked);
    return found;
}

/** Some providers grant only the order that is asked for, and others offer nothing if more is asked
 *  than they have: so the provider is chosen without, and then asked for as much as it grants. */
static struct fi_info *ask_order(struct fi_info *offer, const struct fi_info *hints,
                                 const char *local)
{
    static const uint64_t wishes[] = {
        FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_RAW | FI_ORDER_WAW,
        FI_ORDER_SAS | FI_ORDER_RAW | FI_ORDER_WAW,
        FI_ORDER_SAS,
    };
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        if ((order_of(offer) & wishes[i]) == wishes[i])
            return offer;
        struct fi_info *better = with_order(offer, hints, wishes[i], local);
        if (better) {
            ofi_lib.freeinfo(offer);
            return better;
        }
    }
    return offer;
}

/** Best entry of one endpoint type, or NULL. */
static struct fi_info *best_with(bool msg, bool atomics, enum fi_threading threading,
                                 const char *local)
{
    struct fi_info *hints = make_hints(msg, atomics, threading), *list = NULL, *best = NULL;
    if (!hints)
        return NULL;
    if (query(hints, local, &list) == 0) {
        int best_rank = 0;
        for (struct fi_info *info = list; info; info = info->next) {
            int rank = rank_of(info);
            if (rank > best_rank) {
                best_rank = rank;
                best = info;
            }
        }
        best = best ? ofi_lib.dupinfo(best) : NULL;
        ofi_lib.freeinfo(list);
    }
    if (best)
        best = ask_order(best, hints, local);
    ofi_lib.freeinfo(hints);
    return best;
}

/** Atomics are asked for only if the user wants them: some providers drop their order for them. */
static struct fi_info *best_of(bool msg, const char *local)
{
    struct fi_info *info =
        want_nic_atomics() ? best_with(msg, true, FI_THREAD_DOMAIN, local) : NULL;
    return info ? info : best_with(msg, false, FI_THREAD_DOMAIN, local);
}

/** Does a connection of this MSG provider carry the private data that connecting needs? A provider
 *  that does not say is taken to. */
static bool has_private_data(struct fid_fabric *fabric, struct fi_info *info)
{
    struct fid_pep *pep;
    size_t most = OFI_PRIVATE_NBYTES, nbytes = sizeof most;
    if (fi_passive_ep(fabric, info, &pep, NULL) != 0)
        return false;
    int rc = fi_getopt(&pep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &most, &nbytes);
    fi_close(&pep->fid);
    if (rc != 0 || most >= OFI_PRIVATE_NBYTES)
        return true;
    cwu_debug("libfabric (%s): msg endpoints carry %zu bytes of private data, %u are needed",
              info->fabric_attr->prov_name, most, OFI_PRIVATE_NBYTES);
    return false;
}

/** Can this MSG provider connect, and wake a sleeping server through a file descriptor? Tries it.
 */
static bool is_usable(struct fi_info *info)
{
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD, .size = 16};
    if (ofi_lib.fabric(info->fabric_attr, &fabric, NULL) != 0)
        return false;
    bool ok = false;
    if (has_private_data(fabric, info) && fi_domain(fabric, info, &domain, NULL) == 0) {
        ok = fi_cq_open(domain, &attr, &cq, NULL) == 0;
        if (ok)
            fi_close(&cq->fid);
        fi_close(&domain->fid);
    }
    fi_close(&fabric->fid);
    return ok;
}

static void providers_seen(char *text, size_t nbytes)
{
    struct fi_info *list = NULL;
    text[0] = 0;
    if (ofi_lib.getinfo(OFI_API, NULL, NULL, 0, NULL, &list) != 0)
        return;
    for (struct fi_info *info = list; info; info = info->next) {
        const char *name = info->fabric_attr->prov_name;
        const char *at = strstr(text, name);
        size_t used = strlen(text), n = strlen(name);
        if (at && (at[n] == ',' || at[n] == 0))
            continue;
        snprintf(text + used, nbytes - used, "%s%s", used ? ", " : "", name);
    }
    ofi_lib.freeinfo(list);
}

/** Order of writes among themselves, of a read behind them and of a message behind them. */
static void read_orders(ofi_choice_t *c, const struct fi_info *info)
{
    uint64_t order = order_of(info);
    bool raw = order & (FI_ORDER_RAW | FI_ORDER_RMA_RAW),
         waw = order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW);
    size_t reach = info->ep_attr->max_order_raw_size < info->ep_attr->max_order_waw_size
                       ? info->ep_attr->max_order_raw_size
                       : info->ep_attr->max_order_waw_size;
    c->ordered = raw && waw && reach >= 4096;
    c->send_after_write = (order & FI_ORDER_SAW) != 0 && c->ordered;
    c->send_after_send = (order & FI_ORDER_SAS) != 0;
    if (c->ordered && c->fragment > reach)
        c->fragment = reach;
}

static void read_info(ofi_choice_t *c, struct fi_info *info, bool msg)
{
    int mr = info->domain_attr->mr_mode;
    c->info = info;
    c->msg = msg;
    c->virt_addr = mr & FI_MR_VIRT_ADDR;
    c->prov_key = mr & FI_MR_PROV_KEY;
    c->pieces = mr & FI_MR_ALLOCATED;
    c->local_mr = (mr & FI_MR_LOCAL) != 0;
    c->mr_endpoint = mr & FI_MR_ENDPOINT;
    c->nic_atomics = want_nic_atomics() && (info->caps & FI_ATOMIC);
    c->multi_recv = !msg && (info->caps & FI_MULTI_RECV);
    c->delivery = true;
    c->inject_nbytes = info->tx_attr->inject_size;
    c->fragment = OFI_FRAGMENT;
    if (c->fragment > info->ep_attr->max_msg_size)
        c->fragment = info->ep_attr->max_msg_size;
    read_orders(c, info);
    cwu_debug("libfabric %u.%u, provider %s (%s), interface %s: inject %zu, fragments "
              "%zu%s%s%s%s%s%s%s%s",
              FI_MAJOR(ofi_lib.version), FI_MINOR(ofi_lib.version), info->fabric_attr->prov_name,
              msg ? "msg" : "rdm", info->domain_attr->name ? info->domain_attr->name : "?",
              c->inject_nbytes, c->fragment, c->ordered ? ", ordered" : ", not ordered",
              c->virt_addr ? ", virtual addresses" : "", c->prov_key ? ", provider keys" : "",
              c->pieces ? ", regions by piece" : "", c->local_mr ? ", local registration" : "",
              c->mr_endpoint ? ", regions by endpoint" : "", c->nic_atomics ? ", atomics" : "",
              c->multi_recv ? ", buffers for many messages" : "");
}

static int choose(bool one_machine)
{
    const char *mode = cwu_env.endpoint ? cwu_env.endpoint : "auto";
    bool any = strcmp(mode, "auto") == 0, msg = strcmp(mode, "msg") == 0;
    if (!any && !msg && strcmp(mode, "rdm") != 0) {
        cwu_error("CAUSEWAY_ENDPOINT=%s: must be rdm, msg or auto", mode);
        return CW_EINVAL;
    }
    char local[64];
    int rc = ofi_local_address(one_machine, local, sizeof local);
    if (rc != 0)
        return rc;
    struct fi_info *info = NULL;
    bool is_msg = any || msg;
    if (is_msg)
        info = best_of(true, local);
    if (info && any && !is_usable(info)) {
        ofi_lib.freeinfo(info);
        info = NULL;
    }
    if (!info && !msg) {
        is_msg = false;
        info = best_of(false, local);
    }
    if (!info) {
        char seen[512];
        providers_seen(seen, sizeof seen);
        cwu_error("no usable libfabric provider%s%s for CAUSEWAY_ENDPOINT=%s%s%s (messages and "
                  "RMA); libfabric %u.%u "
                  "offers: %s; set CAUSEWAY_PROVIDER, CAUSEWAY_ENDPOINT (rdm over sockets only on "
                  "request) or CAUSEWAY_LIBFABRIC",
                  cwu_env.provider ? " named " : "", cwu_env.provider ? cwu_env.provider : "", mode,
                  local[0] ? " on " : "", local, FI_MAJOR(ofi_lib.version),
                  FI_MINOR(ofi_lib.version), seen[0] ? seen : "nothing");
        return CW_ENOENT;
    }
    read_info(&ofi_choice, info, is_msg);
    return 0;
}

// Guards ofi_lib, ofi_choice and what follows. Recursive: a provider may fork in this thread while
// it is loaded.
static pthread_mutex_t load_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int load_result = 1;
static bool safe_tried;

// ---------------------------------------------------------------- a program that forks
//
// The node server loads libfabric in the background, which holds a lock of libfabric meanwhile, and
// its destructor takes that lock: a child forked meanwhile would wait in its exit() for a thread
// that it does not have. So a fork waits until loading is over. Not for ever: the forking thread
// may hold what loading waits for, as the constructor of a library does.

#define FORK_PATIENCE_SECONDS 10

static _Thread_local bool fork_has_lock;

static void before_fork(void)
{
    static atomic_bool waited_in_vain;  // once is enough
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += atomic_load(&waited_in_vain) ? 0 : FORK_PATIENCE_SECONDS;
    fork_has_lock = pthread_mutex_timedlock(&load_lock, &limit) == 0;
    if (!fork_has_lock)
        atomic_store(&waited_in_vain, true);
}

static void after_fork_in_parent(void)
{
    if (fork_has_lock)
        pthread_mutex_unlock(&load_lock);
}

static void after_fork_in_child(void)
{
    // the child's thread is not its owner
    load_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void guard_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/** Called without the lock: a fork may wait for it with the C library's own lock held. */
static void guard_forks_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, guard_forks);
}

// ---------------------------------------------------------------- loading

void ofi_expect_load(void)
{
    guard_forks_once();
    cwu_env_keep();
}

int ofi_load(bool one_machine)
{
    guard_forks_once();
    pthread_mutex_lock(&load_lock);
    if (load_result > 0) {
        load_result = ofi_lib.handle ? 0 : ofi_lib_open();
        if (load_result == 0) {
            ofi_probe_begin(ofi_lib.handle);
            load_result = choose(one_machine);
            ofi_probe_end();
        }
    }
    int rc = load_result;
    pthread_mutex_unlock(&load_lock);
    return rc;
}

/** Over ofi_rxm of libfabric 1.17 a second endpoint of a process gets no replies; and the limit on
 *  connections is the process's, while a client can evict its own only. */
bool ofi_one_client(void)
{
    if (cwu_env.max_connections > 0)
        return true;
    pthread_mutex_lock(&load_lock);
    const char *name =
        load_result == 0 ? ofi_choice.info->fabric_attr->prov_name : cwu_env.provider;
    bool one = name && strstr(name, "ofi_rxm");
    pthread_mutex_unlock(&load_lock);
    return one;
}

/** Is this the same device with the same promises? Only the threading may differ. */
static bool same_but_threads(const struct fi_info *a, const struct fi_info *b)
{
    return is_same_device(a, b) && a->domain_attr->mr_mode == b->domain_attr->mr_mode &&
           a->tx_attr->msg_order == b->tx_attr->msg_order &&
           a->rx_attr->msg_order == b->rx_attr->msg_order &&
           a->tx_attr->inject_size == b->tx_attr->inject_size &&
           a->ep_attr->max_msg_size == b->ep_attr->max_msg_size;
}

void ofi_load_safe(bool one_machine)
{
    char local[64];
    pthread_mutex_lock(&load_lock);
    if (!safe_tried && ofi_local_address(one_machine, local, sizeof local) == 0) {
        struct fi_info *info =
            best_with(ofi_choice.msg, ofi_choice.nic_atomics, FI_THREAD_SAFE, local);
        if (info && info->domain_attr->threading == FI_THREAD_SAFE &&
            same_but_threads(info, ofi_choice.info))
            ofi_choice.safe_info = info;
        else if (info)
            ofi_lib.freeinfo(info);
        cwu_debug("libfabric: the provider %s for several threads",
                  ofi_choice.safe_info ? "locks" : "does not lock");
    }
    safe_tried = true;
    pthread_mutex_unlock(&load_lock);
}
