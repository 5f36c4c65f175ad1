// SPDX-License-Identifier: BSD-3-Clause
//
// Channels, and what happens on them.
#include "net.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "snap.h"

// ---------------------------------------------------------------- memory of the network

void *sim_alloc(size_t nbytes)
{
    nbytes = (nbytes + 63) & ~(size_t)63;
    if (NET->used + nbytes > SIM_NET_NBYTES)
        sim_stop(SIM_STUCK, "the simulated network is out of memory");
    void *block = (char *)sim->pool + NET->used;
    NET->used += nbytes;
    return block;
}

void sim_net_used(size_t *net_nbytes_p, size_t *pool_nbytes_p)
{
    *net_nbytes_p = sizeof *NET;
    *pool_nbytes_p = NET->used;
}

/** The pool's used part is zeroed, so that blocks are. */
void sim_net_reset(void)
{
    size_t used = NET->used;
    memset(NET, 0, sizeof *NET);
    memset(sim->pool, 0, used);
}

void sim_net_draw(uint64_t seed)
{
    uint64_t draw = seed * 77 + 5;
    uint64_t what = sim_random(&draw);
    NET->refusals = what % 2 == 0 ? 3 + (uint32_t)(what >> 8) % 12 : 0;
    NET->early = what >> 40 & 1;
    if (sim->wanted_strategy == SIM_EXHAUSTIVE)
        NET->refusals = NET->early = 0;
    for (int i = 0; i < NET->nchannels; i++)
        NET->channels[i]->forth.priority = NET->channels[i]->back.priority = 0;
}

net_op_t *net_op(net_kind_t kind, const void *data, size_t nbytes)
{
    net_op_t *op = NET->spare;
    if (op)
        NET->spare = op->next;
    else
        op = sim_alloc(sizeof *op);
    *op = (net_op_t){.kind = kind, .nbytes = nbytes};
    if (nbytes > 0)
        op->data = sim_alloc(nbytes);
    if (data)
        memcpy(op->data, data, nbytes);
    return op;
}

void net_push(net_queue_t *queue, net_op_t *op)
{
    op->next = NULL;
    if (!queue->first)
        queue->last = &queue->first;
    *queue->last = op;
    queue->last = &op->next;
    queue->count++;
    sim_decide_soon();
}

static net_op_t *pop(net_queue_t *queue)
{
    net_op_t *op = queue->first;
    queue->first = op->next;
    queue->count--;
    return op;
}

static void drop(net_op_t *op)
{
    op->next = NET->spare;
    NET->spare = op;
}

net_channel_t *net_channel(net_ep_t *from, net_ep_t *to)
{
    for (int i = 0; i < NET->nchannels; i++)
        if (NET->channels[i]->from == from && NET->channels[i]->to == to)
            return NET->channels[i];
    if (NET->nchannels == NET_CHANNELS)
        sim_stop(SIM_STUCK, "more than %d channels", NET_CHANNELS);
    net_channel_t *c = sim_alloc(sizeof *c);
    c->from = from;
    c->to = to;
    NET->channels[NET->nchannels++] = c;
    return c;
}

bool net_is_full(net_channel_t *channel)
{
    if (channel->refuses == 0 && NET->refusals && sim_below(NET->refusals) == 0)
        channel->refuses = 1 + sim_below(12);  // so many calls in a row
    if (channel->refuses == 0)
        return channel->forth.count >= NET_DEPTH;
    channel->refuses--;
    return true;
}

// ---------------------------------------------------------------- addresses

void net_name(uint16_t port, void *addr)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(addr, &name, sizeof name);
}

uint16_t net_port(const void *addr)
{
    struct sockaddr_in name;
    memcpy(&name, addr, sizeof name);
    return ntohs(name.sin_port);
}

net_ep_t *net_ep_at(uint16_t port)
{
    for (int i = 0; i < NET->neps; i++)
        if (NET->eps[i]->port == port && NET->eps[i]->state != NET_CLOSED)
            return NET->eps[i];
    return NULL;
}

// ---------------------------------------------------------------- queues of the program

static void signal_fd(int fd)
{
    uint64_t one = 1;
    if (fd >= 0 && write(fd, &one, sizeof one) < 0)
        sim_stop(SIM_STUCK, "an eventfd of the network cannot be written");
    sim_io();
}

void net_complete(net_cq_t *cq, const struct fi_cq_data_entry *entry, int err)
{
    if (cq->count == NET_QUEUE)
        sim_stop(SIM_FAILED, "a completion queue has overrun");
    cq->queue[(cq->first + cq->count++) % NET_QUEUE] = (net_done_t){*entry, err};
    signal_fd(cq->fd);
}

void net_event(net_eq_t *eq, const net_event_t *event)
{
    const uint32_t room = sizeof eq->queue / sizeof *eq->queue;
    if (!eq)
        return;
    if (eq->count == room)
        sim_stop(SIM_STUCK, "more than %u connection events wait", room);
    eq->queue[(eq->first + eq->count++) % room] = *event;
    signal_fd(eq->fd);
}

