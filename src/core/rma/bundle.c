// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles, as their PE fills and sends them.
#include "core/rma/bundle.h"

#include <string.h>

#include "base/clock.h"
#include "base/env.h"
#include "core/progress/wait.h"
#include "core/route/setting.h"

#define FIRST 2u          // operations to a node, of those looked at, that are sent at once,
#define FIRST_FENCED 16u  // and as many behind a fence that has waited for nothing
#define GROUP 20          // operations behind a pause that are no flood; more, up to this,
#define GROUP_MOST 1280   // where bundles do not pay
#define PAYS 8u           // records in a bundle that is no slower than they are; nor is a full one
#define FEW_MOST 2u       // intervals with nothing collected, one behind the other, that end floods
#define PUT_MOST 256u     // bytes of a put where messages are short
#define IDLE_NS 50000u    // behind the last message to a node, one operation goes by itself again
#define PROMPT_NS 40000u  // a bundle is sent before the flusher would have marked it;
#define PROMPT 16u        // so many, and the flusher need not look at once at the next one;
#define PROMPT_MOST 32u   // of these are counted so many, and
#define PROMPT_LESS 8u    // so many fewer for each other one

cw_bundles_t cw_bundles = {.at_once = INT32_MAX};
static cw_bundle_t *spare[CW_BUNDLES] CW_DEFAULT_PORT_GUARDS;
static uint32_t nspare CW_DEFAULT_PORT_GUARDS;
static bool puts_in_order CW_DEFAULT_PORT_GUARDS;
static int32_t least CW_DEFAULT_PORT_GUARDS;  // GROUP, or 0: all is looked at

// ---------------------------------------------------------------- what lies in the node object
bool cw_bundles_possible(void)
{
    return cw_world.nnodes > 1 && strcmp(cwu_env.aggregate, "off") != 0 && !cw_world.nic_atomics &&
           !cw_route.topology;
}

static uint64_t flusher_nbytes(void)
{
    return cw_bundles_possible() ? sizeof(cw_flusher_t) : 0;
}

static uint64_t bundles_nbytes(void)
{
    return cw_bundles_possible() ? CW_BUNDLES * sizeof(cw_bundle_t) : 0;
}

cw_section_t cw_flusher_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = flusher_nbytes};
cw_section_t cw_bundle_section = {.in = CW_SECTION_SLICE, .align = 64, .nbytes = bundles_nbytes};

cw_bundle_t *cw_bundles_of(int slot)
{
    return (cw_bundle_t *)(void *)(cw_segment.base + cw_slice_offset((uint32_t)slot) +
                                   cw_bundle_section.offset);
}

cw_flusher_t *cw_flusher(void)
{
    return (cw_flusher_t *)(void *)(cw_segment.base + cw_flusher_section.offset);
}

uint32_t cw_bundle_most(const cwt_conn_t *conn)
{
    size_t most = cw_transport->request_most(conn);
    return most < CW_BUNDLE_MAX ? CW_MESSAGE_MAX : CW_BUNDLE_MAX;
}

/** Those without an order, or those with one. */
CW_DEFAULT_PORT_HELD
static void choose_puts(void)
{
    bool may = cw_bundles.may;
    atomic_store_explicit(&cw_bundles.puts, may && !puts_in_order, memory_order_relaxed);
    atomic_store_explicit(&cw_bundles.ordered, may && puts_in_order, memory_order_relaxed);
}

void cw_bundles_open(void)
{
    bool possible = cw_bundles_possible() && !cw_transport->one_client();
    bool all = strcmp(cwu_env.aggregate, "on") == 0;
    cw_bundles.may = possible && (cw_transport->software() || all);
    atomic_store_explicit(&cw_bundles.atomics, possible, memory_order_relaxed);
    choose_puts();
    cw_bundles.group = least = all ? 0 : GROUP;
    cw_bundles.at_once = possible ? least : INT32_MAX;
    cw_bundles_rest();
    nspare = 0;
    for (uint32_t i = 0; possible && i < CW_BUNDLES; i++)
        spare[nspare++] = &cw_bundles_of(cw_world.slot)[i];
}

