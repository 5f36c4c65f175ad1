// SPDX-License-Identifier: BSD-3-Clause
//
// The one waiting loop of the client half: poll, help (idle), yield, then sleep on the provider's
// wait object.
#include "calls.h"

#include <sched.h>
#include <unistd.h>

#define IDLE_EVERY 4u     // polls per idle(): an idle() may cost as much as a poll
#define EVENTS_EVERY 64u  // rounds per read of connection events, a system call
#define ROUNDS_PER_CLOCK 8u         // rounds of waits in the core; a sleeper makes eight in 80 ms
#define MOST_MOVING (64u << 20)  // that are waited for awake

bool ofi_roomy(const cwt_client_config_t *config)
{
    cpu_set_t set;
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > cores)
        cores = online;  // a PE bound to one core does not share it with the others
    return !cwu_wait_crowded((config->one_machine ? config->npes : (long)config->layout.nslots) >
                             cores);
}

void ofi_wait_init(cwt_client_t *client)
{
    client->check_ns = cwu_now_ns() + CWU_WAIT_NS(SECOND);
    client->plan = cwu_wait_plan(CWU_WAIT_CLIENT, !ofi_roomy(&client->config));
}

static void help(cwt_client_t *client)
{
    if (!client->config.idle)
        return;
    ofi_unlock(client);
    client->config.idle(client->config.idle_arg);
    ofi_lock(client);
}

/** Warns of a long wait, once per CAUSEWAY_TIMEOUT. Waits for room on the wire end there. */
static int patience(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w, uint64_t now)
{
    if (now - w->since_ns < ofi_timeout_ns())
        return 0;
    if (w->gives_up)
        return CW_ETIMEOUT;
    w->since_ns = now;
    cwu_warn("still waiting for %s after %llu s without progress: %s",
             conn ? ofi_node_name(client, conn->node) : "other nodes",
             (unsigned long long)(ofi_timeout_ns() / 1000000000u), w->what);
    return 0;
}

/** RDM endpoints have no event for a dead peer: a client that waits long for it sends a small read,
 *  which fails if the peer is dead. Nor for a connection that broke and was replaced, over
 *  which the read comes back: the server is asked whether requests are missing. */
static void probe(cwt_client_t *client, uint64_t now)
{
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next) {
        if (conn->error || conn->probing || !conn->welcomed || conn->changing ||
            !ofi_is_needed(conn))
            continue;
        ofi_request_ask(conn);
        ssize_t rc = ofi_start_probe(conn);
        if (rc == 0)
            conn->probing = true;
        else if (rc != -FI_EAGAIN)
            ofi_conn_fail(conn, CW_ELOST, "no reply", ofi_reason(rc));
        else if (conn->stuck_ns == 0)
            conn->stuck_ns = now;
        else if (now - conn->stuck_ns > ofi_timeout_ns())
            ofi_conn_fail(conn, CW_ELOST, "no reply, and no way to reach it",
                          ofi_reason(FI_ETIMEDOUT));
    }
}

static void check_for_lost(cwt_client_t *client, uint64_t now)
{
    if (now < client->check_ns)
        return;
    client->check_ns = now + CWU_WAIT_NS(SECOND);
    ofi_silence_check(client);
    if (!ofi_choice.msg)
        probe(client, now);
}

void ofi_watch_peers(cwt_client_t *client)
{
    if (++client->rounds % ROUNDS_PER_CLOCK != 0)
        return;
    check_for_lost(client, cwu_now_ns());
}

/** There was an event: the wait starts over. */
static void start_over(ofi_waiter_t *w)
{
    w->round = 0;
    w->sleep_ns = 0;
    w->since_ns = 0;
}

static void sleep_some(cwt_client_t *client, ofi_waiter_t *w, uint64_t now)
{
    if (client->device.bell &&
        ofi_client_poll(client) > 0) {  // brought in by the last read of events
        start_over(w);
        return;
    }
    // another thread may read the completion that this one waits for
    w->sleep_ns = client->config.thread_multiple ? client->plan.first_ns
                                                 : cwu_wait_longer(&client->plan, w->sleep_ns);
    client->stats.refused += ofi_unauth_check(&client->unauth);
    bool serves = client->config.of_server && client->config.idle,  // that slept on both devices
        naps = !serves && client->config.thread_multiple && !client->safe,
         may_block = !serves && !naps && ofi_device_may_block(&client->device);
    ofi_unlock(client);
    if (client->config.asleep)
        client->config.asleep(client->config.idle_arg);
    if (naps)  // another thread may read the completion, which ends no sleep on the descriptor
        cwu_sleep_ns(cwu_wait_nap_ns(now - w->since_ns));
    else if (may_block)
        ofi_device_block(&client->device, -1, w->sleep_ns, NULL);
    ofi_lock(client);
    if (ofi_device_stuck(&client->device))
        ofi_device_unstick(&client->device);
}

/** A transfer of many bytes is one event, behind all of them; a thread that sleeps meanwhile is
 *  woken for each part of them, by the one that sends. */
static uint32_t more_yields(const cwt_client_t *client, const cwt_conn_t *conn)
{
    if (!client->plan.beside || !conn)
        return 0;
    size_t bytes = conn->moving < MOST_MOVING ? conn->moving : MOST_MOVING;
    return (uint32_t)(bytes / CWU_WAIT_BYTES);
}

/** There was no event: helps, yields or sleeps. The lock is given up meanwhile. */
static int idle_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w)
{
    uint32_t round = ++w->round, more = more_yields(client, conn);
    cwu_wait_step_t step = cwu_wait_step(&client->plan, round, more, &w->since_ns);
    bool sleepy = step == CWU_SLEEP;
    if (sleepy || round % IDLE_EVERY == 0)
        help(client);
    if ((sleepy || round % EVENTS_EVERY == 0) && ofi_client_events(client) > 0) {
        start_over(w);  // perhaps what the caller waits for: it looks before it sleeps
        return 0;
    }
    bool early = round < client->plan.polls;
    if (step == CWU_POLL || (!sleepy && !early && round % IDLE_EVERY != 0))
        return 0;
    if (!sleepy) {
        ofi_unlock(client);
        uint64_t yield_ns = cwu_yield();
        ofi_lock(client);
        if (yield_ns > CWU_WAIT_NS(SWITCH))
            // the core is wanted: the kernel wakes a sleeper sooner than it returns to a yielder
            w->round = client->plan.polls + client->plan.yields + more;
        return 0;
    }
    uint64_t now = cwu_now_ns();
    if (w->since_ns == 0)
        w->since_ns = now;
    if (now - w->since_ns > CWU_WAIT_NS(SECOND))
        check_for_lost(client, now);
    int rc = patience(client, conn, w, now);
    if (rc == 0)
        sleep_some(client, w, now);
    return rc;
}

int ofi_wait_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w)
{
    if (conn && conn->error)
        return conn->error;
    if (client->error)
        return client->error;
    if (ofi_client_poll(client) > 0) {
        start_over(w);
        return 0;
    }
    if (!conn)
        return idle_round(client, conn, w);
    conn->waiting++;
    int rc = idle_round(client, conn, w);
    conn->waiting--;
    return rc;
}
