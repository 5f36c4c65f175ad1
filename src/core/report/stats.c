// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics: settings, counting by frames and messages, and what becomes of the records.
#include "core/report/stats.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/port/ctx.h"
#include "core/progress/wait.h"
#include "core/report/parcel.h"
#include "core/report/region.h"
#include "core/sync/group.h"
#include "core/world/startup.h"

#define REFRESH_NS UINT64_C(100000000)  // between two looks at the figures of other rooms

static struct {
    enum { NOTHING, PAGE, PES, AS_FILE } form;
    _Atomic uint64_t look_ns;  // when the next one is due
    pthread_mutex_t lock;      // guards the record's figures
} stats = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local uint64_t waited_known;  // of the routine that runs: for a PE that is known
static _Thread_local bool for_word;  // this thread waits for a word that the program has named
static _Thread_local int behind;     // PE + 1 that holds the lock this thread waits for; 0: none

// ---------------------------------------------------------------- settings

static int open_stats(unsigned *wants_p)
{
    const char *what = cwu_env.stats;
    stats.form = NOTHING;
    if (!what || strcmp(what, "0") == 0)
        return CW_OK;
    cw_port_stats_begin();
    stats.form = strcmp(what, "1") == 0     ? PAGE
                 : strcmp(what, "pes") == 0 ? PES
                 : cw_stats_path(what)      ? AS_FILE
                                            : NOTHING;
    if (stats.form == NOTHING)
        cwu_fatal(
            "CAUSEWAY_STATS=\"%s\" is not known: give 0, 1 (print a page of the job at "
            "finalize), pes (print what each PE did), json:PATH or html:PATH (write one file)",
            what);
    if (stats.form == AS_FILE && cw_world.pe == 0) {
        // a wrong path is reported now, not after hours of work
        FILE *probe = cw_report_file(cw_stats_path(cwu_env.stats));
        if (!probe)
            cwu_fatal("cannot write the statistics to %s (CAUSEWAY_STATS): %m",
                      cw_stats_path(cwu_env.stats));
        fclose(probe);
    }
    int rc = cw_region_open();
    if (rc)
        return rc;
    atomic_store(&stats.look_ns, 0);
    cw_timeline_open(&cw_mine.head->timeline);
    atomic_store(&cw_mine.head->stats_state, CW_RECORD_OPEN);
    cw_parcel_open();
    *wants_p = CW_OBSERVES | CW_OBSERVES_TRANSFERS | CW_OBSERVES_TIMES;
    return CW_OK;
}

static void close_stats(void)
{
    if (stats.form != NOTHING)
        cw_region_close();
    stats.form = NOTHING;
}

// ---------------------------------------------------------------- counting

static void add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static void count(cw_counter_t *c, size_t nbytes, uint64_t ns)
{
    add(&c->calls, 1);
    add(&c->nbytes, nbytes);
    add(&c->ns, ns);
    uint64_t max = atomic_load_explicit(&c->max_ns, memory_order_relaxed);
    while (ns > max && !atomic_compare_exchange_weak_explicit(
                           &c->max_ns, &max, ns, memory_order_relaxed, memory_order_relaxed))
        ;
}

/** Found by the address of the name: each routine has its own constant. Open addressing; entries
 *  are never removed. */
static cw_routine_t *routine_of(const char *name)
{
    size_t slot = ((uintptr_t)name >> 3) * 0x9e3779b97f4a7c15u >> 32;
    for (size_t n = 0; n < CW_ROUTINES - 1; n++) {
        cw_routine_t *r = &cw_mine.routines[(slot + n) % (CW_ROUTINES - 1)];
        const char *there = atomic_load_explicit(&r->key, memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong_explicit(
                          &r->key, &there, name, memory_order_relaxed, memory_order_relaxed)) {
            snprintf(r->name, sizeof r->name, "%s", name);
            return r;
        }
        if (there == name)
            return r;
    }
    cw_routine_t *rest = &cw_mine.routines[CW_ROUTINES - 1];
    strcpy(rest->name, "(others)");
    return rest;
}

static cw_peer_count_t *peer_of(int pe)
{
    cw_peer_count_t *p = &cw_mine.peers[pe];
    atomic_store_explicit(&p->pe, pe, memory_order_relaxed);
    return p;
}

