// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_TRACE: a record as trace events of Chrome's JSON form, in pieces. Spans that were open
// when the record ended have no end. Arrows join a message and its handler; counters have the bytes
// of transfers and messages so far.
#include <inttypes.h>
#include <string.h>

#include "core/report/record.h"

enum { LONGEST_ITEM = 1024, SAMPLE_NS = 100000 };

void cw_trace_begin(FILE *out)
{
    fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"producer\": "
          "\"Causeway " CAUSEWAY_VERSION "\"},\n"
          "\"traceEvents\": [\n",
          out);
}

void cw_trace_end(FILE *out)
{
    fputs("\n]}\n", out);
}

void cw_trace_text_open(cw_trace_text_t *t, const cw_view_t *view, int64_t offset_ns, bool is_first)
{
    uint64_t all = view->head->added;
    *t = (cw_trace_text_t){.view = view,
                           .count = all < view->capacity ? all : view->capacity,
                           .offset_ns = offset_ns,
                           .is_first = is_first};
}

/** Names the tracks; notes how many spans were dropped. */
static size_t put_head(const cw_trace_text_t *t, char *text, size_t room)
{
    const cw_record_t *r = t->view->head;
    uint64_t all = r->added, dropped = all > t->count ? all - t->count : 0;
    return (size_t)snprintf(
        text, room,
        "%s{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"args\": {\"name\": "
        "\"PE %d (node %d, host %.60s)\"}},\n"
        "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": %d, \"args\": "
        "{\"sort_index\": %d}},\n"
        "{\"ph\": \"M\", \"name\": \"causeway_dropped\", \"pid\": %d, \"args\": "
        "{\"events\": %" PRIu64 "}}",
        t->is_first ? "" : ",\n", r->pe, r->pe, r->node, r->host, r->pe, r->pe, r->pe, dropped);
}

/** Microseconds with three decimals, exactly. */
static size_t put_us(char *text, size_t room, const char *key, int64_t ns)
{
    uint64_t n = (uint64_t)(ns < 0 ? 0 : ns);
    return (size_t)snprintf(text, room, ", \"%s\": %" PRIu64 ".%03u", key, n / 1000,
                            (unsigned)(n % 1000));
}

/** Names are the library's, but memory may have been overwritten. */
static void clean_name(const cw_trace_text_t *t, const cw_event_t *e, char name[CW_NAME_NBYTES])
{
    memcpy(name, e->name < CW_TRACE_NAMES ? t->view->names[e->name] : "?", CW_NAME_NBYTES - 1);
    name[CW_NAME_NBYTES - 1] = '\0';
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
}

static size_t put_span(const cw_trace_text_t *t, char *text, size_t room, const cw_event_t *e)
{
    bool open = e->ns == CW_EVENT_OPEN;
    char name[CW_NAME_NBYTES];
    const char *kind = e->op < CW_OP_TRANSFERS  ? "transfer"
                       : e->op == CW_OP_WAIT    ? "wait"
                       : e->op == CW_OP_HANDLER ? "handler"
                                                : "call";
    clean_name(t, e, name);
    size_t n = (size_t)snprintf(
        text, room,
        ",\n{\"ph\": \"%s\", \"name\": \"%s\", \"cat\": \"%s\", \"pid\": %d, \"tid\": %u",
        open ? "B" : "X", name, kind, t->view->head->pe, e->thread);
    // before PE 0 began
    int64_t start = (int64_t)e->start_ns + t->offset_ns, early = start < 0 ? -start : 0;
    n += put_us(text + n, room - n, "ts", start + early);
    if (!open)
        n += put_us(text + n, room - n, "dur", (int64_t)e->ns - early);
    if (e->pe >= 0)
        n += (size_t)snprintf(text + n, room - n,
                              ", \"args\": {\"pe\": %d, \"bytes\": %" PRIu64 "}", e->pe, e->nbytes);
    else if (e->nbytes)
        n +=
            (size_t)snprintf(text + n, room - n, ", \"args\": {\"bytes\": %" PRIu64 "}", e->nbytes);
    n += (size_t)snprintf(text + n, room - n, "}");
    return n;
}

/** One end of an arrow. Requests and replies from one PE to another are numbered apart. */
static size_t put_flow(const cw_trace_text_t *t, char *text, size_t room, const cw_event_t *e)
{
    bool arrives = e->op == CW_OP_HANDLER;
    int me = t->view->head->pe, from = arrives ? e->pe : me, to = arrives ? me : e->pe;
    size_t n = (size_t)snprintf(
        text, room,
        ",\n{\"ph\": \"%s\", \"name\": \"%s\", \"cat\": \"message\", \"id\": \"%c%d-%d-%u\", "
        "\"pid\": %d, \"tid\": %u%s",
        arrives ? "f" : "s", e->is_reply ? "reply" : "request", e->is_reply ? 'r' : 'q', from, to,
        e->flow, me, e->thread, arrives ? ", \"bp\": \"e\"" : "");
    n += put_us(text + n, room - n, "ts", (int64_t)e->start_ns + t->offset_ns);
    n += (size_t)snprintf(text + n, room - n, "}");
    return n;
}

static void count(cw_trace_text_t *t, const cw_event_t *e)
{
    bool put = e->op < CW_OP_GET || e->op == CW_OP_ATOMIC;
    if (e->op < CW_OP_TRANSFERS)
        t->totals[put ? 0 : 1] += e->nbytes;
    else if (e->op == CW_EVENT_SENT)
        t->totals[2] += e->nbytes;
}

static size_t put_counters(cw_trace_text_t *t, char *text, size_t room, const cw_event_t *e)
{
    bool is_last = t->next == t->count;
    if (!is_last && e->start_ns < t->sampled_ns + SAMPLE_NS)
        return 0;
    t->sampled_ns = e->start_ns;
    size_t n = (size_t)snprintf(
        text, room, ",\n{\"ph\": \"C\", \"name\": \"bytes moved\", \"pid\": %d", t->view->head->pe);
    n += put_us(text + n, room - n, "ts", (int64_t)e->start_ns + t->offset_ns);
    n += (size_t)snprintf(text + n, room - n,
                          ", \"args\": {\"put\": %" PRIu64 ", \"got\": %" PRIu64
                          ", \"messages\": %" PRIu64 "}}",
                          t->totals[0], t->totals[1], t->totals[2]);
    return n;
}

size_t cw_trace_text_next(void *text, char *piece, size_t room)
{
    cw_trace_text_t *t = text;
    size_t used = 0;
    if (!t->head_done) {
        used += put_head(t, piece, room);
        t->head_done = true;
    }
    while (t->next < t->count && room - used >= LONGEST_ITEM) {
        const cw_event_t *e = &t->view->events[t->next++];
        if (!e->start_ns)
            continue;  // a process ended between taking the place and filling it
        if (e->op != CW_EVENT_SENT)
            used += put_span(t, piece + used, room - used, e);
        if (e->flow)
            used += put_flow(t, piece + used, room - used, e);
        count(t, e);
        used += put_counters(t, piece + used, room - used, e);
    }
    return used;
}
