// SPDX-License-Identifier: BSD-3-Clause
//
// A server's rounds of progress, and its sleep between them.
#include "server.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define STARVED_NS 2000000000u  // without a descriptor for connections that wait

/** Sends the deferred acknowledgements, when nothing else is to do; how many. */
static int acknowledge_deferred(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->peers; peer && server->deferred; peer = peer->next) {
        if (!peer->deferred)
            continue;
        if (!peer->dying)
            ofi_peer_acknowledge(peer);
        ofi_peer_forget_deferred(peer);
        n++;
    }
    return n;
}

/** RDM: the endpoint's only receives. MSG: those of a client, whose end is an event of its own. */
static void post_again(cwt_server_t *server, ofi_op_t *op)
{
    ofi_receives_t *r = op->receives;
    if (r->peer && r->peer->dying)
        return;
    int rc = ofi_receives_again(op);
    if (rc == 0 || r->peer || r->count > 0)
        return;
    cwu_error("libfabric (%s): the node server cannot post buffers for messages again: %s; set "
              "CAUSEWAY_MULTI_RECV=0",
              ofi_choice.info->fabric_attr->prov_name, ofi_reason(r->why));
    server->lost = rc;
}

static void received_many(cwt_server_t *server, ofi_op_t *op, const struct fi_cq_data_entry *entry)
{
    if (entry->flags & FI_RECV) {  // otherwise only the end of the buffer
        void *msg = ofi_receives_message(op, entry, server->request);
        if (msg)
            ofi_server_request(server, NULL, msg, entry->len);
        else if (entry->len > 0)
            ofi_server_drop(server, "malformed");
    }
    if (entry->flags & FI_MULTI_RECV)
        post_again(server, op);
}

static void received(cwt_server_t *server, ofi_op_t *op, size_t nbytes)
{
    ofi_server_request(server, op->receives->peer, op->buf, nbytes);
    post_again(server, op);
}

/** RDM: a message was too long, or its sender went away in the middle of it. The endpoint is open,
 *  so no receive was cancelled, and the pool must not run dry. */
static void receive_failed(cwt_server_t *server, ofi_op_t *op, const struct fi_cq_err_entry *err)
{
    if (err->err == FI_ETRUNC)
        ofi_server_drop(server, "a message that is too long");
    else
        server->stats.refused++;  // also what a client of the job sent last, when it was killed
    if (op->kind == OFI_RECV || (err->flags & FI_MULTI_RECV))
        post_again(server, op);
}

static void cq_error(cwt_server_t *server)
{
    union {
        struct fi_cq_err_entry err;
        uint8_t room[256];  // newer libraries have more fields
    } u;
    memset(&u, 0, sizeof u);
    if (fi_cq_readerr(server->device.cq, &u.err, 0) <= 0)
        return;
    ofi_op_t *op = u.err.op_context;
    if (u.err.err == FI_EOVERRUN) {
        server->lost =
            server->lost ? server->lost : ofi_device_cq_failed(&server->device, FI_EOVERRUN);
        return;
    }
    if (u.err.err != FI_ECANCELED)  // receives of a closed endpoint are cancelled
        cwu_debug("node server: an operation failed: %s", ofi_reason(u.err.err));
    if (!op)
        return;
    if (op->kind == OFI_SEND)
        ofi_server_send_ended(op, true);
    else if (server->device.ep)
        receive_failed(server, op, &u.err);
}

/** Late receives: the provider may take them now. */
static void post_late(cwt_server_t *server)
{
    if (server->device.ep)
        (void)ofi_receives_retry(&server->receives);
    for (ofi_peer_t *peer = server->peers; peer && server->late; peer = peer->next)
        if (!peer->dying)
            (void)ofi_receives_retry(&peer->receives);
}

