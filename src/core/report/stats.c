// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics: settings, counting by frames and messages, and what both forms of output print.
#include "core/report/stats.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/report/parcel.h"
#include "core/rma/ctx.h"

cw_stats_t cw_stats;

// ---------------------------------------------------------------- settings

static int open_stats(unsigned *wants_p)
{
    const char *what = cwu_env.stats;
    if (!what || strcmp(what, "0") == 0)
        return CW_OK;
    memset(&cw_stats, 0, sizeof cw_stats);  // of an earlier epoch
    cw_port_stats_begin();
    if (strncmp(what, "json:", 5) == 0 && what[5])
        cw_stats.json_path = what + 5;
    else if (strcmp(what, "1") != 0)
        cwu_fatal("CAUSEWAY_STATS=\"%s\" is not known: give 0, 1 (print at finalize) or json:PATH "
                  "(write one file)",
                  what);
    if (cw_stats.json_path && cw_world.pe == 0) {
        // a wrong path is reported now, not after hours of work
        FILE *probe = fopen(cw_stats.json_path, "we");
        if (!probe)
            cwu_fatal("cannot write the statistics to %s (CAUSEWAY_STATS): %m", cw_stats.json_path);
        fclose(probe);
    }
    cw_stats.peers = calloc((size_t)cw_world.npes, sizeof *cw_stats.peers);
    cw_stats.routines = calloc(CW_ROUTINES, sizeof *cw_stats.routines);
    if (!cw_stats.peers || !cw_stats.routines) {
        cwu_error("out of memory for the statistics of %d peers", cw_world.npes);
        return CW_ENOMEM;
    }
    cw_parcel_open();
    *wants_p = CW_OBSERVES | CW_OBSERVES_TRANSFERS | CW_OBSERVES_TIMES;
    return CW_OK;
}

static void close_stats(void)
{
    free(cw_stats.peers);
    free(cw_stats.routines);
    cw_stats.routines = NULL;
    cw_stats.peers = NULL;
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
        cw_routine_t *r = &cw_stats.routines[(slot + n) % (CW_ROUTINES - 1)];
        const char *there = atomic_load_explicit(&r->name, memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong_explicit(
                          &r->name, &there, name, memory_order_relaxed, memory_order_relaxed))
            return r;
        if (there == name)
            return r;
    }
    cw_routine_t *rest = &cw_stats.routines[CW_ROUTINES - 1];
    atomic_store_explicit(&rest->name, "(others)", memory_order_relaxed);
    return rest;
}

static void count_peer(const cw_frame_t *f, uint64_t ns)
{
    cw_peer_count_t *p = &cw_stats.peers[f->pe];
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

static void count_frame(const cw_frame_t *frame, uint64_t ns, bool outermost)
{
    if (!outermost)
        return;
    if (frame->op < CW_OP_TRANSFERS) {
        count(&cw_stats.classes[frame->op], frame->nbytes, ns);
        count_peer(frame, ns);
    } else {
        cw_routine_t *r = routine_of(frame->name);
        count(&r->count, frame->nbytes, ns);
        add(&r->waited_ns, frame->op == CW_OP_WAIT ? ns : frame->waited_ns);
    }
}

static void message_sent(const cw_message_t *msg)
{
    cw_message_count_t *c = &cw_stats.messages[msg->is_reply][msg->kind];
    add(&c->sent, 1);
    add(&c->sent_nbytes, msg->nbytes);
    add(&cw_stats.routed_messages, msg->is_routed);
    add(&cw_stats.peers[msg->pe].messages, 1);
    add(&cw_stats.peers[msg->pe].message_nbytes, msg->nbytes);
}

static void message_handled(const cw_message_t *msg)
{
    cw_message_count_t *c = &cw_stats.messages[msg->is_reply][msg->kind];
    add(&c->handled, 1);
    add(&c->handled_nbytes, msg->nbytes);
}

static void message_waits(bool for_room)
{
    add(for_room ? &cw_stats.room_waits : &cw_stats.credit_waits, 1);
}

// ---------------------------------------------------------------- what both forms print

const char *cw_stats_message_name(bool is_reply, cw_message_kind_t kind)
{
    static const char *const names[2][CW_MESSAGE_KINDS] = {
        {"short_request", "medium_request", "long_request"},
        {"short_reply", "medium_reply", "long_reply"}};
    const cw_message_count_t *m = &cw_stats.messages[is_reply][kind];
    return m->sent || m->handled ? names[is_reply][kind] : NULL;
}

int cw_stats_nodes_touched(void)
{
    int nodes = 0;
    for (int n = 0; cw_port_default.conn && n < cw_world.nnodes; n++)
        nodes += cw_port_default.conn[n] != NULL;
    return nodes;
}

int cw_stats_peers_touched(void)
{
    int peers = 0;
    for (int pe = 0; cw_stats.peers && pe < cw_world.npes; pe++) {
        const cw_peer_count_t *p = &cw_stats.peers[pe];
        peers += pe != cw_world.pe && (p->puts || p->gets || p->atomics || p->messages);
    }
    return peers;
}

void cw_stats_memory(uint64_t *rss_p, uint64_t *peak_p)
{
    struct rusage usage;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    *rss_p = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    *peak_p = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
    *peak_p = *peak_p > *rss_p ? *peak_p
                               : *rss_p;  // the kernel brings the maximum up to date now and then
}

static void finish_stats(void)
{
    if (cw_stats.json_path) {
        cw_stats_json();
        return;
    }
    char *text = NULL;
    size_t nbytes = 0;
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        return;
    cw_stats_text(out);
    fclose(out);
    if (text)
        cwu_write(text, nbytes);  // at once, so that the lines of a PE stay together
    free(text);
}

const cw_observer_t cw_stats_observer = {.open = open_stats,
                                         .ended = count_frame,
                                         .message_sent = message_sent,
                                         .message_handled = message_handled,
                                         .message_waits = message_waits,
                                         .finish = finish_stats,
                                         .close = close_stats};
