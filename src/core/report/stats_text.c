// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_STATS=1: what this PE did, as lines for people.
#include <stdlib.h>

#include "core/forward/forwarding.h"
#include "core/mem/heap.h"
#include "core/progress/arrivals.h"
#include "core/progress/wait.h"
#include "core/report/stats.h"
#include "core/rma/bundle.h"
#include "core/rma/ctx.h"
#include "core/server/server.h"
#include "core/world/startup.h"

enum { TOP_PEERS = 5 };

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

static unsigned long long llu(uint64_t n)
{
    return n;
}

static void print_start(FILE *out)
{
    cwt_stats_t c, s = {0};
    cw_port_stats(&c);
    cw_server_stats(&s);
    fprintf(out, "causeway: stats: PE %d node %d: start-up in us:", cw_world.pe, cw_world.node);
    for (cw_phase_t phase = 0; phase < CW_PHASES; phase++)
        fprintf(out, "%s %s %.0f", phase ? "," : "", cw_startup_name(phase),
                us(cw_startup_ns(phase)));
    fprintf(out, "; exchange %s, fabric %s\n", cw_startup_exchange_name(),
            cw_startup_fabric_name());
    fprintf(out,
            "causeway: stats: PE %d: nodes touched %d, connections %llu, opened again %llu, "
            "endpoints %llu, connect time "
            "%.0f us; puts %llu gets %llu requests %llu flushes %llu; served: connections %llu "
            "requests %llu refused "
            "%llu\n",
            cw_world.pe, cw_stats_nodes_touched(), llu(c.connections), llu(c.reconnects),
            llu(c.endpoints + s.endpoints), us(c.connect_ns), llu(c.puts), llu(c.gets),
            llu(c.requests), llu(c.flushes), llu(s.connections), llu(s.requests), llu(s.refused));
}

/** Small operations that were sent together. */
static void print_bundles(FILE *out)
{
    const cw_bundle_stats_t *b = &cw_bundles.stats;
    uint64_t n = 0;
    for (int i = 0; i < CW_BUNDLE_REASONS; i++)
        n += b->sent[i];
    if (b->operations)
        fprintf(out,
                "causeway: stats: PE %d: bundles: operations %llu in %llu messages of %llu bytes; "
                "sent when full %llu, by quiet %llu, fence %llu, waits %llu, other operations "
                "%llu, after a while %llu, and by the node server's process %llu\n",
                cw_world.pe, llu(b->operations), llu(n), llu(b->nbytes),
                llu(b->sent[CW_BUNDLE_FULL]), llu(b->sent[CW_BUNDLE_QUIET]),
                llu(b->sent[CW_BUNDLE_FENCE]), llu(b->sent[CW_BUNDLE_WAIT]),
                llu(b->sent[CW_BUNDLE_ORDER]), llu(b->sent[CW_BUNDLE_TOO_OLD]),
                llu(b->sent[CW_BUNDLE_BY_SERVER]));
}

/** Of a server with a topology. */
static void print_forwarding(FILE *out)
{
    cw_forwarding_stats_t f;
    const cw_forward_counts_t *c = &f.counts;
    cw_forwarding_stats(&f);
    if (f.edge_nbytes)
        fprintf(out,
                "causeway: stats: PE %d: forwarding: buffers %llu bytes, at most %llu in use; "
                "messages in %llu, out %llu, of these packed %llu; requests executed %llu, passed "
                "on %llu, kept %llu, at most %llu at a time; answers %llu, dropped %llu\n",
                cw_world.pe, llu(f.edge_nbytes), llu(c->most_held), llu(f.arrived),
                llu(c->messages), llu(c->packed), llu(c->executed), llu(c->passed), llu(c->kept),
                llu(c->longest), llu(c->answers), llu(c->dropped));
}

static void print_memory(FILE *out)
{
    uint64_t rss, peak;
    cw_heap_stats_t heap;
    cw_stats_memory(&rss, &peak);
    cw_heap_stats(&heap);
    fprintf(out,
            "causeway: stats: PE %d: peers touched %d; resident %.1f MiB, at most %.1f MiB; "
            "symmetric heap at most "
            "%llu of %llu bytes\n",
            cw_world.pe, cw_stats_peers_touched(), (double)rss / (1 << 20),
            (double)peak / (1 << 20), llu(heap.peak), llu(heap.nbytes));
}

