// SPDX-License-Identifier: BSD-3-Clause
//
// The scheduler: one token for all threads of all PEs, which of them has it next, and virtual time.
//
// A thread keeps the token for a number of scheduling points that the strategy draws, then decides
// itself who is next: a thread that can run, or the network. An action of the network belongs to a
// process; if the decider is of another, it hands the token to a thread of that process with an
// errand, and that thread decides next. Nothing here depends on real time or on addresses.
#include "exhaust.h"
#include "fault.h"
#include "snap.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

sim_world_t *sim;
_Thread_local int sim_me __attribute__((tls_model("initial-exec"))) = -1;

enum {
    NET = 1000,  // choices from here on are actions of the network
    MOST_CHOICES = 256,
    STEP_NS = 5,    // of virtual time for a scheduling point
    CLOCK_NS = 40,  // for a look at the clock
    YIELD_NS = 300,
    STARVING = 2000,  // points in a row after which priorities let others go first
    MOST_SPENT = 64 * STARVING,  // and in all: threads that wake each other have few in a row
};
#define HANG_NS UINT64_C(5000000000)  // between sim_begin and sim_end, where the scene says nothing

uint64_t sim_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// ---------------------------------------------------------------- the token

static void futex(_Atomic uint32_t *word, int op, uint32_t value)
{
    syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

void sim_give(_Atomic uint32_t *word)
{
    atomic_store(word, 1);
    futex(word, FUTEX_WAKE, 1);
}

void sim_await(_Atomic uint32_t *word)
{
    while (!atomic_exchange(word, 0))
        futex(word, FUTEX_WAIT, 0);
}

/** Until this thread has the token. A copy's thread begins here (snap.c). */
static __attribute__((noinline)) void await_token(void)
{
    (void)__builtin_setjmp(sim_park()->context);
    atomic_store(&SIM_ME->parked, true);
    sim_await(&SIM_ME->go[sim->copied]);
    atomic_store(&SIM_ME->parked, false);
}

void sim_hand_to_driver(void)
{
    sim->current = -1;
    sim_give(&sim->driver);
}

bool sim_await_driver(uint32_t timeout_ms)
{
    struct timespec ts = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    if (atomic_exchange(&sim->driver, 0))
        return true;
    // A giver's wake-up may come late, and end the next wait before its time.
    while (syscall(SYS_futex, &sim->driver, FUTEX_WAIT, 0, &ts, NULL, 0) == 0 || errno != ETIMEDOUT)
        if (atomic_exchange(&sim->driver, 0))
            return true;
    return atomic_exchange(&sim->driver, 0);
}

void sim_start(int thread)
{
    sim->current = thread;
    sim_give(&sim->threads[thread].go[sim->copied]);
}

static jmp_buf *driver_decides;  // in the driver, which cannot wait for itself

void sim_stop(sim_verdict_t verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (sim->verdict == SIM_GOING) {
        sim->verdict = verdict;
        vsnprintf(sim->message, sizeof sim->message, format, args);
    }
    va_end(args);
    if (driver_decides)
        longjmp(*driver_decides, 1);
    sim_hand_to_driver();
    for (;;)
        pause();  // the driver kills this process
}

// ---------------------------------------------------------------- time

static void take_steps(uint64_t taken)
{
    SIM_ME->run_steps += taken;
    SIM_ME->spent += taken;
}

static void count_steps(void)
{
    uint64_t taken = (uint64_t)(sim->quantum - (sim->left > 0 ? sim->left : 0));
    sim->quantum = sim->left > 0 ? sim->left : 0;
    sim->steps += taken;
    sim->now_ns += taken * STEP_NS;
    if (sim_me >= 0)
        take_steps(taken);
}

static void check_limits(void)
{
    if (sim->steps > sim->most_steps)
        sim_stop(SIM_LIVELOCK, "no end after %llu scheduling points and %llu us of virtual time",
                 (unsigned long long)sim->steps, (unsigned long long)sim->now_ns / 1000);
    if (sim->strict_from && sim->now_ns - sim->strict_from > sim->strict_most)
        sim_stop(SIM_LATE,
                 "%llu us of virtual time have passed where %llu are allowed: a wake-up "
                 "came by time-out, or something waits in vain",
                 (unsigned long long)(sim->now_ns - sim->strict_from) / 1000,
                 (unsigned long long)sim->strict_most / 1000);
}

uint64_t sim_clock(void)
{
    count_steps();
    sim->now_ns += CLOCK_NS;
    return sim->now_ns;
}

void sim_pass(void)
{
    if (sim_me < 0)
        return;
    sim->steps++;
    sim->now_ns += STEP_NS;
    take_steps(1);
    check_limits();
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static void run(sim_thread_t *t)
{
    t->state = SIM_RUNS;
    t->what = NULL;
    t->word = 0;
    t->deadline = 0;
    t->polls = false;
}

/** Threads whose deadlines have passed run. */
static void time_out(void)
{
    for (int i = 0; i < sim->nthreads; i++) {
        sim_thread_t *t = &sim->threads[i];
        if (t->state == SIM_WAITS && t->deadline && t->deadline <= sim->now_ns) {
            t->timed_out = true;
            run(t);
        }
    }
}

static void deadlock(void);

/** Nothing can run: time passes until the first deadline. */
static void advance_time(void)
{
    uint64_t first = sim_net_deadline();
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].state == SIM_WAITS)
            first = earlier(first, sim->threads[i].deadline);
    if (sim->stopped_until > sim->now_ns && sim->stopped_until < SIM_FOR_EVER)
        first = earlier(first, sim->stopped_until);
    if (first == 0)
        deadlock();
    if (sim->strict_from && (sim->scene->timeless & 1 << sim->model))
        sim_stop(SIM_LOST, "nothing can run until a time-out, %llu us from now: a wake-up was lost",
                 (unsigned long long)(first - sim->now_ns) / 1000);
    if (first > sim->now_ns)
        sim->now_ns = first;
    sim->jumps++;
    check_limits();
    time_out();
}

