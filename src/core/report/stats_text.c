// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_STATS=pes: what a PE did, as lines for people.
#include <stdlib.h>

#include "base/output.h"
#include "core/report/record.h"

enum { TOP_PEERS = 5 };

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

static unsigned long long llu(uint64_t n)
{
    return n;
}

static void print_start(FILE *out, const cw_record_t *r)
{
    const cw_figures_t *f = &r->figures;
    cwt_stats_t c = f->client, s = f->server;
    fprintf(out, "causeway: stats: PE %d node %d: start-up in us:", r->pe, r->node);
    for (cw_phase_t phase = 0; phase < CW_PHASES; phase++)
        fprintf(out, "%s %s %.0f", phase ? "," : "", cw_startup_name(phase),
                us(f->startup_ns[phase]));
    fprintf(out, "; exchange %.15s, fabric %.15s\n", f->exchange, f->fabric);
    fprintf(out,
            "causeway: stats: PE %d: nodes touched %d, connections %llu, opened again %llu, "
            "endpoints %llu, connect time "
            "%.0f us; puts %llu gets %llu requests %llu flushes %llu; served: connections %llu "
            "requests %llu refused "
            "%llu\n",
            r->pe, f->nodes_touched, llu(c.connections), llu(c.reconnects),
            llu(c.endpoints + s.endpoints), us(c.connect_ns), llu(c.puts), llu(c.gets),
            llu(c.requests), llu(c.flushes), llu(s.connections), llu(s.requests), llu(s.refused));
}

/** Small operations that were sent together. */
static void print_bundles(FILE *out, const cw_record_t *r)
{
    const cw_bundle_stats_t *b = &r->figures.bundles;
    uint64_t n = 0;
    for (int i = 0; i < CW_BUNDLE_REASONS; i++)
        n += b->sent[i];
    if (b->operations)
        fprintf(out,
                "causeway: stats: PE %d: bundles: operations %llu in %llu messages of %llu bytes; "
                "sent when full %llu, by quiet %llu, fence %llu, waits %llu, other operations "
                "%llu, after a while %llu, and by the node server's process %llu\n",
                r->pe, llu(b->operations), llu(n), llu(b->nbytes), llu(b->sent[CW_BUNDLE_FULL]),
                llu(b->sent[CW_BUNDLE_QUIET]), llu(b->sent[CW_BUNDLE_FENCE]),
                llu(b->sent[CW_BUNDLE_WAIT]), llu(b->sent[CW_BUNDLE_ORDER]),
                llu(b->sent[CW_BUNDLE_TOO_OLD]), llu(b->sent[CW_BUNDLE_BY_SERVER]));
}

/** Of a server with a topology. */
static void print_forwarding(FILE *out, const cw_record_t *r)
{
    cw_forwarding_stats_t f = r->figures.forwarding;
    const cw_forward_counts_t *c = &f.counts;
    if (f.edge_nbytes)
        fprintf(out,
                "causeway: stats: PE %d: forwarding: buffers %llu bytes, at most %llu in use; "
                "messages in %llu, out %llu, of these packed %llu; requests executed %llu, passed "
                "on %llu, kept %llu, at most %llu at a time; answers %llu, dropped %llu\n",
                r->pe, llu(f.edge_nbytes), llu(c->most_held), llu(f.arrived), llu(c->messages),
                llu(c->packed), llu(c->executed), llu(c->passed), llu(c->kept), llu(c->longest),
                llu(c->answers), llu(c->dropped));
}

static void print_memory(FILE *out, const cw_view_t *v)
{
    const cw_record_t *r = v->head;
    uint64_t rss = r->figures.rss, peak = r->figures.peak_rss;
    cw_heap_stats_t heap = r->figures.heap;
    int peers = 0;
    for (uint64_t i = 0; i < v->npeers; i++)
        peers += v->peers[i].pe != r->pe && cw_peer_is_touched(&v->peers[i]);
    fprintf(out,
            "causeway: stats: PE %d: peers touched %d; resident %.1f MiB, at most %.1f MiB; "
            "symmetric heap at most "
            "%llu of %llu bytes\n",
            r->pe, peers, (double)rss / (1 << 20), (double)peak / (1 << 20), llu(heap.peak),
            llu(heap.nbytes));
}

