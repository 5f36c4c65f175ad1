// SPDX-License-Identifier: BSD-3-Clause
//
// The buffer of spans, and the file that PE 0 writes from all buffers.
#include "core/report/trace.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/report/parcel.h"
#include "core/report/region.h"
#include "core/world/startup.h"

#define DROPPED UINT64_MAX

static _Atomic(const char *) keys[CW_TRACE_NAMES] CW_LARGE;  // of the record's names

static struct {
    bool active;
    _Atomic uint32_t nthreads;
    // messages with each PE, [request or reply][PE], by which both ends of an arrow are numbered
    _Atomic uint32_t *sent[2], *handled[2];
} trace;
/** The number of the message that this thread is about to handle. */
static _Thread_local struct {
    uint32_t handled;
    bool is_reply;
    uint64_t began_ns;  // the last frame
} under_way;

static int open_numbers(void)
{
    uint32_t *all = calloc((size_t)cw_world.npes * 4, sizeof *all);
    for (int i = 0; all && i < 2; i++) {
        trace.sent[i] = (_Atomic uint32_t *)all + (size_t)cw_world.npes * (size_t)(2 * i);
        trace.handled[i] = trace.sent[i] + cw_world.npes;
    }
    if (!all)
        cwu_error("out of memory for the numbers of messages with %d PEs (CAUSEWAY_TRACE)",
                  cw_world.npes);
    return all ? CW_OK : CW_ENOMEM;
}

static int open_trace(unsigned *wants_p)
{
    trace.active = false;
    if (!cwu_env.trace)
        return CW_OK;
    if (cw_world.pe == 0) {
        FILE *probe = cw_report_file(cwu_env.trace);
        if (!probe)
            cwu_fatal("cannot write the trace to %s (CAUSEWAY_TRACE): %m", cwu_env.trace);
        fclose(probe);
    }
    int rc = cw_region_open();
    if (rc || (rc = open_numbers()))
        return rc;
    memset((void *)keys, 0, sizeof keys);
    trace.active = true;
    atomic_store(&cw_mine.head->trace_state, CW_RECORD_OPEN);
    cw_parcel_open();
    *wants_p = CW_OBSERVES | CW_OBSERVES_TRANSFERS | CW_OBSERVES_TIMES;
    return CW_OK;
}

static void close_trace(void)
{
    if (trace.active)
        cw_region_close();
    trace.active = false;
    free((void *)trace.sent[0]);
    trace.sent[0] = NULL;
}

static uint16_t thread_number(void)
{
    static _Thread_local uint32_t mine;  // + 1
    if (!mine)
        mine = atomic_fetch_add_explicit(&trace.nthreads, 1, memory_order_relaxed) + 1;
    return (uint16_t)(mine - 1);
}

/** Found by the address; names that are made for one wait are few. What does not fit has the last
 *  one. */
static uint16_t name_number(const char *name)
{
    size_t slot = ((uintptr_t)name >> 3) * 0x9e3779b97f4a7c15u >> 32;
    for (size_t n = 0; n < CW_TRACE_NAMES - 1; n++) {
        size_t i = (slot + n) % (CW_TRACE_NAMES - 1);
        const char *there = atomic_load_explicit(&keys[i], memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong_explicit(
                          &keys[i], &there, name, memory_order_relaxed, memory_order_relaxed)) {
            snprintf(cw_mine.names[i], CW_NAME_NBYTES, "%s", name);
            return (uint16_t)i;
        }
        if (there == name)
            return (uint16_t)i;
    }
    strcpy(cw_mine.names[CW_TRACE_NAMES - 1], "(another)");
    return CW_TRACE_NAMES - 1;
}