// ---------------------------------------------------------------- decisions

static bool may_run(const sim_thread_t *t)
{
    if (sim_is_stopped(t->pe))
        return false;
    return t->state == SIM_RUNS || (t->state == SIM_WAITS && t->polls && t->seen_io != sim->io);
}

static int choices(int *list)
{
    int n = 0;
    for (int i = 0; i < sim->nthreads; i++)
        if (may_run(&sim->threads[i]))
            list[n++] = i;
    int actions[MOST_CHOICES - SIM_THREADS];
    int m = sim_net_actions(actions, MOST_CHOICES - SIM_THREADS);
    for (int i = 0; i < m; i++)
        list[n++] = NET + actions[i];
    return n;
}

static int64_t new_priority(void)
{
    return (int64_t)(sim_random(&sim->random) >> 24) + 1;
}

static int64_t priority_of(int choice)
{
    if (choice < NET) {
        sim_thread_t *t = &sim->threads[choice];
        if (t->priority == 0)
            t->priority = new_priority();
        return t->priority;
    }
    int64_t p = sim_net_priority(choice - NET);
    if (p == 0) {
        p = new_priority();
        sim_net_set_priority(choice - NET, p);
    }
    return p;
}

static void lower(int choice)
{
    int64_t p = --sim->lowest;
    if (choice < NET) {
        sim->threads[choice].priority = p;
        sim->threads[choice].spent = 0;
    } else {
        sim_net_set_priority(choice - NET, p);
    }
}

static int highest(const int *list, int n)
{
    int best = list[0];
    for (int i = 1; i < n; i++)
        if (priority_of(list[i]) > priority_of(best))
            best = list[i];
    return best;
}

