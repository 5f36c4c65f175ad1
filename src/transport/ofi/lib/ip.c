// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses of hosts: their forms, and the kernel's routes to them.
#include "ip.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

static const uint8_t v4_prefix[12] = {[10] = 0xff, [11] = 0xff};

bool ofi_ip_of(const void *name, size_t nbytes, ofi_ip_t *ip_p)
{
    struct sockaddr_in6 in6;
    struct sockaddr_in in4;
    memset(&in6, 0, sizeof in6);
    memcpy(&in6, name, nbytes < sizeof in6 ? nbytes : sizeof in6);
    memcpy(&in4, &in6, sizeof in4);
    if (in4.sin_family == AF_INET && nbytes >= sizeof in4) {
        memcpy(ip_p->bytes, v4_prefix, sizeof v4_prefix);
        memcpy(ip_p->bytes + sizeof v4_prefix, &in4.sin_addr, sizeof in4.sin_addr);
        return true;
    }
    memcpy(ip_p->bytes, &in6.sin6_addr, sizeof ip_p->bytes);
    return in6.sin6_family == AF_INET6 && nbytes >= sizeof in6;
}

bool ofi_ip_is_v4(const ofi_ip_t *ip)
{
    return memcmp(ip->bytes, v4_prefix, sizeof v4_prefix) == 0;
}

bool ofi_ip_is_any(const ofi_ip_t *ip)
{
    static const uint8_t zeros[sizeof ip->bytes];
    size_t from = ofi_ip_is_v4(ip) ? sizeof v4_prefix : 0;
    return memcmp(ip->bytes + from, zeros, sizeof zeros - from) == 0;
}

bool ofi_ip_is_same(const ofi_ip_t *a, const ofi_ip_t *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

socklen_t ofi_ip_name(const ofi_ip_t *ip, uint16_t port, int family,
                      struct sockaddr_storage *name_p)
{
    bool v4 = ofi_ip_is_v4(ip);
    struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = port};
    if (family == 0)
        family = v4 ? AF_INET : AF_INET6;
    memset(name_p, 0, sizeof *name_p);
    if (family == AF_INET && !v4)
        return 0;
    memcpy(&in4.sin_addr, ip->bytes + sizeof v4_prefix, sizeof in4.sin_addr);
    memcpy(&in6.sin6_addr, ip->bytes, sizeof in6.sin6_addr);
    if (family == AF_INET)
        memcpy(name_p, &in4, sizeof in4);
    else
        memcpy(name_p, &in6, sizeof in6);
    return family == AF_INET ? sizeof in4 : sizeof in6;
}

const char *ofi_ip_text(const ofi_ip_t *ip, char text[OFI_IP_TEXT])
{
    bool v4 = ofi_ip_is_v4(ip);
    text[0] = 0;
    inet_ntop(v4 ? AF_INET : AF_INET6, ip->bytes + (v4 ? sizeof v4_prefix : 0), text, OFI_IP_TEXT);
    return text;
}

/** Connecting a datagram's socket sends nothing: the kernel chooses the route. */
bool ofi_ip_route(const ofi_ip_t *to, ofi_ip_t *from_p)
{
    struct sockaddr_storage name, own;
    socklen_t own_nbytes = sizeof own, nbytes = ofi_ip_name(to, htons(9), 0, &name);
    memset(&own, 0, sizeof own);
    int fd = socket(name.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && connect(fd, (const struct sockaddr *)&name, nbytes) == 0 &&
                 getsockname(fd, (struct sockaddr *)&own, &own_nbytes) == 0 &&
                 ofi_ip_of(&own, sizeof own, from_p);
    if (fd >= 0)
        close(fd);
    return found;
}

void ofi_ips_add(ofi_ips_t *ips, const ofi_ip_t *ip)
{
    for (uint32_t i = 0; i < ips->count; i++)
        if (ofi_ip_is_same(&ips->list[i], ip))
            return;
    if (ips->count < OFI_IPS_MAX)
        ips->list[ips->count++] = *ip;
}