static void count_peer(const cw_frame_t *f, uint64_t ns)
{
    cw_peer_count_t *p = peer_of(f->pe);
    add(&p->ns, ns);
    if (f->op >= CW_OP_ATOMIC) {
        add(&p->atomics, 1);
    } else if (f->op >= CW_OP_GET) {
        add(&p->gets, 1);
        add(&p->get_nbytes, f->nbytes);
    } else {
        add(&p->puts, 1);
        add(&p->put_nbytes, f->nbytes);
    }
}

/** What is known of a job that ends early. Other threads may change what some rooms count, so with
 *  threads that is left for the end. */
static void refresh(uint64_t now)
{
    atomic_store_explicit(&cw_mine.head->last_ns, now, memory_order_relaxed);
    if (now < atomic_load_explicit(&stats.look_ns, memory_order_relaxed) ||
        pthread_mutex_trylock(&stats.lock))
        return;
    bool first = !atomic_load_explicit(&stats.look_ns, memory_order_relaxed);
    atomic_store_explicit(&stats.look_ns, now + REFRESH_NS, memory_order_relaxed);
    if (first || cw_world.thread_level < CW_THREAD_SERIALIZED)
        cw_figures_take();
    pthread_mutex_unlock(&stats.lock);
}

/** The end of a wait inside a routine, where it is known for which PE. */
static void count_wait(uint64_t ns)
{
    if (behind) {
        add(&peer_of(behind - 1)->waited_ns, ns);
        waited_known += ns;
    }
    waited_known += for_word ? ns : 0;
    behind = 0;
    for_word = false;
}

/** Waits, calls and transfers in the slices of time. */
static void count_time(const cw_frame_t *f, uint64_t ns, bool outermost)
{
    cw_timeline_t *t = &cw_mine.head->timeline;
    uint64_t begin = cw_mine.head->begin_ns, from = f->start_ns > begin ? f->start_ns - begin : 0;
    if (f->op == CW_OP_WAIT)
        cw_timeline_add(t, CW_SPAN_WAITING, from, from + ns);
    if (!outermost)
        return;
    cw_timeline_add(t, CW_SPAN_LIBRARY, from, from + ns);
    if (f->op < CW_OP_TRANSFERS)
        cw_timeline_bytes(t, from + ns, f->op >= CW_OP_ATOMIC ? 8 : f->nbytes);
}

static void count_frame(const cw_frame_t *frame, uint64_t ns, bool outermost)
{
    count_time(frame, ns, outermost);
    if (frame->op == CW_OP_WAIT)
        count_wait(ns);
    if (!outermost)
        return;
    if (frame->op < CW_OP_TRANSFERS) {
        count(&cw_mine.head->classes[frame->op], frame->nbytes, ns);
        count_peer(frame, ns);
    } else {
        cw_routine_t *r = routine_of(frame->name);
        count(&r->count, frame->nbytes, ns);
        add(&r->waited_ns, frame->op == CW_OP_WAIT ? ns : frame->waited_ns);
        if (frame->op == CW_OP_CALL && frame->pe >= 0) {  // a message that waited for its target
            add(&peer_of(frame->pe)->waited_ns, frame->waited_ns);
            waited_known = frame->waited_ns;
        }
        add(&r->known_ns, waited_known);
    }
    waited_known = 0;
    if (frame->op <= CW_OP_CALL)  // not in handlers: their threads may hold locks
        refresh(frame->start_ns + ns);
}

static void sleeps(cw_wait_t *w)
{
    for_word = w->on && w->on->kind == CW_WAIT_WORD;
    if (w->on && w->on->kind == CW_WAIT_LOCK && w->on->behind >= 0)
        behind = w->on->behind + 1;
}

static void message_sent(const cw_message_t *msg)
{
    cw_message_count_t *c = &cw_mine.head->messages[msg->is_reply][msg->kind];
    add(&c->sent, 1);
    add(&c->sent_nbytes, msg->nbytes);
    add(&cw_mine.head->routed_messages, msg->is_routed);
    cw_peer_count_t *p = peer_of(msg->pe);
    add(&p->messages, 1);
    add(&p->message_nbytes, msg->nbytes);
    cw_timeline_bytes(&cw_mine.head->timeline, cwu_now_ns() - cw_mine.head->begin_ns, msg->nbytes);
}

static void message_handled(const cw_message_t *msg)
{
    cw_message_count_t *c = &cw_mine.head->messages[msg->is_reply][msg->kind];
    add(&c->handled, 1);
    add(&c->handled_nbytes, msg->nbytes);
}

