// SPDX-License-Identifier: BSD-3-Clause
//
// Records as JSON, for CAUSEWAY_STATS=json:PATH and within pages. The format is described in
// docs/man/causeway-stats.5.md and by docs/causeway-stats.schema.json; a change of meaning needs a
// new "version".
#include <inttypes.h>
#include <string.h>

#include "base/output.h"
#include "core/report/record.h"

#define FORMAT_VERSION 2

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

/** Of UTF-8 at s. A byte that begins none stands for itself. */
static uint32_t code_point(const char *s, size_t most, size_t *nbytes_p)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)s;
    const size_t n = b[0] < 0xc0 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf8 ? 4 : 1;
    uint32_t code = b[0] & (0xffu >> (n + 1));
    size_t i = 1;
    for (; i < n && i < most && (b[i] & 0xc0) == 0x80; i++)
        code = code << 6 | (b[i] & 0x3f);
    const bool is_one =
        n > 1 && i == n && code >= least[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    *nbytes_p = is_one ? n : 1;
    return is_one ? code : b[0];
}

/** As a JSON string; '<' is escaped, too: it could end the JSON within a page. */
static void put_string(FILE *out, const char *s, size_t most)
{
    fputc('"', out);
    for (const char *end = s + most; s < end && *s;) {
        size_t nbytes;
        uint32_t c = code_point(s, (size_t)(end - s), &nbytes);
        s += nbytes;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (c > 0xffff)
            fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
        else if (c < 0x20 || c > 0x7e || c == '<')
            fprintf(out, "\\u%04x", c);
        else
            fputc((int)c, out);
    }
    fputc('"', out);
}

static void put_counter(FILE *out, const cw_counter_t *c)
{
    fprintf(out,
            "\"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"time_us\": %.3f, \"longest_us\": %.3f",
            c->calls, c->nbytes, us(c->ns), us(c->max_ns));
}

static void put_startup(FILE *out, const cw_figures_t *f)
{
    fputs(",\n     \"startup\": {", out);
    for (cw_phase_t phase = 0; phase < CW_PHASES; phase++)
        fprintf(out, "\"%s_us\": %.3f, ", cw_startup_name(phase), us(f->startup_ns[phase]));
    fprintf(out, "\"exchange\": \"%.15s\", \"fabric\": \"%.15s\", \"launcher\": \"%.15s\"}",
            f->exchange, f->fabric, f->launcher);
}

static void put_identity(FILE *out, const cw_record_t *r)
{
    const cw_figures_t *f = &r->figures;
    fprintf(out, "    {\"pe\": %d, \"node\": %d, \"slot\": %d, \"pid\": %d, \"host\": ", r->pe,
            r->node, r->slot, r->pid);
    put_string(out, r->host, sizeof r->host);
    put_startup(out, f);
    fprintf(out,
            ",\n     \"elapsed_us\": %.3f, \"rss_bytes\": %" PRIu64 ", \"peak_rss_bytes\": %" PRIu64
            ",\n",
            us(cw_record_elapsed_ns(r)), f->rss, f->peak_rss);
    fprintf(out,
            "     \"heap\": {\"bytes\": %" PRIu64 ", \"peak_bytes\": %" PRIu64
            ", \"blocks_left\": %" PRIu64 "},\n",
            f->heap.nbytes, f->heap.peak, f->heap.blocks);
}

static int peers_touched(const cw_view_t *v)
{
    int peers = 0;
    for (uint64_t i = 0; i < v->npeers; i++)
        peers += v->peers[i].pe != v->head->pe && cw_peer_is_touched(&v->peers[i]);
    return peers;
}

static void put_network(FILE *out, const cw_view_t *v)
{
    const cw_figures_t *f = &v->head->figures;
    cwt_stats_t c = f->client, s = f->server;
    fprintf(out,
            "     \"connections\": %" PRIu64 ", \"reconnects\": %" PRIu64
            ", \"nodes_touched\": %d, \"peers_touched\": %d, "
            "\"endpoints\": %" PRIu64 ", \"connect_us\": %.3f,\n"
            "     \"network\": {\"puts\": %" PRIu64 ", \"gets\": %" PRIu64
            ", \"requests\": %" PRIu64 ", \"flushes\": %" PRIu64 "},\n",
            c.connections, c.reconnects, f->nodes_touched, peers_touched(v),
            c.endpoints + s.endpoints, us(c.connect_ns), c.puts, c.gets, c.requests, c.flushes);
    fprintf(out,
            "     \"served\": {\"connections\": %" PRIu64 ", \"requests\": %" PRIu64
            ", \"refused\": %" PRIu64 "},\n",
            s.connections, s.requests, s.refused);
}

