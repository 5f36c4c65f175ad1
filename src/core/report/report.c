// SPDX-License-Identifier: BSD-3-Clause
//
// The sleeper's side of the report, and PE 0's look at everybody. The words of the report:
// report_text.c.
#include "core/report/report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/mem/segment.h"
#include "core/observe/watch.h"
#include "core/report/report_text.h"
#include "core/rma/node.h"
#include "core/sync/fused.h"

#define SECOND 1000000000u
#define BETWEEN_LOOKS 300000000u  // ns between the two looks that must agree

static uint64_t patience_ns;

// What PE 0 remembers from one look to the next.
static struct {
    pthread_mutex_t lock;  // guards the rest; PE 0 may have several threads
    uint64_t next_ns;      // time of the next look
    uint64_t interval_ns;
    int last_mover;           // the PE that was not waiting the last time
    cw_report_wait_t *waits;  // [npes] as of the last look at which everybody waited
    bool stood_still, noticed, reported;
} look = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int open_report(unsigned *wants_p)
{
    look.next_ns = look.interval_ns = 0;
    look.last_mover = 0;
    look.stood_still = look.noticed = look.reported = false;
    long seconds = cwu_env.deadlock;
    if (seconds < 0)
        seconds = cw_world.check ? 60 : 0;
    patience_ns = (uint64_t)seconds * SECOND;
    *wants_p = seconds > 0 ? CW_OBSERVES : 0;
    return CW_OK;
}

static uint64_t slots_nbytes(void)
{
    return (uint64_t)cw_world.max_slots * sizeof(cw_report_slot_t);
}

cw_section_t cw_report_section = {.in = CW_SECTION_CONTROL, .align = 4096, .nbytes = slots_nbytes};

uint64_t cw_report_offset(int slot)
{
    return cw_report_section.offset + (uint64_t)slot * sizeof(cw_report_slot_t);
}

cw_report_slot_t *cw_report_slot(int slot)
{
    return (cw_report_slot_t *)(void *)(cw_segment.base + cw_report_offset(slot));
}

// ---------------------------------------------------------------- the sleeper

static int64_t read_word(const cw_wait_on_t *on)
{
    switch (on->nbytes) {
    case 2:
        return on->is_unsigned ? (int64_t) * (const volatile uint16_t *)on->addr
                               : *(const volatile int16_t *)on->addr;
    case 4:
        return on->is_unsigned ? (int64_t) * (const volatile uint32_t *)on->addr
                               : *(const volatile int32_t *)on->addr;
    case 8:
        return *(const volatile int64_t *)on->addr;
    default:
        return 0;
    }
}

static void publish(cw_report_wait_t *r, const cw_wait_t *w)
{
    static const cw_wait_on_t nothing;
    const cw_wait_on_t *on = w->on ? w->on : &nothing;
    const char *running = cw_watch_running();
    snprintf(r->call, sizeof r->call, "%s", running ? running : w->call);
    snprintf(r->detail, sizeof r->detail, "%s", running && strcmp(running, w->call) ? w->call : "");
    gethostname(r->host, sizeof r->host - 1);
    r->pid = (int32_t)getpid();
    r->at = on->addr ? (uintptr_t)on->addr - cw_segment.origin : UINT64_MAX;
    r->kind = (uint8_t)on->kind;
    r->cmp = (uint8_t)on->cmp;
    r->nbytes = on->nbytes;
    r->is_unsigned = on->is_unsigned;
    r->want = on->want;
    r->behind = on->behind;
    r->index = on->index;
    r->nelems = on->nelems;
    r->epoch = cw_group_world->sync->node.number;
}

static void look_around(void);

/** Says what this PE waits for, and on PE 0 looks around. */
static void sleeps(cw_wait_t *w)
{
    cw_report_wait_t *r = &cw_report_slot(cw_world.slot)->wait;
    uint64_t now = cwu_now_ns();
    if (!w->since_ns) {
        w->since_ns = now;
        if (atomic_load_explicit(&r->moves, memory_order_relaxed) % 2)
            return;  // another thread of this PE waits already, and speaks for it
        w->reported = true;
        publish(r, w);
        atomic_store(&r->waited_ns, 0);
        atomic_fetch_add(&r->moves, 1);  // release: pairs with look_at
    }
    if (!w->reported)
        return;
    if (w->on && w->on->addr)
        r->seen = read_word(w->on);
    atomic_store_explicit(&r->waited_ns, now - w->since_ns, memory_order_relaxed);
    if (cw_world.pe == 0 && now - w->since_ns >= patience_ns)
        look_around();
}

static void moves(cw_wait_t *w)
{
    if (w->reported)
        atomic_fetch_add(&cw_report_slot(cw_world.slot)->wait.moves, 1);
    w->reported = false;
}

// ---------------------------------------------------------------- PE 0

static void look_at(int pe, cw_report_wait_t *r)
{
    cw_node_read(cw_world.node_of_pe[pe], cw_report_offset(cw_world.slot_of_pe[pe]), r, sizeof *r);
}

/** True when everybody waits too long and nobody has moved since the look before. *mover_p: a PE
 *  that does not wait. */
static bool everybody_stands_still(int *mover_p)
{
    bool same = look.stood_still;
    *mover_p = -1;
    for (int i = 0; i < cw_world.npes; i++) {
        int pe = (look.last_mover + i) % cw_world.npes;
        cw_report_wait_t r;
        look_at(pe, &r);
        bool waits = r.moves % 2;
        if (!waits || r.waited_ns < patience_ns) {
            look.last_mover = pe;
            look.stood_still = false;
            if (!waits)
                *mover_p = pe;
            return false;
        }
        same = same && r.moves == look.waits[pe].moves;
        look.waits[pe] = r;
    }
    look.stood_still = true;
    return same;
}

static void notice(int mover)
{
    if (look.noticed)
        return;
    look.noticed = true;
    cw_report_wait_t mine;
    look_at(cw_world.pe, &mine);
    cwu_warn("has waited %.0f s in %s; PE %d, at least, does not wait (it computes, or does "
             "something outside the library), "
             "so this is not a deadlock yet",
             (double)mine.waited_ns / 1e9, mine.call, mover);
}

static void report(void)
{
    look.reported = true;
    // another thread may be on its way
    bool may_err = cw_world.thread_level >= CW_THREAD_SERIALIZED;
    bool end = strcmp(cwu_env.deadlock_action, "abort") == 0 && !may_err;
    cw_report_print(look.waits, patience_ns, may_err, end);
    if (end)
        cwu_abort(1);
}

static void look_around(void)
{
    int mover;
    if (look.reported || pthread_mutex_trylock(&look.lock))
        return;
    uint64_t now = cwu_now_ns();
    if (!look.waits)
        look.waits = calloc((size_t)cw_world.npes, sizeof *look.waits);
    if (look.waits && now >= look.next_ns && !look.reported) {
        if (everybody_stands_still(&mover))
            report();
        else if (mover >= 0)
            notice(mover);
        look.interval_ns = mover >= 0 && look.interval_ns < patience_ns / 2
                               ? look.interval_ns + BETWEEN_LOOKS
                               : BETWEEN_LOOKS;
        look.next_ns = cwu_now_ns() + look.interval_ns;
    }
    pthread_mutex_unlock(&look.lock);
}

const cw_observer_t cw_report_observer = {.open = open_report, .sleeps = sleeps, .moves = moves};
