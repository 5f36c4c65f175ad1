// SPDX-License-Identifier: BSD-3-Clause
//
// Clients, handlers, and this PE's side of the inbox.
#include "core/am/am.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy/rows.h"
#include "core/am/private.h"
#include "core/mem/area.h"
#include "core/observe/address.h"
#include "core/observe/watch.h"
#include "core/world/agreement.h"

cw_am_buffers_t cw_am_buffers = {.log = CW_AM_BUFFER_LOG, .most = CW_AM_PACKET};
static const cw_am_wish_t *wish;

void cw_am_reserve(const cw_am_wish_t *it)
{
    wish = it;
}

size_t cw_am_max_medium(void)
{
    return cw_am_buffers.most;
}

/** Called once, at the layout of the node object. */
static uint64_t inbox_nbytes(void)
{
    size_t most = wish ? wish->nbytes() : CW_AM_PACKET;
    most = most < CW_AM_PACKET ? CW_AM_PACKET : most < CW_AM_MOST_MEDIUM ? most : CW_AM_MOST_MEDIUM;
    most = (most + 7) & ~(size_t)7;
    cw_am_buffers = (cw_am_buffers_t){.log = CW_AM_BUFFER_LOG, .most = (uint32_t)most};
    while ((size_t)1 << cw_am_buffers.log < most)
        cw_am_buffers.log++;
    cw_agreement.message_words = (uint16_t)(most / 8);
    if (wish)
        cw_agreement_message_setting = wish->setting;
    return cw_am_inbox_nbytes();
}

cw_section_t cw_am_section = {.in = CW_SECTION_SLICE, .align = 65536, .nbytes = inbox_nbytes};

static const _Atomic uint32_t nothing;  // where gates lead while no message can arrive
cw_am_gates_t cw_am_gates = {.request = {.turn = &nothing, .full = 1},
                             .reply = {.turn = &nothing, .full = 1},
                             .patience = INT32_MAX};
_Static_assert((int)CW_AM_SHORT == (int)CW_MESSAGE_SHORT &&
                   (int)CW_AM_MEDIUM == (int)CW_MESSAGE_MEDIUM &&
                   (int)CW_AM_LONG == (int)CW_MESSAGE_LONG,
               "observers see the same kinds");