static void print_waits(FILE *out)
{
    fprintf(
        out,
        "causeway: stats: PE %d: waits that slept: woken %llu, ended by time-out %llu; arrivals: "
        "%s\n",
        cw_world.pe, llu(cw_wait_counts.woken), llu(cw_wait_counts.late), cw_arrivals_name());
}

static void print_counter(FILE *out, const char *name, const cw_counter_t *c, uint64_t waited_ns)
{
    fprintf(out,
            "causeway: stats: PE %d: %-28s %10llu calls %14llu bytes %12.1f us (longest %.1f us",
            cw_world.pe, name, llu(c->calls), llu(c->nbytes), us(c->ns), us(c->max_ns));
    if (waited_ns)
        fprintf(out, ", waited %.1f us", us(waited_ns));
    fputs(")\n", out);
}

static void print_messages(FILE *out)
{
    bool any = false;
    for (int i = 0; i < 6; i++) {
        const cw_message_count_t *m = &cw_stats.messages[i / 3][i % 3];
        const char *name = cw_stats_message_name(i / 3, (cw_message_kind_t)(i % 3));
        if (name)
            fprintf(
                out,
                "causeway: stats: PE %d: %s: sent %llu (%llu bytes), handled %llu (%llu bytes)\n",
                cw_world.pe, name, llu(m->sent), llu(m->sent_nbytes), llu(m->handled),
                llu(m->handled_nbytes));
        any = any || name;
    }
    if (any)
        fprintf(out,
                "causeway: stats: PE %d: requests that waited for a credit %llu, for room at the "
                "target %llu; messages sent along the topology %llu\n",
                cw_world.pe, llu(cw_stats.credit_waits), llu(cw_stats.room_waits),
                llu(cw_stats.routed_messages));
}

static bool is_touched(const cw_peer_count_t *p)
{
    return p->puts || p->gets || p->atomics || p->messages;
}

static uint64_t traffic(const cw_peer_count_t *p)
{
    return p->put_nbytes + p->get_nbytes + 8 * p->atomics + p->message_nbytes;
}

static int by_traffic(const void *a, const void *b)
{
    uint64_t x = traffic(&cw_stats.peers[*(const int *)a]),
             y = traffic(&cw_stats.peers[*(const int *)b]);
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_top_peers(FILE *out)
{
    int n = 0, *touched = malloc((size_t)cw_world.npes * sizeof *touched);
    for (int pe = 0; touched && pe < cw_world.npes; pe++)
        if (is_touched(&cw_stats.peers[pe]))
            touched[n++] = pe;
    if (n)
        qsort(touched, (size_t)n, sizeof *touched, by_traffic);
    for (int i = 0; i < n && i < TOP_PEERS; i++) {
        const cw_peer_count_t *p = &cw_stats.peers[touched[i]];
        fprintf(out,
                "causeway: stats: PE %d: with PE %d: puts %llu (%llu bytes), gets %llu (%llu "
                "bytes), atomics %llu, "
                "messages %llu (%llu bytes), %.1f us\n",
                cw_world.pe, touched[i], llu(p->puts), llu(p->put_nbytes), llu(p->gets),
                llu(p->get_nbytes), llu(p->atomics), llu(p->messages), llu(p->message_nbytes),
                us(p->ns));
    }
    if (n > TOP_PEERS)
        fprintf(out, "causeway: stats: PE %d: and %d more peers\n", cw_world.pe, n - TOP_PEERS);
    free(touched);
}

static int by_time(const void *a, const void *b)
{
    const cw_routine_t *x = *(cw_routine_t *const *)a, *y = *(cw_routine_t *const *)b;
    return x->count.ns < y->count.ns ? 1 : x->count.ns > y->count.ns ? -1 : 0;
}

static void print_routines(FILE *out)
{
    const cw_routine_t *used[CW_ROUTINES];
    size_t n = 0;
    for (int i = 0; i < CW_ROUTINES; i++)
        if (cw_stats.routines[i].count.calls)
            used[n++] = &cw_stats.routines[i];
    qsort(used, n, sizeof *used, by_time);
    for (size_t i = 0; i < n; i++)
        print_counter(out, used[i]->name, &used[i]->count, used[i]->waited_ns);
}

void cw_stats_text(FILE *out)
{
    print_start(out);
    print_bundles(out);
    print_forwarding(out);
    print_memory(out);
    print_waits(out);
    for (cw_op_t op = 0; op < CW_OP_TRANSFERS; op++)
        if (cw_stats.classes[op].calls)
            print_counter(out, cw_op_name(op), &cw_stats.classes[op], 0);
    print_messages(out);
    print_routines(out);
    print_top_peers(out);
}