void cw_ctx_puts_in_order(void)
{
    cw_port_enter(&cw_port_default);
    puts_in_order = true;
    choose_puts();
    cw_port_leave(&cw_port_default);
}

void cw_bundles_close(void)
{
    cw_port_enter(&cw_port_default);
    cw_bundles = (cw_bundles_t){.at_once = INT32_MAX};
    cw_port_leave(&cw_port_default);
}

// ---------------------------------------------------------------- states
/** This PE may write into the bundle, or send it. False: it was taken. */
static bool claim(cw_bundle_t *b, bool *aged_p)
{
    uint32_t state = CW_BUNDLE_OPEN;
    *aged_p = false;
    // acquire, and release below: the flusher reads what was written before
    if (CW_LIKELY(atomic_compare_exchange_strong_explicit(
            &b->state, &state, CW_BUNDLE_BUSY, memory_order_acquire, memory_order_acquire)))
        return true;
    *aged_p = true;
    return state == CW_BUNDLE_AGED &&
           atomic_compare_exchange_strong_explicit(&b->state, &state, CW_BUNDLE_BUSY,
                                                   memory_order_acquire, memory_order_acquire);
}

CW_DEFAULT_PORT_HELD
static cw_bundle_t *begin(cw_way_t *way)
{
    if (nspare == 0)
        return NULL;
    cw_bundle_t *b = way->open = spare[--nspare];
    way->next = cw_bundles.filled;
    cw_bundles.filled = way;
    way->puts = way->proved = false;
    way->opened_ns = cwu_now_ns();
    atomic_store_explicit(&b->node, (uint32_t)way->node, memory_order_relaxed);
    b->nbytes = sizeof b->req;
    b->answers = 0;
    atomic_store_explicit(&b->state, CW_BUNDLE_BUSY, memory_order_relaxed);
    return b;
}

CW_DEFAULT_PORT_HELD
static void end(cw_way_t *way)
{
    cw_way_t **at = &cw_bundles.filled;
    while (*at != way)
        at = &(*at)->next;
    *at = way->next;
    spare[nspare++] = way->open;
    way->open = NULL;
}

/** It was taken: waits until it is executed, since what follows is in order behind it. */
CW_DEFAULT_PORT_HELD
static void await_taken(cw_way_t *way)
{
    cw_wait_t w = CW_WAIT_DEAF("collected operations to be executed at another node");
    cw_bundles.sending = true;
    // pairs with the flusher's release
    while (atomic_load_explicit(&way->open->state, memory_order_acquire) != CW_BUNDLE_FREE)
        cw_wait_round(&w);
    cw_wait_done(&w);
    cw_bundles.sending = false;
    cw_bundles.messages++;
    cw_bundles.prompt = 0;
    cw_bundles.stats.sent[CW_BUNDLE_BY_SERVER]++;
    cw_bundles.stats.nbytes += way->open->nbytes;
    if (way->fetches)
        cw_fetches_take(way->fetches, way->open->word, way->open->answers);
    way->fetches = NULL;
    end(way);
}

/** A PE that was interrupted once is prompt all the same. */
CW_DEFAULT_PORT_HELD
static void count_prompt(bool prompt)
{
    uint32_t now = cw_bundles.prompt;
    if (prompt)
        cw_bundles.prompt = now < PROMPT_MOST ? now + 1 : now;
    else
        cw_bundles.prompt = now > PROMPT_LESS ? now - PROMPT_LESS : 0;
}

/** Sends a bundle that this PE has claimed. */
CW_DEFAULT_PORT_HELD
static void send(cw_way_t *way, cw_bundle_reason_t reason)
{
    cw_bundle_t *b = way->open;
    cw_bundles.sending = true;
    cw_bundles.messages++;
    count_prompt(cwu_now_ns() - way->opened_ns < PROMPT_NS);
    cw_bundles.stats.sent[reason]++;
    cw_bundles.stats.nbytes += b->nbytes;
    cw_bundles.sent = true;
    if (way->puts)
        cw_bundles_note(cw_bundles_due() | CW_BUNDLES_PUTS);
    b->req.header = (cwt_header_t){.op = CW_REQ_BATCH};
    cwt_reply_t *reply = way->fetches ? cw_fetches_reply(way->fetches) : NULL;
    way->fetches = NULL;  // the reply frees it
    bool last = reason == CW_BUNDLE_QUIET || reason == CW_BUNDLE_FENCE;
    int rc = (last ? cw_transport->last_request : cw_transport->request)(way->conn, &b->req.header,
                                                                         b->nbytes, reply);
    cw_bundles.sending = false;
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("sending collected operations failed (%s)", cwu_error_name(rc));
    }
    atomic_store_explicit(&b->state, CW_BUNDLE_FREE, memory_order_relaxed);
    end(way);
    way->sent_ns = cwu_now_ns();
}

