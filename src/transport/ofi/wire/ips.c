// SPDX-License-Identifier: BSD-3-Clause
//
// The addresses of a host as its server publishes them: that of the provider, and behind it the
// host's others, one byte of length (4 or 16) before each. All have the provider's port. What is
// read may be anything.
#include <string.h>

#include "wire.h"

enum { V4_NBYTES = 4, V6_NBYTES = 16 };

static void append(ofi_blob_t *blob, const ofi_ip_t *ip)
{
    uint8_t nbytes = ofi_ip_is_v4(ip) ? V4_NBYTES : V6_NBYTES;
    size_t at = (size_t)blob->addr_nbytes + blob->others_nbytes;
    if (at + 1 + nbytes > sizeof blob->addr)
        return;
    blob->addr[at] = nbytes;
    memcpy(blob->addr + at + 1, ip->bytes + sizeof ip->bytes - nbytes, nbytes);
    blob->others_nbytes = (uint8_t)(blob->others_nbytes + 1 + nbytes);
}

void ofi_blob_put_ips(ofi_blob_t *blob, const ofi_ips_t *ips, uint16_t port)
{
    struct sockaddr_storage name;
    blob->addr_nbytes = (uint8_t)ofi_ip_name(&ips->list[0], port, 0, &name);
    blob->others_nbytes = 0;
    memcpy(blob->addr, &name, blob->addr_nbytes);
    for (uint32_t i = 1; i < ips->count; i++)
        append(blob, &ips->list[i]);
}

bool ofi_blob_get_ips(const ofi_blob_t *blob, ofi_ips_t *ips_p)
{
    static const uint8_t v4_prefix[sizeof(ofi_ip_t) - V4_NBYTES] = {[10] = 0xff, [11] = 0xff};
    size_t at = blob->addr_nbytes, end = at + blob->others_nbytes;
    ofi_ip_t ip;
    ips_p->count = 0;
    if (end > sizeof blob->addr || !ofi_ip_of(blob->addr, blob->addr_nbytes, &ip))
        return false;
    ofi_ips_add(ips_p, &ip);
    while (at < end) {
        uint8_t nbytes = blob->addr[at++];
        if ((nbytes != V4_NBYTES && nbytes != V6_NBYTES) || nbytes > end - at)
            return false;
        memcpy(ip.bytes, v4_prefix, sizeof v4_prefix);
        memcpy(ip.bytes + sizeof ip.bytes - nbytes, blob->addr + at, nbytes);
        ofi_ips_add(ips_p, &ip);
        at += nbytes;
    }
    return true;
}
