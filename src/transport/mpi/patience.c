// SPDX-License-Identifier: BSD-3-Clause
//
// How a client waits. MPI has nothing to block on, so a long wait sleeps for moments. One that
// nothing ends is named, once per CAUSEWAY_TIMEOUT: without MPI's threads a node does not answer
// while its lowest PE computes, or is in a call of MPI that perhaps waits for this PE.
#include "transport/mpi/client.h"

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/wait.h"

/** Of a node that owes an answer. */
static const char *awaited(cwt_client_t *client)
{
    mpw_lock(client);
    const cwt_conn_t *conn = client->conns;
    while (conn && conn->sent == conn->acked)
        conn = conn->next;
    mpw_unlock(client);
    return conn ? mpw_node_name(client, conn->node) : "other nodes";
}

static void warn_of_silence(cwt_client_t *client, mpw_patience_t *patience, uint64_t now)
{
    uint64_t seconds =
        (uint64_t)(cwu_env.timeout > 0 ? cwu_env.timeout : 60) * (patience->warnings + 1);
    if ((now - patience->since_ns) / 1000000000u < seconds)
        return;
    patience->warnings++;
    cwu_warn("still waiting for %s after %llu s without progress: %s", awaited(client),
             (unsigned long long)seconds,
             mpw_world.facts.any_thread
                 ? "its node server does not answer"
                 : "MPI was initialised without MPI_THREAD_MULTIPLE, so a node answers only while "
                   "its lowest PE waits in this library, not in a call of MPI; initialise MPI with "
                   "MPI_Init_thread(MPI_THREAD_MULTIPLE)");
}

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
    warn_of_silence(client, patience, now);
    cwu_sleep_ns(cwu_wait_nap_ns(now - patience->since_ns));
}
