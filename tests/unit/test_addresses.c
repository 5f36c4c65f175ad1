// SPDX-License-Identifier: BSD-3-Clause
//
// The addresses that a host publishes: their forms, as many as there is room for, and bytes from
// elsewhere, of which none is taken for more than it is.
#include <arpa/inet.h>
#include <string.h>

#include "frame/check.h"
#include "frame/random.h"
#include "transport/ofi/lib/sockets.h"
#include "transport/ofi/wire/wire.h"

static ofi_ip_t ip(const char *text)
{
    struct sockaddr_in in4 = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    ofi_ip_t ip;
    if (inet_pton(AF_INET, text, &in4.sin_addr) == 1) {
        REQUIRE(ofi_ip_of(&in4, sizeof in4, &ip));
    } else {
        REQUIRE(inet_pton(AF_INET6, text, &in6.sin6_addr) == 1);
        REQUIRE(ofi_ip_of(&in6, sizeof in6, &ip));
    }
    return ip;
}

static void forms(void)
{
    char text[OFI_IP_TEXT];
    struct sockaddr_storage name, other;
    ofi_ip_t four = ip("10.1.2.3"), mapped = ip("::ffff:10.1.2.3"), six = ip("fd00::7"), back;
    CHECK(ofi_ip_is_same(&four, &mapped) && ofi_ip_is_v4(&mapped) && !ofi_ip_is_v4(&six));
    CHECK_STR(ofi_ip_text(&mapped, text), "10.1.2.3");
    CHECK_STR(ofi_ip_text(&six, text), "fd00::7");
    ofi_ip_t any4 = ip("0.0.0.0"), any6 = ip("::");
    CHECK(ofi_ip_is_any(&any4) && ofi_ip_is_any(&any6) && !ofi_ip_is_any(&four));
    CHECK(ofi_ip_name(&six, htons(5), AF_INET, &name) == 0, "IPv4 has no such address");
    CHECK(ofi_ip_name(&four, htons(5), 0, &name) == sizeof(struct sockaddr_in));
    CHECK(ofi_ip_name(&four, htons(5), AF_INET6, &other) == sizeof(struct sockaddr_in6));
    CHECK(ofi_ip_of(&other, sizeof(struct sockaddr_in6), &back) && ofi_ip_is_same(&back, &four));
    // a connection to an IPv4 address has its name in either form
    CHECK(ofi_is_name(&other, &name, sizeof(struct sockaddr_in)));
    CHECK(ofi_is_name(&name, &other, sizeof(struct sockaddr_in6)));
    CHECK(!ofi_ip_of(&name, sizeof(struct sockaddr_in) - 1, &back), "cut off");
    CHECK(!ofi_ip_of("12345678901234567890123456789012", 32, &back), "no socket's");
}

static void published(const char *const texts[], uint32_t n, uint32_t expected)
{
    ofi_blob_t blob;
    ofi_ips_t ips = {.count = 0}, got;
    memset(&blob, 0, sizeof blob);
    for (uint32_t i = 0; i < n; i++) {
        ofi_ip_t one = ip(texts[i]);
        ofi_ips_add(&ips, &one);
        ofi_ips_add(&ips, &one);  // once
    }
    ofi_blob_put_ips(&blob, &ips, htons(4711));
    REQUIRE(ofi_blob_get_ips(&blob, &got));
    CHECK(got.count == expected, "%u of %u", got.count, n);
    CHECK(memcmp(got.list, ips.list, expected * sizeof *got.list) == 0, "in their order");
    CHECK(ofi_port_of(blob.addr) == htons(4711));
    CHECK((size_t)blob.addr_nbytes + blob.others_nbytes <= sizeof blob.addr);
    blob.others_nbytes--;
    CHECK(n == 1 || !ofi_blob_get_ips(&blob, &got), "cut off");
}

/** Whatever a node publishes: at most what there is room for, and never beyond the end. */
static void anything(void)
{
    ofi_blob_t blob;
    ofi_ips_t got;
    for (int i = 0; i < 100000; i++) {
        uint8_t *bytes = (uint8_t *)&blob;
        for (size_t k = 0; k < sizeof blob; k++)
            bytes[k] = (uint8_t)draw(256);
        if (i % 2) {
            struct sockaddr_in first = {.sin_family = AF_INET};
            memcpy(blob.addr, &first, sizeof first);
            blob.addr_nbytes = sizeof first;
            blob.others_nbytes = (uint8_t)draw(80);
            for (size_t k = sizeof first; k < sizeof blob.addr; k++)
                blob.addr[k] = draw(3) ? 4 : 16;
        }
        if (ofi_blob_get_ips(&blob, &got))
            CHECK(got.count >= 1 && got.count <= OFI_IPS_MAX);
    }
}

int main(void)
{
    forms();
    published((const char *const[]){"10.0.0.1"}, 1, 1);
    published((const char *const[]){"10.0.0.1", "fd00::1", "172.17.0.1", "10.1.0.1"}, 4, 4);
    published(
        (const char *const[]){"fd00::1", "fd00::2", "fd00::3", "fd00::4", "fd00::5", "10.0.0.1"}, 6,
        4);
    anything();
    return check_result();
}
