// SPDX-License-Identifier: BSD-3-Clause
//
// PE 0's survey of all PEs; another PE stands in for a PE 0 that does not wait. What PEs write is
// in waits.c, the words of the report in report_text.c.
#include "core/report/report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/mem/segment.h"
#include "core/observe/watch.h"
#include "core/port/port.h"
#include "core/report/cycle.h"
#include "core/report/early.h"
#include "core/report/report_text.h"
#include "core/report/waits.h"
#include "core/sync/fused.h"

#define SECOND 1000000000u
#define BETWEEN_SURVEYS 300000000u  // ns between the two surveys that must agree
// Most that a PE waits for a lock before it looks for a cycle, which is proof, however short the
// wait.
#define CYCLE_PATIENCE SECOND

static uint64_t patience_ns;

// What the surveyor keeps from one survey to the next.
static struct {
    pthread_mutex_t lock;  // guards the rest; a PE may have several threads
    uint64_t next_ns;      // time of the next survey
    uint64_t interval_ns;
    int last_mover;           // the PE that was not waiting the last time
    cw_report_wait_t *waits;  // [npes] as of the last survey in which all PEs waited
    uint64_t suspected_in;    // the wait, by its start, in which a PE was seen not to wait
    bool stood_still, noticed, reported;
    uint64_t cycle_ns;  // time of the next search for a cycle of some PEs
} survey = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int open_report(unsigned *wants_p)
{
    survey.next_ns = survey.interval_ns = 0;
    survey.last_mover = 0;
    survey.suspected_in = 0;
    survey.stood_still = survey.noticed = survey.reported = false;
    survey.cycle_ns = 0;
    cw_cycle_open();
    long seconds = cwu_env.deadlock;
    if (seconds < 0)
        seconds = cw_world.check ? 60 : 0;
    patience_ns = (uint64_t)seconds * SECOND;
    *wants_p = seconds > 0 ? CW_OBSERVES : 0;
    cw_early_open(seconds > 0, cwu_env.deadlock > 0);
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

static uint64_t cycle_patience_ns(void)
{
    return patience_ns < CYCLE_PATIENCE ? patience_ns : CYCLE_PATIENCE;
}

static void search_cycle(void);
static void survey_pes(const cw_wait_t *w);
static void stand_in(const cw_wait_t *w);

/** PE 0 surveys all PEs. */
static void sleeps(cw_wait_t *w)
{
    if (!cw_waits_publish(w))
        return;
    const uint64_t waited_ns = cwu_now_ns() - w->since_ns;
    if (w->on && w->on->kind == CW_WAIT_LOCK && waited_ns >= cycle_patience_ns())
        search_cycle();
    if (waited_ns < patience_ns)
        return;
    if (cw_world.pe == 0)
        survey_pes(w);
    else
        stand_in(w);
}

// ---------------------------------------------------------------- PE 0

/** True when all PEs wait too long and none has moved since the last survey. *mover_p: a PE that
 *  does not wait, or -1. */
static bool all_stand_still(int *mover_p)
{
    bool same = survey.stood_still;
    *mover_p = -1;
    for (int i = 0; i < cw_world.npes; i++) {
        int pe = (survey.last_mover + i) % cw_world.npes;
        cw_report_wait_t r;
        cw_waits_read(pe, &r);
        bool waits = r.moves % 2;
        if (!waits || r.waited_ns < patience_ns) {
            survey.last_mover = pe;
            survey.stood_still = false;
            if (!waits)
                *mover_p = pe;
            return false;
        }
        same = same && r.moves == survey.waits[pe].moves;
        survey.waits[pe] = r;
    }
    survey.stood_still = true;
    return same;
}

/** Only at the second look within the same wait: at the first, the others may have left a wait that
 *  ends for this PE, too, as soon as it looks again. */
static void notice(int mover, const cw_wait_t *w)
{
    bool suspected = survey.suspected_in == w->since_ns;
    survey.suspected_in = w->since_ns;
    if (survey.noticed || !suspected)
        return;
    survey.noticed = true;
    cw_report_wait_t mine;
    char what[CW_WAITS_MOVER], where[CW_WAITS_WHERE], message[160] = "";
    cw_waits_read(cw_world.pe, &mine);
    cw_waits_describe_mover(mover, what, sizeof what);
    if (mine.kind == CW_WAIT_MESSAGE || mine.kind == CW_WAIT_NOTICE)
        cw_report_describe(&mine, message, sizeof message);
    cwu_warn("has waited %.0f s in %s%s%s; %s, so this is not a deadlock yet",
             (double)mine.waited_ns / 1e9, cw_waits_where(&mine, "", where, sizeof where),
             *message ? ", for " : "", message, what);
}

/** PE 0, which sees whether all PEs wait, has a search's time to report that, with all of them. */
static void search_cycle(void)
{
    uint64_t now = cwu_now_ns();
    if (survey.reported || pthread_mutex_trylock(&survey.lock))
        return;
    if (!survey.cycle_ns)
        survey.cycle_ns = now + 2 * BETWEEN_SURVEYS;
    if (now >= survey.cycle_ns && !survey.reported) {
        survey.reported = cw_cycle_find(cycle_patience_ns());
        survey.cycle_ns = cwu_now_ns() + BETWEEN_SURVEYS;
    }
    pthread_mutex_unlock(&survey.lock);
}

/** The lowest PE that waits, if PE 0 does not: then this is no deadlock as far as the library can
 *  see, but no other PE would say that it waits, and for which. */
static void stand_in(const cw_wait_t *w)
{
    uint64_t now = cwu_now_ns();
    cw_report_wait_t r;
    if (survey.noticed || pthread_mutex_trylock(&survey.lock))
        return;
    if (now >= survey.next_ns && !survey.noticed) {
        bool lowest = true;
        for (int pe = 0; pe < cw_world.pe && lowest; pe++) {
            cw_waits_read(pe, &r);
            lowest = r.moves % 2 == 0;
        }
        if (lowest)
            notice(0, w);
        else
            survey.suspected_in = 0;
        survey.next_ns = cwu_now_ns() + (lowest ? BETWEEN_SURVEYS : patience_ns);
    }
    pthread_mutex_unlock(&survey.lock);
}

static void report(void)
{
    survey.reported = true;
    // another thread of a PE may be about to end its wait
    bool may_err = cw_world.thread_level >= CW_THREAD_SERIALIZED;
    bool end = strcmp(cwu_env.deadlock_action, "abort") == 0 && !may_err;
    cw_report_print(survey.waits, patience_ns, may_err, end);
    if (end)
        cwu_abort(1);
}

static void survey_pes(const cw_wait_t *w)
{
    int mover;
    if (survey.reported || pthread_mutex_trylock(&survey.lock))
        return;
    uint64_t now = cwu_now_ns();
    if (!survey.waits)
        survey.waits = calloc((size_t)cw_world.npes, sizeof *survey.waits);
    if (survey.waits && now >= survey.next_ns && !survey.reported) {
        if (all_stand_still(&mover))
            report();
        else if (mover >= 0)
            notice(mover, w);
        else
            survey.suspected_in = 0;
        survey.interval_ns = mover >= 0 && survey.interval_ns < patience_ns / 2
                                 ? survey.interval_ns + BETWEEN_SURVEYS
                                 : BETWEEN_SURVEYS;
        survey.next_ns = cwu_now_ns() + survey.interval_ns;
    }
    pthread_mutex_unlock(&survey.lock);
}

const cw_observer_t cw_report_observer = {.open = open_report, .sleeps = sleeps};
