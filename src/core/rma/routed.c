// SPDX-License-Identifier: BSD-3-Clause
//
// Sends requests to their first hop, and waits for their results.
#include "core/rma/routed.h"

#include <stdlib.h>

#include "base/lock.h"
#include "core/mem/gather.h"
#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/route/forward.h"
#include "core/route/request.h"
#include "core/route/window.h"

_Static_assert((size_t)CW_ROUTED_LARGE_NBYTES >= (size_t)CW_ANSWER_VALUE_MAX, "any value fits");

typedef struct asked {
    cwt_reply_t *reply;  // NULL: a free cell
    uint64_t number;     // counts this PE's values
    uint16_t generation;
    bool is_sent;  // this node's server will get an answer, and then looks into outboxes
} asked_t;

typedef struct drain {
    bool is_on;
    unsigned epoch;
    uint32_t sent;
    uint64_t values;  // asked for before
} drain_t;

static struct {
    cwu_lock_t lock;  // guards the next eight, and puts into the outbox
    bool by_server;   // requests left at the server may be under way: others must not go alone
    unsigned epoch;   // of requests sent now: 0 or 1
    uint64_t values;  // asked for
    asked_t asked[CW_ROUTED_CELLS];
    _Atomic uint32_t nasked;  // cells in use; read without the lock, too
    drain_t drain;            // one at a time: the other epoch is empty
    uint64_t drains;          // begun
    uint64_t drained;         // over
    uint32_t window;          // units at each neighbour
    cwt_target_t *record;     // [max_slots]
    cwt_conn_t **conn;        // [degree], of the default port; NULL until connected
} routed;

bool cw_routed_on;

// ---------------------------------------------------------------- what lies in the node object
static uint32_t most_edges(void)
{
    return cw_route.topology ? cw_topology_degree(cw_route.topology, 0) : 0;
}

typedef struct left {
    _Atomic uint32_t count;
} CW_CACHE_ALIGNED left_t;

static uint64_t unanswered_offset(void)
{
    return sizeof(left_t) + (uint64_t)cw_world.max_slots * sizeof(cw_routed_counts_t);
}

static uint64_t single_offset(void)
{
    return unanswered_offset() + most_edges() * sizeof(uint64_t);
}

static uint64_t windows_offset(void)
{
    return single_offset() + most_edges() * sizeof(uint64_t);
}

static uint64_t shared_nbytes(void)
{
    uint64_t nwindows = (uint64_t)most_edges() * (uint64_t)cw_world.max_slots;
    return cw_route.topology ? windows_offset() + nwindows * sizeof(cw_routed_window_t) : 0;
}

enum {
    SMALL = sizeof(cw_routed_cell_t) + CW_ROUTED_SMALL_NBYTES,
    LARGE = sizeof(cw_routed_cell_t) + CW_ROUTED_LARGE_NBYTES
};

static uint64_t in_slice_nbytes(void)
{
    enum { CELLS = CW_ROUTED_SMALL * SMALL + CW_ROUTED_LARGE * LARGE };
    return cw_route.topology ? sizeof(cw_outbox_t) + CELLS : 0;
}

cw_section_t cw_routed_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = shared_nbytes};
cw_section_t cw_routed_cells_section = {
    .in = CW_SECTION_SLICE, .align = 64, .nbytes = in_slice_nbytes};

static void *shared(uint64_t offset)
{
    return cw_segment.base + cw_routed_section.offset + offset;
}

_Atomic uint32_t *cw_routed_left(void)
{
    return &((left_t *)shared(0))->count;
}

cw_routed_counts_t *cw_routed_counts(uint32_t slot)
{
    return (cw_routed_counts_t *)shared(sizeof(left_t)) + slot;
}

_Atomic uint64_t *cw_routed_unanswered(void)
{
    return shared(unanswered_offset());
}

/** 1: this PE's node has a fetch answered on a connection, unseen by the server. */
static _Atomic uint64_t *single(uint32_t edge)
{
    return (_Atomic uint64_t *)shared(single_offset()) + edge;
}

cw_routed_window_t *cw_routed_window(uint32_t edge, uint32_t slot)
{
    cw_routed_window_t *first = shared(windows_offset());
    return first + (size_t)edge * (size_t)cw_world.max_slots + slot;
}

