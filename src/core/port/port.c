// SPDX-License-Identifier: BSD-3-Clause
//
// Ports.
#include "core/port/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "core/world/world.h"

cw_port_t cw_port_default = {.lock = {PTHREAD_MUTEX_INITIALIZER}};

static struct {
    pthread_mutex_t lock;       // guards all of this
    cw_port_t *open;            // with a client, spares too
    int own;                    // besides the default one
    cwt_stats_t closed;         // sums of closed ones
    _Atomic uint64_t injected;  // unseen by the transport; not guarded
} ports = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_stats(cwt_stats_t *sum, const cw_port_t *port)
{
    cwt_stats_t s;
    cw_transport->stats(port->client, &s);
    sum->connections += s.connections;
    sum->reconnects += s.reconnects;
    sum->endpoints += s.endpoints;
    sum->connect_ns += s.connect_ns;
    sum->puts += s.puts;
    sum->gets += s.gets;
    sum->requests += s.requests;
    sum->flushes += s.flushes;
}

void cw_port_stats(cwt_stats_t *sum_p)
{
    pthread_mutex_lock(&ports.lock);
    *sum_p = ports.closed;
    for (const cw_port_t *port = ports.open; port; port = port->next)
        add_stats(sum_p, port);
    sum_p->puts += atomic_load_explicit(&ports.injected, memory_order_relaxed);
    pthread_mutex_unlock(&ports.lock);
}

void cw_port_stats_begin(void)
{
    memset(&ports.closed, 0, sizeof ports.closed);
    atomic_store_explicit(&ports.injected, 0, memory_order_relaxed);
}

void cw_port_count_put(void)
{
    atomic_fetch_add_explicit(&ports.injected, 1, memory_order_relaxed);
}

void cw_port_opened(cw_port_t *port)
{
    pthread_mutex_lock(&ports.lock);
    port->next = ports.open;
    ports.open = port;
    pthread_mutex_unlock(&ports.lock);
}

static void no_longer_open(cw_port_t *port)
{
    pthread_mutex_lock(&ports.lock);
    add_stats(&ports.closed, port);
    cw_port_t **at = &ports.open;
    while (*at != port)
        at = &(*at)->next;
    *at = port->next;
    pthread_mutex_unlock(&ports.lock);
}

void cw_port_close(cw_port_t *port)
{
    if (port->client) {
        no_longer_open(port);
        cw_transport->close(port->client);
    }
    for (int node = 0; port->paths && node < cw_world.nnodes; node++)
        free(port->paths[node]);
    free(port->paths);
    free(port->conn);
    if (port->stage)
        port->forget(port);
    port->client = NULL;
    port->trying = port->landed = false;
    port->drain = 0;
    port->paths = NULL;
    port->last_put = 0;
    port->streamed = port->injected = 0;
    cw_port_settle(port, CW_DUE_PATHS);
    port->conn = NULL;
}

// ---------------------------------------------------------------- of contexts that come and go
//
// A port fits any context of its kind, `locked` or not: its records and connections are by PE and
// node. Spares count among those that contexts may have.

static void destroy(cw_port_t *port)
{
    cw_port_close(port);
    pthread_mutex_destroy(&port->lock.mutex);
    free(port);
    pthread_mutex_lock(&ports.lock);
    ports.own--;
    pthread_mutex_unlock(&ports.lock);
}

/** any: of either kind. List locked. */
static cw_port_t *find_spare(bool any, bool locked)
{
    cw_port_t *port = ports.open;
    while (port && !(port->spare && (any || port->locked == locked)))
        port = port->next;
    if (port)
        port->spare = false;
    return port;
}

bool cw_port_close_spare(void)
{
    pthread_mutex_lock(&ports.lock);
    cw_port_t *port = find_spare(true, false);
    pthread_mutex_unlock(&ports.lock);
    if (port)
        destroy(port);
    return port != NULL;
}

static bool one_more(void)
{
    pthread_mutex_lock(&ports.lock);
    bool room = ports.own < cwu_env.ctx_endpoints;
    ports.own += room;
    pthread_mutex_unlock(&ports.lock);
    return room;
}

cw_port_t *cw_port_take(bool locked)
{
    pthread_mutex_lock(&ports.lock);
    cw_port_t *port = find_spare(false, locked);
    pthread_mutex_unlock(&ports.lock);
    if (port)
        return port;
    while (!one_more())
        if (!cw_port_close_spare())  // of the other kind
            return NULL;
    port = calloc(1, sizeof *port);
    if (!port) {
        pthread_mutex_lock(&ports.lock);
        ports.own--;
        pthread_mutex_unlock(&ports.lock);
        return NULL;
    }
    pthread_mutex_init(&port->lock.mutex, NULL);
    port->locked = locked;
    return port;
}

void cw_port_give(cw_port_t *port)
{
    // a client that failed, or lost a connection, is not passed on
    bool sound = port->client && cw_transport->quiet(port->client) == 0 &&
                 cw_transport->progress(port->client) == 0;
    if (!sound) {
        destroy(port);
        return;
    }
    pthread_mutex_lock(&ports.lock);
    port->spare = true;
    pthread_mutex_unlock(&ports.lock);
}