/** Reads the queue until it is empty or `rounds` times; number of completions. */
static int drain_cq(cwt_server_t *server, int rounds)
{
    int total = 0;
    while (rounds-- > 0) {
        struct fi_cq_data_entry entries[16];
        ssize_t n = fi_cq_read(server->device.cq, entries, 16);
        if (n == -FI_EAVAIL) {
            cq_error(server);
            total++;
            continue;
        }
        if (n < 0 && n != -FI_EAGAIN && server->lost == 0)
            server->lost = ofi_device_cq_failed(&server->device, n);
        if (n <= 0)
            break;
        for (ssize_t i = 0; i < n; i++) {
            ofi_op_t *op = entries[i].op_context;
            if (!op)
                continue;
            if (op->kind == OFI_RECV)
                received(server, op, entries[i].len);
            else if (op->kind == OFI_RECV_MANY)
                received_many(server, op, &entries[i]);
            else if (op->kind == OFI_SEND)
                ofi_server_send_ended(op, false);
        }
        total += (int)n;
        if (n < 16)
            break;
    }
    return total;
}

/** A read also ends at an error entry and leaves the entries behind it: the queue is empty only
 *  when a read returns nothing. */
static void empty_cq(cwt_server_t *server)
{
    while (drain_cq(server, 16) > 0)
        ;
}

static void reclaim_send(ofi_op_t *op, void *peer)
{
    if (op->peer == peer)
        ofi_pool_put(op);
}

/** Destroys the peers whose clients are gone, after executing what they sent before. */
static int reap(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->peers, *next; peer; peer = next) {
        next = peer->next;
        if (!peer->dying)
            continue;
        peer->dying = false;
        empty_cq(server);
        peer->dying = true;
        if (peer->ep)
            fi_close(&peer->ep->fid);
        ofi_receives_stop(&peer->receives);
        empty_cq(server);  // entries of the closed endpoint; none can follow
        ofi_pool_each(&server->sends, reclaim_send, peer);
        ofi_peer_destroy(peer);
        n++;
    }
    return n;
}

/** Connections wait, there is no descriptor for them, and none becomes free: neither by the end of
 *  one, nor by that of an unauthenticated one, which is given some seconds. Their clients would
 *  wait for CAUSEWAY_TIMEOUT. */
static void check_files(cwt_server_t *server)
{
    uint64_t since = server->starved_ns, now = cwu_now_ns();
    if (since == 0)
        return;
    if (server->starved_at != server->stats.connections || server->unauth.count > 0) {
        server->starved_at = server->stats.connections;
        server->starved_ns = now;
    } else if (!ofi_no_files()) {
        server->starved_ns = 0;
    } else if (now - since > STARVED_NS && server->lost == 0 && ofi_out_of_files()) {
        server->lost = CW_ESYS;
    }
}

/** A client that is killed while it connects looks as any other process that has ended: nothing is
 *  said of these. */
static void count_gated(cwt_server_t *server)
{
    uint32_t alive = ofi_gate_refused(false), ended = ofi_gate_refused(true);
    for (; server->gated[false] != alive; server->gated[false]++)
        ofi_server_drop(server, "no process of this user made it");
    server->stats.refused += ended - server->gated[true];
    server->gated[true] = ended;
}

/** Connection events and unauthenticated connections cost system calls: checked now and then, and
 *  after every sleep. */
static int check_connections(cwt_server_t *server)
{
    server->rounds++;
    if (!server->slept && server->rounds % 256 != 0)
        return 0;
    server->slept = false;
    for (uint32_t n = ofi_unauth_check(&server->unauth); n > 0; n--)
        ofi_server_drop(server, "it connected and sent no proof");
    count_gated(server);
    ofi_server_silence_check(server);
    check_files(server);
    int n = server->pep ? ofi_server_msg_progress(server) : 0;
    return n > 0 ? n + reap(server) : 0;
}

static int progress_attached(cwt_server_t *server, bool events)
{
    ofi_attached_t *attached = &server->attached;
    int n = attached->client ? attached->progress(attached->client, events) : 0;
    if (n < 0 && server->lost == 0)
        server->lost = n;
    if (attached->client && attached->device->bell && n > 0)
        ofi_server_wake(server);  // perhaps completions are left
    return n < 0 ? 0 : n;
}

