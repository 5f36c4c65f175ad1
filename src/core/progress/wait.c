// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds of a wait, and the wake-ups of this node's PEs.
#include "core/progress/wait.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/wait.h"
#include "core/mem/gather.h"
#include "core/mem/segment.h"
#include "core/observe/watch.h"
#include "core/progress/abandon.h"
#include "core/progress/arrivals.h"
#include "core/progress/hooks.h"
#include "core/world/world.h"

static int no_events(void)
{
    return 0;
}

static int no_messages(bool full)
{
    (void)full;
    return 0;
}

static cw_awaits_t awaits_none(bool full)
{
    (void)full;
    return CW_AWAITS_NONE;
}

static bool not_in_flight(void)
{
    return false;
}

static void send_nothing(void)
{
}

static bool advance_nothing(void)
{
    return false;
}

static uint32_t no_notifications(void)
{
    return 0;
}

static void ignore_notification(void *arg, int node, const void *bytes, size_t nbytes)
{
    (void)arg, (void)node, (void)bytes, (void)nbytes;
}

static bool no_notification_due(void *arg, int node)
{
    (void)arg, (void)node;
    return false;
}

static uint64_t need_no_look(void)
{
    return UINT64_MAX;
}

static void explain_nothing(cw_wait_t *w)
{
    (void)w;
}

static void polled_nothing(uint64_t ns)
{
    (void)ns;
}

static void attend_nothing(void)
{
}

static void forward_none(void)
{
}

static void no_server_left(void)
{
}

cw_progress_hooks_t cw_progress_hooks = {
    .run_messages = no_messages,
    .awaits_replies = awaits_none,
    .poll_replies = no_events,
    .pause = send_nothing,
    .in_flight = not_in_flight,
    .advance = advance_nothing,
    .poll_server = no_events,
    .leave_server = no_server_left,
    .notifications = no_notifications,
    .notified = ignore_notification,
    .notification_due = no_notification_due,
    .mind_neighbours = need_no_look,
    .explain = explain_nothing,
    .moved = explain_nothing,
    .polled = polled_nothing,
    .forward_left = forward_none,
    .attend = attend_nothing,
};

static cwu_wait_plan_t plan = {.first_ns = CWU_WAIT_NS(SOON), .longest_ns = CWU_WAIT_NS(LATE)};
cwu_wait_plan_t cw_wait_server;
bool cw_wait_spare_core, cw_wait_roomy;
_Thread_local bool cw_wait_asleep;
_Thread_local const cw_wait_t *volatile cw_wait_current;
bool cw_wait_explains;
cw_wait_counts_t cw_wait_counts;
const cw_wait_on_t cw_wait_world = {.kind = CW_WAIT_WORLD};

