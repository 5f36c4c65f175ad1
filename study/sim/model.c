// SPDX-License-Identifier: BSD-3-Clause
//
// Plays recorded PEs and node servers in simulated time. A PE may have to wait for a core, the
// other PEs of its node, a fence, a server that accepts one connection after the other, or a
// barrier.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wait.h"
#include "sim.h"

typedef enum stage { STARTED, SEATED, EXECUTED, JOINED, LEFT } stage_t;
typedef enum waits { NOT, ASLEEP, LOOKS } waits_t;

#define SEATS 8  // PEs that oshrun has on their way to exec (tools/oshrun/spawn.c)

typedef struct pe {
    sim_thread_t t;  // first: a thread is its PE
    int node;
    stage_t stage;
    int step, done;  // of the script; of the connections of a step
    int phase;       // of a connection: begin, own half of the work done, request at the server
    bool loaded;     // the library: what is left of that is a sleep
    int connections;
    double init_begin, init_ns;
    waits_t waits;            // at a barrier
    sim_thread_t timer;       // of its sleeps there
    double alarm, nap_ns;     // when it ends, and how long the next one is
    struct pe *next_waiting;  // at a server, a fence, a barrier
} pe_t;

typedef struct server {
    sim_thread_t t;
    int step;
    bool loaded;  // as in pe
    bool serving, busy;
    int accepts;
    pe_t *first, *last;  // the queue of connection requests
} server_t;

/** A part of a fence: the launcher's daemon of a host, for all PEs of the host. */
typedef struct part {
    sim_thread_t t;   // all parts below have arrived; later: the release has arrived
    sim_thread_t up;  // the message to the daemon above has arrived there
    int fence, host;
    int due;  // missing arrivals: PEs of the host, and daemons below it
    bool sent, over;
    double busy;  // until then
    pe_t *waiting;
} part_t;

typedef struct daemon_t {
    sim_thread_t t;
    int first, next, end;  // PEs to start
    int seated;            // PEs on their way to exec
    int ended;             // PEs that it has not reaped
    bool started, works;
} daemon_t;

static struct {
    const sim_config_t *config;
    const sim_cost_t *cost;
    const sim_record_t *record;
    pe_t *pe;
    server_t *server;
    part_t *part[2];  // [fence][host]
    daemon_t *daemon;
    int *node_pes, *first_pe;  // [nnodes]
    int shm_due[2];
    int at_barrier;
    pe_t *barrier_waiting;
    server_t **server_waiting;  // [nnodes] for the first fence
    int nwaiting_servers;
    cwu_wait_plan_t plan;  // at a barrier
    double cpu, launched, fence_end, last;
    sim_result_t *result;
} sim;

static void work(sim_thread_t *t, double ns)
{
    sim.cpu += ns;
    sim_work(t, ns);
}

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) {
        perror("sim: model");
        exit(EXIT_FAILURE);
    }
    return p;
}

static int host_of(int node)
{
    return sim.config->nhosts == 1 ? 0 : node;
}

// ---------------------------------------------------------------- fences
static void wake_all(pe_t **waiting)
{
    while (*waiting) {
        pe_t *pe = *waiting;
        *waiting = pe->next_waiting;
        work(&pe->t, sim.cost->wake);
    }
}

static void end_fence(part_t *part)
{
    part->over = true;
    if (part->fence == 0)
        sim.fence_end = sim_now();
    wake_all(&part->waiting);
    if (part->fence != 0)
        return;
    for (int i = 0; i < sim.nwaiting_servers; i++) {
        server_t *s = sim.server_waiting[i];
        if (s && s->t.host == part->host) {
            sim.server_waiting[i] = NULL;
            work(&s->t, sim.cost->wake);
        }
    }
}

static int parent_of(int host)
{
    return sim.config->fence == SIM_TREE ? (host - 1) / sim.config->fanout : 0;
}

