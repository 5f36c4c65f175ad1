// SPDX-License-Identifier: BSD-3-Clause
//
// The queue of events (sim.h).
#include "sim.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct event {
    double when;
    uint64_t order;  // of two events at one time the older comes first
    sim_thread_t *thread;
    uint64_t turn;  // > 0: that of a core which its thread has
} event_t;

typedef struct core {
    sim_thread_t *current;       // NULL: idle
    double since;                // it was accounted for
    uint64_t turn;               // an event of an earlier one is void
    sim_thread_t *first, *last;  // that wait for it
    int runnable;                // those, and the current one
    double total;                // of their virtual times
    double average;              // of them when there were some last
} core_t;

typedef struct host {
    core_t *cores;
    int queued;  // threads that wait for any
} host_t;

static struct {
    core_t *acting;   // its thread's turn ends just now: the core is not given away yet
    bool goes_on;     // it has more work
    bool interrupts;  // and another one has come meanwhile
    double now;
    sim_clock_t clock;
    uint64_t order, turn;
    event_t *heap;
    size_t n, room;
    host_t *hosts;
    core_t *cores;
    int ncores;  // of a host
} engine;

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        perror("sim: hosts");
        exit(EXIT_FAILURE);
    }
    return p;
}

void sim_engine_begin(int nhosts, int cores, sim_clock_t clock)
{
    engine.now = 0;
    engine.order = engine.turn = 0;
    engine.n = 0;
    engine.clock = clock;
    engine.ncores = cores;
    engine.hosts = zeroed((size_t)nhosts, sizeof *engine.hosts);
    engine.cores = zeroed((size_t)nhosts * (size_t)cores, sizeof *engine.cores);
    for (int h = 0; h < nhosts; h++)
        engine.hosts[h].cores = engine.cores + (size_t)h * (size_t)cores;
}

void sim_engine_end(void)
{
    free(engine.hosts);
    free(engine.cores);
    free(engine.heap);
    engine.hosts = NULL;
    engine.cores = NULL;
    engine.heap = NULL;
    engine.room = 0;
}

double sim_now(void)
{
    return engine.now;
}

// ---------------------------------------------------------------- the heap
static bool earlier(const event_t *a, const event_t *b)
{
    return a->when < b->when || (a->when <= b->when && a->order < b->order);
}

static void push(event_t event)
{
    if (engine.n == engine.room) {
        engine.room = engine.room ? 2 * engine.room : 4096;
        engine.heap = realloc(engine.heap, engine.room * sizeof *engine.heap);
        if (!engine.heap) {
            perror("sim: events");
            exit(EXIT_FAILURE);
        }
    }
    size_t i = engine.n++;
    for (; i > 0 && earlier(&event, &engine.heap[(i - 1) / 2]); i = (i - 1) / 2)
        engine.heap[i] = engine.heap[(i - 1) / 2];
    engine.heap[i] = event;
}

static event_t pop(void)
{
    event_t top = engine.heap[0], last = engine.heap[--engine.n];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < engine.n) {
        if (child + 1 < engine.n && earlier(&engine.heap[child + 1], &engine.heap[child]))
            child++;
        if (!earlier(&engine.heap[child], &last))
            break;
        engine.heap[i] = engine.heap[child];
        i = child;
    }
    engine.heap[i] = last;
    return top;
}

void sim_after(sim_thread_t *self, double ns)
{
    push((event_t){.when = engine.now + ns, .order = engine.order++, .thread = self});
}

// ---------------------------------------------------------------- cores
// As Linux does since 6.6 (EEVDF), with a queue for each core: of the threads that had no more of
// it than the average, the one with the earliest deadline is next. A new thread begins at the
// average, with half a slice to its deadline: so one that is interrupted waits while new ones come.
// A slice that is over ends at the next tick, or when a thread comes to the queue; until then a
// thread keeps its core from one piece of work to the next. New threads go to the core with the
// fewest, others to their last one, and both to an idle one where there is one; a core that becomes
// idle takes a thread that waits for another.
static double average(const core_t *c)
{
    return c->runnable > 0 ? c->total / c->runnable : c->average;
}

/** Of the current thread, until now. */
static void account(core_t *c)
{
    double ran = engine.now - c->since;
    c->since = engine.now;
    if (!c->current || c == engine.acting)
        return;
    c->current->work -= ran;
    c->current->ran += ran;
    c->total += ran;
}

static void join_core(core_t *c, sim_thread_t *t, double slice)
{
    t->core = (int)(c - engine.hosts[t->host].cores);
    t->ran = average(c) - t->lag;
    t->deadline = t->ran + slice;
    c->total += t->ran;
    c->runnable++;
}