// ---------------------------------------------------------------- collecting
void cw_bundles_proved(void)
{
    cw_bundles.sent = cw_bundles.fenced = false;
    cw_bundles_note(cw_bundles_due() & CW_BUNDLES_BUSY);
}

/** What the flusher sends may overtake what this PE has sent. Behind a fence it must not, so all
 *  that was sent has to be executed first. */
CW_DEFAULT_PORT_HELD
static void prove(void)
{
    int rc = cw_transport->quiet(cw_port_default.client);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("a fence failed (%s)", cwu_error_name(rc));
    }
    cw_bundles_proved();
}

/** Nothing is collected for the node. Is the operation one of many, as messages are? */
CW_DEFAULT_PORT_HELD
static bool is_flooded(cw_way_t *way, unsigned kind, const cw_bundle_order_t *order)
{
    bool fenced = cw_bundles.fenced && !order;  // the begin of one in order is proved anyway
    cw_bundles_note(cw_bundles_due() | CW_BUNDLES_BUSY);
    if (kind == CW_BATCH_MESSAGE) {
        if (cw_bundles.fenced)
            prove();  // it is in order behind nothing, but operations may join its bundle
        return true;
    }
    if (way->pauses != cw_bundles.pauses) {
        way->pauses = cw_bundles.pauses;
        way->ops = 0;
    }
    if (way->ops < (fenced ? FIRST_FENCED : FIRST)) {
        way->ops++;
        return false;
    }
    if (fenced)
        prove();
    uint64_t now = cwu_now_ns(), since = now - way->sent_ns;
    way->sent_ns = now;
    return since <= IDLE_NS;
}

CW_DEFAULT_PORT_HELD
static void send_off(cw_way_t *way, cw_bundle_reason_t reason)
{
    bool aged;
    if (claim(way->open, &aged))
        send(way, reason);
    else
        await_taken(way);
}

/** A bundle for operations in order: what the flusher sends overtakes nothing. Behind what was sent
 *  otherwise, what is collected for other nodes is proved, too. */
CW_DEFAULT_PORT_HELD
static cw_bundle_t *begin_ordered(cw_way_t *way, cw_bundle_order_t *order)
{
    while (order->behind && cw_bundles.filled)
        send_off(cw_bundles.filled, CW_BUNDLE_ORDER);
    prove();
    order->proved = order->behind;
    cw_bundle_t *b = begin(way);
    way->proved = b != NULL;
    return b;
}

/** A bundle with room for a record, which this PE has claimed; NULL: all are in use. */
CW_DEFAULT_PORT_HELD
static CW_ALWAYS_INLINE cw_bundle_t *bundle_for(cw_way_t *way, size_t record, size_t answer,
                                                cw_bundle_order_t *order, bool *aged_p)
{
    *aged_p = false;
    if (way->open && CW_UNLIKELY(!claim(way->open, aged_p))) {
        await_taken(way);
        *aged_p = false;
    }
    if (way->open && (way->open->nbytes + record > way->most ||
                      way->open->answers + answer > CW_BATCH_ANSWERS)) {
        send(way, CW_BUNDLE_FULL);
        *aged_p = false;
    }
    if (CW_LIKELY(way->open != NULL))
        return way->open;
    return order ? begin_ordered(way, order) : begin(way);
}

/** Must the flusher look now? If it rests it comes by itself, late enough to find nothing of a PE
 *  that goes on sending its bundles soon. */
