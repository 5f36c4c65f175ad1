// SPDX-License-Identifier: BSD-3-Clause
//
// Which of a node's addresses this process reaches, asked of the kernels at first contact (ADR
// 138): a connection to a socket of the node server that accepts nothing (server/life.c) is opened,
// and reset when it is there. Addresses in this host's own networks come first, then the others in
// the order in which they were published; each gets some time before the next one is tried as well,
// and the first that replies is taken. An address that this host has, too, replies only where the
// node is on this host.
//
// A node that published one address, which is not this host's, is not asked: what cannot be chosen
// the provider finds out. The proof of the job's secret is made on the provider's connection, as
// ever: what replies here proves nothing.
#include <errno.h>
#include <ifaddrs.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define ALONE_NS 250000000u      // until the next address is tried as well
#define AGAIN_NS 100000000u      // before all are tried again
#define AT_ONCE_MS 1             // replies of hosts that are near

typedef enum { WAITS, PENDING, REPLIED, FAILED } state_t;

typedef struct address {
    ofi_ip_t ip;
    state_t state;
    int fd, error;
    bool own;  // this host has it
} address_t;

typedef struct search {
    cwt_client_t *client;
    const ofi_blob_t *blob;
    ofi_ip_t bound;  // where this process's sockets are; any: nowhere
    int family;      // of them
    uint32_t count;
    address_t list[OFI_IPS_MAX];
} search_t;

// ---------------------------------------------------------------- candidates

static bool same_bits(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if ((a[i] ^ b[i]) & mask[i])
            return false;
    return true;
}

/** Is the address in a network that an interface of this host belongs to? */
static bool is_near(const struct ifaddrs *list, const ofi_ip_t *ip)
{
    ofi_ip_t own, mask;
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
        int family = ifa->ifa_addr && ifa->ifa_netmask ? ifa->ifa_addr->sa_family : 0;
        size_t nbytes =
            family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        if ((family != AF_INET && family != AF_INET6) || !ofi_ip_of(ifa->ifa_addr, nbytes, &own) ||
            !ofi_ip_of(ifa->ifa_netmask, nbytes, &mask) || ofi_ip_is_v4(&own) != ofi_ip_is_v4(ip))
            continue;
        size_t from = family == AF_INET ? 12 : 0;
        if (same_bits(own.bytes + from, ip->bytes + from, mask.bytes + from, 16 - from))
            return true;
    }
    return false;
}

/** This host's networks first. */
static void sort(search_t *s)
{
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list) != 0)
        return;
    uint32_t near = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        address_t moved = s->list[i];
        if (!is_near(list, &moved.ip))
            continue;
        memmove(&s->list[near + 1], &s->list[near], (i - near) * sizeof moved);
        s->list[near++] = moved;
    }
    freeifaddrs(list);
}

/** Those that this process's sockets can name. */
static void collect(search_t *s, const ofi_ips_t *ips)
{
    bool any = ofi_ip_is_any(&s->bound);
    for (uint32_t i = 0; i < ips->count; i++) {
        address_t a = {.ip = ips->list[i], .state = WAITS, .fd = -1};
        ofi_ip_t from;
        bool v4 = ofi_ip_is_v4(&a.ip);
        if (v4 ? (s->family != AF_INET && !any) : s->family == AF_INET)
            continue;
        a.own = ofi_ip_route(&a.ip, &from) && ofi_ip_is_same(&a.ip, &from);
        s->list[s->count++] = a;
    }
}

// ---------------------------------------------------------------- asking

static void decide(address_t *a, int error)
{
    a->error = error;
    a->state = error == 0 ? REPLIED : error == EINPROGRESS ? PENDING : FAILED;
}

static void ask(search_t *s, address_t *a)
{
    struct sockaddr_storage to, own;
    socklen_t nbytes = ofi_ip_name(&a->ip, s->blob->reach_port, 0, &to),
              own_nbytes = ofi_ip_name(&s->bound, 0, to.ss_family, &own);
    a->fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd < 0 ||
        (!ofi_ip_is_any(&s->bound) && bind(a->fd, (const struct sockaddr *)&own, own_nbytes) != 0))
        decide(a, errno);
    else
        decide(a, connect(a->fd, (const struct sockaddr *)&to, nbytes) == 0 ? 0 : errno);
}

/** Waits for replies; the number of the first address that has, or -1. */
static int look(search_t *s, int ms)
{
    struct pollfd fds[OFI_IPS_MAX];
    for (uint32_t i = 0; i < s->count; i++)
        fds[i] = (struct pollfd){.fd = s->list[i].state == PENDING ? s->list[i].fd : -1,
                                 .events = POLLOUT};
    (void)poll(fds, s->count, ms);
    for (uint32_t i = 0; i < s->count; i++) {
        int error = 0;
        socklen_t nbytes = sizeof error;
        if (fds[i].revents && getsockopt(s->list[i].fd, SOL_SOCKET, SO_ERROR, &error, &nbytes) == 0)
            decide(&s->list[i], error);
        if (s->list[i].state == REPLIED)
            return (int)i;
    }
    return -1;
}

static uint32_t count(const search_t *s, state_t state)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += s->list[i].state == state;
    return n;
}

static void ask_next(search_t *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].state == WAITS) {
            ask(s, &s->list[i]);
            return;
        }
}

