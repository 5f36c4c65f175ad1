// SPDX-License-Identifier: BSD-3-Clause
#include "core/stats.h"

#include <stdio.h>

#include "base/clock.h"
#include "core/ctx.h"
#include "core/server.h"

static uint64_t last_ns, phase_ns[CW_PHASES];

void cw_stats_begin(void)
{
    last_ns = cwu_now_ns();
}

void cw_stats_phase(cw_phase_t phase)
{
    uint64_t now = cwu_now_ns();
    phase_ns[phase] += now - last_ns;
    last_ns = now;
}

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

void cw_stats_print(void)
{
    if (!cwu_env.stats)
        return;
    cwt_stats_t c = {0}, s = {0};
    int nodes = 0;
    if (cw_ctx_default.client)
        cw_transport->stats(cw_ctx_default.client, &c);
    cw_server_stats(&s);
    for (int n = 0; n < cw_world.nnodes; n++)
        nodes += cw_ctx_default.conn[n] != NULL;
    fprintf(stderr,
            "causeway: stats: PE %d node %d: init bootstrap %.0f us, memory %.0f us, node %.0f us, connect %.0f us; "
            "nodes touched %d, connect time %.0f us; puts %llu gets %llu requests %llu flushes %llu; served: "
            "connections %llu requests %llu refused %llu\n",
            cw_world.pe, cw_world.node, us(phase_ns[0]), us(phase_ns[1]), us(phase_ns[2]), us(phase_ns[3]), nodes,
            us(c.connect_ns), (unsigned long long)c.puts, (unsigned long long)c.gets, (unsigned long long)c.requests,
            (unsigned long long)c.flushes, (unsigned long long)s.connections, (unsigned long long)s.requests,
            (unsigned long long)s.refused);
}
