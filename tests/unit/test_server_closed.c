// SPDX-License-Identifier: BSD-3-Clause
//
// A node server takes down a connection whose client has gone. Its completion queue still holds
// messages of that client, and error entries between them, each of which ends a read: the server
// must read and execute everything before the connection's buffers are freed. An entry delivered
// later names freed memory.
//
// The provider is a script: a queue, an event queue and two endpoints made of the few functions
// that are called.
#include <string.h>

#include "frame/check.h"
#include "transport/ofi/server/server.h"

enum { ENTRIES_MAX = 16, SECRET = 0x5ec4e7 };

typedef struct entry {
    ofi_op_t *op;
    ofi_peer_t *peer;
    bool error;
} entry_t;

static struct {
    cwt_server_t *server;
    entry_t entries[ENTRIES_MAX];
    int count, next;
    int executed, posted, closed, late;
    ofi_op_t *first[2][OFI_CREDITS];  // receives of each peer, as posted at first
    struct fid *gone;                 // the connection that the event queue reports as ended next
} script;

static ofi_op_t *queue_up(ofi_peer_t *peer, uint32_t slot, bool error)
{
    ofi_op_t *op = script.first[peer->index][slot];
    static uint64_t tokens[2];  // of each peer's messages, in the order they are read
    const cwt_header_t msg = {.token = SECRET + tokens[peer->index]++, .nbytes = sizeof msg};
    memcpy(op->buf, &msg, sizeof msg);
    script.entries[script.count++] = (entry_t){op, peer, error};
    return op;
}

static bool is_there(const ofi_peer_t *wanted)
{
    const ofi_peer_t *peer = script.server->peers;
    while (peer && peer != wanted)
        peer = peer->next;
    return peer != NULL;
}

/** Returns the next entry, if it still names something. */
static const entry_t *next_entry(void)
{
    while (script.next < script.count && !is_there(script.entries[script.next].peer)) {
        script.next++;
        script.late++;
    }
    return script.next < script.count ? &script.entries[script.next] : NULL;
}

// ---------------------------------------------------------------- the provider

static ssize_t read_cq(struct fid_cq *cq, void *buf, size_t count)
{
    (void)cq;
    struct fi_cq_data_entry *out = buf;
    size_t n = 0;
    const entry_t *e;
    for (; n < count && (e = next_entry()) && !e->error; n++, script.next++)
        out[n] = (struct fi_cq_data_entry){
            .op_context = e->op, .flags = FI_RECV, .len = sizeof(cwt_header_t)};
    if (n > 0)
        return (ssize_t)n;
    return next_entry() ? -FI_EAVAIL : -FI_EAGAIN;
}

static ssize_t read_cq_error(struct fid_cq *cq, struct fi_cq_err_entry *buf, uint64_t flags)
{
    (void)cq, (void)flags;
    const entry_t *e = next_entry();
    if (!e || !e->error)
        return -FI_EAGAIN;
    script.next++;
    buf->op_context = e->op;
    buf->err = FI_ECANCELED;
    return 1;
}

static ssize_t read_eq(struct fid_eq *eq, uint32_t *event, void *buf, size_t nbytes, uint64_t flags)
{
    (void)eq, (void)nbytes, (void)flags;
    if (!script.gone)
        return -FI_EAGAIN;
    struct fi_eq_cm_entry entry = {.fid = script.gone};
    script.gone = NULL;
    *event = FI_SHUTDOWN;
    memcpy(buf, &entry, sizeof entry);
    return sizeof entry;
}

static ssize_t post(struct fid_ep *ep, void *buf, size_t nbytes, void *desc, fi_addr_t from,
                    void *context)
{
    (void)ep, (void)buf, (void)nbytes, (void)desc, (void)from;
    ofi_op_t *op = context, **first = script.first[op->receives->peer->index];
    for (uint32_t i = 0; i < OFI_CREDITS && script.posted < 0; i++)
        if (!first[i]) {
            first[i] = op;
            break;
        }
    script.posted++;
    return 0;
}

/** A closed endpoint's receives come back cancelled; here with a message among them that was
 *  complete before. */
static int close_ep(struct fid *fid)
{
    for (ofi_peer_t *peer = script.server->peers; peer; peer = peer->next)
        if (peer->ep && &peer->ep->fid == fid) {
            queue_up(peer, 4, true);
            queue_up(peer, 5, false);
            queue_up(peer, 6, true);
            queue_up(peer, 7, true);
            queue_up(peer, 8, false);
        }
    script.closed++;
    return 0;
}

static void executed(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    (void)arg, (void)from;
    CHECK(nbytes == sizeof *msg);
    script.executed++;
}

// ---------------------------------------------------------------- the test

static struct fi_ops ep_fid_ops = {.size = sizeof ep_fid_ops, .close = close_ep};
static struct fi_ops_msg ep_msg_ops = {.size = sizeof ep_msg_ops, .recv = post};
static struct fi_ops_cq cq_ops = {.size = sizeof cq_ops, .read = read_cq, .readerr = read_cq_error};
static struct fi_ops_eq eq_ops = {.size = sizeof eq_ops, .read = read_eq};

static ofi_peer_t *connected(cwt_server_t *server, struct fid_ep *ep, uint32_t pe)
{
    ofi_peer_t *peer = ofi_peer_create(server, pe);
    CHECK(peer && ofi_peer_number(peer) == 0);
    ep->fid.ops = &ep_fid_ops;
    ep->msg = &ep_msg_ops;
    script.posted = -(int)OFI_CREDITS;
    CHECK(ofi_receives_start(&peer->receives, ep) == 0 && script.posted == 0);
    peer->ep = ep;
    peer->connected = peer->proved = true;
    ofi_expect(&peer->token_in, SECRET);
    return peer;
}

int main(void)
{
    static cwt_server_t server;
    static struct fid_ep ends[2];
    static struct fid_cq cq = {.ops = &cq_ops};
    static struct fid_eq eq = {.ops = &eq_ops};
    static struct fid_pep listener;
    ofi_choice.msg = true;
    server.config.handler = executed;
    static struct fi_rx_attr rx = {.size = 64};
    static struct fi_info info = {.rx_attr = &rx};
    server.device = (ofi_device_t){
        .info = &info, .cq = &cq, .cq_free = 2048, .eq = &eq, .cq_fd = -1, .eq_fd = -1};
    server.pep = &listener;
    server.ready = true;
    server.wake_fd = -1;
    server.slept = true;  // the next round checks connection events
    script.server = &server;
    ofi_pool_init(&server.sends, NULL, OFI_BUFFER_NBYTES, 8);
    ofi_peer_t *leaves = connected(&server, &ends[0], 1), *stays = connected(&server, &ends[1], 2);

    queue_up(leaves, 0, false);
    queue_up(stays, 0, false);
    queue_up(leaves, 1, true);
    queue_up(leaves, 2, false);
    queue_up(stays, 1, true);
    queue_up(stays, 2, true);
    queue_up(leaves, 3, false);
    queue_up(stays, 3, false);
    script.gone = &ends[0].fid;
    ofi_server_progress(&server);

    CHECK(!is_there(leaves) && is_there(stays));
    CHECK(script.closed == 1);
    CHECK(script.late == 0);      // no entry arrived for a connection that was gone
    CHECK(script.executed == 5);  // everything that either client sent before the end
    CHECK(script.next == script.count);
    CHECK(script.posted == 5);
    ofi_peer_destroy(stays);
    ofi_pool_close(&server.sends);
    return check_result();
}