/** By their reasons in the order of cw_bundle_reason_t. */
static void put_bundles(FILE *out, const cw_bundle_stats_t *b)
{
    static const char *const names[CW_BUNDLE_REASONS] = {"full",  "quiet",   "fence",    "wait",
                                                         "order", "too_old", "by_server"};
    fprintf(out, "     \"bundles\": {\"operations\": %" PRIu64 ", \"bytes\": %" PRIu64,
            b->operations, b->nbytes);
    for (int i = 0; i < CW_BUNDLE_REASONS; i++)
        fprintf(out, ", \"%s\": %" PRIu64, names[i], b->sent[i]);
    fprintf(out, "},\n");
}

/** Without a topology: the requests that the server executed. */
static void put_forwarding(FILE *out, const cw_figures_t *figures)
{
    cwt_stats_t s = figures->server;
    cw_forwarding_stats_t f = figures->forwarding;
    const cw_forward_counts_t *c = &f.counts;
    fprintf(out,
            "     \"forwarding\": {\"edge_bytes\": %" PRIu64 ", \"most_held\": %" PRIu64
            ", \"executed\": %" PRIu64 ", \"passed\": %" PRIu64 ", \"kept\": %" PRIu64
            ", \"messages\": %" PRIu64 ", \"arrived\": %" PRIu64 ",\n       \"packed\": %" PRIu64
            ", \"combined\": %" PRIu64 ", \"answers\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"longest\": %" PRIu64 ", \"most_arrived\": %" PRIu64 ", \"left\": %" PRIu64 "},\n",
            f.edge_nbytes, c->most_held, c->executed, c->passed, c->kept, c->messages,
            f.edge_nbytes ? f.arrived : s.requests, c->packed, c->combined, c->answers, c->dropped,
            c->longest, f.most_arrived, f.left);
}

static void put_waits(FILE *out, const cw_figures_t *f)
{
    fprintf(out,
            "     \"waits\": {\"woken\": %" PRIu64 ", \"late\": %" PRIu64
            ", \"arrivals\": \"%.15s\"},\n",
            f->woken, f->late, f->arrivals);
}

static void put_classes(FILE *out, const cw_record_t *r)
{
    const char *comma = "";
    fputs("     \"classes\": {", out);
    for (cw_op_t op = 0; op < CW_OP_TRANSFERS; op++) {
        if (!r->classes[op].calls)
            continue;
        fprintf(out, "%s\n       \"%s\": {", comma, cw_op_name(op));
        put_counter(out, &r->classes[op]);
        fputc('}', out);
        comma = ",";
    }
    fputs("},\n", out);
}

static void put_messages(FILE *out, const cw_record_t *r)
{
    fprintf(out,
            "     \"messages\": {\"credit_waits\": %" PRIu64 ", \"room_waits\": %" PRIu64
            ", \"routed\": %" PRIu64,
            r->credit_waits, r->room_waits, r->routed_messages);
    for (int i = 0; i < 6; i++) {
        const cw_message_count_t *m = &r->messages[i / 3][i % 3];
        const char *name = cw_message_name(m, i);
        if (name)
            fprintf(out,
                    ",\n       \"%s\": {\"sent\": %" PRIu64 ", \"sent_bytes\": %" PRIu64
                    ", \"handled\": %" PRIu64 ", \"handled_bytes\": %" PRIu64 "}",
                    name, m->sent, m->sent_nbytes, m->handled, m->handled_nbytes);
    }
    fputs("},\n", out);
}

