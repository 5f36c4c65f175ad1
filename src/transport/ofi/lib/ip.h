// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses of hosts in the one form in which they are published and compared, and what the kernel
// knows of them.
//
// Threads: any. Blocking: never.
#ifndef CWT_OFI_IP_H
#define CWT_OFI_IP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/** An IP address; of IPv4 as ::ffff:a.b.c.d. */
typedef struct ofi_ip {
    uint8_t bytes[16];
} ofi_ip_t;

#define OFI_IPS_MAX 8u
/** Several, the best first. */
typedef struct ofi_ips {
    uint32_t count;
    ofi_ip_t list[OFI_IPS_MAX];
} ofi_ips_t;

#define OFI_IP_TEXT 46u  // with its zero

// ---------------------------------------------------------------- ip.c
/** Of a socket's name; false: it is none. */
bool ofi_ip_of(const void *name, size_t nbytes, ofi_ip_t *ip_p);
bool ofi_ip_is_v4(const ofi_ip_t *ip);
/** 0.0.0.0 or ::. */
bool ofi_ip_is_any(const ofi_ip_t *ip);
bool ofi_ip_is_same(const ofi_ip_t *a, const ofi_ip_t *b);
/** The name of a socket there, of that family (0: its own), with the port in network byte order;
 *  its size, or 0: IPv4 has no such address. */
socklen_t ofi_ip_name(const ofi_ip_t *ip, uint16_t port, int family,
                      struct sockaddr_storage *name_p);
const char *ofi_ip_text(const ofi_ip_t *ip, char text[OFI_IP_TEXT]);
/** Which of this host's addresses would the kernel send from? False: there is no way there. That
 *  address itself: it is this host's. */
bool ofi_ip_route(const ofi_ip_t *to, ofi_ip_t *from_p);
/** Appends it unless it is there, or there is no room. */
void ofi_ips_add(ofi_ips_t *ips, const ofi_ip_t *ip);

// ---------------------------------------------------------------- bridges.c
#define OFI_BRIDGES_MAX 64u
/** Indices of interfaces that are bridges without a port: nothing can be reached there. */
typedef struct ofi_bridges {
    uint32_t count;
    unsigned index[OFI_BRIDGES_MAX];
} ofi_bridges_t;
void ofi_bridges_find(ofi_bridges_t *empty_p);

#endif