static void message_waits(bool for_room)
{
    add(for_room ? &cw_mine.head->room_waits : &cw_mine.head->credit_waits, 1);
}

// ---------------------------------------------------------------- the end

/** PE 0 puts records together again from the pieces that come. */
typedef struct gathering {
    char *bytes;
    uint64_t have, room;
    FILE *out;
    cw_page_t *page;
    int pe;
} gathering_t;

static void take_record(gathering_t *g)
{
    cw_view_t view;
    if (!cw_record_view(g->bytes, g->have, &view) || view.head->pe != g->pe)
        cwu_fatal("PE %d handed over statistics that are none", g->pe);
    if (g->page)
        cw_page_add(g->page, &view);
    else
        cw_stats_json_pe(g->out, &view, g->pe == 0);
    g->pe++;
    g->have = 0;
}

/** The first word behind the magic one is the number of bytes. A piece may end anywhere, but holds
 *  bytes of one PE only. */
static void take_piece(void *arg, const char *text, size_t nbytes)
{
    gathering_t *g = arg;
    if (g->have + nbytes > g->room) {
        g->room = 2 * (g->have + nbytes);
        g->bytes = realloc(g->bytes, g->room);
        if (!g->bytes)
            cwu_fatal("out of memory for the statistics of PE %d", g->pe);
    }
    memcpy(g->bytes + g->have, text, nbytes);
    g->have += nbytes;
    if (g->have >= sizeof(cw_record_t) &&
        g->have >= ((const cw_record_t *)(const void *)g->bytes)->nbytes)
        take_record(g);
}

/** Collective. */
static void gather(gathering_t *g)
{
    uint64_t nbytes = cw_record_packed_nbytes(&cw_mine);
    char *packed = malloc(nbytes);
    if (!packed)
        cwu_fatal("out of memory for the statistics (CAUSEWAY_STATS)");
    cw_record_pack(&cw_mine, packed);
    cw_parcel_text_t mine = {packed, nbytes};
    cw_parcel_gather(cw_parcel_from_text, &mine, take_piece, g);
    free(packed);
    free(g->bytes);
}

static void write_file(void)
{
    gathering_t g = {.out = NULL};
    cw_mine.head->offset_ns = cw_parcel_clock_offset(cw_startup_begin_ns());
    if (cw_world.pe == 0) {
        g.out = cw_report_file(cw_stats_path(cwu_env.stats));
        if (!g.out)
            cwu_fatal("cannot write the statistics to %s (CAUSEWAY_STATS): %m",
                      cw_stats_path(cwu_env.stats));
        cw_stats_file_begin(g.out, cwu_env.stats, &cw_mine, false);
    }
    gather(&g);
    if (!g.out)
        return;
    cw_stats_file_end(g.out, cwu_env.stats);
    bool failed = ferror(g.out) != 0;
    if (fclose(g.out) || failed)
        cwu_error("the statistics in %s are incomplete: %m", cw_stats_path(cwu_env.stats));
}

/** At once, so that the lines stay together. */
static void print_text(void)
{
    char *text = NULL;
    size_t nbytes = 0;
    gathering_t g = {.page = stats.form == PAGE && cw_world.pe == 0 ? cw_page_new() : NULL};
    if (stats.form == PAGE)
        gather(&g);
    FILE *out = stats.form == PES || g.page ? open_memstream(&text, &nbytes) : NULL;
    if (out && g.page)
        cw_page_print(out, g.page, false);
    else if (out)
        cw_stats_text(out, &cw_mine);
    if (out)
        fclose(out);
    if (text)
        cwu_write(text, nbytes);
    free(text);
    cw_page_free(g.page);
}

static void finish_stats(void)
{
    pthread_mutex_lock(&stats.lock);
    cw_figures_take();
    pthread_mutex_unlock(&stats.lock);
    cw_farewell(false);  // gathering connects PE 0 to nodes, whose servers count that
    if (stats.form == AS_FILE)
        write_file();
    else
        print_text();
    atomic_store(&cw_mine.head->stats_state, CW_RECORD_DONE);
}

const cw_observer_t cw_stats_observer = {.open = open_stats,
                                         .ended = count_frame,
                                         .message_sent = message_sent,
                                         .message_handled = message_handled,
                                         .message_waits = message_waits,
                                         .sleeps = sleeps,
                                         .finish = finish_stats,
                                         .close = close_stats};