cw_am_t cw_am CW_LARGE = {.poll_lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local cw_am_msg_t *cw_am_in_handler;

static cw_am_handler_t _Atomic handlers[CW_AM_CLIENTS][CW_AM_HANDLERS] CW_LARGE;
static cw_am_takes_t _Atomic takes_raw[CW_AM_CLIENTS];
static _Atomic bool closed[CW_AM_CLIENTS];  // in this epoch: what still comes is dropped

static void set_gate(cw_am_gate_t *gate, const _Atomic uint32_t *turn, uint32_t full)
{
    atomic_store_explicit(&gate->turn, turn, memory_order_relaxed);
    atomic_store_explicit(&gate->full, full, memory_order_relaxed);
}

static void open_ring(cw_am_ring_t *ring, cw_am_cell_t *cells, unsigned cells_log,
                      const _Atomic uint64_t *tail, cw_am_gate_t *gate)
{
    if (ring->cells != cells)  // a new epoch; else the consumer continues
        *ring = (cw_am_ring_t){.cells = cells, .cells_log = cells_log, .tail = tail, .gate = gate};
    uint64_t at = ring->head & ((UINT64_C(1) << cells_log) - 1);
    set_gate(gate, &cells[at].turn, cw_am_turn(ring->head, cells_log) + 1);
}

void cw_am_expect(void)
{
    cw_world.messages = true;
}

/** For fast paths within the node. */
static void open_near(void)
{
    uint64_t nbytes;
    if (!cw_am.near)
        cw_am.near = calloc((size_t)cw_world.npes, sizeof *cw_am.near);
    if (!cw_am.near)
        cwu_fatal("no memory for messages between %d PEs", cw_world.npes);
    cw_area_heap(&cw_am.heap_offset, &nbytes);
    cw_am.heap_distance = cw_am.heap_offset - cw_am_section.offset;
}

static void open_here(void)
{
    cw_world.messages = true;
    open_near();
    cw_am.mine = (cw_am_inbox_t *)(cw_segment.origin + cw_am_section.offset);
    cw_am.locked = cw_world.thread_multiple;
    if (!cw_am.request.cells)
        cw_am_credit_open();
    else
        cw_am.nfree = cw_am.nfree_shut;
    cw_am_poll_open();
    open_ring(&cw_am.request, cw_am.mine->request, CW_AM_REQUEST_CELLS_LOG,
              &cw_am.mine->request_tail, &cw_am_gates.request);
    open_ring(&cw_am.reply, cw_am.mine->reply, CW_AM_REPLY_CELLS_LOG, &cw_am.mine->reply_tail,
              &cw_am_gates.reply);
    atomic_store_explicit(&cw_am_gates.patience, 1, memory_order_relaxed);
    cw_am.pe = cw_world.pe;
    cw_am.npes = cw_world.npes;
    cw_progress_hooks.run_messages = cw_am_poll_waiting;
    cw_progress_hooks.awaits_replies = cw_am_awaits_replies;
    atomic_store_explicit(&cw_progress_hooks.messages_on, true, memory_order_release);
    cw_am.shared = cw_am.locked;
}

void cw_am_open(cw_am_client_t client, const cw_am_names_t *names)
{
    if (!cw_world.initialized)
        cwu_fatal("active messages before the job was joined (%s)", names->poll);
    if (client >= CW_AM_CLIENTS)
        cwu_fatal("%s: there is no client %u of active messages; they have numbers below %u",
                  names->poll, client, CW_AM_CLIENTS);
    if (cw_am.opened[client] && cw_am.names[client] != names)
        cwu_fatal("%s: client %u of active messages is %s already; each needs a number of its own",
                  names->poll, client, cw_am.names[client]->poll);
    cw_am.names[client] = names;
    cw_am.opened[client]++;
    atomic_store_explicit(&closed[client], false, memory_order_relaxed);
    if (!cw_am_is_on())
        open_here();
}

static void shut(void)
{
    set_gate(&cw_am_gates.request, &nothing, 1);
    set_gate(&cw_am_gates.reply, &nothing, 1);
    if (cw_am_is_on())
        cw_am.nfree_shut = cw_am.nfree;
    cw_am.nfree = 0;
    cw_am.npes = 0;
    atomic_store_explicit(&cw_progress_hooks.messages_on, false, memory_order_relaxed);
    cw_am.shared = false;
}

void cw_am_close(cw_am_client_t client)
{
    if (cw_am.opened[client] == 0 || --cw_am.opened[client] > 0)
        return;
    atomic_store_explicit(&closed[client], true, memory_order_relaxed);
    // behind `closed`, which a thread without a handler reads
    for (int i = 0; i < CW_AM_HANDLERS; i++)
        atomic_store_explicit(&handlers[client][i], NULL, memory_order_release);
    atomic_store_explicit(&takes_raw[client], NULL, memory_order_release);
    for (unsigned c = 0; c < CW_AM_CLIENTS; c++)
        if (cw_am.opened[c])
            return;
    shut();
}

void cw_am_init(void)
{
    cw_am_server_init();
    cw_am_back_init();
}

void cw_am_fini(void)
{
    if (!cw_world.messages)
        return;  // most programs have none and have touched nothing
    cw_world.messages = false;
    shut();
    cw_am_poll_fini();
    cw_am_back_fini();
    memset(cw_am.opened, 0, sizeof cw_am.opened);
    memset(closed, 0, sizeof closed);
    cw_am.request.cells = cw_am.reply.cells = NULL;
    free(cw_am.near);
    cw_am.near = NULL;
}

void cw_am_register(cw_am_client_t client, int index, cw_am_handler_t fn)
{
    if (index < 0 || index >= CW_AM_HANDLERS)
        cwu_fatal("there is no handler %d; they have numbers from 0 to %d", index,
                  CW_AM_HANDLERS - 1);
    // pairs with the load in cw_am_run
    atomic_store_explicit(&handlers[client][index], fn, memory_order_release);
}

cw_am_handler_t cw_am_registered(cw_am_client_t client, int index)
{
    bool known = index >= 0 && index < CW_AM_HANDLERS;
    return known ? atomic_load_explicit(&handlers[client][index], memory_order_acquire) : NULL;
}

void cw_am_take_raw(cw_am_client_t client, cw_am_takes_t takes)
{
    // pairs with the load in cw_am_place_raw
    atomic_store_explicit(&takes_raw[client], takes, memory_order_release);
}

/** After its client closed: its sender did not wait. */
static bool is_late(const cw_am_msg_t *msg)
{
    unsigned client = CW_AM_HEAD_CLIENT(msg->head);
    return client < CW_AM_CLIENTS && atomic_load_explicit(&closed[client], memory_order_relaxed);
}

void cw_am_place_raw(const cw_am_msg_t *msg, void *dest, const void *src)
{
    unsigned client = CW_AM_HEAD_CLIENT(msg->head);
    cw_am_takes_t takes = NULL;
    if (client < CW_AM_CLIENTS)
        takes = atomic_load_explicit(&takes_raw[client], memory_order_acquire);
    if (!takes && is_late(msg))
        return;
    if (!takes || !takes(msg, dest, msg->nbytes))
        cwu_fatal("PE %d sent a message (%s) with %zu bytes for %s, which is not in a segment that "
                  "others may write",
                  msg->source, cw_am_name(msg->head, msg->is_reply, msg->kind), msg->nbytes,
                  cw_at(dest, msg->nbytes));
    cwu_copy(dest, src, msg->nbytes);
}

const char *cw_am_name(uint32_t head, bool reply, cw_am_kind_t kind)
{
    static const char *const plain[3] = {"a short message", "a medium message", "a long message"};
    unsigned client = CW_AM_HEAD_CLIENT(head);
    return client < CW_AM_CLIENTS && cw_am.names[client] ? cw_am.names[client]->send[reply][kind]
                                                         : plain[kind];
}

cw_am_msg_t *cw_am_running(void)
{
    return cw_am_in_handler;
}

// ---------------------------------------------------------------- calling a handler

#define ARG1(a) , a[0]
#define ARG2(a) ARG1(a), a[1]
#define ARG3(a) ARG2(a), a[2]
#define ARG4(a) ARG3(a), a[3]
#define ARG5(a) ARG4(a), a[4]
#define ARG6(a) ARG5(a), a[5]
#define ARG7(a) ARG6(a), a[6]
#define ARG8(a) ARG7(a), a[7]
#define ARG9(a) ARG8(a), a[8]
#define ARG10(a) ARG9(a), a[9]
#define ARG11(a) ARG10(a), a[10]
#define ARG12(a) ARG11(a), a[11]
#define ARG13(a) ARG12(a), a[12]
#define ARG14(a) ARG13(a), a[13]
#define ARG15(a) ARG14(a), a[14]
#define ARG16(a) ARG15(a), a[15]

#define T1 , uint32_t
#define T2 T1, uint32_t
#define T3 T2, uint32_t
#define T4 T3, uint32_t
#define T5 T4, uint32_t
#define T6 T5, uint32_t
#define T7 T6, uint32_t
#define T8 T7, uint32_t
#define T9 T8, uint32_t
#define T10 T9, uint32_t
#define T11 T10, uint32_t
#define T12 T11, uint32_t
#define T13 T12, uint32_t
#define T14 T13, uint32_t
#define T15 T14, uint32_t
#define T16 T15, uint32_t

#define CALL_SHORT(n)                                       \
    case n:                                                 \
        ((void (*)(cw_am_msg_t * T##n)) fn)(msg ARG##n(a)); \
        break;
#define CALL_LOADED(n)                                                         \
    case n:                                                                    \
        ((void (*)(cw_am_msg_t *, void *, size_t T##n))fn)(msg, msg->payload,  \
                                                           msg->nbytes ARG##n(a)); \
        break;
#define EACH(call)                                                             \
    call(1) call(2) call(3) call(4) call(5) call(6) call(7) call(8)            \
    call(9) call(10) call(11) call(12) call(13) call(14) call(15) call(16)

static void call_short(cw_am_handler_t fn, cw_am_msg_t *msg, const uint32_t *a)
{
    switch (msg->nargs) {
        EACH(CALL_SHORT)
    default:
        ((void (*)(cw_am_msg_t *))fn)(msg);
    }
}

static void call_loaded(cw_am_handler_t fn, cw_am_msg_t *msg, const uint32_t *a)
{
    switch (msg->nargs) {
        EACH(CALL_LOADED)
    default:
        ((void (*)(cw_am_msg_t *, void *, size_t))fn)(msg, msg->payload, msg->nbytes);
    }
}

static CW_NOINLINE CW_COLD void no_handler(const cw_am_msg_t *msg)
{
    if (is_late(msg))
        return;
    cwu_fatal("PE %d sent a message (%s) for handler %u, which this PE has not registered; all PEs "
              "must register the same "
              "handlers before any of them sends",
              msg->source, cw_am_name(msg->head, msg->is_reply, msg->kind),
              CW_AM_HEAD_HANDLER(msg->head));
}

void cw_am_run(cw_am_msg_t *msg)
{
    unsigned client = CW_AM_HEAD_CLIENT(msg->head);
    cw_am_handler_t fn = NULL;
    if (CW_LIKELY(client < CW_AM_CLIENTS))
        fn = atomic_load_explicit(&handlers[client][CW_AM_HEAD_HANDLER(msg->head)],
                                  memory_order_acquire);
    if (CW_UNLIKELY(!fn)) {
        no_handler(msg);
        return;
    }
    uint32_t nfree = cw_am.nfree;
    cw_am_in_handler = msg;
    if (!cw_am.locked)
        cw_am.nfree = 0;  // keeps requests of the handler off the fast path
    if (msg->kind == CW_AM_SHORT)
        call_short(fn, msg, msg->args);
    else
        call_loaded(fn, msg, msg->args);
    if (!cw_am.locked)
        cw_am.nfree = nfree;
    cw_am_in_handler = NULL;
}