CW_DEFAULT_PORT_HELD
static bool must_wake(void)
{
    uint32_t flusher = atomic_load(&cw_flusher()->state);
    return CW_UNLIKELY(flusher == CW_FLUSHER_ASLEEP) ||
           (flusher == CW_FLUSHER_RESTS && cw_bundles.prompt < PROMPT);
}

/** Lets the flusher see a bundle. */
CW_DEFAULT_PORT_HELD
static void publish(cw_bundle_t *b, bool is_new)
{
    if (CW_LIKELY(!is_new)) {
        atomic_store_explicit(&b->state, CW_BUNDLE_OPEN, memory_order_release);
        return;
    }
    uint32_t serial = atomic_load_explicit(&b->serial, memory_order_relaxed);
    atomic_store_explicit(&b->serial, serial + 1, memory_order_relaxed);
    // seq_cst: before the look at the flusher, which announces its sleep before it looks at bundles
    atomic_store(&b->state, CW_BUNDLE_OPEN);
    if (must_wake())
        cw_flusher_wake();
}

/** What is open is no bundle for an operation in order. */
CW_DEFAULT_PORT_HELD
static void part(cw_way_t *way, const cw_bundle_order_t *order)
{
    if (order && way->open && (order->behind || !way->proved))
        send_off(way, CW_BUNDLE_ORDER);
}

CW_DEFAULT_PORT_HELD
static CW_ALWAYS_INLINE bool append(cw_way_t *way, uint64_t offset, unsigned kind, const void *src,
                                    size_t nbytes, cw_bundle_order_t *order)
{
    size_t words = 1 + (nbytes + 7) / 8;
    bool aged;
    part(way, order);
    if (offset > CW_BATCH_OFFSET_MAX || (nbytes > PUT_MOST && way->most < CW_BUNDLE_MAX) ||
        (!way->open && !is_flooded(way, kind, order)))
        return false;
    cw_bundle_t *b = bundle_for(way, words * sizeof(uint64_t), 0, order, &aged);
    if (!b)
        return false;
    bool is_new = b->nbytes == sizeof b->req;
    uint64_t *at = &b->word[(b->nbytes - sizeof b->req) / sizeof *at];
    at[words - 1] = 0;  // what pads the last word
    at[0] = CW_BATCH_RECORD(offset, kind, nbytes);
    if (nbytes == 8)
        memcpy(at + 1, src, 8);
    else
        memcpy(at + 1, src, nbytes);
    b->nbytes += (uint32_t)(words * sizeof *at);
    cw_bundles.stats.operations++;
    way->puts |= kind == CW_BATCH_PUT;
    if (CW_UNLIKELY(aged))
        send(way, CW_BUNDLE_TOO_OLD);
    else
        publish(b, is_new);
    return true;
}

static CW_ALWAYS_INLINE bool collect(cw_path_t *path, const void *addr, unsigned kind,
                                     const void *src, size_t nbytes, cw_bundle_order_t *order)
{
    cw_port_enter(&cw_port_default);
    bool taken = append(path->way, (uintptr_t)addr + path->direct.offset, kind, src, nbytes, order);
    if (taken)
        cw_ctx_mark(&cw_ctx_default);
    cw_port_leave(&cw_port_default);
    return taken;
}

bool cw_bundle_collect(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                       size_t nbytes)
{
    return collect(path, addr, kind, src, nbytes, NULL);
}

bool cw_bundle_collect_message(cw_path_t *path, uint64_t field, const void *src, size_t nbytes)
{
    cw_port_enter(&cw_port_default);
    bool taken = append(path->way, field, CW_BATCH_MESSAGE, src, nbytes, NULL);
    cw_port_leave(&cw_port_default);
    return taken;
}

/** A record that asks for a value, which goes to dest in quiet at the latest. */
typedef struct fetch {
    const void *addr;
    unsigned kind, field;  // CW_BATCH_...; what stands for nbytes in the record
    uint32_t noperands;
    uint64_t operand[2];
    void *dest;
    size_t nbytes;
} fetch_t;