static int64_t geometric(uint32_t mean)
{
    int64_t n = 1;
    while (mean > 1 && sim_below(mean) != 0 && n < 100000)
        n++;
    return n;
}

static bool is_among(int choice, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == choice)
            return true;
    return false;
}

/** PCT: the choice with the highest priority, which changes at drawn points. */
static int pick_pct(const int *list, int n)
{
    if (sim->next_change < sim->nchanges && sim->steps >= sim->changes[sim->next_change]) {
        sim->next_change++;
        if (sim_me >= 0)
            lower(sim_me);
    }
    if (sim_me >= 0 && (SIM_ME->run_steps > STARVING || SIM_ME->spent > MOST_SPENT)) {
        lower(sim_me);
        SIM_ME->run_steps = 0;
    }
    sim->quantum = STARVING / 4;
    if (sim->next_change < sim->nchanges &&
        sim->changes[sim->next_change] - sim->steps < (uint64_t)sim->quantum)
        sim->quantum = (int64_t)(sim->changes[sim->next_change] - sim->steps);
    return highest(list, n);
}

/** Stays with this thread as long as it can run, else in turn: a run's length, without chance. */
static int pick_forced(const int *list, int n)
{
    sim->quantum = STARVING / 4;
    if (is_among(sim_me, list, n) && SIM_ME->run_steps <= STARVING)
        return sim_me;
    int choice = list[0];
    for (int i = n - 1; i >= 0; i--)
        if (list[i] > sim_me)
            choice = list[i];
    if (sim_me >= 0)
        SIM_ME->run_steps = 0;
    return choice;
}

/** What can be next, the plainest first: this thread, others in turn, one step of the network. That
 *  comes first where all threads have given way to each other. */
static int pick_exhaustive(const int *list, int n)
{
    int order[SIM_THREADS + 1], count = 0, threads = 0;
    bool can = sim_me >= 0 && is_among(sim_me, list, n);
    bool stays = can && SIM_ME->run_steps <= STARVING;
    while (threads < n && list[threads] < NET)
        threads++;
    bool waited = !stays && threads < n && sim->yields > threads;
    if (stays)
        order[count++] = sim_me;
    if (waited)
        order[count++] = NET;
    for (int behind = 1; behind >= 0; behind--)
        for (int i = 0; i < threads; i++)
            if (list[i] != sim_me && (list[i] > sim_me) == behind)
                order[count++] = list[i];
    if (threads < n && !waited)
        order[count++] = NET;
    if (count == 0)
        order[count++] = sim_me;  // gives way to none
    if (sim_me >= 0 && !stays)
        SIM_ME->run_steps = 0;
    int choice = order[sim_choose((uint32_t)count, can)];
    if (choice == NET) {
        sim->yields = 0;
        choice = list[threads + (int)sim_choose((uint32_t)(n - threads), 1)];
    }
    sim->quantum = sim_search->spent < sim_search->most ? 1 : STARVING / 4;
    return choice;
}

static void record(int choice)
{
    sim->hash = (sim->hash ^ (sim->steps * 2654435761u + (uint64_t)choice)) * 0x100000001b3u;
    if (sim->tracing) {
        sim_event_t *e = &sim->trace[sim->ntrace++ % SIM_TRACE];
        *e = (sim_event_t){sim->steps, (int16_t)sim_me, (int16_t)choice, NULL};
        if (sim_me >= 0 && SIM_ME->depth > 0 && SIM_ME->depth <= SIM_FRAMES)
            e->at = SIM_ME->stack[SIM_ME->depth - 1];
    }
}

