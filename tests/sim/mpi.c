// SPDX-License-Identifier: BSD-3-Clause
//
// A small MPI for the transport's plugin interface (transport/mpi/plugin.h), over channels of the
// simulated network (net.h): a window whose operations may pass each other, and messages in the
// order of their sender. What MPI leaves open is drawn:
//   - a buffer is read when the call is made, or in a later call of that process;
//   - an operation takes place at the target by itself, or in an MPI call of the target (by block);
//   - a send is over when the message has left, or when it is there.
// Each call is a scheduling point, and makes progress. Ranks are PEs.
#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "net.h"
#include "transport/mpi/plugin.h"

enum { REQUESTS = 512, LEFT_OVER = 512, KEY = 0x4d5049, LOOK_NS = 5000, LATE_NS = 20000 };

typedef struct request {
    bool used, done, receives;
    int rank, tag;
    void *buf;
    size_t nbytes;
} request_t;

/** A call whose buffer has not been read yet. */
typedef struct departing {
    net_ep_t *from, *to;
    net_op_t op;
    const void *buf;
    uint32_t request;  // 1 + its index, of a message; 0: the window's
} departing_t;

typedef struct message {
    struct message *next;
    int rank, tag;
    size_t nbytes;
    const uint8_t *data;
} message_t;

typedef struct rank {
    net_ep_t *window, *messages;  // the window's operations and messages pass each other
    net_cq_t *cq;
    message_t *first, **last;  // that have come, and were received by no call
    request_t requests[REQUESTS];
    uint32_t ndepart;
    departing_t depart[LEFT_OVER];
    uint32_t under_way[SIM_PES];  // the window's, to each rank
    bool out;
} rank_t;

struct sim_mpi {
    bool passive;  // operations take place in calls of their target
    int arrived;   // at a collective call
    uint64_t collectives;
    void (*ending[SIM_PES])(void);
    bool finalized[SIM_PES];
    rank_t ranks[SIM_PES];
};

static struct sim_mpi *mpi(void)
{
    if (!NET->mpi) {
        NET->mpi = sim_alloc(sizeof *NET->mpi);
        NET->mpi->passive = sim_setting(90, 2);
    }
    return NET->mpi;
}

static rank_t *mine(void)
{
    return &mpi()->ranks[SIM_ME->pe];
}

// ---------------------------------------------------------------- progress

/** `target`: what goes there leaves in any case; -1: some of all. Messages keep their order. */
static void leave(rank_t *r, const net_ep_t *target)
{
    uint32_t kept = 0;
    bool held[SIM_PES] = {false};
    for (uint32_t i = 0; i < r->ndepart; i++) {
        departing_t d = r->depart[i];
        bool *holds = d.request ? &held[d.to->pe] : NULL;
        if (d.to != target && ((holds && *holds) || sim_below(3) == 0)) {
            r->depart[kept++] = d;
            if (holds)
                *holds = true;
            continue;
        }
        net_op_t *op = net_op(d.op.kind, d.op.kind == NET_READ ? NULL : d.buf,
                              d.op.kind == NET_READ ? 0 : d.op.nbytes);
        d.op.data = op->data;
        *op = d.op;
        // not as late as libfabric's may be: all that wait poll, and time costs steps
        if (NET->late_ns && sim_below(16) == 0)
            op->not_before = sim->now_ns + sim_below(LATE_NS);
        if (d.request && !op->signals)
            r->requests[d.request - 1].done = true;
        net_push(&net_channel(d.from, d.to)->forth, op);
        sim_io();
    }
    r->ndepart = kept;
}

/** What has come back: one of the window's, or a message that is there. */
static void take_completions(rank_t *r)
{
    for (; r->cq->count > 0; r->cq->count--, r->cq->first = (r->cq->first + 1) % NET_QUEUE) {
        uintptr_t context = (uintptr_t)r->cq->queue[r->cq->first].entry.op_context;
        if (context < REQUESTS)
            r->requests[context].done = true;
        else
            r->under_way[context - REQUESTS]--;
    }
}

static message_t **find(rank_t *r, int rank, int tag)
{
    for (message_t **at = &r->first; *at; at = &(*at)->next)
        if ((*at)->tag == tag && (rank < 0 || (*at)->rank == rank))
            return at;
    return NULL;
}

static message_t *take(rank_t *r, message_t **at)
{
    message_t *m = *at;
    *at = m->next;
    if (r->last == &m->next)
        r->last = at;
    return m;
}

static void put_into(void *buf, const message_t *m)
{
    memcpy(buf, m->data, m->nbytes);
    sim_written(buf, m->nbytes);
}

static void match(rank_t *r)
{
    for (int i = 0; i < REQUESTS; i++) {
        request_t *q = &r->requests[i];
        message_t **at = q->used && q->receives && !q->done ? find(r, q->rank, q->tag) : NULL;
        if (!at)
            continue;
        message_t *m = take(r, at);
        if (m->nbytes != q->nbytes)
            sim_stop(SIM_FAILED, "a message of %zu bytes with tag %d meets a receive of %zu",
                     m->nbytes, m->tag, q->nbytes);
        put_into(q->buf, m);
        q->done = true;
    }
}