cw_outbox_t *cw_routed_outbox(uint32_t slot)
{
    char *slice = cw_segment.base + cw_slice_offset(slot);
    return (cw_outbox_t *)(void *)(slice + cw_routed_cells_section.offset);
}

cw_routed_cell_t *cw_routed_cell(uint32_t slot, uint32_t number, size_t *room_p)
{
    char *cells = (char *)(cw_routed_outbox(slot) + 1);
    bool is_small = number < CW_ROUTED_SMALL;
    size_t at = is_small ? (size_t)number * SMALL
                         : CW_ROUTED_SMALL * SMALL + (size_t)(number - CW_ROUTED_SMALL) * LARGE;
    *room_p = is_small ? CW_ROUTED_SMALL_NBYTES : CW_ROUTED_LARGE_NBYTES;
    return (cw_routed_cell_t *)(void *)(cells + at);
}

static cw_routed_counts_t *my_counts(void)
{
    return cw_routed_counts((uint32_t)cw_world.slot);
}

static cw_routed_cell_t *my_cell(uint32_t number)
{
    size_t room;
    return cw_routed_cell((uint32_t)cw_world.slot, number, &room);
}

// ---------------------------------------------------------------- begin and end
static void set_on(bool on)
{
    cw_routed_on = on;
    cw_port_enter(&cw_port_default);
    if (on)
        cw_port_owe(&cw_port_default, CW_DUE_ROUTED);
    else
        cw_port_settle(&cw_port_default, CW_DUE_ROUTED);
    cw_port_leave(&cw_port_default);
}

int cw_routed_open(void)
{
    if (!cw_route.topology)
        return CW_OK;
    size_t degree = cw_topology_degree(cw_route.topology, (uint32_t)cw_world.node);
    cw_forward_config_t config = {.buffer_nbytes = cw_route.buffer_nbytes,
                                  .nbuffers = cw_route.nbuffers};
    memset(&routed, 0, sizeof routed);
    set_on(true);
    routed.window = cw_forward_window(&config);
    routed.record = calloc((size_t)cw_world.max_slots, sizeof *routed.record);
    routed.conn = calloc(degree, sizeof *routed.conn);
    if (!routed.record || !routed.conn) {
        cwu_error("out of memory for the routes of %d PEs of a node", cw_world.max_slots);
        return CW_ENOMEM;
    }
    for (int slot = 0; slot < cw_world.max_slots; slot++)
        routed.record[slot].offset = cw_slice_offset((uint32_t)slot) - cw_segment.origin;
    return CW_OK;
}

void cw_routed_stop(void)
{
    set_on(false);
}

void cw_routed_close(void)
{
    set_on(false);
    free(routed.record);
    free(routed.conn);
    routed.record = NULL;
    routed.conn = NULL;
}

// ---------------------------------------------------------------- values
/** Locked. */
static void hand_over(uint32_t number, const char *value, uint32_t nbytes)
{
    asked_t *a = &routed.asked[number];
    cwt_reply_t *reply = a->reply;
    uint32_t name = (uint32_t)a->generation << 2;
    a->reply = NULL;
    if (nbytes != reply->capacity)
        cwu_fatal("a request to another node was answered by %u bytes instead of %zu", nbytes,
                  reply->capacity);
    reply->nbytes = nbytes;
    reply->done = 1;
    if (reply->arrived)
        reply->arrived(reply, value, nbytes);
    else
        memcpy(reply->buf, value, nbytes);
    atomic_store_explicit(&my_cell(number)->state, name | CW_ROUTED_FREE, memory_order_relaxed);
    // behind the value; pairs with is_idle
    atomic_fetch_sub_explicit(&routed.nasked, 1, memory_order_release);
}

/** Locked. */
static void take_value(uint32_t number)
{
    const asked_t *a = &routed.asked[number];
    const cw_routed_cell_t *cell = my_cell(number);
    uint32_t name = (uint32_t)a->generation << 2;
    // pairs with the server's store behind the value
    if (a->reply &&
        atomic_load_explicit(&cell->state, memory_order_acquire) == (name | CW_ROUTED_ARRIVED))
        hand_over(number, cell->value, cell->nbytes);
}