/** All posted receives end with an error. */
static void cancel_receives(net_ep_t *ep)
{
    for (; ep->count > 0; ep->count--, ep->first = (ep->first + 1) % NET_RECEIVES) {
        const net_receive_t *r = &ep->receives[ep->first];
        net_complete(
            ep->cq,
            &(struct fi_cq_data_entry){.op_context = r->context,
                                       .flags = FI_RECV | FI_MSG | (r->flags & FI_MULTI_RECV)},
            FI_ECANCELED);
    }
}

// ---------------------------------------------------------------- what happens at the target

static net_region_t *region(int pe, const net_op_t *op)
{
    for (int i = 0; i < NET->nregions; i++) {
        net_region_t *r = NET->regions[i];
        if (r->open && r->pe == pe && r->key == op->key && op->remote <= r->nbytes &&
            op->nbytes <= r->nbytes - op->remote)
            return r;
    }
    return NULL;
}

static void take_message(net_ep_t *to, const net_op_t *op)
{
    net_receive_t *r = &to->receives[to->first];
    bool many = r->flags & FI_MULTI_RECV;
    struct fi_cq_data_entry entry = {.op_context = r->context,
                                     .flags = FI_RECV | FI_MSG,
                                     .len = op->nbytes,
                                     .buf = r->buf + r->used};
    int err = 0;
    if (op->nbytes > r->nbytes - r->used) {
        err = FI_ETRUNC;
    } else {
        memcpy(r->buf + r->used, op->data, op->nbytes);
        sim_written(r->buf + r->used, op->nbytes);
        r->used += op->nbytes;
    }
    if (many && r->nbytes - r->used < to->least_room)
        entry.flags |= FI_MULTI_RECV;
    if (!many || (entry.flags & FI_MULTI_RECV)) {
        to->first = (to->first + 1) % NET_RECEIVES;
        to->count--;
    }
    net_complete(to->cq, &entry, err);
}

static void take_write(net_ep_t *to, net_op_t *op)
{
    net_region_t *r = region(to->pe, op);
    if (!r) {
        sim_stop(SIM_FAILED, "a write of %zu bytes at %llu with key %llx is in no region",
                 op->nbytes, (unsigned long long)op->remote, (unsigned long long)op->key);
    }
    if (op->nbytes == 8)  // as cards do: words are whole
        sim_raw_store(r->base + op->remote, 8, *(uint64_t *)op->data);
    else if (op->nbytes == 4)
        sim_raw_store(r->base + op->remote, 4, *(uint32_t *)op->data);
    else
        memcpy(r->base + op->remote, op->data, op->nbytes);
    sim_written(r->base + op->remote, op->nbytes);
    if (to->cq->fd >= 0)
        signal_fd(to->cq->fd);  // tcp: the thread that has to move the bytes wakes up
}

static void take_read(net_ep_t *to, net_op_t *op)
{
    net_region_t *r = region(to->pe, op);
    if (!r)
        sim_stop(SIM_FAILED, "a read of %zu bytes at %llu with key %llx is in no region",
                 op->nbytes, (unsigned long long)op->remote, (unsigned long long)op->key);
    op->data = sim_alloc(op->nbytes);
    if (op->nbytes == 8)
        *(uint64_t *)op->data = sim_raw_load(r->base + op->remote, 8);
    else
        memcpy(op->data, r->base + op->remote, op->nbytes);
    if (to->cq->fd >= 0)
        signal_fd(to->cq->fd);
}

static void connection_ended(net_ep_t *ep)
{
    if (ep->state == NET_DOWN || ep->state == NET_CLOSED)
        return;
    bool was_up = ep->state == NET_UP;
    ep->state = NET_DOWN;
    if (was_up)
        net_event(ep->eq, &(net_event_t){.kind = FI_SHUTDOWN, .fid = &ep->fid.fid});
    else
        net_event(ep->eq, &(net_event_t){.fid = &ep->fid.fid, .err = FI_ECONNREFUSED});
    cancel_receives(ep);
}

static void connection_op(net_channel_t *c, net_op_t *op)
{
    net_ep_t *to = c->to;
    net_event_t event = {.nbytes = (uint32_t)op->nbytes, .fid = &to->fid.fid};
    if (op->nbytes)
        memcpy(event.data, op->data, op->nbytes);
    if (op->kind == NET_ASK) {
        event.kind = FI_CONNREQ;
        event.fid = &to->pep.fid;
        event.from = c->from;
        net_event(to->eq, &event);
    } else if (op->kind == NET_ACCEPT && to->state == NET_ASKED) {
        event.kind = FI_CONNECTED;
        to->state = NET_UP;
        to->peer = c->from;
        net_event(to->eq, &event);
        net_push(&net_channel(to, c->from)->forth, net_op(NET_CONFIRM, NULL, 0));
    } else if (op->kind == NET_CONFIRM && to->state == NET_ASKED) {
        event.kind = FI_CONNECTED;
        to->state = NET_UP;
        net_event(to->eq, &event);
    } else if (op->kind == NET_REFUSE && to->state == NET_ASKED) {
        event.err = FI_ECONNREFUSED;
        to->state = NET_NEW;
        net_event(to->eq, &event);
    } else if (op->kind == NET_END) {
        connection_ended(to);
    }
}

