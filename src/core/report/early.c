// SPDX-License-Identifier: BSD-3-Clause
//
// The early PE's survey, and what other PEs find by themselves.
#include "core/report/early.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/wait.h"
#include "core/mem/segment.h"
#include "core/path/contact.h"
#include "core/port/port.h"
#include "core/progress/hooks.h"
#include "core/report/waits.h"
#include "core/sync/area.h"
#include "core/sync/fused.h"
#include "core/sync/rendezvous.h"
#include "core/world/front_end.h"

// A PE that has finalized looks so late: mostly the others compute; data on its way has arrived.
#define FINALIZED_NS (2 * CWU_WAIT_NS(GIVE_UP))
#define BETWEEN_NS (20 * CWU_MS)         // between two surveys that must agree,
#define BETWEEN_MOST_NS (1000 * CWU_MS)  // and while a PE moves
#define NOTICE_NS (60000 * CWU_MS)  // until it says that it stays, as the deadlock report does
#define TESTS 2u                // sleeps between two surveys: a test lies between them for sure

enum { HAS_SURVEYOR = 1, HAS_REPORTED = 2, HAS_WARNED = 4 };  // bits of control->early_roles

bool cw_early_ending;
static bool by_observer;  // publishes what this PE waits for

static struct {
    bool left_to_report;  // CAUSEWAY_DEADLOCK says when, and what follows
    char finalizes[64];   // "called shmem_finalize"; "": this PE has not, or is early anyway
    const char *how;      // NULL: this PE is not early
    pthread_t thread;  // that ends it
    uint64_t since_ns, next_ns;
    bool busy, asked, surveys, noticed;
    int stood;                // surveys in a row in which all PEs waited, and none had moved
    int mover;                // the PE that did not
    cw_report_wait_t *pages;  // [npes] when all waited first
} me;

static bool is_first(uint32_t bit)
{
    return !(atomic_fetch_or(&cw_segment.control->early_roles, bit) & bit);
}

bool cw_early_is_first(void)
{
    return is_first(HAS_WARNED);
}

bool cw_early_has_threads(void)
{
    if (cw_world.thread_level < CW_THREAD_SERIALIZED)
        return false;
    int known = 1 + atomic_load(&cw_world.helpers) + cw_world.hosts_server, found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;)
        found += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return !tasks || found > known;
}

// ---------------------------------------------------------------- the early PE

/** One PE of the job surveys it, since others would do the same; the first to ask. */
static bool is_surveyor(void)
{
    uint64_t *word = &cw_coll_scratch()->surveyor;
    return is_first(HAS_SURVEYOR) &&
           (cw_world.nnodes == 1 ||
            cw_rendezvous_ask(word, CW_AMO_CSWAP, (uint64_t)cw_world.pe + 1, 0) == 0);
}

static uint64_t my_word(void)
{
    const cw_report_wait_t *mine = &cw_report_slot(cw_world.slot)->wait;
    return ((uint64_t)cw_world.pe + 1) << 32 | mine->early_number;
}

static void tell_nodes(void)
{
    const uint64_t word = my_word();
    for (int node = 0; node < cw_world.nnodes; node++)
        if (node != cw_world.node)
            cw_node_put(node, offsetof(cw_control_t, early), &word, sizeof word);
}

static bool stands(const cw_report_wait_t *r)
{
    return r->moves % 2 && r->certain;
}

/** -1: all PEs wait, and have since the first survey that found so. Else a PE that does not.
 *  The second survey knows that at its begin all waited, and reads their counts of sleeps;
 *  *tested_p: since then all have tested their conditions. */
static int find_mover(bool *tested_p)
{
    *tested_p = me.stood >= 2;
    for (int i = 0; i < cw_world.npes; i++) {
        int pe = (me.mover + i) % cw_world.npes;
        cw_report_wait_t r, *first = &me.pages[pe];
        if (pe == cw_world.pe)
            continue;
        cw_waits_read(pe, &r);
        if (!stands(&r) || (me.stood > 0 && r.moves != first->moves))
            return pe;
        if (me.stood < 2)
            *first = r;
        *tested_p = *tested_p && r.beats - first->beats >= TESTS;
    }
    return -1;
}

/** Which PE is not in its end; -1: all are, and only the last step of it is missing. */
static int find_victim(bool *threads_p)
{
    int victim = -1;
    for (int pe = cw_world.npes - 1; pe >= 0; pe--) {
        const cw_report_wait_t *r = &me.pages[pe];
        if (pe == cw_world.pe)
            continue;
        *threads_p = *threads_p || r->threads;
        if (!r->ending && !r->early)
            victim = pe;
    }
    return victim;
}

static void give_verdict(void)
{
    bool threads = false;
    int pe = find_victim(&threads);
    if (pe < 0)
        return;
    const cw_report_wait_t *r = &me.pages[pe];
    char where[CW_WAITS_WHERE];
    if (!threads)
        cwu_fatal("%s, and %s %d (pid %d, host %.63s) waits in %s for what no %s does any more",
                  me.how, cw_pe_word(), cw_pe_number(pe), (int)r->pid, r->host,
                  cw_waits_where(r, ",", where, sizeof where), cw_pe_word());
    me.surveys = false;
    cwu_warn("%s, and all %ss wait, %s %d (pid %d, host %.63s) in %s; the job goes on, for other "
             "threads of the program may be at work",
             me.how, cw_pe_word(), cw_pe_word(), cw_pe_number(pe), (int)r->pid, r->host,
             cw_waits_where(r, "", where, sizeof where));
}

/** A PE that has finalized may wait long for one that computes; one that polls in vain is worth a
 *  line. */
