// SPDX-License-Identifier: BSD-3-Clause
//
// This host's addresses: where to listen, and which to publish (ADR 138). Of several, the client
// tries which it reaches (client/reach.c), so their order is only a preference: first that by which
// the kernel would leave for elsewhere, IPv4 before IPv6. Left out is what is the same on every
// host, or means another one there: loopback, link-local addresses (but of IPv4 where there is no
// other), bridges without ports.
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

// of a usable address, higher is better
enum { NONE, LAST_RESORT, NOT_YET, IPV6, IPV4, ON_ROUTE };

/** What decides the ranks of all. */
typedef struct ranking {
    const char *wanted;  // CAUSEWAY_INTERFACE or NULL
    ofi_bridges_t empty;
    ofi_ips_t routes;  // from where the kernel would leave for elsewhere
} ranking_t;

static void look_elsewhere(ofi_ips_t *from)
{
    // prefixes of documentation, which no network has: only a default route leads there
    static const char *const far[] = {"203.0.113.1", "2001:db8::1"};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        struct sockaddr_in in4 = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        ofi_ip_t to, own;
        bool v4 = inet_pton(AF_INET, far[i], &in4.sin_addr) == 1;
        if (!v4)
            inet_pton(AF_INET6, far[i], &in6.sin6_addr);
        if (ofi_ip_of(v4 ? (void *)&in4 : (void *)&in6, v4 ? sizeof in4 : sizeof in6, &to) &&
            ofi_ip_route(&to, &own))
            ofi_ips_add(from, &own);
    }
}

static bool is_link_local(const ofi_ip_t *ip)
{
    bool v4 = ofi_ip_is_v4(ip);
    return v4 ? ip->bytes[12] == 169 && ip->bytes[13] == 254
              : ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

static bool is_empty_bridge(const ranking_t *r, const char *name)
{
    unsigned index = if_nametoindex(name);
    for (uint32_t i = 0; i < r->empty.count; i++)
        if (r->empty.index[i] == index)
            return true;
    return false;
}

static bool read_address(const struct ifaddrs *ifa, ofi_ip_t *ip_p)
{
    int family = ifa->ifa_addr ? ifa->ifa_addr->sa_family : 0;
    return (family == AF_INET && ofi_ip_of(ifa->ifa_addr, sizeof(struct sockaddr_in), ip_p)) ||
           (family == AF_INET6 && ofi_ip_of(ifa->ifa_addr, sizeof(struct sockaddr_in6), ip_p));
}

static int rank_of(const struct ifaddrs *ifa, const ofi_ip_t *ip, const ranking_t *r)
{
    char text[OFI_IP_TEXT];
    bool v4 = ofi_ip_is_v4(ip), local = is_link_local(ip);
    int rank = v4 ? IPV4 : IPV6;
    if (!(ifa->ifa_flags & IFF_UP) || (local && !v4))  // without its scope it says nothing
        return NONE;
    if (r->wanted && strcmp(r->wanted, ofi_ip_text(ip, text)) == 0)
        return ON_ROUTE;
    if (r->wanted)
        return strcmp(r->wanted, ifa->ifa_name) == 0 ? rank : NONE;
    if (ifa->ifa_flags & IFF_LOOPBACK)
        return NONE;
    if (local || (ifa->ifa_flags & IFF_POINTOPOINT) || is_empty_bridge(r, ifa->ifa_name))
        return LAST_RESORT;
    if (!(ifa->ifa_flags & IFF_RUNNING))  // the kernel says so a second after the card came up
        return NOT_YET;
    for (uint32_t i = 0; i < r->routes.count; i++)
        if (ofi_ip_is_same(&r->routes.list[i], ip))
            return ON_ROUTE + v4;
    return rank;
}

/** The addresses of one rank. */
static void add_ranked(const struct ifaddrs *list, const ranking_t *r, int rank, ofi_ips_t *ips_p)
{
    ofi_ip_t ip;
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next)
        if (read_address(ifa, &ip) && rank_of(ifa, &ip, r) == rank)
            ofi_ips_add(ips_p, &ip);
}

static void report_wanted(const struct ifaddrs *list, const char *wanted)
{
    char seen[512] = "", text[OFI_IP_TEXT];
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
        size_t used = strlen(seen);
        ofi_ip_t ip;
        if (read_address(ifa, &ip))
            snprintf(seen + used, sizeof seen - used, "%s%s=%s", used ? ", " : "", ifa->ifa_name,
                     ofi_ip_text(&ip, text));
    }
    cwu_error("CAUSEWAY_INTERFACE=%s names no interface or address of this host; there are: %s",
              wanted, seen);
}

