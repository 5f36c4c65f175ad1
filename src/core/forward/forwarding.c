// SPDX-License-Identifier: BSD-3-Clause
//
// The state machine of forwarding on the node server and a client of its own.
#include "core/forward/forwarding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/pages.h"
#include "core/mem/segment.h"
#include "core/port/ctx.h"
#include "core/progress/hooks.h"
#include "core/rma/amo.h"
#include "core/rma/routed.h"
#include "core/route/request.h"
#include "core/server/server.h"
#include "core/world/job.h"

static struct {  // guarded by the server's lock, but for what is the thread's
    cw_forward_t *machine;
    void *cells;
    uint64_t cells_nbytes;
    cwt_client_t *client;  // the server's thread opens it
    cwt_conn_t **conn;     // [nnodes]
    bool *is_wanted;       // [nnodes]: something waits for a connection to it
    _Atomic uint32_t nwanted;
    // messages with requests: all, in turns before this one, and most in one turn
    uint64_t arrived, arrived_before, most_arrived;
    uint64_t taken;   // out of outboxes of other PEs than this
    uint32_t left;    // requests in outboxes that the server knows of, modulo 2^32
    bool *is_taken;   // [nslots]: the outbox holds what was taken
    uint32_t ntaken;  // such slots
    bool has_heard;   // a message has come since the outboxes were looked into
    bool is_refused;  // the transport did not take a message
} forwarding;

void cw_forwarding_refused(const char *what, int pe, const char *reason)
{
    static _Atomic bool reported;
    if (!atomic_exchange(&reported, true))
        cwu_warn("dropped %s of the forwarding of requests (PE %d): %s", what, pe, reason);
}

// ---------------------------------------------------------------- what leaves
/** Its connection, or NULL: the server's thread will open it. */
static cwt_conn_t *connection(uint32_t node)
{
    if (!forwarding.conn[node] && !forwarding.is_wanted[node]) {
        forwarding.is_wanted[node] = true;
        forwarding.nwanted++;
    }
    return forwarding.conn[node];
}

static bool is_leaving(void)
{
    return atomic_load_explicit(&cw_world.leaving, memory_order_relaxed);
}

/** False: not now. */
static bool try_send(uint32_t node, cwt_header_t *msg, size_t nbytes, const void *payload,
                     size_t payload_nbytes)
{
    cwt_conn_t *conn = connection(node);
    if (!conn)
        return false;
    int rc = cw_transport->try_message(conn, msg, nbytes, payload, payload_nbytes);
    if (rc == CW_OK)
        return true;
    if (rc == CW_EAGAIN)
        return false;
    if (is_leaving())
        return true;  // no PE waits for it
    cw_lost_grace(rc);
    cwu_fatal("the node server cannot pass requests on to %s (%s)", cw_job_node_name((int)node),
              cwu_error_name(rc));
}

static bool send(uint32_t node, cwt_header_t *msg, size_t nbytes, const void *payload,
                 size_t payload_nbytes)
{
    bool sent = try_send(node, msg, nbytes, payload, payload_nbytes);
    forwarding.is_refused |= !sent;
    return sent;
}

static bool on_request(void *ctx, uint32_t node, const void *message, size_t nbytes, bool is_packed)
{
    (void)ctx;
    if (!is_packed)  // in the machine's own memory
        return send(node, (cwt_header_t *)(uintptr_t)message, nbytes, NULL, 0);
    cwt_header_t header = {.op = CW_REQ_PACKED};
    return send(node, &header, sizeof header, message, nbytes);
}

static bool on_answers(void *ctx, uint32_t node, const void *records, size_t nbytes)
{
    (void)ctx;
    cwt_header_t header = {.op = CW_REQ_ANSWERS};
    return send(node, &header, sizeof header, records, nbytes);
}

// ---------------------------------------------------------------- what is executed here
static bool on_where(void *ctx, uint32_t pe, uint32_t *node_p, uint32_t *slot_p)
{
    (void)ctx;
    if (pe >= (uint32_t)cw_world.npes)
        return false;
    *node_p = (uint32_t)cw_world.node_of_pe[pe];
    *slot_p = (uint32_t)cw_world.slot_of_pe[pe];
    return true;
}

