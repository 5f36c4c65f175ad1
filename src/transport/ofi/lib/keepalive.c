// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernel knows of the host on the other side of a TCP connection (ADR 31).
//
// When the network between two hosts is cut, or a host is switched off, no event reports it: TCP
// tries again for a quarter of an hour with data under way, and without any it never notices. But
// the kernel knows when the other host last acknowledged anything, and how often it was asked in
// vain since; keepalive makes it ask when nothing is under way. Kernels acknowledge for their
// processes: one that is stopped, swapped out or in a debugger is not silent, however long it
// takes.
#include "sockets.h"

#include <linux/tcp.h>

#include "lib.h"

#define ATTEMPTS 3u  // in vain, at least: a clock that jumped makes no silence

static int timeout_s(void)
{
    return (int)(ofi_timeout_ns() / 1000000000u);
}

bool ofi_alive_query(int fd, ofi_alive_t *alive_p)
{
    struct tcp_info info = {0};
    socklen_t info_nbytes = sizeof info, n = sizeof(int);
    int asked = 0;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_nbytes) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &asked, &n) != 0)
        return false;
    alive_p->asked = asked != 0;
    alive_p->quiet_s = info.tcpi_last_ack_recv / 1000;
    alive_p->silent = alive_p->quiet_s >= (uint32_t)timeout_s() &&
                      info.tcpi_retransmits + info.tcpi_probes >= ATTEMPTS;
    alive_p->received_nbytes = info.tcpi_bytes_received;
    return true;
}

void ofi_alive_ask(int fd)
{
    // Several probes in the time that silence may last, and none of them the kernel's last one: the
    // caller decides when the connection is lost.
    int on = 1, every = timeout_s() / 8 + 1, most = 127;
    if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof every) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof most) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) != 0)
        cwu_debug("a socket takes no keepalive: %m");
}