/** Sends the release down: to one child after the other. */
static void tell_children(part_t *part)
{
    const sim_config_t *c = sim.config;
    double each = sim.cost->message + (double)sim.record->published / sim.cost->bandwidth, at = 0;
    int first = c->fence == SIM_TREE ? part->host * c->fanout + 1 : part->host == 0 ? 1 : c->nhosts;
    int end = c->fence == SIM_TREE ? first + c->fanout : c->nhosts;
    for (int h = first; h < end && h < c->nhosts; h++) {
        at += part->fence == 0 ? each : sim.cost->message;
        sim_after(&sim.part[part->fence][h].t, at + sim.cost->hop);
    }
    end_fence(part);
}

/** An arrival at the daemon of a host: a PE of the host, or the message of a daemon below. */
static void arrive_at(part_t *part)
{
    double now = sim_now();
    part->busy = (part->busy > now ? part->busy : now) + sim.cost->message;
    if (--part->due == 0)
        sim_after(&part->t, part->busy - now);
}

static void part_go(sim_thread_t *t)
{
    part_t *part = (part_t *)t;
    if (part->sent || part->host == 0) {
        tell_children(part);
        return;
    }
    part->sent = true;
    sim_after(&part->up, sim.cost->hop);
}

static void up_go(sim_thread_t *t)
{
    part_t *part = (part_t *)(void *)((char *)t - offsetof(part_t, up));
    arrive_at(&sim.part[part->fence][parent_of(part->host)]);
}

static void arrive(int host, int fence)
{
    if (sim.config->fence != SIM_SHM)
        arrive_at(&sim.part[fence][host]);
    else if (--sim.shm_due[fence] == 0)
        for (int h = 0; h < sim.config->nhosts; h++)
            end_fence(&sim.part[fence][h]);
}

// ---------------------------------------------------------------- node servers
static void server_go(sim_thread_t *t)
{
    server_t *s = (server_t *)t;
    const sim_script_t *script = &sim.record->server[s - sim.server];
    if (s->busy) {  // one accepted
        pe_t *pe = s->first;
        s->first = pe->next_waiting;
        s->busy = false;
        s->accepts++;
        sim_after(&pe->t, sim.cost->hop);
    }
    while (!s->serving && s->step < script->n) {
        const sim_step_t *step = &script->steps[s->step++];
        if (step->op == SIM_OP_LOAD && !s->loaded) {
            s->loaded = true;
            s->step--;
            work(t, sim.cost->load);
            return;
        }
        if (step->op == SIM_OP_LOAD) {
            sim_after(t, sim.cost->load_wait);
            return;
        }
        if (step->op == SIM_OP_LISTEN) {
            work(t, sim.cost->listen);
            return;
        }
        if (step->op == SIM_OP_POST)
            arrive(t->host, 0);
        if (step->op == SIM_OP_AWAIT && !sim.part[0][t->host].over) {
            sim.server_waiting[sim.nwaiting_servers++] = s;
            return;
        }
        s->serving = step->op == SIM_OP_SERVE;
    }
    if (s->serving && s->first && !s->busy) {
        s->busy = true;
        work(t, sim.cost->accept);
    }
}

/** Called when a request has crossed the network. */
static void ask_server(pe_t *pe, int node)
{
    server_t *s = &sim.server[node];
    pe->next_waiting = NULL;
    if (s->first)
        s->last->next_waiting = pe;
    else
        s->first = pe;
    s->last = pe;
    if (s->serving && !s->busy)
        server_go(&s->t);
}

// ---------------------------------------------------------------- PEs
/** True when the PE goes on at once. */
static bool connect_step(pe_t *pe, const sim_step_t *step)
{
    if (pe->done == (int)step->count) {
        pe->done = 0;
        return true;
    }
    if (pe->phase == 0) {
        pe->phase = 1;
        work(&pe->t, sim.cost->connect);
        return false;
    }
    if (pe->phase == 1) {
        pe->phase = 2;
        sim_after(&pe->t, sim.cost->hop);
        return false;
    }
    pe->phase = 0;
    pe->done++;
    pe->connections++;
    ask_server(pe, (int)step->arg + pe->done - 1);
    return false;
}