static void take_values(void)
{
    if (atomic_load_explicit(&routed.nasked, memory_order_relaxed) == 0)
        return;
    for (uint32_t i = 0; i < CW_ROUTED_CELLS; i++)
        take_value(i);
}

/** Locked. False: all are in use. */
static bool give_cell(cwt_reply_t *reply, cw_forward_tail_t *tail)
{
    bool is_small = reply->capacity <= CW_ROUTED_SMALL_NBYTES;
    uint32_t i = is_small ? 0 : CW_ROUTED_SMALL, end = is_small ? CW_ROUTED_SMALL : CW_ROUTED_CELLS;
    while (i < end && routed.asked[i].reply)
        i++;
    if (i == end)
        return false;
    asked_t *a = &routed.asked[i];
    a->reply = reply;
    a->number = ++routed.values;
    a->generation++;
    a->is_sent = false;
    atomic_fetch_add_explicit(&routed.nasked, 1, memory_order_relaxed);
    tail->reply_slot = (uint16_t)i;
    tail->generation = a->generation;
    atomic_store_explicit(&my_cell(i)->state, (uint32_t)a->generation << 2 | CW_ROUTED_AWAITED,
                          memory_order_release);
    return true;
}

static bool ask(cwt_reply_t *reply, cw_forward_tail_t *tail)
{
    cwu_lock(&routed.lock);
    bool has_cell = give_cell(reply, tail);
    if (!has_cell) {
        take_values();
        has_cell = give_cell(reply, tail);
    }
    cwu_unlock(&routed.lock);
    return has_cell;
}