static void leave_core(core_t *c, sim_thread_t *t)
{
    c->average = average(c);
    t->lag = fmin(fmax(c->average - t->ran, 0), engine.clock.slice);
    c->total -= t->ran;
    c->runnable--;
}

static void run_until_tick(core_t *c, sim_thread_t *t)
{
    const double tick = engine.clock.tick,
                 left = tick - fmod(engine.now + engine.clock.phase, tick);
    double slice = t->work < left ? t->work : left;
    slice = slice > 0 ? slice : 1e-3;
    c->current = t;
    c->since = engine.now;
    c->turn = ++engine.turn;
    push((event_t){
        .when = engine.now + slice, .order = engine.order++, .thread = t, .turn = c->turn});
}

static void enqueue(core_t *c, sim_thread_t *t)
{
    t->next = NULL;
    if (c->last)
        c->last->next = t;
    else
        c->first = t;
    c->last = t;
    engine.hosts[t->host].queued++;
}

static bool is_before(const sim_thread_t *a, const sim_thread_t *b, double most)
{
    const bool may = a->ran <= most, other_may = b->ran <= most;
    return may != other_may ? may : may ? a->deadline < b->deadline : a->ran < b->ran;
}

/** Takes the next one out of the queue; NULL: none. */
static sim_thread_t *take_next(core_t *c)
{
    const double most = average(c) + 1e-3;
    sim_thread_t *best = c->first, *before = NULL, *previous = best;
    if (!best)
        return NULL;
    for (sim_thread_t *t = best->next; t; previous = t, t = t->next) {
        if (is_before(t, best, most)) {
            best = t;
            before = previous;
        }
    }
    *(before ? &before->next : &c->first) = best->next;
    if (c->last == best)
        c->last = before;
    engine.hosts[best->host].queued--;
    return best;
}

/** The core with the fewest threads or with the most. */
static core_t *extreme(const host_t *h, bool most)
{
    core_t *found = h->cores;
    for (core_t *c = h->cores + 1; c < h->cores + engine.ncores; c++)
        if (most ? c->runnable > found->runnable : c->runnable < found->runnable)
            found = c;
    return found;
}

static void give_core(core_t *c, const host_t *h)
{
    c->current = NULL;
    if (!c->first && h->queued > 0) {
        core_t *from = extreme(h, true);
        sim_thread_t *t = take_next(from);
        const double due = t->deadline - t->ran;
        t->lag = average(from) - t->ran;
        from->total -= t->ran;
        from->runnable--;
        join_core(c, t, due);
        enqueue(c, t);
    }
    sim_thread_t *next = take_next(c);
    if (next)
        run_until_tick(c, next);
}

/** The slice of the current thread is over, and it has more work. */
static void interrupt(core_t *c, const host_t *h)
{
    sim_thread_t *t = c->current;
    t->deadline = t->ran + engine.clock.slice;
    enqueue(c, t);
    give_core(c, h);
}

/** A thread has work again, or for the first time. */
static void enter(const host_t *h, sim_thread_t *t)
{
    core_t *c = extreme(h, false);
    if (t->known && c->runnable > 0)
        c = &h->cores[t->core];
    account(c);
    join_core(c, t, engine.clock.slice / (t->known ? 1 : 2));
    t->known = true;
    if (c->runnable == 1) {
        run_until_tick(c, t);
        return;
    }
    enqueue(c, t);
    if (c == engine.acting)
        engine.interrupts = true;
    else if (c->current && c->current->ran >= c->current->deadline)
        interrupt(c, h);
}

void sim_work(sim_thread_t *self, double ns)
{
    self->work = ns;
    if (engine.acting && engine.acting->current == self)
        engine.goes_on = true;
    else
        enter(&engine.hosts[self->host], self);
}

/** A thread has had its core for this time: its work is over, or a tick came. */
static void end_slice(sim_thread_t *t, uint64_t turn)
{
    const host_t *h = &engine.hosts[t->host];
    core_t *c = &h->cores[t->core];
    if (c->turn != turn || c->current != t)
        return;
    account(c);
    if (t->work > 1e-3) {
        if (t->ran < t->deadline)
            run_until_tick(c, t);
        else
            interrupt(c, h);
        return;
    }
    engine.acting = c;
    engine.goes_on = engine.interrupts = false;
    t->go(t);
    engine.acting = NULL;
    if (!engine.goes_on) {
        leave_core(c, t);
        give_core(c, h);
    } else if (engine.interrupts && t->ran >= t->deadline) {
        interrupt(c, h);
    } else {
        run_until_tick(c, t);
    }
}

uint64_t sim_engine_run(void)
{
    uint64_t events = 0;
    while (engine.n > 0) {
        event_t e = pop();
        engine.now = e.when;
        events++;
        if (e.turn > 0)
            end_slice(e.thread, e.turn);
        else
            e.thread->go(e.thread);
    }
    return events;
}
