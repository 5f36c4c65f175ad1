// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_STATS=1: one page for a job of any size. Each operation has a line with what all PEs did
// together and the PE that had most of it; where PEs wait for one another, the page says for which.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "core/report/record.h"

enum { LINES = 12, PAIRS = 6, MOST_NAMES = CW_ROUTINES + CW_OP_TRANSFERS };

/** The least and the most of a figure over the PEs, and whose they are. */
typedef struct spread {
    uint64_t sum, least, most;
    int n, least_pe, most_pe;
} spread_t;

typedef struct operation {
    char name[CW_NAME_NBYTES];
    uint64_t calls, nbytes, longest_ns;
    int longest_pe;
    spread_t ns, waited_ns, unknown_ns;  // unknown: but for locks, messages and words
} operation_t;

/** What PE from did with PE to. */
typedef struct pair {
    int from, to;
    uint64_t value;
} pair_t;

struct cw_page {
    int npes, nnodes, npresent;
    char program[256];
    operation_t operations[MOST_NAMES];
    int noperations;
    spread_t elapsed, communicating, waited, rss, heap, nbytes;
    pair_t traffic[PAIRS], waiting[PAIRS];  // the largest, in order
};

cw_page_t *cw_page_new(void)
{
    return calloc(1, sizeof(cw_page_t));
}

void cw_page_free(cw_page_t *page)
{
    free(page);
}

static void spread(spread_t *s, int pe, uint64_t value)
{
    if (!s->n || value < s->least) {
        s->least = value;
        s->least_pe = pe;
    }
    if (!s->n || value > s->most) {
        s->most = value;
        s->most_pe = pe;
    }
    s->sum += value;
    s->n++;
}

static operation_t *operation(cw_page_t *p, const char *name)
{
    for (int i = 0; i < p->noperations; i++)
        if (strncmp(p->operations[i].name, name, CW_NAME_NBYTES - 1) == 0)
            return &p->operations[i];
    operation_t *o =
        &p->operations[p->noperations < MOST_NAMES - 1 ? p->noperations++ : MOST_NAMES - 1];
    snprintf(o->name, sizeof o->name, "%.*s", CW_NAME_NBYTES - 1, name);
    return o;
}

static void add_counter(cw_page_t *p, int pe, const char *name, const cw_counter_t *c,
                        uint64_t waited_ns, uint64_t known_ns)
{
    if (!c->calls)
        return;
    operation_t *o = operation(p, name);
    o->calls += c->calls;
    o->nbytes += c->nbytes;
    if (c->max_ns > o->longest_ns) {
        o->longest_ns = c->max_ns;
        o->longest_pe = pe;
    }
    spread(&o->ns, pe, c->ns);
    spread(&o->waited_ns, pe, waited_ns);
    spread(&o->unknown_ns, pe, waited_ns - (known_ns < waited_ns ? known_ns : waited_ns));
}

static void add_pair(pair_t list[PAIRS], int from, int to, uint64_t value)
{
    pair_t new = {from, to, value};
    for (int i = 0; i < PAIRS && new.value; i++)
        if (new.value > list[i].value) {
            pair_t old = list[i];
            list[i] = new;
            new = old;
        }
}

void cw_page_add(cw_page_t *p, const cw_view_t *v)
{
    const cw_record_t *r = v->head;
    uint64_t ns = 0, waited = 0, nbytes = 0;
    p->npes = r->npes;
    p->nnodes = r->nnodes;
    p->npresent++;
    snprintf(p->program, sizeof p->program, "%.*s", (int)sizeof p->program - 1, r->program);
    for (cw_op_t op = 0; op < CW_OP_TRANSFERS; op++) {
        add_counter(p, r->pe, cw_op_name(op), &r->classes[op], 0, 0);
        ns += r->classes[op].ns;
    }
    for (uint64_t i = 0; i < v->nroutines; i++) {
        const cw_routine_t *one = &v->routines[i];
        add_counter(p, r->pe, one->name, &one->count, one->waited_ns, one->known_ns);
        ns += one->count.ns;
        waited += one->waited_ns;
    }
    for (uint64_t i = 0; i < v->npeers; i++) {
        const cw_peer_count_t *peer = &v->peers[i];
        add_pair(p->traffic, r->pe, (int)peer->pe, cw_peer_nbytes(peer));
        add_pair(p->waiting, r->pe, (int)peer->pe, peer->waited_ns);
        nbytes += cw_peer_nbytes(peer);
    }
    spread(&p->elapsed, r->pe, cw_record_elapsed_ns(r));
    spread(&p->communicating, r->pe, ns);
    spread(&p->waited, r->pe, waited);
    spread(&p->rss, r->pe, r->figures.peak_rss);
    spread(&p->heap, r->pe, r->figures.heap.peak);
    spread(&p->nbytes, r->pe, nbytes);
}

// ---------------------------------------------------------------- the page

static const char *time_text(uint64_t ns, char text[24])
{
    double us = (double)ns / 1e3;
    if (us < 1e3)
        snprintf(text, 24, "%.3g us", us);
    else if (us < 1e6)
        snprintf(text, 24, "%.3g ms", us / 1e3);
    else
        snprintf(text, 24, "%.4g s", us / 1e6);
    return text;
}

static const char *bytes_text(uint64_t nbytes, char text[24])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double n = (double)nbytes;
    int unit = 0;
    for (; n >= 1024 && unit < 4; unit++)
        n /= 1024;
    snprintf(text, 24, unit || n >= 1000 ? "%.4g %s" : "%.0f %s", n, units[unit]);
    return text;
}