static void print_waits(FILE *out, const cw_record_t *r)
{
    fprintf(
        out,
        "causeway: stats: PE %d: waits that slept: woken %llu, ended by time-out %llu; arrivals: "
        "%.15s\n",
        r->pe, llu(r->figures.woken), llu(r->figures.late), r->figures.arrivals);
}

static void print_counter(FILE *out, int pe, const char *name, const cw_counter_t *c,
                          uint64_t waited_ns)
{
    fprintf(out,
            "causeway: stats: PE %d: %-28.64s %10llu calls %14llu bytes %12.1f us (longest %.1f us",
            pe, name, llu(c->calls), llu(c->nbytes), us(c->ns), us(c->max_ns));
    if (waited_ns)
        fprintf(out, ", waited %.1f us", us(waited_ns));
    fputs(")\n", out);
}

static void print_messages(FILE *out, const cw_record_t *r)
{
    bool any = false;
    for (int i = 0; i < 6; i++) {
        const cw_message_count_t *m = &r->messages[i / 3][i % 3];
        const char *name = cw_message_name(m, i);
        if (name)
            fprintf(
                out,
                "causeway: stats: PE %d: %s: sent %llu (%llu bytes), handled %llu (%llu bytes)\n",
                r->pe, name, llu(m->sent), llu(m->sent_nbytes), llu(m->handled),
                llu(m->handled_nbytes));
        any = any || name;
    }
    if (any)
        fprintf(out,
                "causeway: stats: PE %d: requests that waited for a credit %llu, for room at the "
                "target %llu; messages sent along the topology %llu\n",
                r->pe, llu(r->credit_waits), llu(r->room_waits), llu(r->routed_messages));
}

static int by_traffic(const void *a, const void *b)
{
    uint64_t x = cw_peer_nbytes(*(cw_peer_count_t *const *)a),
             y = cw_peer_nbytes(*(cw_peer_count_t *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_top_peers(FILE *out, const cw_view_t *v)
{
    uint64_t n = 0;
    const cw_peer_count_t **touched = malloc(v->npeers * sizeof *touched);
    for (uint64_t i = 0; touched && i < v->npeers; i++)
        if (cw_peer_is_touched(&v->peers[i]))
            touched[n++] = &v->peers[i];
    if (n)
        qsort(touched, n, sizeof *touched, by_traffic);
    for (uint64_t i = 0; i < n && i < TOP_PEERS; i++) {
        const cw_peer_count_t *p = touched[i];
        fprintf(out,
                "causeway: stats: PE %d: with PE %lld: puts %llu (%llu bytes), gets %llu (%llu "
                "bytes), atomics %llu, "
                "messages %llu (%llu bytes), %.1f us\n",
                v->head->pe, (long long)p->pe, llu(p->puts), llu(p->put_nbytes), llu(p->gets),
                llu(p->get_nbytes), llu(p->atomics), llu(p->messages), llu(p->message_nbytes),
                us(p->ns));
    }
    if (n > TOP_PEERS)
        fprintf(out, "causeway: stats: PE %d: and %llu more peers\n", v->head->pe,
                llu(n - TOP_PEERS));
    free(touched);
}

static int by_time(const void *a, const void *b)
{
    const cw_routine_t *x = *(cw_routine_t *const *)a, *y = *(cw_routine_t *const *)b;
    return x->count.ns < y->count.ns ? 1 : x->count.ns > y->count.ns ? -1 : 0;
}

static void print_routines(FILE *out, const cw_view_t *v)
{
    const cw_routine_t *used[CW_ROUTINES];
    size_t n = 0;
    for (uint64_t i = 0; i < v->nroutines; i++)
        if (v->routines[i].count.calls)
            used[n++] = &v->routines[i];
    qsort(used, n, sizeof *used, by_time);
    for (size_t i = 0; i < n; i++)
        print_counter(out, v->head->pe, used[i]->name, &used[i]->count, used[i]->waited_ns);
}

void cw_stats_text(FILE *out, const cw_view_t *v)
{
    CWU_DECIMAL_POINT();
    const cw_record_t *r = v->head;
    print_start(out, r);
    print_bundles(out, r);
    print_forwarding(out, r);
    print_memory(out, v);
    print_waits(out, r);
    for (cw_op_t op = 0; op < CW_OP_TRANSFERS; op++)
        if (r->classes[op].calls)
            print_counter(out, r->pe, cw_op_name(op), &r->classes[op], 0);
    print_messages(out, r);
    print_routines(out, v);
    print_top_peers(out, v);
}
