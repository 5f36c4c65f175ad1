// SPDX-License-Identifier: BSD-3-Clause
//
// The buffer of spans, and the file that PE 0 writes from all buffers.
#include "core/report/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/report/parcel.h"
#include "core/report/stats.h"
#include "core/world/startup.h"

typedef struct event {
    const char *name;
    uint64_t start_ns, ns, nbytes;
    int32_t pe;
    uint16_t thread;
    uint16_t op;
} event_t;
_Static_assert(sizeof(event_t) == 40, "what CAUSEWAY_TRACE_EVENTS costs each");

static event_t *events;
static size_t capacity;
static _Atomic uint64_t added;      // including the dropped ones
static _Atomic uint32_t nthreads;

static int open_trace(unsigned *wants_p)
{
    atomic_store(&added, 0);
    if (!cwu_env.trace)
        return CW_OK;
    if (cw_world.pe == 0) {
        FILE *probe = fopen(cwu_env.trace, "we");
        if (!probe)
            cwu_fatal("cannot write the trace to %s (CAUSEWAY_TRACE): %m", cwu_env.trace);
        fclose(probe);
    }
    capacity = (size_t)cwu_env.trace_events;
    events = malloc(capacity * sizeof *events);
    if (!events) {
        cwu_error("out of memory for %zu trace events; set CAUSEWAY_TRACE_EVENTS lower", capacity);
        return CW_ENOMEM;
    }
    cw_parcel_open();
    *wants_p = CW_OBSERVES | CW_OBSERVES_TRANSFERS | CW_OBSERVES_TIMES;
    return CW_OK;
}

static void close_trace(void)
{
    free(events);
    events = NULL;
}

static uint16_t thread_number(void)
{
    static _Thread_local uint32_t mine;  // + 1
    if (!mine)
        mine = atomic_fetch_add_explicit(&nthreads, 1, memory_order_relaxed) + 1;
    return (uint16_t)(mine - 1);
}

static void add_frame(const cw_frame_t *frame, uint64_t ns, bool outermost)
{
    (void)outermost;
    uint64_t i = atomic_fetch_add_explicit(&added, 1, memory_order_relaxed);
    if (i >= capacity)
        return;
    events[i] = (event_t){.name = frame->name,
                          .start_ns = frame->start_ns,
                          .ns = ns,
                          .nbytes = frame->nbytes,
                          .pe = frame->pe,
                          .thread = thread_number(),
                          .op = (uint16_t)frame->op};
}

// ---------------------------------------------------------------- the file

typedef struct writer {
    uint64_t next, count;
    int64_t offset_ns;
    bool head_done;
} writer_t;

enum { LONGEST_ITEM = 512 };

/** Names the tracks; notes how many spans were dropped. */
static int put_head(char *text, size_t room)
{
    char host[64] = "";
    uint64_t all = atomic_load(&added), dropped = all > capacity ? all - capacity : 0;
    gethostname(host, sizeof host - 1);
    return snprintf(text, room,
                    "%s{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"args\": "
                    "{\"name\": \"PE %d (node %d, host "
                    "%.60s)\"}},\n"
                    "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": %d, \"args\": "
                    "{\"sort_index\": %d}},\n"
                    "{\"ph\": \"M\", \"name\": \"causeway_dropped\", \"pid\": %d, \"args\": "
                    "{\"events\": %" PRIu64 "}}",
                    cw_world.pe ? ",\n" : "", cw_world.pe, cw_world.pe, cw_world.node, host,
                    cw_world.pe, cw_world.pe, cw_world.pe, dropped);
}

/** Microseconds with three decimals, exactly. */
static int put_us(char *text, size_t room, const char *key, int64_t ns)
{
    uint64_t n = (uint64_t)(ns < 0 ? 0 : ns);
    return snprintf(text, room, ", \"%s\": %" PRIu64 ".%03u", key, n / 1000, (unsigned)(n % 1000));
}

static int put_event(char *text, size_t room, const event_t *e, int64_t offset_ns)
{
    const char *kind = e->op < CW_OP_TRANSFERS  ? "transfer"
                       : e->op == CW_OP_WAIT    ? "wait"
                       : e->op == CW_OP_HANDLER ? "handler"
                                                : "call";
    int n =
        snprintf(text, room,
                 ",\n{\"ph\": \"X\", \"name\": \"%s\", \"cat\": \"%s\", \"pid\": %d, \"tid\": %u",
                 e->name, kind, cw_world.pe, e->thread);
    // before PE 0 began
    int64_t start = (int64_t)e->start_ns + offset_ns, early = start < 0 ? -start : 0;
    n += put_us(text + n, room - (size_t)n, "ts", start + early);
    n += put_us(text + n, room - (size_t)n, "dur", (int64_t)e->ns - early);
    if (e->pe >= 0)
        n += snprintf(text + n, room - (size_t)n,
                      ", \"args\": {\"pe\": %d, \"bytes\": %" PRIu64 "}", e->pe, e->nbytes);
    else if (e->nbytes)
        n +=
            snprintf(text + n, room - (size_t)n, ", \"args\": {\"bytes\": %" PRIu64 "}", e->nbytes);
    n += snprintf(text + n, room - (size_t)n, "}");
    return n;
}

static size_t next_piece(void *arg, char *text, size_t room)
{
    writer_t *w = arg;
    size_t used = 0;
    if (!w->head_done) {
        used += (size_t)put_head(text, room);
        w->head_done = true;
    }
    while (w->next < w->count && room - used >= LONGEST_ITEM)
        used += (size_t)put_event(text + used, room - used, &events[w->next++], w->offset_ns);
    return used;
}

static void write_text(void *arg, const char *text, size_t nbytes)
{
    fwrite(text, 1, nbytes, arg);
}

static void finish_trace(void)
{
    uint64_t all = atomic_load(&added);
    writer_t w = {.count = all < capacity ? all : capacity};
    w.offset_ns = cw_parcel_clock_offset(cw_startup_begin_ns());
    if (all > capacity)
        cwu_warn("the trace lacks the last %llu events of this PE: set CAUSEWAY_TRACE_EVENTS to "
                 "%llu or more",
                 (unsigned long long)(all - capacity), (unsigned long long)all);
    FILE *file = NULL;
    if (cw_world.pe == 0) {
        file = fopen(cwu_env.trace, "we");
        if (!file)
            cwu_fatal("cannot write the trace to %s (CAUSEWAY_TRACE): %m", cwu_env.trace);
        fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"producer\": "
              "\"Causeway " CAUSEWAY_VERSION "\"},\n"
              "\"traceEvents\": [\n",
              file);
    }
    cw_parcel_gather(next_piece, &w, write_text, file);
    if (!file)
        return;
    fputs("\n]}\n", file);
    bool failed = ferror(file) != 0;
    if (fclose(file) || failed)
        cwu_error("the trace in %s is incomplete: %m", cwu_env.trace);
}

const cw_observer_t cw_trace_observer = {
    .open = open_trace, .ended = add_frame, .finish = finish_trace, .close = close_trace};