static bool await_step(pe_t *pe, int fence)
{
    part_t *part = &sim.part[fence][pe->t.host];
    if (part->over)
        return true;
    pe->next_waiting = part->waiting;
    part->waiting = pe;
    return false;
}

// A PE at a barrier looks now and then whether the others live; src/base/waits.def says how often.
static void sleep_on(pe_t *pe)
{
    pe->waits = ASLEEP;
    pe->alarm = sim_now() + pe->nap_ns;
    sim_after(&pe->timer, pe->nap_ns);
    pe->nap_ns = fmin(2 * pe->nap_ns, (double)sim.plan.longest_ns);
}

static void timer_go(sim_thread_t *t)
{
    pe_t *pe = (pe_t *)(void *)((char *)t - offsetof(pe_t, timer));
    if (pe->waits != ASLEEP || sim_now() < pe->alarm)
        return;
    pe->waits = LOOKS;
    work(&pe->t, sim.cost->look);
}

static void end_barrier(void)
{
    sim.at_barrier = 0;
    while (sim.barrier_waiting) {
        pe_t *pe = sim.barrier_waiting;
        sim.barrier_waiting = pe->next_waiting;
        bool awake = pe->waits != ASLEEP;
        pe->waits = NOT;
        if (!awake)
            work(&pe->t, sim.cost->wake);
    }
}

static bool barrier_step(pe_t *pe)
{
    pe->next_waiting = sim.barrier_waiting;
    sim.barrier_waiting = pe;
    pe->nap_ns = (double)sim.plan.first_ns;
    sleep_on(pe);
    if (++sim.at_barrier == sim.config->npes)
        end_barrier();
    return false;
}

static void end_init(pe_t *pe)
{
    pe->init_ns = sim_now() - pe->init_begin;
}

/** The launcher starts PEs while there are seats, and reaps those that have ended. */
static void daemon_next(daemon_t *d)
{
    if (!d->started || d->works)
        return;
    d->works = true;
    if (d->next < d->end && (d->seated < SEATS || sim.config->fence != SIM_SHM))
        work(&d->t, sim.cost->spawn);
    else if (d->next == d->end && d->ended > 0)
        work(&d->t, sim.cost->reap);
    else
        d->works = false;
}

static void leave_seat(daemon_t *d)
{
    d->seated--;
    daemon_next(d);
}

/** Plays one step of the script. True when it is complete and took no time. */
static bool take_step(pe_t *pe, const sim_step_t *step)
{
    switch ((sim_op_t)step->op) {
    case SIM_OP_LOAD:
        if (!pe->loaded) {
            pe->loaded = true;
            pe->step--;
            work(&pe->t, sim.cost->begin + sim.cost->load);
        } else {
            sim_after(&pe->t, sim.cost->load_wait);
        }
        return false;
    case SIM_OP_BEGIN:
        work(&pe->t, sim.cost->begin);
        return false;
    case SIM_OP_OPEN:
        work(&pe->t, sim.cost->open);
        return false;
    case SIM_OP_POST:
        arrive(pe->t.host, (int)step->arg);
        return true;
    case SIM_OP_AWAIT:
        return await_step(pe, (int)step->arg);
    case SIM_OP_SERVER:
        work(&sim.server[pe->node].t, sim.cost->serve);
        return true;
    case SIM_OP_INIT_END:
        end_init(pe);
        return true;
    case SIM_OP_BARRIER:
        return barrier_step(pe);
    default:
        return true;
    }
}

