// SPDX-License-Identifier: BSD-3-Clause
//
// Which local address to bind to, and how to print addresses.
#include "lib.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static bool sockaddr_text(const struct sockaddr *sa, char *text, size_t nbytes)
{
    if (sa->sa_family == AF_INET)
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, text,
                         (socklen_t)nbytes);
    if (sa->sa_family == AF_INET6)
        return inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr,
                         text, (socklen_t)nbytes);
    return false;
}

/** Rank of an interface; 0: not usable. IPv4 before IPv6; link-local addresses need a scope and are
 *  not used. */
static int rank_of(const struct ifaddrs *ifa, const char *wanted, const char *text)
{
    if (!(ifa->ifa_flags & IFF_UP))
        return 0;
    if (ifa->ifa_addr->sa_family == AF_INET6 && strncmp(text, "fe80", 4) == 0)
        return 0;
    if (wanted) {
        if (strcmp(wanted, text) == 0)
            return 3;
        if (strcmp(wanted, ifa->ifa_name) != 0)
            return 0;
    } else if ((ifa->ifa_flags & IFF_LOOPBACK) || !(ifa->ifa_flags & IFF_RUNNING)) {
        return 0;
    }
    return ifa->ifa_addr->sa_family == AF_INET ? 2 : 1;
}

int ofi_local_address(bool one_machine, char *text, size_t nbytes)
{
    const char *wanted = cwu_env.interface;
    if (!wanted && one_machine) {
        snprintf(text, nbytes, "127.0.0.1");
        return 0;
    }
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list) != 0) {
        cwu_error("cannot list the network interfaces: %s", strerror(errno));
        return CW_ESYS;
    }
    int best = 0;
    char seen[256] = "";
    text[0] = 0;
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
        char one[64];
        if (!ifa->ifa_addr || !sockaddr_text(ifa->ifa_addr, one, sizeof one))
            continue;
        size_t used = strlen(seen);
        snprintf(seen + used, sizeof seen - used, "%s%s=%s", used ? ", " : "", ifa->ifa_name, one);
        int rank = rank_of(ifa, wanted, one);
        if (rank > best) {
            best = rank;
            snprintf(text, nbytes, "%s", one);
        }
    }
    freeifaddrs(list);
    if (best == 0 && wanted) {
        cwu_error("CAUSEWAY_INTERFACE=%s names no interface or address of this host; there are: %s",
                  wanted, seen);
        return CW_EINVAL;
    }
    return 0;  // none found: text is "", the provider decides
}

const char *ofi_address_text(const void *addr, size_t nbytes, char *text, size_t text_nbytes)
{
    struct sockaddr_storage sa;
    memset(&sa, 0, sizeof sa);
    memcpy(&sa, addr, nbytes < sizeof sa ? nbytes : sizeof sa);
    char host[64];
    if (nbytes >= sizeof(struct sockaddr_in) &&
        sockaddr_text((struct sockaddr *)&sa, host, sizeof host)) {
        // sin_port and sin6_port share their place
        snprintf(text, text_nbytes, "%s port %u", host,
                 ntohs(((struct sockaddr_in *)&sa)->sin_port));
        return text;
    }
    size_t used = 0;
    for (size_t i = 0; i < nbytes && i < 16 && used + 3 < text_nbytes; i++)
        used +=
            (size_t)snprintf(text + used, text_nbytes - used, "%02x", ((const uint8_t *)addr)[i]);
    return text;
}