static int processors_of(pid_t pid)
{
    cpu_set_t set;
    return sched_getaffinity(pid, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/** Has each PE a processor? A launcher that binds PEs is not bound itself: where it does not say
 *  what it has, the parent process shows it. */
static bool is_roomy(int ncpus)
{
    return cw_world.machine_pes <= ncpus ||
           (!cw_world.machine_cpus && cw_world.machine_pes <= processors_of(getppid()));
}

void cw_wait_init(void)
{
    int ncpus = processors_of(0);
    if (ncpus < cw_world.machine_cpus)  // this PE is bound to some
        ncpus = cw_world.machine_cpus;
    bool roomy = cw_wait_roomy = !cwu_wait_crowded(!is_roomy(ncpus));
    cw_wait_spare_core = cw_world.machine_pes < ncpus;
    cwu_wait_share(roomy ? 1 : (unsigned)(cw_world.machine_pes / ncpus));
    plan = cwu_wait_plan(cw_world.nnodes > 1 ? CWU_WAIT_REPLY : CWU_WAIT_WORD, !roomy);
    cw_wait_server = cwu_wait_plan(CWU_WAIT_SERVER, !roomy);
    cwu_debug("waits spin %u rounds and yield %u: the machine has %s", plan.polls, plan.yields,
              roomy ? "a processor for each PE" : "more PEs than processors");
}

static inline cw_slot_t *my_slot(void)
{
    return &cw_segment.slots[cw_world.slot];
}

#define OWN_TRANSFERS_EVERY 8u  // rounds: what is waited for mostly comes through the server
#define SERVER_EVERY 4u         // rounds: when replies come on own connections
// rounds: only a connection that is stuck needs a poll
#define OWN_MESSAGES_AFTER 64u

/** For other PEs in each round, for this PE's transfers in some; first where the last reply came.
 *  Returns the number of events. */
static int help(uint32_t round)
{
    const cw_progress_hooks_t *hooks = &cw_progress_hooks;
    if (cw_world.nnodes == 1)
        return 0;
    int n = 0;
    bool late = round % OWN_TRANSFERS_EVERY == OWN_TRANSFERS_EVERY - 1;
    cw_awaits_t awaits =
        CW_UNLIKELY(cw_progress_has_messages()) ? hooks->awaits_replies(false) : CW_AWAITS_NONE;
    bool here = awaits == CW_AWAITS_REPLY_HERE;
    if (here || (awaits && (late || round >= OWN_MESSAGES_AFTER)))
        n = hooks->poll_replies();
    if (!here || (n == 0 && round % SERVER_EVERY == SERVER_EVERY - 1))
        n += hooks->poll_server();
    if (late && (round >= OWN_MESSAGES_AFTER || hooks->in_flight()))
        hooks->advance();
    return n;
}

static uint64_t load_word(const char *word, uint32_t nbytes)
{
    switch (nbytes) {
    case 2:
        return __atomic_load_n((const uint16_t *)(const void *)word, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)(const void *)word, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_RELAXED);
    }
}

#define MOST_WATCHED 1024u  // bytes that are compared

static bool is_word(uintptr_t at, uint32_t nbytes)
{
    return (nbytes == 2 || nbytes == 4 || nbytes == 8) && at % nbytes == 0;
}

/** A word itself, or a digest of several, which misses a change once in 2^64 times. */
static uint64_t look_at(const char *at, uint32_t nbytes)
{
    if (is_word((uintptr_t)at, nbytes))
        return load_word(at, nbytes);
    uintptr_t shape = (uintptr_t)at | nbytes;
    uint32_t unit = shape % 8 == 0 ? 8 : shape % 4 == 0 ? 4 : 2;
    uint64_t digest = nbytes;
    for (uint32_t i = 0; i + unit <= nbytes; i += unit) {
        digest = (digest ^ load_word(at + i, unit)) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 29;
    }
    return digest;
}

/** 0: no part of the node object, or too much. */
static uint64_t offset_in_node(const void *words, uint32_t nbytes)
{
    uintptr_t at = (uintptr_t)words, base = (uintptr_t)cw_segment.base;
    if (nbytes > MOST_WATCHED || at % 2 != 0)
        return 0;
    if (at - base < cw_segment.nbytes && nbytes <= cw_segment.nbytes - (at - base))
        return at - base;
    uint64_t in_slice = at - cw_segment.origin, stride = cw_segment.layout.slice_stride;
    if (in_slice < stride && nbytes <= stride - in_slice)
        return cw_slice_offset((uint32_t)cw_world.slot) + in_slice;
    return 0;
}

#define WATCHES_NOTHING UINT64_MAX  // as an offset: only notifications

/** Before the caller tests once more: a thread that compares sees any change after that test. Of
 *  two sleeping threads neither publishes. */
static void watch(cw_wait_t *w, cw_slot_t *me)
{
    w->watched = w->word;
    w->turns = cw_arrivals_turns();
    bool alone = atomic_load_explicit(&me->waiting, memory_order_relaxed) == 1;
    uint64_t offset = alone && w->word ? offset_in_node(w->word, w->word_size) : 0;
    atomic_store_explicit(&me->watched, alone && w->notified ? WATCHES_NOTHING : 0,
                          memory_order_relaxed);
    // No reader pairs the old offset with the new value. No scene: a wake-up that is missed is late
    // by one sleep, as some are that stores without a fence miss (wait.h).
    atomic_thread_fence(memory_order_release);
    if (offset == 0 || w->notified)
        return;
    atomic_store_explicit(&me->seen, look_at(w->word, w->word_size), memory_order_relaxed);
    atomic_store_explicit(&me->watched_size, w->word_size, memory_order_relaxed);
    atomic_store_explicit(&me->watched, offset, memory_order_release);  // pairs with unchanged()
}

/** After the announcement and another test. */
static void sleep_for(cw_wait_t *w, uint64_t timeout_ns)
{
    cw_slot_t *me = my_slot();
    uint32_t bell = w->bell;
    cw_progress_hooks.leave_server();
    w->turns_asleep = w->turns;
    cw_wait_current = w;
    cw_wait_asleep = true;
    cwu_bell_sleep(&me->doorbell, bell, timeout_ns);
    cw_wait_asleep = false;
    w->bell = cwu_bell_rings(&me->doorbell);
    w->slept = true;
    w->rung = w->bell != bell;
}

static void announce(cw_wait_t *w)
{
    cw_slot_t *me = my_slot();
    w->announced = w->attended = true;
    w->sleep_ns = plan.first_ns;
    w->since_ns = w->since_ns ? w->since_ns : cwu_now_ns();
    atomic_fetch_add(&me->waiting, 1);
    watch(w, me);
    // release: what is announced; the fence: before the caller's next load of its condition
    atomic_fetch_add_explicit(&cw_segment.control->hot.sleepers, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    w->bell = cwu_bell_rings(&me->doorbell);
}

/** Short where a reply may come on this PE's own connection, for which no PE rings: mostly its
 *  sender knows that the requester may sleep, and uses its server. */
static uint64_t timeout_of(const cw_wait_t *w)
{
    if ((cw_arrivals_mode() == CW_ARRIVALS_UNWATCHED && !w->notified) || cw_progress_alone_serves())
        return plan.first_ns;
    bool awaits = w->sleep_ns > CWU_WAIT_NS(LISTEN) && cw_progress_has_messages() &&
                  cw_progress_hooks.awaits_replies(true);
    return awaits ? CWU_WAIT_NS(LISTEN) : w->sleep_ns;
}

static void leave(cw_wait_t *w)
{
    if (w->reported)
        cw_progress_hooks.moved(w);
    if (w->announced) {
        cw_slot_t *me = my_slot();
        // another thread's sleep may outlast this one
        atomic_store_explicit(&me->watched, 0, memory_order_relaxed);
        atomic_fetch_sub_explicit(&cw_segment.control->hot.sleepers, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&me->waiting, 1, memory_order_relaxed);
        cw_wait_current = NULL;
    }
    if (w->frame)
        cw_watch_end(w->frame);
    w->announced = w->attended = w->slept = false;
    w->polls_ns = 0;
    w->frame = NULL;
}

/** After a sleep: no event came with the write if the sleep timed out, and the server made no turn
 *  since the test before. */
static void judge(const cw_wait_t *w)
{
    _Atomic uint64_t *count = w->rung ? &cw_wait_counts.woken : &cw_wait_counts.late;
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    if (!w->rung && w->word && cw_world.nnodes > 1 && w->turns_asleep % 2 == 0 &&
        cw_arrivals_turns() == w->turns_asleep)
        cw_arrivals_proved();
}

void cw_wait_end(cw_wait_t *w)
{
    if (w->slept)
        judge(w);
    leave(w);
}

static CW_COLD void may_abandon(cw_wait_t *w)
{
    if (!w->word || w->deaf || !cw_abandoning->is_due(cw_abandoning->arg))
        return;
    leave(w);
    cw_wait_current = NULL;  // also of a wait that has announced itself elsewhere
    cw_abandon();
}

uint64_t cw_wait_may_sleep(cw_wait_t *w)
{
    if (CW_UNLIKELY(cw_abandoning))
        may_abandon(w);
    if (CW_UNLIKELY(cw_world.observed))
        cw_watch_sleeps(w);
    const cw_control_t *control = cw_segment.control;  // NULL: in tests of single files
    if (control && CW_UNLIKELY(cw_wait_explains ||
                               atomic_load_explicit(&control->early, memory_order_relaxed)))
        cw_progress_hooks.explain(w);
    return cw_progress_hooks.mind_neighbours();
}

static void stay_awake(cw_wait_t *w, uint32_t round)
{
    cwu_wait_step_t step = cwu_wait_step(&plan, round, 0, &w->polls_ns);
    if (step == CWU_POLL)
        cwu_cpu_pause();
    else if (step == CWU_YIELD)
        cwu_yield();
    else
        announce(w);
}

void cw_wait_round(cw_wait_t *w)
{
    uint32_t round = w->round++;
    if (round == 0)
        cw_progress_hooks.pause();
    if (round == 0 && CW_UNLIKELY(!cw_world.plain) && (w->frame = cw_watch_wait(w->call)))
        w->attended = true;
    if (CW_UNLIKELY(cw_progress_has_messages()) && !w->deaf &&
        cw_progress_hooks.run_messages(round >= plan.polls) > 0) {
        leave(w);  // the handlers may have done what the caller waits for
        w->round = 0;
        return;
    }
    if (help(round) > 0 && cw_wait_roomy && CW_UNLIKELY(cw_progress_has_messages()))
        return;  // perhaps a message, which must not wait for a yield
    if (!w->announced || round < plan.polls) {
        stay_awake(w, round);
    } else if (CW_UNLIKELY(w->watched != w->word)) {
        watch(w, my_slot());  // and the caller tests it before the sleep
    } else {
        if (CW_UNLIKELY(!cw_gathered()))
            cw_gather_try();
        cw_wait_may_sleep(w);
        sleep_for(w, timeout_of(w));
        watch(w, my_slot());
        w->sleep_ns = cwu_wait_longer(&plan, w->sleep_ns);
    }
}

// ---------------------------------------------------------------- loops of the callers

static _Thread_local struct {
    uint64_t left_ns;   // when the last call that gave way returned
    uint64_t polls_ns;  // since when it polls without a nap
    uint64_t since_ns;  // of the last turn of tests, later by what it gave away since
    uint64_t tried_ns;  // when it gave way before a try
    uint64_t empty_ns;  // since when it tests without a result
    uint32_t tests, polls, fetches;
    bool dense;  // they follow each other closely
    bool released;  // a lock of this node, and has not tried one since
} loop CW_INITIAL_EXEC;

void cw_progress(void)
{
    cw_progress_hooks.pause();
    help(loop.polls++);
}

static void nap(bool (*found)(void))
{
    cw_wait_t w = CW_WAIT_INIT("");
    announce(&w);
    cw_progress_hooks.mind_neighbours();
    if (!found || !found())
        sleep_for(&w, plan.first_ns);
    leave(&w);
}

void cw_wait_give_way(bool (*found)(void))
{
    if (!cwu_yield_is_dear()) {
        loop.since_ns += cwu_yield();
        return;
    }
    uint64_t now = cwu_now_ns();
    bool dense = now - loop.left_ns < CWU_WAIT_NS(SWITCH);
    if (!dense)
        loop.polls_ns = 0;
    if (plan.beside ? !cwu_polls_on(&loop.polls_ns) && dense : dense) {
        uint64_t start = now;
        nap(found);
        loop.polls_ns = 0;
        now = cwu_now_ns();
        loop.since_ns += now - start;
    }
    loop.left_ns = now;
}

/** After CWU_WAIT_MANY tests: how long has the loop found nothing? */
static void take_turn(void)
{
    const cw_control_t *control = cw_segment.control;
    uint64_t now = cwu_now_ns();
    uint64_t took_ns = now - loop.since_ns;
    loop.dense = took_ns < CWU_WAIT_MANY * CWU_WAIT_NS(SWITCH);
    loop.since_ns = now;
    if (took_ns > CWU_WAIT_NS(SECOND) || !loop.empty_ns)  // else the caller does something else
        loop.empty_ns = now;
    else if (cw_world.observed ||
             (control && atomic_load_explicit(&control->early, memory_order_relaxed)))
        cw_progress_hooks.polled(now - loop.empty_ns);
}

void cw_wait_tested(void)
{
    bool turn = ++loop.tests % CWU_WAIT_MANY == 0;
    if (CW_UNLIKELY(cw_progress_has_messages()) && cw_progress_hooks.run_messages(turn) > 0)
        return;  // the handlers may have done what the caller tests for
    cw_progress();
    if (turn)
        take_turn();
    if (loop.dense && (turn || !cw_wait_roomy || cwu_yield_is_dear()))
        cw_wait_give_way(NULL);
}

_Thread_local cw_fetched_t cw_fetched;

/** Some are one test: a caller that works between two fetches should not make progress at each. */
bool cw_wait_fetched_again(const void *at)
{
    const cw_fetched_t turn = cw_fetched;
    cw_fetched = (cw_fetched_t){.at = at, .before = turn.sum};
    if (turn.at != at)
        return false;
    if (turn.sum != turn.before) {
        cw_wait_found();
        return false;
    }
    loop.fetches += turn.words + 1;
    if (loop.fetches < CWU_WAIT_MANY)
        return false;
    loop.fetches = 0;
    cw_wait_tested();
    return true;
}

void cw_wait_released(int pe)
{
    loop.released = cw_world.nnodes > 1 && cw_world.node_of_pe[pe] == cw_world.node;
}

void cw_wait_will_try(void)
{
    if (CW_LIKELY(!loop.released))
        return;
    loop.released = false;
    uint64_t now = cwu_now_ns();
    if (now - loop.tried_ns < CWU_WAIT_NS(SWITCH))
        return;
    loop.tried_ns = now;
    cw_progress();
    if (!cwu_yield_is_dear())
        cwu_yield();
}

void cw_wait_found(void)
{
    loop.polls_ns = 0;
    loop.empty_ns = 0;
}

static void ring(cw_slot_t *slot)
{
    if (atomic_load_explicit(&slot->waiting, memory_order_relaxed) != 0)
        cwu_bell_ring(&slot->doorbell);
}

/** Is the only sleeper's word unchanged, or does it wait for notifications only? */
static bool unchanged(cw_slot_t *slot)
{
    uint64_t at = atomic_load_explicit(&slot->watched, memory_order_acquire);
    if (at == 0 || atomic_load_explicit(&slot->waiting, memory_order_relaxed) != 1)
        return false;
    if (at == WATCHES_NOTHING)
        return true;
    uint64_t seen = atomic_load_explicit(&slot->seen, memory_order_relaxed);
    uint32_t nbytes = atomic_load_explicit(&slot->watched_size, memory_order_relaxed);
    // Value and offset belong together if the offset has not changed. No scene: a wake-up that is
    // missed is late by one sleep.
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slot->watched, memory_order_relaxed) == at &&
           look_at(cw_segment.base + at, nbytes) == seen;
}

/** The word is compared with what the sleeper saw before the caller's store. */
void cw_wake(int pe)
{
    if (cw_segment.slots && !unchanged(&cw_segment.slots[cw_world.slot_of_pe[pe]]))
        ring(&cw_segment.slots[cw_world.slot_of_pe[pe]]);
}

void cw_wake_notify(int pe)
{
    if (cw_segment.slots)
        ring(&cw_segment.slots[cw_world.slot_of_pe[pe]]);
}

int cw_wake_changed(bool all)
{
    int rung = 0;
    for (int s = 0; s < cw_world.nslots; s++) {
        cw_slot_t *slot = &cw_segment.slots[s];
        bool known = atomic_load_explicit(&slot->watched, memory_order_relaxed) != 0;
        if ((known || all) && !unchanged(slot)) {
            ring(slot);
            rung += known;
        }
    }
    return rung;
}

bool cw_wait_must_help(void)
{
    return cw_world.hosts_server || cw_progress_has_messages() || cw_progress_hooks.in_flight();
}