static void run_script(pe_t *pe)
{
    const sim_script_t *script = &sim.record->pe[pe - sim.pe];
    while (pe->step < script->n) {
        const sim_step_t *step = &script->steps[pe->step];
        if (step->op == SIM_OP_CONNECT) {
            if (!connect_step(pe, step))
                return;
            pe->step++;
            continue;
        }
        pe->step++;
        if (!take_step(pe, step))
            return;
    }
    const bool hosts_server = pe - sim.pe == sim.first_pe[pe->node];
    pe->stage = LEFT;
    work(&pe->t, sim.cost->leave + (hosts_server && sim.config->nnodes > 1 ? sim.cost->shut : 0));
}

static void pe_go(sim_thread_t *t)
{
    pe_t *pe = (pe_t *)t;
    if (pe->waits == LOOKS) {
        sleep_on(pe);
        return;
    }
    switch (pe->stage) {
    case STARTED:
        pe->stage = SEATED;
        work(t, sim.cost->seat);
        break;
    case SEATED:
        pe->stage = EXECUTED;
        leave_seat(&sim.daemon[t->host]);
        sim.cpu += sim.cost->exec;
        sim_work(t, sim.cost->exec + sim.cost->kernel);
        break;
    case EXECUTED:
        pe->stage = JOINED;
        pe->init_begin = sim_now();
        sim.launched = sim_now();
        work(t, sim.cost->join + (pe - sim.pe == sim.first_pe[pe->node]
                                      ? sim.record->first_ns
                                      : sim.record->place_ns + sim.record->tables_ns));
        break;
    case JOINED:
        run_script(pe);
        break;
    case LEFT:
        sim.daemon[t->host].ended++;
        daemon_next(&sim.daemon[t->host]);
        break;
    }
}

// ---------------------------------------------------------------- launch
/** The launcher of a host has begun, or started or reaped a PE. */
static void daemon_go(sim_thread_t *t)
{
    daemon_t *d = (daemon_t *)t;
    if (!d->started && !d->works) {
        d->works = true;
        work(t, sim.cost->start);
        return;
    }
    d->works = false;
    if (!d->started) {
        d->started = true;
    } else if (d->next < d->end) {
        sim_after(&sim.pe[d->next++].t, 0);
        d->seated++;
    } else {
        d->ended--;
        sim.last = sim_now();
    }
    daemon_next(d);
}

static double daemon_start(int host)
{
    const sim_config_t *c = sim.config;
    double at = 0;
    if (c->fence != SIM_TREE)
        return host * sim.cost->message + (host > 0 ? sim.cost->daemon : 0);
    for (int h = host; h > 0; h = (h - 1) / c->fanout)
        at += sim.cost->daemon + (h - 1) % c->fanout * sim.cost->message;
    return at;
}

// ---------------------------------------------------------------- the whole
static int children_of(int host)
{
    const sim_config_t *c = sim.config;
    if (c->fence == SIM_SHM)
        return 0;
    if (c->fence == SIM_STAR)
        return host == 0 ? c->nhosts - 1 : 0;
    long first = (long)host * c->fanout + 1, end = first + c->fanout;
    end = end < c->nhosts ? end : c->nhosts;
    return end > first ? (int)(end - first) : 0;
}