void sim_mpi_arrived(const net_ep_t *from, const net_ep_t *to, const net_op_t *op)
{
    rank_t *r = &mpi()->ranks[to->pe];
    message_t *m = sim_alloc(sizeof *m);
    *m = (message_t){.rank = from->pe, .tag = (int)op->key, .nbytes = op->nbytes, .data = op->data};
    if (!r->last)
        r->last = &r->first;
    *r->last = m;
    r->last = &m->next;
    sim_io();
}

static void progress(rank_t *r)
{
    leave(r, NULL);
    if (mpi()->passive)
        sim_net_serve(SIM_ME->pe);
    take_completions(r);
    match(r);
}

static rank_t *enter(void)
{
    sim_fence(__ATOMIC_SEQ_CST);
    sim_point();
    rank_t *r = mine();
    if (r->out || mpi()->finalized[SIM_ME->pe])
        sim_stop(SIM_FAILED, "PE %d uses MPI behind its end", SIM_ME->pe);
    progress(r);
    return r;
}

static void look_later(const char *what)
{
    sim_wait(what, 0, sim_clock() + LOOK_NS, true);
}

// ---------------------------------------------------------------- collective

static void meet(rank_t *r, const char *what)
{
    struct sim_mpi *m = mpi();
    uint64_t turn = m->collectives;
    if (++m->arrived == sim->scene->npes) {
        m->arrived = 0;
        m->collectives++;
        sim_io();
    }
    while (m->collectives == turn) {
        look_later(what);
        progress(r);
    }
}

static net_ep_t *open_ep(net_cq_t *cq)
{
    net_ep_t *ep = net_new_ep(NULL);
    ep->state = NET_UP;
    ep->cq = cq;
    ep->passive = mpi()->passive;
    return ep;
}

static int open_comm(void (*ending)(void), cwu_mpi_facts_t *facts_p)
{
    rank_t *r = mine();
    *facts_p = (cwu_mpi_facts_t){.rank = SIM_ME->pe,
                                 .size = sim->scene->npes,
                                 .any_thread = true,
                                 .library = "MPI, simulated"};
    mpi()->ending[SIM_ME->pe] = ending;
    *r = (rank_t){.cq = sim_alloc(sizeof *r->cq)};
    r->cq->pe = SIM_ME->pe;
    r->cq->fd = -1;
    r->window = open_ep(r->cq);
    r->messages = open_ep(r->cq);
    meet(r, "MPI_Comm_dup");
    return 0;
}

static int expose(void *base, size_t nbytes, bool *unified_p)
{
    net_region_t *region = sim_alloc(sizeof *region);
    *region = (net_region_t){
        .pe = SIM_ME->pe, .base = base, .nbytes = nbytes, .key = KEY, .open = base != NULL};
    net_add_region(region);
    *unified_p = true;
    meet(enter(), "MPI_Win_create");
    return 0;
}

static void await_window(rank_t *r, int rank)
{
    leave(r, mpi()->ranks[rank].window);
    take_completions(r);
    while (r->under_way[rank] > 0) {
        look_later("MPI_Win_flush");
        progress(r);
    }
}

static int close_all(void)
{
    rank_t *r = enter();
    for (int rank = 0; rank < sim->scene->npes; rank++) {
        leave(r, mpi()->ranks[rank].messages);
        await_window(r, rank);
    }
    meet(r, "MPI_Win_free");
    r->window->state = r->messages->state = NET_CLOSED;
    for (int i = 0; i < NET->nregions; i++)
        if (NET->regions[i]->pe == SIM_ME->pe && NET->regions[i]->key == KEY)
            NET->regions[i]->open = false;
    r->out = true;
    return 0;
}

// ---------------------------------------------------------------- the window

static void depart(rank_t *r, const departing_t *d)
{
    if (r->ndepart == LEFT_OVER)
        leave(r, d->to);
    if (r->ndepart == LEFT_OVER)
        sim_stop(SIM_STUCK, "more than %d calls of MPI are under way", LEFT_OVER);
    r->depart[r->ndepart++] = *d;
    progress(r);
}

static int transfer(net_kind_t kind, int rank, uint64_t offset, void *local, size_t nbytes)
{
    rank_t *r = enter();
    r->under_way[rank]++;
    depart(r, &(departing_t){.from = r->window,
                             .to = mpi()->ranks[rank].window,
                             .op = {.kind = kind,
                                    .signals = true,
                                    .context = (void *)(uintptr_t)(REQUESTS + rank),
                                    .remote = offset,
                                    .key = KEY,
                                    .local = local,
                                    .nbytes = nbytes},
                             .buf = local});
    return 0;
}

static int put(int rank, uint64_t offset, const void *src, size_t nbytes)
{
    return transfer(NET_WRITE, rank, offset, (void *)(uintptr_t)src, nbytes);
}