static int pick(void)
{
    int list[MOST_CHOICES], n;
    count_steps();
    check_limits();
    time_out();
    while ((n = choices(list)) == 0)
        advance_time();
    int choice;
    sim->quantum = 0;
    if (sim->strategy == SIM_PCT) {
        choice = pick_pct(list, n);
    } else if (sim->strategy == SIM_FORCED) {
        choice = pick_forced(list, n);
    } else if (sim->strategy == SIM_EXHAUSTIVE) {
        choice = pick_exhaustive(list, n);
    } else {
        choice = list[sim_below((uint32_t)n)];
        sim->quantum = geometric(sim->mean_quantum);
    }
    if (sim->quantum < 1)
        sim->quantum = 1;
    sim->left = sim->quantum;
    sim->decisions++;
    record(choice);
    return choice;
}

// ---------------------------------------------------------------- carrying them out

int sim_thread_of(int pe)
{
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == pe && sim->threads[i].state != SIM_GONE)
            return i;
    return -1;
}

static void pass_to(int thread)
{
    sim->switches++;
    sim_start(thread);
}

/** Decides until another thread has the token, or this one is to run: then true. */
static bool decide(void)
{
    for (;;) {
        int choice = pick();
        if (sim_fault_is_due()) {
            if (sim_me >= 0 && SIM_ME->pe == sim->fault_pe)
                sim_fault_carry_out();
            sim->errand = SIM_DIE;
            pass_to(sim_thread_of(sim->fault_pe));
            return false;
        }
        if (choice < NET) {
            sim_thread_t *t = &sim->threads[choice];
            if (t->state == SIM_WAITS)
                run(t);  // looks again
            if (choice != sim_me) {
                t->run_steps = 0;
                pass_to(choice);
            }
            return choice == sim_me;
        }
        int pe = sim_net_process(choice - NET);
        if (sim_me >= 0 && SIM_ME->pe == pe && SIM_ME->state != SIM_GONE) {
            sim_net_act(choice - NET);
            continue;
        }
        sim->errand = choice - NET;
        pass_to(sim_thread_of(pe));
        return false;
    }
}

static void await_turn(void)
{
    for (;;) {
        await_token();
        sim->current = sim_me;
        if (sim->errand < 0)
            return;
        int action = sim->errand;
        sim->errand = -1;
        if (action == SIM_DIE)
            sim_fault_carry_out();
        if (action == SIM_SERVE) {
            sim_snap_serve();
            continue;
        }
        sim_net_act(action);
        if (decide())
            return;
    }
}

void sim_take_token(int me)
{
    sim_me = me;
    await_turn();
}

void sim_reschedule(void)
{
    int kept = errno;  // of the program, which has called nothing
    if (!decide())
        await_turn();
    errno = kept;
}

void sim_give_way(bool yields)
{
    if (!sim_inside())
        return;
    count_steps();
    if (yields)
        sim->now_ns += YIELD_NS;
    sim->yields += yields;
    if (yields && sim->strategy == SIM_PCT)
        lower(sim_me);
    if (yields && (sim->strategy == SIM_FORCED || sim->strategy == SIM_EXHAUSTIVE))
        SIM_ME->run_steps = STARVING + 1;
    sim_reschedule();
}

bool sim_wait(const char *what, sim_key_t word, uint64_t deadline, bool polls)
{
    sim_thread_t *t = SIM_ME;
    t->state = SIM_WAITS;
    t->what = what;
    t->word = word;
    t->deadline = deadline;
    t->polls = polls;
    t->seen_io = sim->io;
    t->timed_out = false;
    sim_reschedule();
    return !t->timed_out;
}

/** The thread from which on sleepers are looked for. */
static int first_to_wake(sim_key_t word, int most)
{
    int waiters[SIM_THREADS], n = 0;
    if (sim->strategy != SIM_EXHAUSTIVE)
        return sim->nthreads ? (int)sim_below((uint32_t)sim->nthreads) : 0;
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].state == SIM_WAITS && sim->threads[i].word == word)
            waiters[n++] = i;
    return n > most ? waiters[sim_choose((uint32_t)n, 0)] : 0;
}