static void set_up(void)
{
    const sim_config_t *c = sim.config;
    size_t nnodes = (size_t)c->nnodes, nhosts = (size_t)c->nhosts;
    sim.pe = zeroed((size_t)c->npes, sizeof *sim.pe);
    sim.server = zeroed(nnodes, sizeof *sim.server);
    sim.daemon = zeroed(nhosts, sizeof *sim.daemon);
    sim.node_pes = zeroed(nnodes, sizeof(int));
    sim.first_pe = zeroed(nnodes + 1, sizeof(int));
    sim.server_waiting = zeroed(nnodes, sizeof *sim.server_waiting);
    for (int node = 0, pe = 0; node < c->nnodes; node++) {
        sim.first_pe[node] = pe;
        sim.node_pes[node] = c->npes / c->nnodes + (node < c->npes % c->nnodes);
        sim.server[node].t = (sim_thread_t){.go = server_go, .host = host_of(node)};
        for (int i = 0; i < sim.node_pes[node]; i++, pe++)
            sim.pe[pe] = (pe_t){
                .t = {.go = pe_go, .host = host_of(node)}, .node = node, .timer = {.go = timer_go}};
        sim.first_pe[node + 1] = pe;
    }
    for (int h = 0; h < c->nhosts; h++) {
        int first = sim.first_pe[h], end = c->nhosts == 1 ? c->npes : sim.first_pe[h + 1];
        sim.daemon[h] = (daemon_t){
            .t = {.go = daemon_go, .host = h}, .first = first, .next = first, .end = end};
        for (int f = 0; f < 2; f++) {
            if (h == 0)
                sim.part[f] = zeroed(nhosts, sizeof *sim.part[f]);
            sim.part[f][h] = (part_t){.t = {.go = part_go, .host = h},
                                      .up = {.go = up_go, .host = h},
                                      .fence = f,
                                      .host = h,
                                      .due = end - first + children_of(h)};
        }
    }
    sim.shm_due[0] = sim.shm_due[1] = c->npes;
    const int ncores = c->nhosts * c->cores;
    cwu_wait_share(c->npes > ncores ? (unsigned)(c->npes / ncores) : 1);
    sim.plan = cwu_wait_plan(CWU_WAIT_SYNC, c->npes > ncores);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void collect_init(sim_result_t *r)
{
    int n = sim.config->npes;
    double sum = 0, *ns = zeroed((size_t)n, sizeof *ns);
    for (int pe = 0; pe < n; pe++)
        sum += ns[pe] = sim.pe[pe].init_ns;
    qsort(ns, (size_t)n, sizeof *ns, by_value);
    r->init_median_ms = (ns[(n - 1) / 2] + ns[n / 2]) / 2e6;
    r->init_mean_ms = sum / n / 1e6;
    r->init_max_ms = ns[n - 1] / 1e6;
    free(ns);
}

static void collect(sim_result_t *r)
{
    const sim_config_t *c = sim.config;
    *r = (sim_result_t){.wall_ms = sim.last / 1e6,
                        .launched_ms = sim.launched / 1e6,
                        .fence_ms = sim.fence_end / 1e6,
                        .cpu_ms = sim.cpu / 1e6};
    collect_init(r);
    for (int pe = 0; pe < c->npes; pe++) {
        const sim_script_t *script = &sim.record->pe[pe];
        r->connections += (uint64_t)sim.pe[pe].connections;
        r->most_connections = sim.pe[pe].connections > r->most_connections ? sim.pe[pe].connections
                                                                           : r->most_connections;
        for (int i = 0; i < script->n; i++)
            r->endpoints += script->steps[i].op == SIM_OP_OPEN;
        if (sim.pe[pe].stage != LEFT) {
            fprintf(stderr, "sim: PE %d never came to its end\n", pe);
            exit(EXIT_FAILURE);
        }
    }
    for (int node = 0; node < c->nnodes; node++) {
        r->most_accepts =
            sim.server[node].accepts > r->most_accepts ? sim.server[node].accepts : r->most_accepts;
        r->endpoints += c->nnodes > 1;
    }
}

void sim_play(const sim_config_t *config, const sim_cost_t *cost, const sim_record_t *record,
              sim_result_t *result_p)
{
    sim.config = config;
    sim.cost = cost;
    sim.record = record;
    sim_engine_begin(config->nhosts, config->cores,
                     (sim_clock_t){cost->tick, cost->phase, cost->slice});
    set_up();
    for (int h = 0; h < config->nhosts; h++)
        sim_after(&sim.daemon[h].t, daemon_start(h));
    uint64_t events = sim_engine_run();
    collect(result_p);
    result_p->events = events;
    sim_engine_end();
}