CW_DEFAULT_PORT_HELD
static bool append_fetch(cw_way_t *way, uint64_t offset, const fetch_t *f, cw_bundle_order_t *order)
{
    size_t words = 1 + f->noperands, answer = (f->nbytes + 7) & ~(size_t)7;
    bool aged;
    part(way, order);
    if (offset > CW_BATCH_OFFSET_MAX || (!way->open && !is_flooded(way, f->kind, order)))
        return false;
    cw_bundle_t *b = bundle_for(way, words * sizeof(uint64_t), answer, order, &aged);
    if (!b)
        return false;
    bool is_new = b->nbytes == sizeof b->req;
    uint64_t *at = &b->word[(b->nbytes - sizeof b->req) / sizeof *at];
    at[0] = CW_BATCH_RECORD(offset, f->kind, f->field);
    memcpy(at + 1, f->operand, f->noperands * sizeof *at);
    b->nbytes += (uint32_t)(words * sizeof *at);
    b->answers += (uint32_t)answer;
    cw_fetches_add(&way->fetches, f->dest, f->nbytes);
    cw_bundles.stats.operations++;
    if (CW_UNLIKELY(aged))
        send(way, CW_BUNDLE_TOO_OLD);
    else
        publish(b, is_new);
    return true;
}

static bool collect_fetch(cw_path_t *path, const fetch_t *f, cw_bundle_order_t *order)
{
    cw_port_enter(&cw_port_default);
    bool taken = append_fetch(path->way, (uintptr_t)f->addr + path->direct.offset, f, order);
    if (taken)
        cw_ctx_mark(&cw_ctx_default);
    cw_port_leave(&cw_port_default);
    return taken;
}

// ---------------------------------------------------------------- operations that are looked at
/** Does the context collect operations of that kind? */
static CW_ALWAYS_INLINE bool looks(cw_ctx_t *ctx, const _Atomic bool *kind)
{
    bool any = ctx == &cw_ctx_default && cw_bundles_take(&cw_bundles.atomics);
    __atomic_store_n(&ctx->direct, any ? 0 : INT32_MAX, __ATOMIC_RELAXED);
    if (!any || !cw_bundles_take(kind))
        return false;
    atomic_store_explicit(&cw_bundles.looked, true, memory_order_relaxed);
    return true;
}

bool cw_bundle_look_put(cw_ctx_t *ctx, const cwt_target_t *t, const void *dest, const void *src,
                        size_t nbytes)
{
    return looks(ctx, &cw_bundles.puts) && nbytes - 1 < CW_BUNDLE_PUT_MAX &&
           cw_bundle_collect(cw_path_of_record(t), dest, CW_BATCH_PUT, src, nbytes);
}

static bool collect_get(cw_path_t *path, void *dest, const void *src, size_t nbytes,
                        cw_bundle_order_t *order)
{
    fetch_t f = {.addr = src, .kind = CW_BATCH_GET, .dest = dest, .nbytes = nbytes};
    f.field = (unsigned)nbytes;
    return collect_fetch(path, &f, order);
}

/** Gets are collected where puts are. */
bool cw_bundle_look_get(cw_ctx_t *ctx, const cwt_target_t *t, void *dest, const void *src,
                        size_t nbytes)
{
    return looks(ctx, &cw_bundles.puts) && nbytes - 1 < CW_BUNDLE_GET_MAX &&
           collect_get(cw_path_of_record(t), dest, src, nbytes, NULL);
}

bool cw_bundle_look_ordered(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                            size_t nbytes, cw_bundle_order_t *order)
{
    return looks(&cw_ctx_default, &cw_bundles.ordered) && nbytes - 1 < CW_BUNDLE_PUT_MAX &&
           collect(path, addr, kind, src, nbytes, order);
}

bool cw_bundle_look_get_ordered(cw_path_t *path, void *dest, const void *src, size_t nbytes,
                                cw_bundle_order_t *order)
{
    return looks(&cw_ctx_default, &cw_bundles.ordered) && nbytes - 1 < CW_BUNDLE_GET_MAX &&
           collect_get(path, dest, src, nbytes, order);
}

