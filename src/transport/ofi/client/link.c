// SPDX-License-Identifier: BSD-3-Clause
//
// A connection whose scalar puts go by the link of the two servers (server/link.h): it is drained
// first, and `down` from then on, so that whatever else comes asks ofi_conn_down(), which takes the
// connection off the link: the puts are proved, and the records are as before. So nothing that goes
// on the connection is ever under way beside puts on the link, and no order has to be kept between
// the two. Quiet proves the puts and leaves the connection on the link, a fence has nothing to do.
//
// Threads: clients of one thread only; the server is entered for each step.
#include "issue.h"

#include <string.h>

#include "transport/ofi/wire/link.h"

#define SHORT_STAY 256u  // puts: a connection that leaves sooner comes back later each time
#define MOST_WAIT 8192u  // of the calls that would link it

/** A provider whose connections are TCP's, with no layer between that has its own. */
static bool is_tcp(void)
{
    const char *name = ofi_choice.info->fabric_attr->prov_name;
    return strcmp(name, "tcp") == 0 || strcmp(name, "net") == 0;
}

static bool could_link(const cwt_conn_t *conn)
{
    const cwt_client_config_t *config = &conn->client->config;
    return config->enter_server && !config->thread_multiple && !config->of_server &&
           cwu_env.max_connections == 0 && conn->nkeys == 1 && ofi_choice.ordered &&
           !ofi_choice.local_mr && ofi_choice.inject_nbytes >= 16 && conn->node < UINT16_MAX &&
           config->node < UINT16_MAX && is_tcp();
}

/** The inject of the records: ep is the record, addr an offset of the node object. */
static ssize_t inject_linked(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                             uint64_t addr, uint64_t key)
{
    const cwt_target_t *target = ep;
    cwt_conn_t *conn = target->conn;
    const cwt_client_config_t *config = &conn->client->config;
    (void)fabric_addr, (void)key;
    if (conn->error || !conn->linked)
        return CW_EAGAIN;  // the put that follows reports, or goes by the connection
    config->enter_server();
    ssize_t rc = conn->client->links->put(conn->link, buf, nbytes, addr);
    config->leave_server();
    if (rc != 0)
        return CW_EAGAIN;  // the put that follows takes the connection off the link
    conn->client->stats.injects++;
    conn->linked_puts++;
    return 0;
}

void ofi_link_fill(cwt_target_t *record, cwt_conn_t *conn, uint64_t slice_delta)
{
    (void)conn;
    record->inject = inject_linked;
    record->ep = record;
    record->base = slice_delta;
}

/** Under the server's lock. */
static bool step(cwt_conn_t *conn, cwt_server_t *server)
{
    ofi_link_to_t to = {conn->node, &conn->blob, conn->key, conn->base};
    ofi_hello_t hello = {.pe = (uint32_t)conn->client->config.pe};
    const ofi_link_calls_t *links = conn->client->links;
    conn->link = links->of(server, conn->node);
    if (!conn->link)
        return false;
    bool connects = links->connects(conn->link);
    if (connects)
        ofi_conn_draw(conn, &hello);
    return links->step(conn->link, &to, connects ? &hello : NULL);
}

/** The server there may put by the link from now on. */
static int invite(cwt_conn_t *conn)
{
    ofi_invite_t body = {.node = (uint32_t)conn->client->config.node};
    if (conn->invited || !conn->client->links->invites(conn->link))
        return 0;
    conn->invited = true;
    return ofi_request_own(conn, OFI_OWN_LINK, &body, sizeof body, NULL);
}

int ofi_link(cwt_conn_t *conn, const ofi_link_calls_t *links)
{
    const cwt_client_config_t *config = &conn->client->config;
    if (!could_link(conn))
        return CW_ENOTSUP;
    conn->client->links = links;
    if (conn->linked)
        return 1;
    if (conn->down || conn->error || conn->link_calls++ < conn->link_wait)
        return 0;
    cwt_server_t *server = config->enter_server();
    bool up = server && step(conn, server);
    if (server)
        config->leave_server();
    if (!up)
        return 0;
    int rc = invite(conn);
    if (rc == 0)
        rc = ofi_drain(conn);
    if (rc != 0 || conn->down)
        return 0;  // the next operation reports it
    conn->linked = conn->down = true;
    conn->linked_puts = 0;
    ofi_targets_refill(conn);
    cwu_debug("puts to %s go by the link", ofi_node_name(conn->client, conn->node));
    return 1;
}

/** Without a word: what follows finds out what became of the puts. */
void ofi_link_drop(cwt_conn_t *conn)
{
    conn->linked = false;
    ofi_targets_refill(conn);
}

int ofi_link_flush(cwt_conn_t *conn)
{
    conn->dirty = false;
    if (!ofi_link_unproved(conn->link))
        return 0;
    conn->client->config.enter_server();
    bool up = conn->client->links->prove(conn->link);
    conn->client->config.leave_server();
    if (!up)
        ofi_conn_fail(conn, CW_ELOST, "put", "the connection of the node servers has ended");
    conn->client->stats.flushes++;
    return conn->error;
}

bool ofi_link_is_due(const cwt_conn_t *conn)
{
    return ofi_link_unproved(conn->link);
}

/** One round of a wait for the proof: the server reads it. */
bool ofi_link_proves(cwt_conn_t *conn)
{
    const cwt_client_config_t *config = &conn->client->config;
    if (!ofi_link_unproved(conn->link))
        return true;
    if (config->idle)
        config->idle(config->idle_arg);
    if (!ofi_link_unproved(conn->link))
        return true;
    (void)ofi_link_flush(conn);  // the read before it may have been an earlier one
    return false;
}

/** Puts by the link that are proved: the next operation goes by the connection. */
static void leave(cwt_conn_t *conn)
{
    uint32_t wait = 2 * conn->link_wait + 1;
    conn->link_wait = conn->linked_puts >= SHORT_STAY ? 0 : wait < MOST_WAIT ? wait : MOST_WAIT;
    conn->link_calls = 0;
    conn->down = false;
    ofi_link_drop(conn);
    cwu_debug("puts to %s have left the link", ofi_node_name(conn->client, conn->node));
}

int ofi_link_leave(cwt_conn_t *conn)
{
    ofi_waiter_t w = OFI_WAITER("puts of a link");
    ofi_collect_dirty(conn);
    int rc = ofi_link_flush(conn);
    while (rc == 0 && conn->linked && !ofi_link_proves(conn))
        rc = ofi_wait_round(conn->client, conn, &w);
    if (rc != 0)
        return rc;
    if (conn->linked)
        leave(conn);
    return conn->error;
}

bool ofi_link_try_leave(cwt_conn_t *conn)
{
    ofi_collect_dirty(conn);
    if (!ofi_link_proves(conn) || !conn->linked)
        return false;
    leave(conn);
    return true;
}
