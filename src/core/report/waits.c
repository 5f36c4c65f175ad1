// SPDX-License-Identifier: BSD-3-Clause
//
// What a sleeping PE writes into its page: once when a wait begins to sleep, then its age and a
// count. The program's call, and the routine's name where no frame knows it, are looked for on the
// stack only if the wait lasts.
#include "core/report/waits.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/segment.h"
#include "core/observe/watch.h"
#include "core/path/contact.h"
#include "core/port/port.h"
#include "core/report/early.h"
#include "core/sync/fused.h"
#include "core/world/front_end.h"

#define NAMED_NS 50000000u  // age of a wait whose place is looked for

// Of this PE. Never waited for: the handler of a signal may interrupt the thread that has the lock,
// and wait for the end of the job.
static struct {
    cwu_lock_t lock;     // guards the page against other threads of this process
    _Atomic bool taken;  // a wait stands in it; set under the lock
} page;

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

/** Without an observer symmetric words are known, but not what is wanted of them. */
static cw_wait_on_t word_of(const cw_wait_t *w)
{
    cw_wait_on_t on = {.kind = CW_WAIT_OTHER};
    if ((uintptr_t)w->word - cw_segment.origin < cw_segment.layout.slice_stride) {
        on.addr = w->word;
        on.nbytes = w->word_size <= 8 ? (uint8_t)w->word_size : 0;
    }
    return on;
}

/** What changes while the wait goes on. */
static void look(cw_report_wait_t *r, const cw_wait_on_t *on)
{
    if (on->addr) {
        r->seen = read_word(on);
    } else if (on->kind == CW_WAIT_MESSAGE) {
        r->seen = on->seen;
        r->seen_pe = on->seen_pe;
        r->index = on->index;
        r->nelems = on->nelems;
    }
}

void cw_waits_take(cw_report_wait_t *r, const cw_wait_t *w)
{
    const cw_wait_on_t plain = word_of(w), *on = w->on ? w->on : &plain;
    const char *running = cw_watch_running();
    snprintf(r->call, sizeof r->call, "%s", running ? running : w->call);
    if (!atomic_load_explicit(&r->early, memory_order_relaxed))
        snprintf(r->detail, sizeof r->detail, "%s",
                 running && strcmp(running, w->call) ? w->call : "");
    r->at = on->addr ? (uintptr_t)on->addr - cw_segment.origin : UINT64_MAX;
    r->kind = (uint8_t)on->kind;
    r->cmp = (uint8_t)on->cmp;
    r->nbytes = on->nbytes;
    r->is_unsigned = on->is_unsigned;
    r->want = on->want;
    r->behind = on->behind;
    r->index = on->index;
    r->nelems = on->nelems;
    r->number = cw_node_number(&cw_group_world->sync->node);
    r->certain = w->word || w->on || w->notified;
    r->ending = cw_early_ending;
    look(r, on);
}

static void publish(cw_report_wait_t *r, const cw_wait_t *w)
{
    cw_waits_take(r, w);
    r->place[0] = '\0';
    gethostname(r->host, sizeof r->host - 1);
    r->pid = (int32_t)getpid();
    r->threads = cw_early_has_threads();
}

void cw_waits_name(cw_report_wait_t *r)
{
    cwu_routine_t routine;
    r->place[0] = '\0';
    if (!cwu_symbol_caller(cw_is_routine, &routine, r->place, sizeof r->place) ||
        cw_watch_running())
        return;
    cw_rename_routine(routine.name, sizeof routine.name, routine.exact);
    if (routine.name[0])
        snprintf(r->call, sizeof r->call, "%.63s", routine.name);
}

const char *cw_waits_where(const cw_report_wait_t *r, const char *end, char *text, size_t nbytes)
{
    if (r->place[0])
        snprintf(text, nbytes, "%.63s, called from %.159s%s", r->call, r->place, end);
    else
        snprintf(text, nbytes, "%.63s", r->call);
    return text;
}

/** False: another thread of this PE waits already, and its wait stands for the PE; or one is at the
 *  page, and this wait comes later. */