/** 127.0.0.1, or ::1 on a host that has no IPv4. */
static int loopback(ofi_ips_t *ips_p)
{
    struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    ofi_ip_t ip, from;
    ips_p->count = 0;
    (void)ofi_ip_of(&in4, sizeof in4, &ip);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool there = fd >= 0 && bind(fd, (const struct sockaddr *)&in4, sizeof in4) == 0;
    if (fd >= 0)
        close(fd);
    ofi_ips_add(ips_p, &ip);
    if (!there && ofi_ip_of(&in6, sizeof in6, &ip) && ofi_ip_route(&ip, &from))
        ips_p->list[0] = ip;
    if (ofi_ip_route(&ips_p->list[0], &from))
        return 0;
    cwu_error("this machine has no loopback interface that is up and has an address, over which "
              "the nodes of a job on one machine connect: bring it up (ip link set lo up; ip addr "
              "add 127.0.0.1/8 dev lo), or name another interface (CAUSEWAY_INTERFACE)");
    return CW_ENOTSUP;
}

static bool has_kind(const ofi_ips_t *ips, bool v4)
{
    for (uint32_t i = 0; i < ips->count; i++)
        if (ofi_ip_is_v4(&ips->list[i]) == v4)
            return true;
    return false;
}

/** Does an IPv6 socket carry IPv4, too (net.ipv6.bindv6only)? */
static bool carries_both(void)
{
    int only = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t nbytes = sizeof only;
    if (fd >= 0) {
        getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &nbytes);
        close(fd);
    }
    return !only;
}

/** Leaves those that one kind of socket carries. */
static void keep_one_kind(ofi_ips_t *ips)
{
    uint32_t kept = 0;
    if (!has_kind(ips, true) || !has_kind(ips, false) || carries_both())
        return;
    for (uint32_t i = 0; i < ips->count; i++)
        if (ofi_ip_is_v4(&ips->list[i]) == ofi_ip_is_v4(&ips->list[0]))
            ips->list[kept++] = ips->list[i];
    ips->count = kept;
}

int ofi_local_addresses(bool one_machine, ofi_ips_t *ips_p)
{
    ranking_t r = {.wanted = cwu_env.interface, .empty = {.count = 0}, .routes = {.count = 0}};
    struct ifaddrs *list = NULL;
    ips_p->count = 0;
    if (!r.wanted && one_machine)
        return loopback(ips_p);
    if (getifaddrs(&list) != 0) {
        cwu_error("cannot list the network interfaces: %s", strerror(errno));
        return CW_ESYS;
    }
    if (!r.wanted) {
        ofi_bridges_find(&r.empty);
        look_elsewhere(&r.routes);
    }
    for (int rank = ON_ROUTE + 1; rank > NONE && (rank > LAST_RESORT || ips_p->count == 0); rank--)
        add_ranked(list, &r, rank, ips_p);
    if (r.wanted && ips_p->count == 0)
        report_wanted(list, r.wanted);
    freeifaddrs(list);
    if (r.wanted && ips_p->count == 0)
        return CW_EINVAL;
    if (r.wanted)
        ips_p->count = 1;
    keep_one_kind(ips_p);
    return 0;  // none found: the provider decides
}

void ofi_listen_everywhere(struct fi_info *info, const ofi_ips_t *ips)
{
    bool v6 = has_kind(ips, false);
    struct sockaddr_in any4 = {.sin_family = AF_INET};
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6};
    size_t nbytes = v6 ? sizeof any6 : sizeof any4;
    void *name = malloc(nbytes);
    if (!name)
        return;
    memcpy(name, v6 ? (void *)&any6 : (void *)&any4, nbytes);
    free(info->src_addr);
    info->src_addr = name;
    info->src_addrlen = nbytes;
    info->addr_format = v6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
}

const char *ofi_address_text(const void *addr, size_t nbytes, char *text, size_t text_nbytes)
{
    ofi_ip_t ip;
    char host[OFI_IP_TEXT];
    if (ofi_ip_of(addr, nbytes, &ip)) {
        struct sockaddr_in6 name;  // sin_port and sin6_port share their place
        memset(&name, 0, sizeof name);
        memcpy(&name, addr, nbytes < sizeof name ? nbytes : sizeof name);
        snprintf(text, text_nbytes, "%s port %u", ofi_ip_text(&ip, host), ntohs(name.sin6_port));
        return text;
    }
    size_t used = 0;
    for (size_t i = 0; i < nbytes && i < 16 && used + 3 < text_nbytes; i++)
        used +=
            (size_t)snprintf(text + used, text_nbytes - used, "%02x", ((const uint8_t *)addr)[i]);
    return text;
}