bool cw_bundle_look_amo(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr, cw_amo_op_t op,
                        size_t nbytes, uint64_t operand)
{
    return looks(ctx, &cw_bundles.atomics) && op != CW_AMO_FETCH &&
           cw_bundle_collect(cw_path_of_record(t), addr, CW_BATCH_AMO + (unsigned)op, &operand,
                             nbytes);
}

bool cw_bundle_look_fetch(cw_ctx_t *ctx, const cwt_target_t *t, void *fetch, const void *addr,
                          cw_amo_op_t op, size_t nbytes, uint64_t operand, uint64_t compare)
{
    if (!looks(ctx, &cw_bundles.atomics))
        return false;
    fetch_t f = {.addr = addr,
                 .kind = CW_BATCH_FETCH,
                 .field = CW_BATCH_FETCHING(op, nbytes),
                 .noperands = op == CW_AMO_CSWAP ? 2 : 1,
                 .operand = {operand, compare},
                 .dest = fetch,
                 .nbytes = nbytes};
    return collect_fetch(cw_path_of_record(t), &f, NULL);
}

// ---------------------------------------------------------------- pauses
/** A pause: is what follows looked at from its first operation on? It is after bundles that paid,
 *  and after more operations than a group has. One interval with nothing collected leaves it so,
 *  since programs set a flag between floods. */
CW_DEFAULT_PORT_HELD
static void judge(void)
{
    cw_bundles_t *all = &cw_bundles;
    uint64_t records = all->stats.operations - all->counted;
    bool looked = atomic_exchange_explicit(&all->looked, false, memory_order_relaxed);
    uint64_t full = all->stats.sent[CW_BUNDLE_FULL] - all->counted_full;
    bool paid = all->messages > 0 && records + PAYS * full >= PAYS * all->messages;
    all->few = all->messages == 0 && all->at_once == 0 ? all->few + 1 : 0;
    if (paid)
        all->group = least;
    if (paid || (all->at_once > 0 && looked)) {
        all->at_once = 0;
    } else if (all->at_once == 0 && (all->messages > 0 || all->few >= FEW_MOST)) {
        all->at_once = all->group;
        if (all->messages > 0 && all->group < GROUP_MOST)
            all->group *= 2;
        all->few = 0;
    }
    all->messages = 0;
    all->counted = all->stats.operations;
    all->counted_full = all->stats.sent[CW_BUNDLE_FULL];
}

void cw_bundles_send_locked(cw_bundle_reason_t reason)
{
    cw_bundles.pauses++;
    while (cw_bundles.filled)
        send_off(cw_bundles.filled, reason);
    judge();
    cw_bundles_rest();
    // last: another thread that reads it takes its own operations for sent, and overtakes them
    // else, since sending may wait
    cw_bundles_note(cw_bundles_due() & CW_BUNDLES_PUTS);
}

void cw_bundles_flush_locked(void)
{
    while (cw_bundles.filled)
        send_off(cw_bundles.filled, CW_BUNDLE_ORDER);
}

void cw_bundles_flush(void)
{
    cw_port_enter(&cw_port_default);
    cw_bundles_flush_locked();
    cw_port_leave(&cw_port_default);
}

void cw_bundles_send(cw_bundle_reason_t reason)
{
    cw_port_enter(&cw_port_default);
    cw_bundles_send_locked(reason);
    cw_port_leave(&cw_port_default);
}

void cw_bundles_try_send(void)
{
    if (!(cw_bundles_due() & CW_BUNDLES_BUSY) || !cw_port_try_enter(&cw_port_default))
        return;
    if (!cw_bundles.sending)
        cw_bundles_send_locked(CW_BUNDLE_WAIT);
    cw_port_leave(&cw_port_default);
}

/** Gets stay behind puts, but not behind requests. */
void cw_bundles_before_get(void)
{
    cw_port_enter(&cw_port_default);
    cw_bundles_send_locked(CW_BUNDLE_ORDER);
    bool puts = cw_bundles_due() & CW_BUNDLES_PUTS;
    int rc = puts ? cw_transport->fence(cw_port_default.client) : 0;
    cw_bundles_note(cw_bundles_due() & CW_BUNDLES_BUSY);
    cw_port_leave(&cw_port_default);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("a get behind collected puts failed (%s)", cwu_error_name(rc));
    }
}