/** The operation comes back with an error. */
static void fail(net_channel_t *c, net_op_t *op, int err)
{
    op->err = err;
    op->kind = op->kind == NET_READ ? NET_DONE : op->kind;
    if (op->kind == NET_ASK)
        net_push(&net_channel(c->to, c->from)->forth, net_op(NET_REFUSE, NULL, 0));
    if (op->signals)
        net_push(&c->back, op);
    else
        drop(op);
}

static void act_forth(net_channel_t *c)
{
    net_op_t *op = pop(&c->forth);
    net_ep_t *to = c->to;
    bool data = op->kind <= NET_READ;
    if (to->state == NET_CLOSED || (data && to->msg && to->state == NET_DOWN)) {
        fail(c, op, FI_ECONNRESET);
        return;
    }
    if (!data) {
        connection_op(c, op);
        drop(op);
        return;
    }
    if (op->kind == NET_SEND)
        take_message(to, op);
    else if (op->kind == NET_WRITE)
        take_write(to, op);
    else
        take_read(to, op);
    if (op->signals)
        net_push(&c->back, op);
    else
        drop(op);
}

// ---------------------------------------------------------------- and back at the initiator

static void act_back(net_channel_t *c)
{
    net_op_t *op = pop(&c->back);
    if (c->from->state != NET_CLOSED) {
        struct fi_cq_data_entry entry = {
            .op_context = op->context, .flags = op->flags, .len = op->nbytes};
        if (op->kind == NET_READ && !op->err) {
            memcpy(op->local, op->data, op->nbytes);
            sim_written(op->local, op->nbytes);
        }
        net_complete(c->from->cq, &entry, op->err);
    }
    drop(op);
}

// ---------------------------------------------------------------- what the scheduler sees

static net_queue_t *queue_of(int action)
{
    net_channel_t *c = NET->channels[action / 2];
    return action % 2 ? &c->back : &c->forth;
}

static bool is_gone(int pe)
{
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == pe && sim->threads[i].state != SIM_GONE)
            return false;
    return true;
}

/** May the first operation take place now? A message waits for a receive. */
static bool may_act(const net_channel_t *c, bool back)
{
    if (back)
        return c->back.first && !is_gone(c->from->pe);
    const net_op_t *op = c->forth.first;
    if (!op || is_gone(c->to->pe))
        return false;
    return op->kind != NET_SEND || c->to->count > 0 || c->to->state == NET_CLOSED ||
           c->to->state == NET_DOWN;
}

int sim_net_actions(int *list, int most)
{
    int n = 0;
    for (int i = 0; i < NET->nchannels; i++)
        for (int back = 0; back < 2; back++)
            if (n < most && may_act(NET->channels[i], back))
                list[n++] = 2 * i + back;
    return n;
}

int sim_net_process(int action)
{
    const net_channel_t *c = NET->channels[action / 2];
    return action % 2 ? c->from->pe : c->to->pe;
}

void sim_net_act(int action)
{
    net_channel_t *c = NET->channels[action / 2];
    sim_fence(__ATOMIC_SEQ_CST);
    if (action % 2)
        act_back(c);
    else
        act_forth(c);
}

int64_t sim_net_priority(int action)
{
    return queue_of(action)->priority;
}

void sim_net_set_priority(int action, int64_t priority)
{
    queue_of(action)->priority = priority;
}

const char *sim_net_text(int action)
{
    static const char *const names[] = {"a message",
                                        "a write",
                                        "a read",
                                        "a completion",
                                        "a connection request",
                                        "an acceptance",
                                        "a refusal",
                                        "a confirmation",
                                        "an end of connection"};
    const net_op_t *op = queue_of(action)->first;
    return op ? names[op->kind] : "nothing";
}

uint64_t sim_net_deadline(void)
{
    return 0;
}

// ---------------------------------------------------------------- ends

void net_close_ep(net_ep_t *ep)
{
    if (ep->state == NET_CLOSED)
        return;
    bool connected = ep->msg && !ep->listens && ep->peer && ep->state != NET_DOWN;
    if (connected)
        net_push(&net_channel(ep, ep->peer)->forth, net_op(NET_END, NULL, 0));
    if (ep->cq && !ep->listens && sim_me >= 0 && SIM_ME->pe == ep->pe)
        cancel_receives(ep);
    ep->state = NET_CLOSED;
}

void sim_net_lost(int pe)
{
    for (int i = 0; i < NET->neps; i++)
        if (NET->eps[i]->pe == pe)
            net_close_ep(NET->eps[i]);
    for (int i = 0; i < NET->nchannels; i++) {  // requests to it are refused
        net_channel_t *c = NET->channels[i];
        if (c->to->pe != pe || is_gone(c->from->pe))
            continue;
        while (c->forth.first)
            fail(c, pop(&c->forth), FI_ECONNRESET);
    }
    for (int i = 0; i < NET->nregions; i++)
        if (NET->regions[i]->pe == pe)
            NET->regions[i]->open = false;
}
