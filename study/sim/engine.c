// SPDX-License-Identifier: BSD-3-Clause
//
// The queue of events (sim.h).
#include "sim.h"

#include <math.h>
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
    sim_thread_t *first, *last;
} host_t;

static struct {
    sim_thread_t *running;  // whose turn ends just now: its core is not given away yet
    bool goes_on;           // it has more work
    double now, quantum;
    uint64_t order;
    event_t *heap;
    size_t n, room;
    host_t *hosts;
} engine;

void sim_engine_begin(int nhosts, int cores, double quantum)
{
    engine.now = 0;
    engine.order = 0;
    engine.n = 0;
    engine.quantum = quantum;
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

// ---------------------------------------------------------------- cores, round robin
// As a kernel does: at each tick of its clock, the thread that runs then makes room for the next
// one. Until then a thread keeps its core from one piece of work to the next.
static void run_until_tick(sim_thread_t *t)
{
    double left = engine.quantum - fmod(engine.now, engine.quantum);
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
    } else if (h->idle > 0) {
        h->idle--;
        run_until_tick(self);
    } else {
        enqueue(h, self);
    }
}

static void give_core(host_t *h)
{
    sim_thread_t *next = h->first;
    if (!next) {
        h->idle++;
        return;
    }
    h->first = next->next;
    if (!h->first)
        h->last = NULL;
    run_until_tick(next);
}

/** A thread has had its core for this time: its work is over, or a tick came. */
static void end_slice(sim_thread_t *t, double slice)
{
    host_t *h = &engine.hosts[t->host];
    t->work -= slice;
    if (t->work > 1e-3) {
        enqueue(h, t);
        give_core(h);
        return;
    }
    engine.running = t;
    engine.goes_on = false;
    t->go(t);
    engine.running = NULL;
    if (engine.goes_on)
        run_until_tick(t);
    else
        give_core(h);
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