static void wait_to_ask(cwt_reply_t *reply, cw_forward_tail_t *tail)
{
    cw_wait_t w = CW_WAIT_DEAF("values of earlier requests to other nodes");
    reply->done = 0;
    while (!ask(reply, tail))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Of a reply that has not come; CW_ROUTED_CELLS: none. */
static uint32_t cell_of(const cwt_reply_t *reply)
{
    uint32_t i = 0;
    cwu_lock(&routed.lock);
    while (i < CW_ROUTED_CELLS && routed.asked[i].reply != reply)
        i++;
    cwu_unlock(&routed.lock);
    return i;
}

static bool has_come(cwt_reply_t *reply, uint32_t number)
{
    cwu_lock(&routed.lock);
    if (routed.asked[number].reply == reply)
        take_value(number);
    bool came = routed.asked[number].reply != reply;
    cwu_unlock(&routed.lock);
    return came;
}

void cw_routed_await(cwt_reply_t *reply)
{
    uint32_t number = cell_of(reply);
    if (number == CW_ROUTED_CELLS)
        return;
    cw_wait_t w = CW_WAIT_FOR("a value of another node", &my_cell(number)->state, sizeof(uint32_t));
    w.deaf = true;
    while (!has_come(reply, number))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

// ---------------------------------------------------------------- paths
typedef struct outgoing {
    const cwt_header_t *msg;
    size_t nbytes;
    cw_forward_tail_t tail;
    uint32_t edge, units;
    bool is_single;  // may be answered on its connection
} outgoing_t;

typedef enum path { LATER, OWN, SINGLE, BY_SERVER } path_t;

static bool take_units(cw_routed_window_t *w, uint32_t units)
{
    uint32_t used = atomic_load_explicit(&w->used, memory_order_relaxed);
    uint32_t freed = atomic_load_explicit(&w->freed, memory_order_acquire);
    if (used - freed + units > routed.window)
        return false;
    atomic_store_explicit(&w->used, used + units, memory_order_release);
    return true;
}

bool cw_routed_was_freed(cw_routed_window_t *w, uint32_t freed)
{
    uint32_t used = atomic_load_explicit(&w->used, memory_order_acquire);
    uint32_t before = atomic_load_explicit(&w->freed, memory_order_relaxed);
    do {
        if (used - freed > used - before)  // late, or wrong
            return (int32_t)(before - freed) >= 0;
    } while (
        !atomic_compare_exchange_weak_explicit(&w->freed, &before, freed, memory_order_release,
                                               memory_order_relaxed));  // pairs with take_units
    return true;
}

/** Are all requests executed, of which this PE has sent so many? Not counted: those answered on
 *  their connection. Locked. */
static bool are_executed(const uint32_t sent[2])
{
    const cw_routed_counts_t *counts = my_counts();
    for (unsigned epoch = 0; epoch < 2; epoch++)
        if (atomic_load_explicit(&counts->done[epoch], memory_order_acquire) != sent[epoch])
            return false;
    take_values();
    for (uint32_t i = 0; i < CW_ROUTED_CELLS; i++)
        if (routed.asked[i].reply && routed.asked[i].is_sent)
            return false;
    return true;
}

/** Counts a request in the present epoch before the server can learn of its execution; or takes
 *  that back. Locked. */
static void count(outgoing_t *out, int n)
{
    if (out->tail.reply_slot == CW_FORWARD_NO_VALUE)
        atomic_fetch_add_explicit(&my_counts()->sent[routed.epoch], (uint32_t)n,
                                  memory_order_release);
    else
        routed.asked[out->tail.reply_slot].is_sent = n > 0;
    out->tail.epoch = (uint8_t)routed.epoch;
}

/** Will this node's server get an answer, and then look into outboxes? Either it sees the request
 *  left before, or this sees that the answer has come. */
static bool is_answer_due(const outgoing_t *out)
{
    return atomic_load(&cw_routed_unanswered()[out->edge]) & cw_forward_bit(out->tail.final_node);
}

/** On this PE's own connection. Locked. */
static path_t go_alone(outgoing_t *out)
{
    cw_routed_window_t *w = cw_routed_window(out->edge, (uint32_t)cw_world.slot);
    if (!take_units(w, out->units))
        return LATER;
    count(out, 1);
    if (out->is_single && atomic_exchange(single(out->edge), 1) == 0) {
        routed.asked[out->tail.reply_slot].is_sent = false;  // see asked_t
        return SINGLE;
    }
    atomic_fetch_or(&cw_routed_unanswered()[out->edge], cw_forward_bit(out->tail.final_node));
    return OWN;
}

/** Locked. */
static path_t leave(outgoing_t *out, const uint32_t sent[2])
{
    cw_outbox_t *box = cw_routed_outbox((uint32_t)cw_world.slot);
    count(out, 1);
    cw_outbox_record_t *record =
        cw_outbox_put(box, out->msg, out->nbytes, &out->tail, sizeof out->tail);
    if (!record) {
        count(out, -1);
        return LATER;
    }
    if (cw_world.slot == 0)
        return BY_SERVER;
    // The count before the loads of is_answer_due; pairs with the server's turn. No scene: a PE
    // that waits looks itself, so only what it leaves behind is late.
    atomic_fetch_add(cw_routed_left(), 1);
    atomic_thread_fence(memory_order_seq_cst);
    bool was_by_server = routed.by_server;
    routed.by_server = true;
    if (is_answer_due(out) || (was_by_server && !are_executed(sent)) ||
        !cw_outbox_take_back(record))
        return BY_SERVER;
    routed.by_server = false;  // nothing would wake the server
    count(out, -1);
    return go_alone(out);
}

/** Leaves the request, or takes units for it. Locked. */
static path_t choose(outgoing_t *out)
{
    const cw_routed_window_t *w = cw_routed_window(out->edge, (uint32_t)cw_world.slot);
    const cw_routed_counts_t *counts = my_counts();
    uint32_t sent[2] = {atomic_load_explicit(&counts->sent[0], memory_order_relaxed),
                        atomic_load_explicit(&counts->sent[1], memory_order_relaxed)};
    if (cw_world.slot == 0)
        return leave(out, sent);
    routed.by_server = routed.by_server && !are_executed(sent);
    // requests sent alone must have left the first hop before later ones by the server
    bool is_clear = atomic_load_explicit(&w->freed, memory_order_acquire) ==
                    atomic_load_explicit(&w->used, memory_order_relaxed);
    bool is_packed = out->nbytes + sizeof out->tail <= CW_FORWARD_ALONE;
    if (routed.by_server)
        return is_clear ? leave(out, sent) : LATER;
    return is_packed && is_clear && is_answer_due(out) ? leave(out, sent) : go_alone(out);
}

static path_t wait_for_path(outgoing_t *out)
{
    cw_wait_t w = CW_WAIT_DEAF("room for requests at the next node");
    path_t path = LATER;
    for (;;) {
        cwu_lock(&routed.lock);
        path = choose(out);
        cwu_unlock(&routed.lock);
        if (path != LATER)
            break;
        cw_wait_round(&w);
    }
    cw_wait_done(&w);
    return path;
}

// ---------------------------------------------------------------- sending
static uint32_t edge_to(int node, int *next_p)
{
    const cw_topology_t *t = cw_route.topology;
    uint32_t next = cw_route_next(t, (uint32_t)cw_world.node, (uint32_t)node);
    *next_p = (int)next;
    return cw_topology_edge(t, (uint32_t)cw_world.node, next);
}

static cwt_conn_t *connect_edge(uint32_t edge, int next)
{
    cwt_conn_t *conn = __atomic_load_n(&routed.conn[edge], __ATOMIC_ACQUIRE);
    if (CW_LIKELY(conn != NULL))
        return conn;
    cw_ctx_enter(&cw_ctx_default);
    conn = cw_ctx_conn(&cw_ctx_default, next);
    cw_ctx_leave(&cw_ctx_default);
    __atomic_store_n(&routed.conn[edge], conn, __ATOMIC_RELEASE);
    return conn;
}

void cw_routed_connect(int node)
{
    int next;
    if (cw_world.slot == 0)
        return;  // the node server's connections serve
    uint32_t edge = edge_to(node, &next);
    connect_edge(edge, next);
}

const cwt_target_t *cw_routed_reach(cw_ctx_t *ctx, const char *call, int rank, uintptr_t *delta_p)
{
    if (CW_UNLIKELY(rank < 0 || rank >= ctx->size))
        cw_ctx_validate(ctx, call, rank);
    cw_gather();
    uintptr_t word = cw_entry(&ctx->word, rank);
    if (cw_word_is_local(word)) {
        *delta_p = word;
        return NULL;
    }
    int pe = cw_ctx_pe(ctx, rank);
    cw_routed_connect(cw_world.node_of_pe[pe]);
    return &routed.record[cw_world.slot_of_pe[pe]];
}

enum { LONE_NBYTES = 128 };  // of a request with its tail, answered on its connection

static bool is_single(int node, int next, size_t nbytes, const cwt_reply_t *reply)
{
    return cw_world.slot != 0 && next == node && reply->capacity <= CW_ROUTED_SMALL_NBYTES &&
           nbytes <= LONE_NBYTES;
}

static void take_single(const outgoing_t *out, const cw_routed_now_t *now, size_t nbytes)
{
    uint32_t number = out->tail.reply_slot;
    atomic_store(single(out->edge), 0);
    if (nbytes < offsetof(cw_routed_now_t, value))
        cwu_fatal("a request to another node was answered by %zu bytes", nbytes);
    if (now->nbytes == CW_ROUTED_LATER)
        return;
    cw_routed_was_freed(cw_routed_window(out->edge, (uint32_t)cw_world.slot), now->freed);
    cwu_lock(&routed.lock);
    hand_over(number, now->value,
              nbytes - offsetof(cw_routed_now_t, value) == now->nbytes ? now->nbytes : 0);
    cwu_unlock(&routed.lock);
}

static int send_single(const outgoing_t *out, cwt_conn_t *conn)
{
    _Alignas(8) char whole[LONE_NBYTES];
    cw_routed_now_t now;
    cwt_reply_t reply = {.buf = &now, .capacity = sizeof now};
    cwt_header_t *msg = (cwt_header_t *)(void *)whole;
    memcpy(whole, out->msg, out->nbytes);
    memcpy(whole + out->nbytes, &out->tail, sizeof out->tail);
    int rc = cw_transport->request(conn, msg, out->nbytes + sizeof out->tail, &reply);
    if (rc == CW_OK)
        rc = cw_transport->wait(cw_ctx_default.port->client, &reply);
    if (rc == CW_OK)
        take_single(out, &now, reply.nbytes);
    return rc;
}

/** waits: the caller waits for the reply. */
static int send(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply, bool waits)
{
    int next;
    outgoing_t out = {.msg = msg,
                      .nbytes = nbytes,
                      .tail = {.origin = (uint32_t)cw_world.pe,
                               .final_node = (uint32_t)node,
                               .reply_slot = CW_FORWARD_NO_VALUE},
                      .edge = edge_to(node, &next),
                      .units = cw_window_units(nbytes + sizeof out.tail)};
    if (nbytes + sizeof out.tail > CW_FORWARD_NBYTES)
        cwu_fatal("a request of %zu bytes to another node cannot be routed", nbytes);
    if (reply)
        wait_to_ask(reply, &out.tail);
    out.is_single = waits && is_single(node, next, nbytes + sizeof out.tail, reply);
    *msg = (cwt_header_t){.op = msg->op | CW_REQ_ROUTED,
                          .slot = msg->slot,
                          .nbytes = (uint32_t)(nbytes + sizeof out.tail)};
    cwt_conn_t *conn = cw_world.slot == 0 ? NULL : connect_edge(out.edge, next);
    path_t path = wait_for_path(&out);
    if (path == SINGLE)
        return send_single(&out, conn);
    if (path == BY_SERVER) {
        if (cw_world.slot == 0)
            cw_progress_hooks.forward_left();
        return CW_OK;
    }
    int rc = cw_transport->message(conn, msg, nbytes, &out.tail, sizeof out.tail);
    cw_ctx_mark(&cw_ctx_default);  // its connection makes progress in waits
    return rc;
}

int cw_routed_send(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    return send(node, msg, nbytes, reply, false);
}

int cw_routed_fetch(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    int rc = send(node, msg, nbytes, reply, true);
    if (rc == CW_OK)
        cw_routed_await(reply);
    return rc;
}

// ---------------------------------------------------------------- drains
static bool has_values_until(uint64_t number)
{
    for (uint32_t i = 0; i < CW_ROUTED_CELLS; i++)
        if (routed.asked[i].reply && routed.asked[i].number <= number)
            return true;
    return false;
}

/** Takes what has come; is the drain over? Locked. */
static void settle(void)
{
    drain_t *d = &routed.drain;
    take_values();
    // pairs with the server's addition; what was executed is done before what follows
    if (d->is_on &&
        atomic_load_explicit(&my_counts()->done[d->epoch], memory_order_acquire) == d->sent &&
        !has_values_until(d->values)) {
        d->is_on = false;
        routed.drained = routed.drains;
    }
}

/** Returns its number; 0: another is under way. Locked. */
static uint64_t begin_drain(void)
{
    settle();
    if (routed.drain.is_on)
        return 0;
    unsigned epoch = routed.epoch;
    routed.drain =
        (drain_t){.is_on = true,
                  .epoch = epoch,
                  .sent = atomic_load_explicit(&my_counts()->sent[epoch], memory_order_relaxed),
                  .values = routed.values};
    routed.epoch = 1 - epoch;
    routed.drains++;
    settle();
    return routed.drains;
}

/** Is all executed that this PE has sent? So it is where nothing is forwarded: then a quiet takes
 *  no lock. */
static bool is_idle(void)
{
    const cw_routed_counts_t *counts = my_counts();
    for (unsigned epoch = 0; epoch < 2; epoch++) {
        // First: a request sent between the loads makes them differ.
        uint32_t done = atomic_load_explicit(&counts->done[epoch], memory_order_acquire);
        if (atomic_load_explicit(&counts->sent[epoch], memory_order_relaxed) != done)
            return false;
    }
    return atomic_load_explicit(&routed.nasked, memory_order_acquire) == 0;
}

bool cw_routed_drain_try(uint64_t *drain_p)
{
    if (*drain_p == 0 && is_idle())
        return true;
    cwu_lock(&routed.lock);
    if (*drain_p == 0)
        *drain_p = begin_drain();
    else
        settle();
    bool is_over = *drain_p != 0 && routed.drained >= *drain_p;
    cwu_unlock(&routed.lock);
    if (is_over)
        *drain_p = 0;
    return is_over;
}

void cw_routed_drain(void)
{
    if (is_idle())
        return;
    cw_routed_counts_t *counts = my_counts();
    cw_wait_t w =
        CW_WAIT_FOR("requests to be executed at other nodes", counts->done, sizeof counts->done);
    uint64_t drain = 0;
    w.deaf = true;
    while (!cw_routed_drain_try(&drain))
        cw_wait_round(&w);
    cw_wait_done(&w);
}
