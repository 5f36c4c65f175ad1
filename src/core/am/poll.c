// SPDX-License-Identifier: BSD-3-Clause
//
// Polls: take messages from the rings, run handlers, acknowledge.
#include <string.h>

#include "base/wait.h"
#include "core/am/private.h"
#include "core/am/wire.h"
#include "core/observe/watch.h"
#include "core/progress/wait.h"

#define MOST 64u  // messages of a ring in a poll
// messages of this node between acknowledgements, so that floods flow evenly
#define ACK_EVERY 16u

/** Tokens of one PE, acknowledged together. */
typedef struct acks {
    int pe;  // -1: none, and bits undefined
    uint64_t bits[CW_AM_TOKENS / 64];
} acks_t;

// Acknowledgements to other nodes cost messages, so tokens are collected while polls find more.
#define DEFERRED 8u        // PEs at a time, by PE modulo this
#define DEFERRED_MOST 16u  // tokens of a PE outside of floods
typedef struct deferred {
    acks_t acks;
    uint32_t count, collected;  // all; those of floods
} deferred_t;
static struct {
    uint32_t count;  // of all PEs
    uint32_t empty;  // polls of waits meanwhile that found nothing
    struct {
        uint32_t others, collected;  // tokens of a PE that send its acknowledgement
    } most;
    deferred_t of[DEFERRED];
} deferred;

static void send_done(int pe, const uint64_t *bits)
{
    union {
        cw_req_am_done_t req;
        unsigned char bytes[sizeof(cw_req_am_done_t) + CW_AM_TOKENS / 8];
    } done = {.req = {.header = {.op = CW_REQ_AM_DONE}, .target = pe}};
    uint64_t *at = done.req.bits;
    for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++)
        if (bits[w]) {
            done.req.words |= 1u << w;
            *at++ = bits[w];
        }
    cw_am_to_node_of(pe, &done.req.header, (size_t)((unsigned char *)at - done.bytes));
}

static void send_acks(acks_t *acks)
{
    int pe = acks->pe;
    if (pe < 0)
        return;
    acks->pe = -1;
    if (cw_world.node_of_pe[pe] == cw_world.node) {
        cw_am_inbox_t *inbox = cw_am_inbox(cw_world.slot_of_pe[pe]);
        for (uint32_t w = 0; w < CW_AM_TOKENS / 64; w++)
            if (acks->bits[w])
                atomic_fetch_or_explicit(&inbox->done[w], acks->bits[w], memory_order_release);
        cw_local_stored(pe);
    } else {
        send_done(pe, acks->bits);
    }
}

