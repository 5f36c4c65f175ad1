// SPDX-License-Identifier: BSD-3-Clause
//
// Bridges without ports, as docker0 and virbr0 are while nothing runs behind them: their addresses
// are the same on every host, and no other host is there. By the kernel's list of interfaces
// (rtnetlink), which is that of this network namespace, as /sys may not be.
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

#include "ip.h"

typedef struct links {
    ofi_bridges_t bridges, masters;  // masters: of any interface
} links_t;

static void add(ofi_bridges_t *list, unsigned index)
{
    if (list->count < OFI_BRIDGES_MAX)
        list->index[list->count++] = index;
}

static bool has(const ofi_bridges_t *list, unsigned index)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->index[i] == index)
            return true;
    return false;
}

static bool is_bridge(const struct rtattr *info, size_t nbytes)
{
    for (; RTA_OK(info, nbytes); info = RTA_NEXT(info, nbytes))
        if (info->rta_type == IFLA_INFO_KIND)
            return RTA_PAYLOAD(info) >= 6 && memcmp(RTA_DATA(info), "bridge", 6) == 0;
    return false;
}

static void read_link(links_t *links, const struct nlmsghdr *message)
{
    const struct ifinfomsg *link = NLMSG_DATA(message);
    if (message->nlmsg_len < NLMSG_LENGTH(sizeof *link))
        return;
    size_t nbytes = message->nlmsg_len - NLMSG_LENGTH(sizeof *link);
    const struct rtattr *attr = IFLA_RTA(link);
    for (; RTA_OK(attr, nbytes); attr = RTA_NEXT(attr, nbytes)) {
        unsigned master = 0;
        if (attr->rta_type == IFLA_LINKINFO && is_bridge(RTA_DATA(attr), RTA_PAYLOAD(attr)))
            add(&links->bridges, (unsigned)link->ifi_index);
        if (attr->rta_type == IFLA_MASTER && RTA_PAYLOAD(attr) >= sizeof master) {
            memcpy(&master, RTA_DATA(attr), sizeof master);
            if (!has(&links->masters, master))
                add(&links->masters, master);
        }
    }
}

/** One datagram of the kernel's reply; true: more follow. */
static bool read_part(int fd, links_t *links)
{
    _Alignas(struct nlmsghdr) char room[16384];
    ssize_t n = recv(fd, room, sizeof room, 0);
    size_t left = n > 0 ? (size_t)n : 0;
    const struct nlmsghdr *message = (const void *)room;
    for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
        if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
            return false;
        if (message->nlmsg_type == RTM_NEWLINK)
            read_link(links, message);
    }
    return n > 0;
}

void ofi_bridges_find(ofi_bridges_t *empty_p)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg link;
    } question = {.head = {.nlmsg_len = sizeof question,
                           .nlmsg_type = RTM_GETLINK,
                           .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
    links_t links = {.bridges = {.count = 0}};
    struct timeval limit = {.tv_sec = 1};
    empty_p->count = 0;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (send(fd, &question, sizeof question, 0) == (ssize_t)sizeof question)
        while (read_part(fd, &links))
            ;
    close(fd);
    for (uint32_t i = 0; i < links.bridges.count; i++)
        if (!has(&links.masters, links.bridges.index[i]))
            add(empty_p, links.bridges.index[i]);
}
