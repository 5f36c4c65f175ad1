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
    net_draw_order(what >> 41);
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

net_op_t *net_pop(net_queue_t *queue)
{
    net_op_t *op = queue->first;
    queue->first = op->next;
    queue->count--;
    return op;
}

void net_drop(net_op_t *op)
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
    for (int i = 0; i < NET->nchannels; i++)
        c->answers |= NET->channels[i]->from == to && NET->channels[i]->to == from;
    NET->channels[NET->nchannels++] = c;
    return c;
}

void net_announce_room(net_channel_t *channel)
{
    channel->room_is_due = true;
    net_push(&channel->back, net_op(NET_ROOM, NULL, 0));
}

/** Where no event says when there is room, some calls in a row are refused; else all until then. */
bool net_is_full(net_channel_t *channel)
{
    bool draws = NET->refusals && channel->refuses == 0 && !channel->room_is_due;
    channel->has_room = false;
    if (draws && sim_below(NET->refusals) == 0) {
        if (NET->silent)
            channel->refuses = 1 + sim_below(12);
        else
            net_announce_room(channel);
    }
    if (channel->refuses > 0) {
        channel->refuses--;
        return true;
    }
    channel->wants_room = channel->forth.count >= NET_DEPTH;
    return channel->room_is_due || channel->wants_room;
}

void net_call(net_domain_t *domain, bool posts)
{
    sim_device(posts);
    if (domain->inside && !domain->is_safe)
        sim_stop(SIM_FAILED, "threads %d and %d call into a domain that takes one at a time",
                 domain->inside - 1, sim_me);
    domain->inside = sim_me + 1;
    sim_point();
    domain->inside = 0;
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

void net_signal(int fd)
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
    net_signal(cq->fd);
}

void net_event(net_eq_t *eq, const net_event_t *event)
{
    const uint32_t room = sizeof eq->queue / sizeof *eq->queue;
    if (!eq)
        return;
    if (eq->count == room)
        sim_stop(SIM_STUCK, "more than %u connection events wait", room);
    eq->queue[(eq->first + eq->count++) % room] = *event;
    net_signal(eq->fd);
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

/** A process that stands still moves no bytes, but a card does. */
static bool stands_still(const net_ep_t *ep)
{
    return !NET->card && sim_is_stopped(ep->pe);
}

static bool may_act(const net_channel_t *c, bool back)
{
    if (stands_still(back ? c->from : c->to))
        return false;
    if (back)
        return c->back.first && !is_gone(c->from->pe);
    return c->forth.first && !is_gone(c->to->pe) && net_may_act(c);
}

static bool is_passive(const net_channel_t *c, bool back)
{
    return back ? c->from->passive : c->to->passive;
}

int sim_net_actions(int *list, int most)
{
    int n = 0;
    for (int i = 0; i < NET->nchannels; i++)
        for (int back = 0; back < 2; back++)
            if (n < most && !is_passive(NET->channels[i], back) && may_act(NET->channels[i], back))
                list[n++] = 2 * i + back;
    return n;
}

void sim_net_serve(int pe)
{
    for (int action = 0; action < 2 * NET->nchannels; action++) {
        const net_channel_t *c = NET->channels[action / 2];
        while (sim_net_process(action) == pe && is_passive(c, action % 2) &&
               may_act(c, action % 2) && sim_below(4))
            sim_net_act(action);
    }
}

int sim_net_process(int action)
{
    const net_channel_t *c = NET->channels[action / 2];
    return action % 2 ? c->from->pe : c->to->pe;
}

void sim_net_act(int action)
{
    net_channel_t *c = NET->channels[action / 2];
    sim_drain();
    if (action % 2)
        net_act_back(c);
    else
        net_act_forth(c);
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
                                        "room",
                                        "a connection request",
                                        "an acceptance",
                                        "a refusal",
                                        "a confirmation",
                                        "an end of connection",
                                        "a message of MPI"};
    const net_op_t *op = queue_of(action)->first;
    return op ? names[op->kind] : "nothing";
}

bool net_has_room(const net_cq_t *cq)
{
    enum { LOOKS = 64 };  // what was refused may be due no more: its connection is down, say
    bool has = false;
    for (int i = 0; i < NET->nchannels; i++) {
        net_channel_t *c = NET->channels[i];
        if (!c->has_room || c->from->cq != cq || c->from->state == NET_CLOSED)
            continue;
        has = true;
        if (++c->looks == LOOKS)
            c->has_room = false;
    }
    return has;
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
        net_cancel_receives(ep);
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
            net_fail(c, net_pop(&c->forth), FI_ECONNRESET);
    }
    for (int i = 0; i < NET->nregions; i++)
        if (NET->regions[i]->pe == pe)
            NET->regions[i]->open = false;
}