static void note(acks_t *acks, int pe, uint32_t token)
{
    uint32_t i = token & 0xffff;
    if (acks->pe < 0)
        memset(acks->bits, 0, sizeof acks->bits);
    acks->pe = pe;
    acks->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void send_deferred(deferred_t *o)
{
    if (o->count)
        send_acks(&o->acks);
    deferred.count -= o->count;
    o->count = o->collected = 0;
}

static bool has_enough(const deferred_t *o)
{
    return o->collected >= deferred.most.collected ||
           o->count - o->collected >= deferred.most.others;
}

static void defer(int pe, uint32_t token, bool collected)
{
    deferred_t *o = &deferred.of[(uint32_t)pe % DEFERRED];
    if (o->acks.pe != pe)
        send_deferred(o);
    note(&o->acks, pe, token);
    o->count++;
    o->collected += collected;
    deferred.count++;
    if (has_enough(o))
        send_deferred(o);
}

static void acknowledge(acks_t *acks, int pe, uint32_t token, bool collected)
{
    if (!cw_am.locked && cw_world.node_of_pe[pe] != cw_world.node) {
        defer(pe, token, collected);
        return;
    }
    if (acks->pe != pe)
        send_acks(acks);
    note(acks, pe, token);
}

static void send_all_deferred(void)
{
    for (uint32_t i = 0; i < DEFERRED && deferred.count; i++)
        send_deferred(&deferred.of[i]);
}

static uint32_t at_least_one(uint32_t n)
{
    return n > 0 ? n : 1;
}

/** All PEs of this node hold back at most half of a sender's credits for it (in floods a quarter),
 *  all nodes half of its tokens: senders go on though these poll no more. */
void cw_am_poll_open(void)
{
    uint32_t slots = (uint32_t)cw_world.nslots, others = cw_am.credits / 2 / slots,
             collected = cw_am_credit_collected() / 2,
             share = CW_AM_TOKENS / 2 / (uint32_t)cw_world.nnodes;
    deferred.most.others = at_least_one(others < DEFERRED_MOST ? others : DEFERRED_MOST);
    deferred.most.collected = at_least_one((collected < share ? collected : share) / slots);
}

void cw_am_poll_fini(void)
{
    memset(&deferred, 0, sizeof deferred);
}

// ---------------------------------------------------------------- taking a cell

static cw_am_cell_t *cell_at(const cw_am_ring_t *ring, uint64_t position)
{
    return &ring->cells[position & ((UINT64_C(1) << ring->cells_log) - 1)];
}

/** Advances the head, past messages taken out of turn. */
static void advance(cw_am_ring_t *ring)
{
    ring->head++;
    while (CW_UNLIKELY(ring->ahead)) {
        uint32_t turn =
            atomic_load_explicit(&cell_at(ring, ring->head)->turn, memory_order_relaxed);
        if (turn - cw_am_turn(ring->head, ring->cells_log) < 2)  // free or full: not taken
            break;
        ring->head++;
        ring->ahead--;
    }
    atomic_store_explicit(&ring->gate->turn, &cell_at(ring, ring->head)->turn,
                          memory_order_relaxed);
    atomic_store_explicit(&ring->gate->full, cw_am_turn(ring->head, ring->cells_log) + 1,
                          memory_order_relaxed);
}

/** A message behind an unfinished head, or NULL. */
static cw_am_cell_t *take_behind(cw_am_ring_t *ring)
{
    uint64_t tail = atomic_load_explicit(ring->tail, memory_order_relaxed);
    for (uint64_t at = ring->head + 1; at < tail; at++) {
        cw_am_cell_t *cell = cell_at(ring, at);
        uint32_t mine = cw_am_turn(at, ring->cells_log);
        if (atomic_load_explicit(&cell->turn, memory_order_acquire) == mine + 1) {
            atomic_store_explicit(&cell->turn, mine + 2, memory_order_relaxed);
            ring->ahead++;
            return cell;
        }
    }
    return NULL;
}

/** NULL: none. *turn_p frees its cell. */
static cw_am_cell_t *take_next(cw_am_ring_t *ring, bool full, uint32_t *turn_p)
{
    cw_am_cell_t *cell = cell_at(ring, ring->head);
    uint32_t mine = cw_am_turn(ring->head, ring->cells_log);
    // pairs with cw_am_hand_over
    uint32_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
    if (turn == mine + 1) {
        advance(ring);
        *turn_p = mine + 4;
        return cell;
    }
    cell = full ? take_behind(ring) : NULL;
    if (cell)
        *turn_p = atomic_load_explicit(&cell->turn, memory_order_relaxed) + 2;
    return cell;
}

static cw_am_cell_t *take(cw_am_ring_t *ring, bool full, uint32_t *turn_p)
{
    if (!cw_am.locked)
        return take_next(ring, full, turn_p);
    if (pthread_mutex_trylock(&cw_am.poll_lock))
        return NULL;  // another thread is taking one
    cw_am_cell_t *cell = take_next(ring, full, turn_p);
    pthread_mutex_unlock(&cw_am.poll_lock);
    return cell;
}

// ---------------------------------------------------------------- running its handler

static void *payload_of(cw_am_cell_t *cell)
{
    if (cell->flags & CW_AM_C_INLINE)
        return &cell->args[CW_AM_INLINE_ARGS];
    if (cell->flags & CW_AM_C_REPLY)
        return cw_am_reply_buffer(cw_am.mine, cell->token);
    return cw_am_request_buffer(cw_am.mine, cell);
}

/** Only the payload of a raw long is not in place. */
static void place(cw_am_cell_t *cell, cw_am_msg_t *msg)
{
    msg->nbytes = cell->nbytes;
    if (msg->kind == CW_AM_MEDIUM) {
        msg->payload = payload_of(cell);
    } else if (cell->flags & CW_AM_C_RAW) {
        msg->payload = (void *)(uintptr_t)cell->dest;
        if (cell->nbytes)  // without bytes the address may be NULL
            cw_am_place_raw(msg, msg->payload, payload_of(cell));
    } else {
        msg->payload = (void *)(cw_segment.origin + (uintptr_t)cell->dest);
    }
}

/** The next reply mostly comes the same way. */
static void came_by_server(int pe)
{
    if (cw_world.node_of_pe[pe] != cw_world.node)
        atomic_store_explicit(&cw_am.reply_here, false, memory_order_relaxed);
}

static CW_NOINLINE CW_COLD cw_frame_t *watch(const cw_am_msg_t *msg)
{
    return cw_watch_handler(&(cw_message_t){.kind = (cw_message_kind_t)msg->kind,
                                            .is_reply = msg->is_reply,
                                            .pe = msg->source,
                                            .nbytes = msg->nbytes});
}

static void run(cw_am_cell_t *cell, acks_t *acks)
{
    cw_am_msg_t msg = {.source = cell->source,
                       .head = cell->head,
                       .is_reply = cell->flags & CW_AM_C_REPLY,
                       .collected = cell->flags & CW_AM_C_COLLECTED,
                       .kind = (cw_am_kind_t)(cell->flags & CW_AM_C_KIND),
                       .nargs = (int)CW_AM_HEAD_NARGS(cell->head),
                       .args = cell->args,
                       .token = cell->token,
                       .origin = cell->flags & CW_AM_C_ORIGIN ? cell->dest : 0};
    if (msg.kind != CW_AM_SHORT)
        place(cell, &msg);
    CW_WATCH(watch(&msg));
    cw_am_run(&msg);
    if (msg.is_reply) {
        if (!cw_am_credit_return(msg.token))
            cwu_fatal("PE %d replied to a request that this PE never made", msg.source);
        if (!(cell->flags & CW_AM_C_NOTIFIED) &&
            atomic_load_explicit(&cw_am.reply_here, memory_order_relaxed))
            came_by_server(msg.source);
    } else {
        if (!msg.replied)
            acknowledge(acks, msg.source, msg.token, msg.collected);
    }
}

static int drain(cw_am_ring_t *ring, bool full, acks_t *acks)
{
    uint32_t n = 0, turn;
    cw_am_cell_t *cell;
    while (n < MOST && (cell = take(ring, full, &turn))) {
        run(cell, acks);
        // pairs with the load of turn in cw_am_take
        atomic_store_explicit(&cell->turn, turn, memory_order_release);
        if (++n % ACK_EVERY == 0)
            send_acks(acks);
    }
    return (int)n;
}

static int poll(bool full)
{
    acks_t acks;
    acks.pe = -1;
    if (CW_UNLIKELY(atomic_load_explicit(&cw_am.kept_replies, memory_order_relaxed) != 0))
        cw_am_back_flush();
    int n = drain(&cw_am.reply, full, &acks) + drain(&cw_am.request, full, &acks);
    send_acks(&acks);
    if (n == 0 && deferred.count && (full || ++deferred.empty % CWU_WAIT_MANY == 0))
        send_all_deferred();
    if (n > 0 && CW_UNLIKELY(atomic_load_explicit(&cw_am.mine->blocked, memory_order_relaxed)))
        cw_wake_changed(true);
    if (n > 0 && CW_UNLIKELY(cw_am.locked))
        cw_local_notify(cw_world.pe);  // another thread may wait for what the handlers did
    return n;
}

static bool something_came(void)
{
    return cw_am_gate_is_open(&cw_am_gates.reply) || cw_am_gate_is_open(&cw_am_gates.request);
}

/** The server may need this process, other processes this core. */
static void while_idle(void)
{
    cw_progress();
    cw_progress_hooks.attend();
    uint32_t idle = __atomic_load_n(&cw_am.idle, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&cw_am.idle, idle, __ATOMIC_RELAXED);
    if (idle > CWU_WAIT_MANY)
        cw_wait_give_way(something_came);
}

int cw_am_poll_full(void)
{
    bool full = atomic_load_explicit(&cw_am_gates.patience, memory_order_relaxed) <= 0;
    atomic_store_explicit(&cw_am_gates.patience, CWU_WAIT_LOOK, memory_order_relaxed);
    if (cw_am_in_handler || !cw_am_is_on())
        return 0;
    int n = poll(full);
    if (n > 0)
        __atomic_store_n(&cw_am.idle, 0, __ATOMIC_RELAXED);
    else if (full)
        while_idle();
    return n;
}

int cw_am_poll_waiting(bool full)
{
    return cw_am_in_handler ? 0 : poll(full);
}