static bool enter(cw_report_wait_t *r, cw_wait_t *w, uint64_t now)
{
    if (!cwu_trylock(&page.lock))
        return false;
    if (!(w->reported = !page.taken)) {
        cwu_unlock(&page.lock);
        return false;
    }
    page.taken = true;
    w->since_ns = now;
    publish(r, w);
    atomic_store(&r->waited_ns, 0);
    atomic_fetch_add(&r->moves, 1);  // release: pairs with cw_waits_read
    cwu_unlock(&page.lock);
    return true;
}

/** Of the wait that stands in the page. The stack is searched without the lock, for long: not in
 *  the ends of PEs, which only observers show, and in which those of a large job wait long. */
static void refresh(cw_report_wait_t *r, cw_wait_t *w, uint64_t now)
{
    cw_report_wait_t named;
    bool names = !w->named && now - w->since_ns >= NAMED_NS && (!r->ending || cw_world.observed);
    if (names) {
        memcpy(named.call, r->call, sizeof named.call);  // only this thread writes it now
        cw_waits_name(&named);
    }
    if (!cwu_trylock(&page.lock))
        return;
    if (names) {
        w->named = true;
        memcpy(r->call, named.call, sizeof r->call);
        memcpy(r->place, named.place, sizeof r->place);
    }
    if (w->on)
        look(r, w->on);
    cwu_unlock(&page.lock);
}

bool cw_waits_publish(cw_wait_t *w)
{
    cw_report_wait_t *r = &cw_report_slot(cw_world.slot)->wait;
    uint64_t now = cwu_now_ns();
    if (!w->reported && !enter(r, w, now))
        return false;
    refresh(r, w, now);
    atomic_store_explicit(&r->waited_ns, now - w->since_ns, memory_order_relaxed);
    // release: behind the test of the condition that came before this sleep
    atomic_fetch_add_explicit(&r->beats, 1, memory_order_release);
    return true;
}

void cw_waits_move(cw_wait_t *w)
{
    if (w->reported) {
        atomic_fetch_add(&cw_report_slot(cw_world.slot)->wait.moves, 1);
        atomic_store_explicit(&page.taken, false, memory_order_release);  // pairs with enter
    }
    w->reported = w->named = false;
}

/** Under the lock; no wait stands in the page. */
static void note_polls(cw_report_wait_t *r, uint64_t ns)
{
    uint64_t moves = atomic_load_explicit(&r->moves, memory_order_relaxed);
    bool known = r->polled_moves == (uint32_t)moves && r->polled_ms != 0;
    if (!known) {
        const char *running = cw_watch_running();
        snprintf(r->call, sizeof r->call, "%s", running ? running : "a test");
        gethostname(r->host, sizeof r->host - 1);
        r->pid = (int32_t)getpid();
        cw_waits_name(r);
        r->polled_moves = (uint32_t)moves;
    }
    atomic_store_explicit(&r->polled_ms, (uint32_t)(ns / 1000000u), memory_order_release);
}

void cw_waits_polled(uint64_t ns)
{
    if (ns < NAMED_NS || !cwu_trylock(&page.lock))
        return;
    if (!page.taken)
        note_polls(&cw_report_slot(cw_world.slot)->wait, ns);
    cwu_unlock(&page.lock);
}

void cw_waits_describe_mover(int pe, char *text, size_t nbytes)
{
    cw_report_wait_t r;
    char where[CW_WAITS_WHERE];
    cw_waits_read(pe, &r);
    if (r.polled_ms && r.moves % 2 == 0 && r.polled_moves == (uint32_t)r.moves)
        snprintf(text, nbytes, "%s %d (pid %d, host %.63s) polls %s in a loop, for %u s in vain",
                 cw_pe_word(), cw_pe_number(pe), (int)r.pid, r.host,
                 cw_waits_where(&r, ",", where, sizeof where), r.polled_ms / 1000);
    else
        snprintf(
            text, nbytes,
            "%s %d, at least, does not wait (it computes, or does something outside the library)",
            cw_pe_word(), cw_pe_number(pe));
}

void cw_waits_read(int pe, cw_report_wait_t *r)
{
    bool own = pe == cw_world.pe;
    if (own && !cwu_trylock(&page.lock)) {
        *r = (cw_report_wait_t){0};  // another thread is at it: as one that does not wait
        return;
    }
    cw_node_read(cw_world.node_of_pe[pe], cw_report_offset(cw_world.slot_of_pe[pe]), r, sizeof *r);
    if (own)
        cwu_unlock(&page.lock);
}