static void put_spread(FILE *out, const char *name, const spread_t *s,
                       const char *text_of(uint64_t, char[24]))
{
    char least[24], mean[24], most[24];
    fprintf(out, "causeway: job: %-22s mean %10s, least %10s (PE %d), most %10s (PE %d)\n", name,
            text_of(s->sum / (uint64_t)s->n, mean), text_of(s->least, least), s->least_pe,
            text_of(s->most, most), s->most_pe);
}

static int by_time(const void *a, const void *b)
{
    const operation_t *x = a, *y = b;
    return x->ns.sum < y->ns.sum ? 1 : x->ns.sum > y->ns.sum ? -1 : 0;
}

/** The most that a PE had, as a multiple of the mean over all PEs of the job. */
static double imbalance(const cw_page_t *p, const spread_t *s)
{
    return s->sum ? (double)s->most * p->npresent / (double)s->sum : 1;
}

static void put_operations(FILE *out, cw_page_t *p)
{
    char sum[24], mean[24], longest[24], nbytes[24];
    qsort(p->operations, (size_t)p->noperations, sizeof *p->operations, by_time);
    fprintf(out, "causeway: job: %-28s %12s %11s %10s %6s %10s %10s %18s\n", "operation", "calls",
            "bytes", "time", "waited", "mean", "longest", "most / mean");
    for (int i = 0; i < p->noperations && i < LINES; i++) {
        const operation_t *o = &p->operations[i];
        fprintf(out,
                "causeway: job: %-28.28s %12" PRIu64 " %11s %10s %5.0f%% %10s %10s %6.2f (PE %d)\n",
                o->name, o->calls, bytes_text(o->nbytes, nbytes), time_text(o->ns.sum, sum),
                o->ns.sum ? 100 * (double)o->waited_ns.sum / (double)o->ns.sum : 0.0,
                time_text(o->ns.sum / o->calls, mean), time_text(o->longest_ns, longest),
                imbalance(p, &o->ns), o->ns.most_pe);
    }
    if (p->noperations > LINES)
        fprintf(out, "causeway: job: and %d more operations (CAUSEWAY_STATS=pes or json:FILE)\n",
                p->noperations - LINES);
}

/** Where one PE hardly waits and others do, they wait for it: it comes last. */
static bool put_late(FILE *out, const cw_page_t *p, const operation_t *o)
{
    char least[24], mean[24];
    const spread_t *w = &o->unknown_ns;
    if (w->n < 2 || w->n < p->npresent || w->sum < 1000000)
        return false;
    uint64_t others = (w->sum - w->least) / (uint64_t)(w->n - 1);
    if (others < 2 * w->least)
        return false;
    fprintf(
        out,
        "causeway: job:   in %.28s the PEs wait for PE %d, which waits %s; the others %s each\n",
        o->name, w->least_pe, time_text(w->least, least), time_text(others, mean));
    return true;
}

static void put_waiting(FILE *out, const cw_page_t *p)
{
    char text[24];
    bool any = false;
    fputs("causeway: job: who waits for whom\n", out);
    for (int i = 0; i < p->noperations && i < LINES; i++)
        any = put_late(out, p, &p->operations[i]) || any;
    for (int i = 0; i < PAIRS && p->waiting[i].value; i++) {
        fprintf(out, "causeway: job:   PE %d waits %s for PE %d (locks, room for messages)\n",
                p->waiting[i].from, time_text(p->waiting[i].value, text), p->waiting[i].to);
        any = true;
    }
    if (!any)
        fputs("causeway: job:   no PE more than others, as far as is known\n", out);
}

static void put_traffic(FILE *out, const cw_page_t *p)
{
    char text[24];
    if (!p->traffic[0].value)
        return;
    fputs("causeway: job: most traffic (puts, gets, atomics and messages)", out);
    for (int i = 0; i < PAIRS && p->traffic[i].value; i++)
        fprintf(out, "%s PE %d with %d: %s", i ? "," : ":", p->traffic[i].from, p->traffic[i].to,
                bytes_text(p->traffic[i].value, text));
    fputc('\n', out);
}

void cw_page_print(FILE *out, cw_page_t *p, bool recovered)
{
    CWU_DECIMAL_POINT();
    const char *slash = strrchr(p->program, '/');
    if (!p->npresent)
        return;
    fprintf(out, "causeway: job: %s, %d PE%s on %d node%s%s\n", slash ? slash + 1 : p->program,
            p->npes, p->npes > 1 ? "s" : "", p->nnodes, p->nnodes > 1 ? "s" : "",
            recovered ? "; ended early: what the PEs had counted until then" : "");
    if (p->npresent < p->npes)
        fprintf(out, "causeway: job: of %d PEs there are no figures\n", p->npes - p->npresent);
    put_spread(out, "time", &p->elapsed, time_text);
    put_spread(out, "  in the library", &p->communicating, time_text);
    put_spread(out, "    waiting", &p->waited, time_text);
    put_spread(out, "bytes moved", &p->nbytes, bytes_text);
    put_spread(out, "resident memory", &p->rss, bytes_text);
    put_spread(out, "symmetric heap in use", &p->heap, bytes_text);
    put_operations(out, p);
    put_waiting(out, p);
    put_traffic(out, p);
}
