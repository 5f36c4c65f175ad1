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
    double slice;  // > 0: how long the thread had a core
} event_t;

typedef struct host {
    int idle;  // cores
    sim_thread_t *first, *last;  // the queue for a core
    int runnable;                // those that have one or wait for one
    double total;                // of their virtual times
    double average;              // of them when there were some last
} host_t;

static struct {
    sim_thread_t *running;  // whose turn ends just now: its core is not given away yet
    bool goes_on;           // it has more work
    double now;
    sim_clock_t clock;
    uint64_t order;
    event_t *heap;
    size_t n, room;
    host_t *hosts;
} engine;

void sim_engine_begin(int nhosts, int cores, sim_clock_t clock)
{
    engine.now = 0;
    engine.order = 0;
    engine.n = 0;
    engine.clock = clock;
    engine.hosts = calloc((size_t)nhosts, sizeof *engine.hosts);
    if (!engine.hosts) {
        perror("sim: hosts");
        exit(EXIT_FAILURE);
    }
    for (int h = 0; h < nhosts; h++)
        engine.hosts[h].idle = cores;
}

void sim_engine_end(void)
{
    free(engine.hosts);
    free(engine.heap);
    engine.hosts = NULL;
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
// As Linux does since 6.6 (EEVDF): of the threads that had no more of the cores than the average,
// the one with the earliest deadline is next. A new thread begins at the average, with half a slice
// to its deadline: so one that is interrupted waits while new ones come. A slice is over at the
// first tick behind its end; until then a thread keeps its core from one piece of work to the next.
static double average(const host_t *h)
{
    return h->runnable > 0 ? h->total / h->runnable : h->average;
}

/** A thread has work again, or for the first time. */
static void enter(host_t *h, sim_thread_t *t)
{
    t->ran = average(h) - t->lag;
    t->deadline = t->ran + engine.clock.slice / (t->known ? 1 : 2);
    t->known = true;
    h->total += t->ran;
    h->runnable++;
}

static void leave(host_t *h, sim_thread_t *t)
{
    h->average = average(h);
    t->lag = fmin(fmax(h->average - t->ran, 0), engine.clock.slice);
    h->total -= t->ran;
    h->runnable--;
}

static void run_until_tick(sim_thread_t *t)
{
    const double tick = engine.clock.tick,
                 left = tick - fmod(engine.now + engine.clock.phase, tick);
    double slice = t->work < left ? t->work : left;
    slice = slice > 0 ? slice : 1e-3;
    push((event_t){
        .when = engine.now + slice, .order = engine.order++, .thread = t, .slice = slice});
}

static void enqueue(host_t *h, sim_thread_t *t)
{
    t->next = NULL;
    if (h->last)
        h->last->next = t;
    else
        h->first = t;
    h->last = t;
}

void sim_work(sim_thread_t *self, double ns)
{
    host_t *h = &engine.hosts[self->host];
    self->work = ns;
    if (self == engine.running) {
        engine.goes_on = true;
        return;
    }
    enter(h, self);
    if (h->idle > 0) {
        h->idle--;
        run_until_tick(self);
    } else {
        enqueue(h, self);
    }
}

static bool is_before(const sim_thread_t *a, const sim_thread_t *b, double most)
{
    const bool may = a->ran <= most, other_may = b->ran <= most;
    return may != other_may ? may : may ? a->deadline < b->deadline : a->ran < b->ran;
}

/** Takes the next one out of the queue; NULL: none. */
static sim_thread_t *take_next(host_t *h)
{
    const double most = average(h) + 1e-3;
    sim_thread_t *best = h->first, *before = NULL, *previous = best;
    if (!best)
        return NULL;
    for (sim_thread_t *t = best->next; t; previous = t, t = t->next) {
        if (is_before(t, best, most)) {
            best = t;
            before = previous;
        }
    }
    *(before ? &before->next : &h->first) = best->next;
    if (h->last == best)
        h->last = before;
    return best;
}

static void give_core(host_t *h)
{
    sim_thread_t *next = take_next(h);
    if (next)
        run_until_tick(next);
    else
        h->idle++;
}

/** A thread has had its core for this time: its work is over, or a tick came. */
static void end_slice(sim_thread_t *t, double slice)
{
    host_t *h = &engine.hosts[t->host];
    t->work -= slice;
    t->ran += slice;
    h->total += slice;
    if (t->work > 1e-3 && t->ran < t->deadline) {
        run_until_tick(t);
        return;
    }
    if (t->work > 1e-3) {
        t->deadline = t->ran + engine.clock.slice;
        enqueue(h, t);
        give_core(h);
        return;
    }
    engine.running = t;
    engine.goes_on = false;
    t->go(t);
    engine.running = NULL;
    if (engine.goes_on) {
        run_until_tick(t);
    } else {
        leave(h, t);
        give_core(h);
    }
}

uint64_t sim_engine_run(void)
{
    uint64_t events = 0;
    while (engine.n > 0) {
        event_t e = pop();
        engine.now = e.when;
        events++;
        if (e.slice > 0)
            end_slice(e.thread, e.slice);
        else
            e.thread->go(e.thread);
    }
    return events;
}