static size_t on_execute(void *ctx, const cw_forward_tail_t *tail, const void *request,
                         size_t nbytes, void *value)
{
    cw_from_t from = {.awaits_reply = tail->reply_slot != CW_FORWARD_NO_VALUE,
                      .reply = value,
                      .capacity = CW_ANSWER_VALUE_MAX};
    (void)ctx;
    if (nbytes >= sizeof(cwt_header_t) + sizeof *tail)
        cw_request_run(&from, request, nbytes - sizeof *tail);
    return from.nbytes;
}

static cw_forward_add_t on_fetch_add(void *ctx, const void *request, size_t nbytes)
{
    const cw_req_amo_t *req = request;
    (void)ctx;
    if (nbytes != sizeof *req || (req->header.op & ~CW_REQ_ROUTED) != CW_REQ_AMO ||
        req->op != CW_AMO_ADD || (req->nbytes != 4 && req->nbytes != 8))
        return (cw_forward_add_t){0};
    return (cw_forward_add_t){.place = req->offset,
                              .operand = req->operand,
                              .nbytes = req->nbytes,
                              .at = offsetof(cw_req_amo_t, operand)};
}

// ---------------------------------------------------------------- what arrives
typedef bool take_t(cw_forward_t *f, uint32_t from, uint32_t slot, const void *message,
                    size_t nbytes, const char **why_p);

/** From the client of another node's PE, in its own name. */
static bool take(take_t *arrived, const cw_from_t *from, const void *message, size_t nbytes)
{
    const char *reason = "its sender";
    uint32_t node = 0, slot = 0;
    if (!from->client)
        return false;  // forwarded in a request
    forwarding.has_heard = true;
    uint32_t pe = cw_transport->server_pe(from->client);
    if (!on_where(NULL, pe, &node, &slot) ||
        !arrived(forwarding.machine, node, slot, message, nbytes, &reason))
        cw_forwarding_refused("a message", (int)pe, reason);
    return true;
}

// Of the request that is being taken; guarded by the server's lock.
static cw_forward_now_t at_once;

static bool asked(cw_forward_t *f, uint32_t from, uint32_t slot, const void *message, size_t nbytes,
                  const char **why_p)
{
    return cw_forward_asked(f, from, slot, message, nbytes, &at_once, why_p);
}

/** The PE waits on the connection of its request: for the value, or for a word that it comes by its
 *  node. */
static bool take_asked(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    cw_routed_now_t reply = {.nbytes = CW_ROUTED_LATER};
    at_once = (cw_forward_now_t){.value = NULL};
    if (!take(asked, from, msg, nbytes))
        return false;
    size_t n = at_once.value ? at_once.nbytes : 0;
    if (at_once.value && n <= sizeof reply.value) {
        reply.nbytes = (uint32_t)n;
        reply.freed = at_once.freed;
        memcpy(reply.value, at_once.value, n);
    }
    cw_server_reply(from, &reply, offsetof(cw_routed_now_t, value) + n);
    return true;
}

static bool routed(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    forwarding.arrived++;
    if (nbytes < sizeof *msg + sizeof(cw_forward_tail_t))
        return false;
    return from->awaits_reply ? take_asked(from, msg, nbytes)
                              : take(cw_forward_arrived, from, msg, nbytes);
}

static bool packed(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    forwarding.arrived++;
    return take(cw_forward_packed, from, msg + 1, nbytes - sizeof *msg);
}

static bool answered(cw_forward_t *f, uint32_t from, uint32_t slot, const void *records,
                     size_t nbytes, const char **why_p)
{
    (void)slot;
    return cw_forward_answered(f, from, records, nbytes, why_p);
}

static bool answers(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    return take(answered, from, msg + 1, nbytes - sizeof *msg);
}

// ---------------------------------------------------------------- outboxes
/** What the PE has left, in order. */
static void take_left(uint32_t slot)
{
    const char *reason = NULL;
    cw_forward_own_t *own;
    while ((own = cw_outbox_take(cw_routed_outbox(slot), slot))) {
        forwarding.ntaken += !forwarding.is_taken[slot];
        forwarding.is_taken[slot] = true;
        forwarding.taken += slot != 0;
        if (!cw_forward_own(forwarding.machine, own, &reason))
            cwu_fatal("a request of %u bytes to another node cannot be routed: %s", own->nbytes,
                      reason);
    }
}

