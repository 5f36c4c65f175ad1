// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles, on their PE's side.
#include "core/path/bundle.h"

#include <string.h>

#include "base/clock.h"
#include "base/env.h"
#include "core/path/scatter.h"
#include "core/progress/wait.h"
#include "core/route/setting.h"

#define PUT_MOST 256u  // bytes of a put in short messages

static struct {
    cw_bundle_t *free[CW_BUNDLES];
    uint32_t nfree;
    bool puts_in_order;
} bundles CW_DEFAULT_PORT_GUARDS;

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

CW_DEFAULT_PORT_HELD
static void choose_puts(void)
{
    bool may = cw_bundles.may;
    atomic_store_explicit(&cw_bundles.puts, may && !bundles.puts_in_order, memory_order_relaxed);
    atomic_store_explicit(&cw_bundles.ordered, may && bundles.puts_in_order, memory_order_relaxed);
}

void cw_bundles_open(void)
{
    bool possible = cw_bundles_possible() && !cw_transport->one_client();
    bool all = strcmp(cwu_env.aggregate, "on") == 0;
    cw_bundles.may = possible && (cw_transport->software() || all);
    atomic_store_explicit(&cw_bundles.atomics, possible, memory_order_relaxed);
    choose_puts();
    bundles.nfree = 0;
    cw_collect_rest(&cw_bundles.collect);
    if (!possible)
        return;
    cw_bundles.collect.flusher = &cw_flusher()->state;
    cw_collect_begin(&cw_bundles.collect, all);
    for (uint32_t i = 0; i < CW_BUNDLES; i++)
        bundles.free[bundles.nfree++] = &cw_bundles_of(cw_world.slot)[CW_BUNDLES - 1 - i];
}

void cw_ctx_puts_in_order(void)
{
    cw_port_enter(&cw_port_default);
    bundles.puts_in_order = true;
    choose_puts();
    cw_port_leave(&cw_port_default);
}

// ---------------------------------------------------------------- for the collector
static cw_way_t *way_of(cw_queue_t *q)
{
    return (cw_way_t *)(void *)q;
}

/** The flusher looks at no others: each lies in pages of its own. */
static void count_taken(const cw_bundle_t *b)
{
    uint32_t taken = (uint32_t)(b - cw_bundles_of(cw_world.slot)) + 1;
    _Atomic uint32_t *most = &cw_segment.slots[cw_world.slot].bundles;
    if (atomic_load_explicit(most, memory_order_relaxed) < taken)
        atomic_store(most, taken);  // seq_cst, as the bundle's state (cw_collect_publish_new)
}

static cw_bundle_t *take(cw_queue_t *q)
{
    cw_port_held(&cw_port_default);
    if (bundles.nfree == 0)
        return NULL;
    cw_bundle_t *b = bundles.free[--bundles.nfree];
    count_taken(b);
    atomic_store_explicit(&b->node, (uint32_t)way_of(q)->node, memory_order_relaxed);
    return b;
}

static void give(cw_queue_t *q, cw_bundle_t *b)
{
    cw_port_held(&cw_port_default);
    (void)q;
    bundles.free[bundles.nfree++] = b;
}

static void send(cw_queue_t *q, bool last)
{
    cw_way_t *way = way_of(q);
    cw_port_held(&cw_port_default);
    cwt_header_t *header = (cwt_header_t *)(void *)q->open->word;
    *header = (cwt_header_t){.op = CW_REQ_BATCH};
    cwt_reply_t *reply = way->values ? &way->values->reply : NULL;
    way->values = NULL;  // it frees itself
    int rc = (last ? cw_transport->last_request : cw_transport->request)(way->conn, header,
                                                                         q->open->nbytes, reply);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("sending collected operations failed (%s)", cwu_error_name(rc));
    }
}

static void await(cw_queue_t *q)
{
    cw_way_t *way = way_of(q);
    cw_port_held(&cw_port_default);
    cw_wait_t w = CW_WAIT_DEAF("collected operations to be executed at another node");
    // pairs with the flusher's release
    while (atomic_load_explicit(&q->open->state, memory_order_acquire) != CW_BUNDLE_FREE)
        cw_wait_round(&w);
    cw_wait_done(&w);
    if (way->values)
        cw_scatter_take(way->values, &q->open->word[CW_BUNDLE_HEADER / sizeof(uint64_t)],
                        q->open->answers);
    way->values = NULL;
}

static void prove(void)
{
    int rc = cw_transport->quiet(cw_port_default.client);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("a fence failed (%s)", cwu_error_name(rc));
    }
}