static void put_routines(FILE *out, const cw_view_t *v)
{
    const char *comma = "";
    fputs("     \"routines\": {", out);
    for (uint64_t i = 0; i < v->nroutines; i++) {
        const cw_routine_t *r = &v->routines[i];
        if (!r->count.calls)
            continue;
        fprintf(out, "%s\n       ", comma);
        put_string(out, r->name, sizeof r->name);
        fputs(": {", out);
        put_counter(out, &r->count);
        fprintf(out, ", \"waited_us\": %.3f}", us(r->waited_ns));
        comma = ",";
    }
    fputs("},\n", out);
}

static void put_slices(FILE *out, const cw_timeline_t *t, cw_span_t span, const char *name)
{
    int n = CW_SLICES;
    while (n > 0 && !t->slices[span][n - 1])
        n--;
    fprintf(out, ",\n       \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        uint64_t value = t->slices[span][i];
        if (span == CW_SPAN_NBYTES || !value)
            fprintf(out, "%s%" PRIu64, i ? "," : "", value);
        else
            fprintf(out, "%s%.3f", i ? "," : "", us(value));
    }
    fputc(']', out);
}

/** Without the slices at the end in which nothing happened. */
static void put_timeline(FILE *out, const cw_record_t *r)
{
    const cw_timeline_t *t = &r->timeline;
    fprintf(out, "     \"timeline\": {\"begin_us\": %.3f, \"slice_us\": %.3f",
            (double)((int64_t)r->begin_ns + r->offset_ns) / 1000.0, us(t->slice_ns));
    put_slices(out, t, CW_SPAN_LIBRARY, "library_us");
    put_slices(out, t, CW_SPAN_WAITING, "waiting_us");
    put_slices(out, t, CW_SPAN_NBYTES, "bytes");
    fputs("},\n", out);
}

/** Only the peers touched: the file grows with the traffic's pattern, not with the square of the
 *  job. */
static void put_peers(FILE *out, const cw_view_t *v)
{
    const char *comma = "";
    fputs("     \"peers\": [", out);
    for (uint64_t i = 0; i < v->npeers; i++) {
        const cw_peer_count_t *p = &v->peers[i];
        if (!cw_peer_is_touched(p))
            continue;
        fprintf(out,
                "%s\n       {\"pe\": %" PRId64 ", \"puts\": %" PRIu64 ", \"put_bytes\": %" PRIu64
                ", \"gets\": %" PRIu64 ", \"get_bytes\": %" PRIu64 ", \"atomics\": %" PRIu64
                ", \"messages\": %" PRIu64 ", \"message_bytes\": %" PRIu64
                ", \"time_us\": %.3f, \"waited_us\": %.3f}",
                comma, p->pe, p->puts, p->put_nbytes, p->gets, p->get_nbytes, p->atomics,
                p->messages, p->message_nbytes, us(p->ns), us(p->waited_ns));
        comma = ",";
    }
    fputs("]}", out);
}

void cw_stats_json_begin(FILE *out, const cw_view_t *first, bool recovered)
{
    CWU_DECIMAL_POINT();
    const cw_record_t *r = first->head;
    fprintf(out,
            "{\"format\": \"causeway-stats\", \"version\": %d, \"causeway\": \"" CAUSEWAY_VERSION
            "\",\n ",
            FORMAT_VERSION);
    fprintf(out,
            "\"job\": {\"npes\": %d, \"nnodes\": %d, \"ended\": \"%s\", \"program\": ", r->npes,
            r->nnodes, recovered ? "early" : "finalized");
    put_string(out, r->program, sizeof r->program);
    fputs("},\n \"pes\": [\n", out);
}

void cw_stats_json_pe(FILE *out, const cw_view_t *v, bool is_first)
{
    CWU_DECIMAL_POINT();
    if (!is_first)
        fputs(",\n", out);
    put_identity(out, v->head);
    put_network(out, v);
    put_bundles(out, &v->head->figures.bundles);
    put_forwarding(out, &v->head->figures);
    put_waits(out, &v->head->figures);
    put_classes(out, v->head);
    put_messages(out, v->head);
    put_routines(out, v);
    put_timeline(out, v->head);
    put_peers(out, v);
}

void cw_stats_json_end(FILE *out)
{
    fputs("]}\n", out);
}