/** Looks into the outboxes if something was left since the last time. A PE that leaves something
 *  relies on a look behind the next message, or wakes the server. */
static void look_into_outboxes(void)
{
    // Behind what was answered; pairs with leave. No scene: a PE that waits looks itself.
    if (forwarding.has_heard)
        atomic_thread_fence(memory_order_seq_cst);
    forwarding.has_heard = false;
    uint32_t left = atomic_load(cw_routed_left());
    if (left == forwarding.left)
        return;
    forwarding.left = left;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        take_left((uint32_t)slot);
}

static void reclaim_outboxes(void)
{
    for (int slot = 0; slot < cw_world.nslots && forwarding.ntaken > 0; slot++) {
        if (!forwarding.is_taken[slot])
            continue;
        cw_outbox_t *box = cw_routed_outbox((uint32_t)slot);
        if (cw_outbox_reclaim(box))
            cw_local_stored(cw_world.pes_of_node[slot]);
        forwarding.is_taken[slot] = cw_outbox_holds(box);
        forwarding.ntaken -= !forwarding.is_taken[slot];
    }
}

static int turn(void)
{
    bool did = cw_forward_turn(forwarding.machine);
    reclaim_outboxes();
    return did;
}

/** In the call of PE 0. The server's thread tries again what the transport did not take. */
static void forward_left(void)
{
    cw_server_enter();
    forwarding.is_refused = false;
    take_left(0);
    turn();
    bool is_refused = forwarding.is_refused;
    cw_server_leave();
    if (is_refused)
        cw_server_wake();
}

// ---------------------------------------------------------------- the server's turns
/** In most turns there is nothing to do: contiguous transfers, which go straight, wait for them. */
static bool is_idle(void)
{
    return !forwarding.has_heard && forwarding.ntaken == 0 &&
           !cw_forward_holds(forwarding.machine) &&
           atomic_load(cw_routed_left()) == forwarding.left;
}

static int flush(void)
{
    if (!forwarding.machine || is_idle())
        return 0;
    if (forwarding.arrived - forwarding.arrived_before > forwarding.most_arrived)
        forwarding.most_arrived = forwarding.arrived - forwarding.arrived_before;
    forwarding.arrived_before = forwarding.arrived;
    look_into_outboxes();
    return turn();
}

static bool holds(void)
{
    return forwarding.machine && cw_forward_holds(forwarding.machine);
}

static void serve(void *arg)
{
    (void)arg;
    cw_server_serve();
}

static int open_client(void)
{
    cwt_client_config_t config = {.pe = cw_world.pe,
                                  .npes = cw_world.npes,
                                  .node = cw_world.node,
                                  .layout = cw_segment.layout,
                                  .thread_multiple = true,
                                  .of_server = true,
                                  .one_machine = cw_boot.one_machine,
                                  .idle = serve,
                                  .make_room = cw_port_close_spare,
                                  .node_name = cw_job_node_name,
                                  .leaving = is_leaving,
                                  .ended = cw_job_is_ended,
                                  .over = cw_server_stops};
    memcpy(config.secret, cw_job_secret(), sizeof config.secret);
    int rc = cw_transport->open(&config, &forwarding.client);
    if (rc == CW_OK)
        cw_server_attach(forwarding.client);
    return rc;
}

static void connect_to(int node)
{
    cw_node_record_t record;
    cwt_conn_t *conn = NULL;
    int rc = forwarding.client ? CW_OK : open_client();
    if (rc == CW_OK)
        rc = cw_job_node_record(node, &record);
    if (rc == CW_OK)
        rc = cw_transport->connect(forwarding.client, node, record.address, record.address_nbytes,
                                   &conn);
    if (rc && !is_leaving()) {
        cw_lost_grace(rc);
        cwu_fatal("the node server cannot connect to %s (%s)", cw_job_node_name(node),
                  cwu_error_name(rc));
    }
    cwu_debug("the node server has connected to %s", cw_job_node_name(node));
    cw_server_enter();
    forwarding.conn[node] = conn;
    cw_server_leave();
}