/** With a reset: the node's kernel forgets the connection. */
static void hang_up(search_t *s)
{
    struct linger at_once = {.l_onoff = 1};
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->list[i].fd < 0)
            continue;
        setsockopt(s->list[i].fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(s->list[i].fd);
        s->list[i].fd = -1;
    }
}

/** *found_p: the number of an address that replies, -1: none does. 0 or CW_E… */
static int search(search_t *s, int *found_p)
{
    ofi_waiter_t w = OFI_WAITER("an address that replies");
    uint64_t start = cwu_now_ns(), next = start;
    int found = -1, rc = 0;
    while (found < 0 && rc == 0) {
        uint64_t now = cwu_now_ns();
        if (count(s, WAITS) > 0 && (now >= next || count(s, PENDING) == 0)) {
            ask_next(s);
            next = now + ALONE_NS;
            found = look(s, AT_ONCE_MS);
            continue;
        }
        if (count(s, PENDING) == 0 || now - start > CWU_WAIT_NS(GIVE_UP))
            break;
        rc = ofi_wait_round(s->client, NULL, &w);
        found = look(s, 0);
    }
    hang_up(s);
    *found_p = found;
    return found < 0 ? rc : 0;
}

// ---------------------------------------------------------------- what is said

/** Refused by this host itself, where the node is on another one. */
static bool is_same_on_both(const search_t *s, const char *name)
{
    char host[64] = "", here[72];
    gethostname(host, sizeof host - 1);
    snprintf(here, sizeof here, "(host %s)", host);
    bool own = s->count > 0 && !strstr(name, here);
    for (uint32_t i = 0; i < s->count; i++)
        own = own && s->list[i].own && s->list[i].error == ECONNREFUSED;
    return own;
}

static void report(const search_t *s, const ofi_ips_t *all, const char *name)
{
    char text[512] = "", ip[OFI_IP_TEXT];
    for (uint32_t i = 0; i < s->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s (%s)", used ? ", " : "",
                 ofi_ip_text(&s->list[i].ip, ip), strerror(s->list[i].error));
    }
    for (uint32_t i = 0; s->count == 0 && i < all->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s (not of the kind that this host uses)",
                 used ? ", " : "", ofi_ip_text(&all->list[i], ip));
    }
    if (is_same_on_both(s, name))
        cwu_error("cannot connect to %s: both hosts have the same address, %s, and it has no "
                  "other; CAUSEWAY_INTERFACE names the network between them, by an interface or an "
                  "address",
                  name, text);
    else
        cwu_error("cannot connect to %s at any of its addresses: %s; check that its processes run "
                  "and the network between the hosts (CAUSEWAY_INTERFACE chooses an interface or "
                  "an address, CAUSEWAY_TIMEOUT waits longer)",
                  name, text);
}

/** In the form of this process's sockets. */
static void take(const search_t *s, ofi_blob_t *blob, const ofi_ip_t *ip)
{
    struct sockaddr_storage name;
    socklen_t nbytes = ofi_ip_name(ip, ofi_port_of(blob->addr), s->family, &name);
    blob->addr_nbytes = (uint8_t)nbytes;
    blob->others_nbytes = 0;
    memcpy(blob->addr, &name, nbytes);
}

/** None has replied: one that is silent may be behind something that lets only known ports pass.
 *  Without a descriptor none can be asked: the caller makes room. Its number, or -1. */
static int silent(const search_t *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].state == PENDING || s->list[i].error == EMFILE || s->list[i].error == ENFILE)
            return (int)i;
    return -1;
}

/** Until CAUSEWAY_TIMEOUT, if all are refused or out of reach: the node may have ended, and others
 *  know more of that (core/life). */
static int search_on(search_t *s, int node, int *found_p)
{
    ofi_waiter_t w = OFI_WAITER("an address that replies");
    uint64_t start = cwu_now_ns(), again = start;
    for (;;) {
        int rc = search(s, found_p);
        if (rc == 0 && *found_p < 0)
            *found_p = silent(s);
        if (rc != 0 || *found_p >= 0 || cwu_now_ns() - start > ofi_timeout_ns() ||
            is_same_on_both(s, ofi_node_name(s->client, node)))
            return rc;
        for (again = cwu_now_ns() + AGAIN_NS; rc == 0 && cwu_now_ns() < again;)
            rc = ofi_wait_round(s->client, NULL, &w);
        if (rc != 0)
            return rc;
        for (uint32_t i = 0; i < s->count; i++)
            s->list[i].state = WAITS;
    }
}

int ofi_reach(cwt_client_t *client, int node, ofi_blob_t *blob)
{
    const struct fi_info *info = ofi_choice.info;
    search_t s = {.client = client, .blob = blob};
    ofi_ips_t ips;
    if (blob->reach_port == 0 || !info->src_addr || !ofi_over_tcp(info) ||
        !ofi_ip_of(info->src_addr, info->src_addrlen, &s.bound) || !ofi_blob_get_ips(blob, &ips))
        return 0;
    s.family = ((const struct sockaddr *)info->src_addr)->sa_family;
    collect(&s, &ips);
    if (s.count > 1)
        sort(&s);
    bool asks = s.count > 1 || (s.count == 1 && s.list[0].own);
    int found = (int)s.count - 1, rc = asks ? search_on(&s, node, &found) : 0;
    if (rc != 0)
        return rc;
    if (found < 0) {
        report(&s, &ips, ofi_node_name(client, node));
        return CW_ELOST;
    }
    take(&s, blob, &s.list[found].ip);
    return 0;
}