static const cw_collect_ops_t ops = {.take = take,
                                     .give = give,
                                     .send = send,
                                     .await = await,
                                     .prove = prove,
                                     .wake = cw_flusher_wake,
                                     .now_ns = cwu_now_ns};

#define CLOSED                                \
    {                                         \
        .collect = {                          \
            .ops = &ops,                      \
            .due = &cw_port_default.due,      \
            .looked = &cw_bundles.looked,     \
            .direct = &cw_ctx_default.direct, \
            .at_once = INT32_MAX              \
        }                                     \
    }
cw_bundles_t cw_bundles = CLOSED;

void cw_bundles_close(void)
{
    cw_port_enter(&cw_port_default);
    cw_bundles = (cw_bundles_t)CLOSED;
    cw_port_settle(&cw_port_default, CW_BUNDLES_AHEAD | CW_BUNDLES_UNPROVED);
    cw_port_leave(&cw_port_default);
}

// ---------------------------------------------------------------- collecting
CW_DEFAULT_PORT_HELD
static CW_ALWAYS_INLINE bool append(cw_way_t *way, uint64_t offset, unsigned kind, const void *src,
                                    size_t nbytes, cw_bundle_order_t *order)
{
    cw_collect_policy_t policy = kind == CW_BATCH_MESSAGE ? CW_COLLECT_MESSAGE : CW_COLLECT_FLOOD;
    return offset <= CW_BATCH_OFFSET_MAX &&
           (nbytes <= PUT_MOST || way->queue.most == CW_BUNDLE_MAX) &&
           cw_collect_append(&cw_bundles.collect, &way->queue,
                             CW_BATCH_RECORD(offset, kind, nbytes), src, nbytes,
                             kind == CW_BATCH_PUT, policy, order);
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

/** Asks for a value, which goes to dest in quiet at the latest. */
typedef struct fetch {
    const void *addr;
    unsigned kind, field;  // CW_BATCH_...; in place of the record's nbytes
    uint32_t noperands;
    uint64_t operand[2];
    void *dest;
    size_t nbytes;
} fetch_t;

CW_DEFAULT_PORT_HELD
static bool append_fetch(cw_way_t *way, uint64_t offset, const fetch_t *f, cw_bundle_order_t *order)
{
    size_t words = 1 + f->noperands, answer = (f->nbytes + 7) & ~(size_t)7;
    cw_room_t room;
    if (offset > CW_BATCH_OFFSET_MAX || !cw_collect_room(&cw_bundles.collect, &way->queue, words,
                                                         answer, CW_COLLECT_FLOOD, order, &room))
        return false;
    room.at[0] = CW_BATCH_RECORD(offset, f->kind, f->field);
    memcpy(room.at + 1, f->operand, f->noperands * sizeof *room.at);
    if (!way->values)
        way->values = cw_scatter_create(CW_BUNDLE_ANSWERS / sizeof *room.at, sizeof *room.at);
    if (!way->values)
        cwu_fatal("out of memory for where non-blocking fetches go");
    cw_scatter_add(way->values, f->dest, f->nbytes);
    cw_collect_end(&cw_bundles.collect, &way->queue, &room, words, answer, false);
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
void cw_bundles_flush(void)
{
    cw_port_enter(&cw_port_default);
    cw_collect_flush(&cw_bundles.collect, CW_BUNDLE_ORDER);
    cw_port_leave(&cw_port_default);
}

void cw_bundles_send(cw_bundle_reason_t reason)
{
    cw_port_enter(&cw_port_default);
    cw_collect_pause(&cw_bundles.collect, reason);
    cw_port_leave(&cw_port_default);
}

void cw_bundles_try_send(void)
{
    if (!(cw_bundles_due() & CW_BUNDLES_BUSY) || !cw_port_try_enter(&cw_port_default))
        return;
    if (!cw_bundles.collect.sending)
        cw_collect_pause(&cw_bundles.collect, CW_BUNDLE_WAIT);
    cw_port_leave(&cw_port_default);
}

void cw_bundles_proved(void)
{
    cw_port_held(&cw_port_default);
    cw_collect_proved(&cw_bundles.collect);
}

/** Gets stay behind puts, but not behind requests. */
void cw_bundles_before_get(void)
{
    cw_port_enter(&cw_port_default);
    cw_collect_pause(&cw_bundles.collect, CW_BUNDLE_ORDER);
    bool puts = cw_bundles_due() & CW_BUNDLES_PUTS;
    int rc = puts ? cw_transport->fence(cw_port_default.client) : 0;
    cw_collect_fenced_puts(&cw_bundles.collect);
    cw_port_leave(&cw_port_default);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("a get after collected puts failed (%s)", cwu_error_name(rc));
    }
}