static int get(int rank, uint64_t offset, void *dst, size_t nbytes)
{
    return transfer(NET_READ, rank, offset, dst, nbytes);
}

static int flush(int rank)
{
    await_window(enter(), rank);
    return 0;
}

// ---------------------------------------------------------------- messages

static uint32_t new_request(rank_t *r, const request_t *q)
{
    for (uint32_t i = 0; i < REQUESTS; i++)
        if (!r->requests[i].used) {
            r->requests[i] = *q;
            r->requests[i].used = true;
            return i;
        }
    sim_stop(SIM_STUCK, "more than %d requests of MPI", REQUESTS);
}

static int test(uint64_t *request_p)
{
    rank_t *r = enter();
    request_t *q = &r->requests[*request_p - 1];
    if (*request_p == 0 || !q->done)
        return 0;
    q->used = false;
    *request_p = 0;
    sim_fence(__ATOMIC_SEQ_CST);
    return 0;
}

static int send(int rank, int tag, const void *buf, size_t nbytes, uint64_t *request_p)
{
    rank_t *r = enter();
    uint32_t i = new_request(r, &(request_t){.rank = rank});
    depart(r, &(departing_t){.from = r->messages,
                             .to = mpi()->ranks[rank].messages,
                             .op = {.kind = NET_MESSAGE,
                                    .signals = sim_below(2),
                                    .context = (void *)(uintptr_t)i,
                                    .key = (uint64_t)tag,
                                    .nbytes = nbytes},
                             .buf = buf,
                             .request = i + 1});
    *request_p = i + 1;
    return test(request_p);
}

static int receive_into(int rank, int tag, void *buf, size_t nbytes, uint64_t *request_p)
{
    rank_t *r = enter();
    *request_p =
        1 + new_request(
                r, &(request_t){
                       .receives = true, .rank = rank, .tag = tag, .buf = buf, .nbytes = nbytes});
    return test(request_p);
}

static int receive(int tag, void *buf, int capacity, int *rank_p, int *nbytes_p)
{
    rank_t *r = enter();
    message_t **at = find(r, -1, tag);
    *nbytes_p = -1;
    if (!at)
        return 0;
    message_t *m = take(r, at);
    if (m->nbytes > (size_t)capacity)
        sim_stop(SIM_FAILED, "a message of %zu bytes meets a receive of %d", m->nbytes, capacity);
    put_into(buf, m);
    *rank_p = m->rank;
    *nbytes_p = (int)m->nbytes;
    sim_fence(__ATOMIC_SEQ_CST);
    return 0;
}

static int peek(int tag, bool *there_p)
{
    *there_p = find(enter(), -1, tag) != NULL;
    return 0;
}

static void describe(int code, char text[CWU_MPI_TEXT_MAX])
{
    snprintf(text, CWU_MPI_TEXT_MAX, "simulated error %d", code);
}

static const cwt_mpi_plugin_t table = {.version = CWT_MPI_PLUGIN_VERSION,
                                       .describe = describe,
                                       .open = open_comm,
                                       .expose = expose,
                                       .close = close_all,
                                       .put = put,
                                       .get = get,
                                       .flush = flush,
                                       .send = send,
                                       .receive_into = receive_into,
                                       .test = test,
                                       .receive = receive,
                                       .peek = peek};

// ---------------------------------------------------------------- the library

static char the_plugin;  // the handle

static int initialized(int *flag_p)
{
    *flag_p = 1;
    return 0;
}

static int finalized(int *flag_p)
{
    *flag_p = mpi()->finalized[SIM_ME->pe];
    return 0;
}

static int finalize(void)
{
    struct sim_mpi *m = mpi();
    sim_point();
    if (m->ending[SIM_ME->pe])
        m->ending[SIM_ME->pe]();
    m->finalized[SIM_ME->pe] = true;
    return 0;
}

static int query_thread(int *level_p)
{
    *level_p = 3;
    return 0;
}

static int library_version(char *text, int *n_p)
{
    *n_p = snprintf(text, 64, "Open MPI v0.0, simulated");
    return 0;
}

bool sim_mpi_is_there(void)
{
    return getenv("SIM_MPI") != NULL;
}

void *sim_mpi_open(const char *path)
{
    return sim_mpi_is_there() && path && strstr(path, "/mpi-openmpi.so") ? &the_plugin : NULL;
}

void *sim_mpi_symbol(void *handle, const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } names[] = {
        {"MPI_Initialized", (void *)initialized},
        {"MPI_Finalized", (void *)finalized},
        {"MPI_Finalize", (void *)finalize},
        {"MPI_Query_thread", (void *)query_thread},
        {"MPI_Get_library_version", (void *)library_version},
    };
    if (handle == &the_plugin)
        return strcmp(name, CWT_MPI_PLUGIN_SYMBOL) == 0 ? (void *)(uintptr_t)&table : NULL;
    for (size_t i = 0; !handle && sim_mpi_is_there() && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].function;
    return NULL;
}