/** A node to which something waits for a connection, or -1. */
static int next_wanted(void)
{
    int node = 0;
    if (forwarding.nwanted == 0)
        return -1;
    cw_server_enter();
    while (!forwarding.is_wanted[node] || forwarding.conn[node])
        node++;
    forwarding.nwanted--;
    cw_server_leave();
    return node;
}

static void between(void)
{
    int node;
    while ((node = next_wanted()) >= 0)
        connect_to(node);
}

static void fini(void)
{
    cw_server_attach(NULL);
    if (forwarding.client)
        cw_transport->close(forwarding.client);
    cw_forward_destroy(forwarding.machine);
    munmap(forwarding.cells, forwarding.cells_nbytes);
    free(forwarding.conn);
    free(forwarding.is_wanted);
    free(forwarding.is_taken);
    memset(&forwarding, 0, sizeof forwarding);
}

void cw_forwarding_stats(cw_forwarding_stats_t *stats_p)
{
    *stats_p = (cw_forwarding_stats_t){0};
    cw_server_enter();
    if (forwarding.machine) {
        stats_p->edge_nbytes = forwarding.cells_nbytes;
        stats_p->arrived = forwarding.arrived;
        stats_p->most_arrived = forwarding.most_arrived;
        stats_p->left = forwarding.taken;
        stats_p->counts = *cw_forward_counts(forwarding.machine);
    }
    cw_server_leave();
}

// ---------------------------------------------------------------- begin
/** Pages of cells get memory when something first waits in them. */
static bool allocate(cw_forward_config_t *config)
{
    static const cw_forward_ops_t ops = {.request = on_request,
                                         .answers = on_answers,
                                         .execute = on_execute,
                                         .where = on_where,
                                         .fetch_add = on_fetch_add,
                                         .freed = cw_answered_freed,
                                         .done = cw_answered_done,
                                         .value = cw_answered_value};
    forwarding.cells_nbytes = cw_forward_cells_nbytes(config);
    forwarding.cells = cwu_pages_map(NULL, forwarding.cells_nbytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (forwarding.cells == MAP_FAILED)
        return false;
    config->cells = forwarding.cells;
    forwarding.conn = calloc((size_t)cw_world.nnodes, sizeof *forwarding.conn);
    forwarding.is_wanted = calloc((size_t)cw_world.nnodes, sizeof *forwarding.is_wanted);
    forwarding.is_taken = calloc((size_t)cw_world.nslots, sizeof *forwarding.is_taken);
    forwarding.machine = cw_forward_create(config, &ops, NULL);
    return forwarding.conn && forwarding.is_wanted && forwarding.is_taken && forwarding.machine;
}

int cw_forwarding_open(void)
{
    static const cw_server_hooks_t hooks = {
        .flush = flush, .holds = holds, .between = between, .fini = fini};
    if (!cw_route.topology)
        return CW_OK;
    cw_forward_config_t config = {.topology = cw_route.topology,
                                  .node = (uint32_t)cw_world.node,
                                  .nslots = (uint32_t)cw_world.max_slots,
                                  .buffer_nbytes = cw_route.buffer_nbytes,
                                  .nbuffers = cw_route.nbuffers,
                                  .packs = true,
                                  .combines = cwu_env.combine,
                                  .pe = (uint32_t)cw_world.pe,
                                  .unanswered = cw_routed_unanswered()};
    if (!allocate(&config)) {
        cwu_error("no memory for %llu bytes of buffers of the edges of this node; lower %s",
                  (unsigned long long)forwarding.cells_nbytes, CWU_ENV_NAME(edge_buffer));
        return CW_ENOMEM;
    }
    cw_server_handle_routed(routed);
    cw_server_handle(CW_REQ_PACKED, "packed", packed);
    cw_server_handle(CW_REQ_ANSWERS, "answer", answers);
    cw_server_hook(&hooks);
    cw_progress_hooks.forward_left = forward_left;
    return CW_OK;
}