int sim_wake(sim_key_t word, int most)
{
    int n = 0, first = first_to_wake(word, most);
    for (int i = 0; i < sim->nthreads && n < most; i++) {
        sim_thread_t *t = &sim->threads[(first + i) % sim->nthreads];
        if (t->state == SIM_WAITS && t->word == word && word != 0) {
            run(t);
            if (sim_me >= 0)
                sim_follows((first + i) % sim->nthreads, sim_me);
            n++;
        }
    }
    if (n > 0)
        sim_decide_soon();
    return n;
}

// ---------------------------------------------------------------- threads and processes

int sim_thread_new(int pe)
{
    if (sim->nthreads == SIM_THREADS)
        sim_stop(SIM_STUCK, "more than %d threads in one run", SIM_THREADS);
    int me = sim->nthreads++, number = 0;
    for (int i = 0; i < me; i++)
        number += sim->threads[i].pe == pe;
    sim_thread_t *t = &sim->threads[me];
    memset(t, 0, sizeof *t);
    *t = (sim_thread_t){.state = SIM_RUNS, .pe = pe, .number = number};
    return me;
}

void sim_leave(void)
{
    sim_drain();
    sim_fault_robust(sim_me);
    SIM_ME->state = SIM_GONE;
    sim_wake((sim_key_t)1 << 62 | (sim_key_t)sim_me, INT_MAX);  // those that join it
    decide();
    sim_me = -1;
}

void sim_end_process(int status, int signo)
{
    int pe = SIM_ME->pe, me = sim_me;
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == pe && sim->threads[i].state != SIM_GONE) {
            sim_me = i;
            sim_drain();
            sim_fault_robust(i);
        }
    sim_me = me;
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == pe)
            sim->threads[i].state = SIM_GONE;
    sim->ended_pe = pe;
    sim->ended_status = status;
    sim_me = -1;
    sim_hand_to_driver();
    if (signo)
        raise(signo);
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

void sim_go_on(void)
{
    jmp_buf here;
    driver_decides = &here;
    if (setjmp(here) == 0)
        decide();
    driver_decides = NULL;
}

static void deadlock(void)
{
    sim_stop(SIM_DEADLOCK, "nothing can happen any more");
}

// ---------------------------------------------------------------- for scenes

uint32_t sim_draw(uint32_t n)
{
    return sim ? (uint32_t)(sim_random(&sim->scene_random) >> 33) % n : 0;
}

uint32_t sim_setting(uint32_t what, uint32_t n)
{
    uint64_t draw = sim->block * UINT64_C(0xd1342543de82ef95) + what;
    return (uint32_t)(sim_random(&draw) >> 33) % n;
}

/** The first PE that begins: the seed's part of the run, from a snapshot where there can be one. */
static void begin(void)
{
    count_steps();
    sim->began_steps = sim->steps;
    sim->begun_by = sim_me;
    sim->left = sim->quantum = 0;
    if (sim->snaps) {
        sim->snap_asked = true;
        sim_hand_to_driver();
        await_turn();
    }
    sim_plan_scene();
}

void sim_begin(void)
{
    if (sim->begun_by < 0)
        begin();
    sim->strict_from = sim_clock();
    sim->strict_most = sim->scene->most_ns ? sim->scene->most_ns : HANG_NS;
}

void sim_end(void)
{
    if (sim->strategy == SIM_EXHAUSTIVE)
        sim->strategy = SIM_FORCED;  // what is behind is not searched
    sim->strict_from = 0;
}

uint64_t sim_now_ns(void)
{
    return sim_clock();
}

uint64_t sim_seed(void)
{
    return sim->seed;
}

void *sim_common(size_t nbytes)
{
    if (!sim->common)
        sim->common = memset(sim_alloc(nbytes), 0, nbytes);
    return sim->common;
}

int sim_device_fd(void)
{
    return sim->device_fd;
}

void sim_yield(void)
{
    sim_give_way(true);
}

void sim_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sim_stop(SIM_FAILED, "%s:%d: %s: %s", file, line, condition, text);
}