int ofi_server_progress(cwt_server_t *server)
{
    const int rounds = 16;
    bool events_due = server->slept || server->rounds % 256 == 0;
    if (!server->ready && !server->pep)
        return 0;  // a first message waits in the queue until the secret that judges it is known
    // First: it may bring completions in, which no descriptor signals (ofi_device_block).
    int events = check_connections(server), n = drain_cq(server, rounds);
    if (server->device.bell && n >= rounds)
        ofi_server_wake(server);  // completions are left: the server's thread must not sleep
    if (n == 0 && server->deferred)
        n = acknowledge_deferred(server);
    n += events + progress_attached(server, events_due);
    if (server->queued)
        n += ofi_server_flush_queues(server);
    if (server->late)
        post_late(server);
    if (n > 0) {
        if (server->false_alarms)  // a load is cheaper than a store to a shared line
            server->false_alarms = 0;
    } else if (ofi_device_stuck(&server->device)) {
        ofi_device_unstick(&server->device);
        n = drain_cq(server, rounds);
    }
    return server->lost ? server->lost : n;
}

/** A listener that has no descriptor left stays readable without an event: reports it, and does not
 *  spin on it. Puts and gets that the provider serves end sleeps too, and leave no event; so this
 *  is checked after many short sleeps only. */
static bool alarm_is_false(cwt_server_t *server, uint64_t slept_ns, uint64_t timeout_ns)
{
    const uint32_t patience = 1000;
    if (server->device.eq_fd < 0 || slept_ns >= timeout_ns / 2 || slept_ns >= 1000000)
        return false;
    if (server->false_alarms < patience && ++server->false_alarms < patience)
        return false;
    struct pollfd eq = {.fd = server->device.eq_fd, .events = POLLIN};
    bool still = poll(&eq, 1, 0) == 1;
    if (still && server->false_alarms == patience)
        still = server->pep ? ofi_out_of_files() : ofi_no_files();
    server->false_alarms = still ? patience + 1 : 0;
    if (!still)
        server->starved_ns = 0;
    else if (server->starved_ns == 0)
        server->starved_ns = cwu_now_ns();
    return still;
}

bool ofi_server_may_block(cwt_server_t *server)
{
    bool naps = false, quiet = true, may_block = ofi_device_may_block(&server->device);
    if (may_block && server->attached.client)
        may_block = server->attached.may_block(server->attached.client, &naps, &quiet);
    server->naps = naps || server->late > 0;
    server->alone = quiet;
    return may_block;
}

int ofi_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    const uint64_t queued_ns = 1000000, nap_ns = 10000000;
    bool again = server->queued || server->naps;  // behind the nap: no event says when
    if (again && timeout_ns > queued_ns)
        timeout_ns = queued_ns;
    uint64_t start = cwu_now_ns(), count;
    const ofi_attached_t *attached = &server->attached;
    bool called,
        apart = attached->client && server->alone && attached->begin_apart(attached->client);
    int rc = ofi_devices_block(&server->device, apart ? NULL : attached->device, server->wake_fd,
                               timeout_ns, &called);
    if (apart)
        attached->end_apart(attached->client, rc > 0);
    server->slept = true;
    if (called && read(server->wake_fd, &count, sizeof count) > 0)
        return rc;
    if (alarm_is_false(server, cwu_now_ns() - start, timeout_ns)) {
        struct pollfd fd = {.fd = server->wake_fd, .events = POLLIN};
        struct timespec nap = {0, (long)(timeout_ns < nap_ns ? timeout_ns : nap_ns)};
        ppoll(&fd, 1, &nap, NULL);
    }
    return rc == 0 ? again : rc;
}

void ofi_server_wake(cwt_server_t *server)
{
    uint64_t one = 1;
    if (write(server->wake_fd, &one, sizeof one) < 0)
        return;  // the counter is full: it is awake already
}