/** Takes a place for a span; it counts as written once it has a start. */
static void begin_frame(cw_frame_t *frame)
{
    uint64_t i = atomic_fetch_add_explicit(&cw_mine.head->added, 1, memory_order_relaxed);
    if (i >= cw_mine.capacity) {
        frame->event = DROPPED;
        return;
    }
    cw_event_t *e = &cw_mine.events[i];
    frame->event = i + 1;
    e->ns = CW_EVENT_OPEN;
    e->nbytes = frame->nbytes;
    e->pe = frame->pe;
    e->thread = thread_number();
    e->name = name_number(frame->name);
    e->op = (uint8_t)frame->op;
    if (frame->op == CW_OP_HANDLER) {
        e->flow = under_way.handled;
        e->is_reply = under_way.is_reply;
    }
    atomic_signal_fence(memory_order_release);
    under_way.began_ns = e->start_ns = frame->start_ns;
}

static void end_frame(const cw_frame_t *frame, uint64_t ns, bool outermost)
{
    (void)outermost;
    cw_frame_t late = *frame;
    if (!frame->event)
        begin_frame(&late);  // the start of the job
    if (late.event == DROPPED)
        return;
    cw_event_t *e = &cw_mine.events[late.event - 1];
    e->nbytes = frame->nbytes;
    e->ns = ns;
}

static uint32_t next(_Atomic uint32_t *numbers, int pe)
{
    return atomic_fetch_add_explicit(&numbers[pe], 1, memory_order_relaxed) + 1;
}

/** The beginning of an arrow, in the span that has begun last. */
static void message_sent(const cw_message_t *msg)
{
    uint64_t i = atomic_fetch_add_explicit(&cw_mine.head->added, 1, memory_order_relaxed);
    uint32_t number = next(trace.sent[msg->is_reply], msg->pe);
    if (i >= cw_mine.capacity)
        return;
    cw_event_t *e = &cw_mine.events[i];
    e->nbytes = msg->nbytes;
    e->pe = msg->pe;
    e->thread = thread_number();
    e->op = CW_EVENT_SENT;
    e->flow = number;
    e->is_reply = msg->is_reply;
    atomic_signal_fence(memory_order_release);
    // it has left already: its handler may have begun before now
    e->start_ns = under_way.began_ns ? under_way.began_ns : cwu_now_ns();
}

static void message_handled(const cw_message_t *msg)
{
    under_way.handled = next(trace.handled[msg->is_reply], msg->pe);
    under_way.is_reply = msg->is_reply;
}

// ---------------------------------------------------------------- the file

static void write_text(void *arg, const char *text, size_t nbytes)
{
    fwrite(text, 1, nbytes, arg);
}

static void finish_trace(void)
{
    uint64_t all = atomic_load(&cw_mine.head->added);
    cw_trace_text_t text;
    cw_trace_text_open(&text, &cw_mine, cw_parcel_clock_offset(cw_startup_begin_ns()),
                       cw_world.pe == 0);
    if (all > cw_mine.capacity)
        cwu_warn("the trace lacks the last %llu events of this PE: set CAUSEWAY_TRACE_EVENTS to "
                 "%llu or more",
                 (unsigned long long)(all - cw_mine.capacity), (unsigned long long)all);
    FILE *file = NULL;
    if (cw_world.pe == 0) {
        file = cw_report_file(cwu_env.trace);
        if (!file)
            cwu_fatal("cannot write the trace to %s (CAUSEWAY_TRACE): %m", cwu_env.trace);
        cw_trace_begin(file);
    }
    cw_parcel_gather(cw_trace_text_next, &text, write_text, file);
    atomic_store(&cw_mine.head->trace_state, CW_RECORD_DONE);
    if (!file)
        return;
    cw_trace_end(file);
    bool failed = ferror(file) != 0;
    if (fclose(file) || failed)
        cwu_error("the trace in %s is incomplete: %m", cwu_env.trace);
}

const cw_observer_t cw_trace_observer = {.open = open_trace,
                                         .began = begin_frame,
                                         .ended = end_frame,
                                         .message_sent = message_sent,
                                         .message_handled = message_handled,
                                         .finish = finish_trace,
                                         .close = close_trace};