static void notice(int mover, uint64_t now)
{
    char what[CW_WAITS_MOVER];
    if (me.noticed || now - me.since_ns < FINALIZED_NS)
        return;
    cw_waits_describe_mover(mover, what, sizeof what);
    bool polls = strstr(what, " polls ") != NULL;
    if (!polls && (me.finalizes[0] || now - me.since_ns < NOTICE_NS))
        return;
    me.noticed = true;
    cwu_warn("%s, and has waited %llu s for the others to end; %s", me.how,
             (unsigned long long)((now - me.since_ns) / (1000 * CWU_MS)), what);
}

/** Short while all wait; else it grows with the time that others take. */
static uint64_t between(uint64_t now, bool moves)
{
    uint64_t ns = (now - me.since_ns) / 16;
    return !moves || ns < BETWEEN_NS ? BETWEEN_NS : ns < BETWEEN_MOST_NS ? ns : BETWEEN_MOST_NS;
}

static void survey(uint64_t now)
{
    if (!me.asked) {
        me.asked = true;
        me.pages = calloc((size_t)cw_world.npes, sizeof *me.pages);
        me.surveys = me.pages && is_surveyor();
        if (me.surveys)
            tell_nodes();
    }
    if (!me.surveys || now < me.next_ns)
        return;
    bool tested;
    int mover = find_mover(&tested);
    me.stood = mover < 0 ? me.stood + 1 : 0;
    if (mover >= 0) {
        me.mover = mover;
        notice(mover, now);
    } else if (tested) {
        give_verdict();
        me.stood = 0;
    }
    me.next_ns = cwu_now_ns() + between(now, mover >= 0);
}

// ---------------------------------------------------------------- any PE

static bool is_behind(const cw_report_wait_t *mine, uint32_t number)
{
    return (int32_t)(mine->number - number) > 0;
}

static void report_missing(cw_report_wait_t *mine, int pe, const cw_report_wait_t *r)
{
    if (!is_first(HAS_REPORTED))
        return;
    char where[CW_WAITS_WHERE];
    cw_waits_name(mine);
    cwu_fatal("waits in %s for %s %d (pid %d, host %.63s), which has %.63s",
              cw_waits_where(mine, ",", where, sizeof where), cw_pe_word(), cw_pe_number(pe),
              (int)r->pid, r->host, r->detail);
}

/** Of another node one early PE is known, the one that surveys the job. Checking mode compares what
 *  PEs call by synchronisations of its own, and finds the same. */
static void find_missing(cw_report_wait_t *mine)
{
    uint64_t known = atomic_load_explicit(&cw_segment.control->early, memory_order_acquire);
    int far = (int)(known >> 32) - 1;
    for (int slot = 0; slot < cw_world.nslots && !cw_world.check; slot++) {
        const cw_report_wait_t *r = &cw_report_slot(slot)->wait;
        // pairs with cw_early_begin
        if (atomic_load_explicit(&r->early, memory_order_acquire) &&
            is_behind(mine, r->early_number))
            report_missing(mine, cw_world.pes_of_node[slot], r);
    }
    if (cw_world.check || far < 0 || far >= cw_world.npes ||
        cw_world.node_of_pe[far] == cw_world.node || !is_behind(mine, (uint32_t)known))
        return;
    cw_report_wait_t page;
    cw_waits_read(far, &page);
    report_missing(mine, far, &page);
}

/** The last finalize of this PE takes long. */
static void become_early(uint64_t now)
{
    if (!me.since_ns)
        me.since_ns = now;
    if (now - me.since_ns >= FINALIZED_NS)
        cw_early_begin(me.finalizes);
}

static void explain(cw_wait_t *w)
{
    cw_report_wait_t *mine = &cw_report_slot(cw_world.slot)->wait;
    bool mine_stands = by_observer ? w->reported : cw_waits_publish(w);
    uint64_t now = cwu_now_ns();
    if (me.busy)
        return;  // this wait is one of a survey
    if (!me.how && cw_wait_explains)
        become_early(now);
    if (!me.how) {
        me.busy = true;
        if (mine_stands && w->on == &cw_wait_world && !cw_early_ending)
            find_missing(mine);
        me.busy = false;
        return;
    }
    if (!me.since_ns)
        me.since_ns = now;
    if (now - me.since_ns < CWU_WAIT_NS(GRACE) || !pthread_equal(me.thread, pthread_self()))
        return;
    me.busy = true;
    survey(now);
    me.busy = false;
}

void cw_early_open(bool reported, bool asked_for)
{
    free(me.pages);
    memset(&me, 0, sizeof me);
    cw_early_ending = false;
    cw_wait_explains = false;
    by_observer = reported;
    me.left_to_report = asked_for;
    cw_progress_hooks.explain = explain;
    cw_progress_hooks.moved = cw_waits_move;
    cw_progress_hooks.polled = cw_waits_polled;
}

void cw_early_finalizes(const char *call)
{
    if (me.how || me.left_to_report)
        return;
    snprintf(me.finalizes, sizeof me.finalizes, "called %s", call);
    cw_wait_explains = true;
}

void cw_early_has_met(void)
{
    cw_wait_explains = false;
}

void cw_early_begin(const char *how)
{
    cw_report_wait_t *mine = &cw_report_slot(cw_world.slot)->wait;
    me.how = how;
    me.thread = pthread_self();
    snprintf(mine->detail, sizeof mine->detail, "%s", how);
    mine->pid = (int32_t)getpid();
    gethostname(mine->host, sizeof mine->host - 1);
    mine->early_number = cw_node_number(&cw_group_world->sync->node);
    atomic_store_explicit(&mine->early, 1, memory_order_release);  // with the number
    atomic_store(&cw_segment.control->early, my_word());
}
