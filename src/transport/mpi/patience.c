// SPDX-License-Identifier: BSD-3-Clause
//
// How a client waits. MPI has nothing to block on, so a long wait sleeps for moments.
#include "transport/mpi/client.h"

#include "base/clock.h"
#include "base/wait.h"

void mpw_wait_round(cwt_client_t *client, mpw_patience_t *patience, int events)
{
    if (client->config.idle)
        client->config.idle(client->config.idle_arg);
    if (events > 0)
        *patience = (mpw_patience_t){0};
    cwu_wait_step_t step = cwu_wait_step(&client->plan, ++patience->rounds, 0, &patience->since_ns);
    if (step == CWU_YIELD)
        cwu_yield();
    if (step != CWU_SLEEP)
        return;
    uint64_t now = cwu_now_ns();
    if (!patience->since_ns)
        patience->since_ns = now;
    if (client->config.asleep)
        client->config.asleep(client->config.idle_arg);
    cwu_sleep_ns(cwu_wait_nap_ns(now - patience->since_ns));
}
