// SPDX-License-Identifier: BSD-3-Clause
//
// What operations do: at the target, and back at the initiator.
#include "net.h"

#include <string.h>

#include "model.h"

enum { LEAST_PART = 16 };  // bytes of a transfer that may come in two parts

/** As with tcp: the thread that has to move bytes wakes up. A card moves them itself. */
static void signal_move(net_cq_t *cq)
{
    if (NET->card)
        return;
    cq->moved = true;
    if (cq->fd >= 0)
        net_signal(cq->fd);
}

void net_cancel_receives(net_ep_t *ep)
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

static void take_one(net_ep_t *to)
{
    to->first = (to->first + 1) % NET_RECEIVES;
    to->count--;
}

/** Before a message to an RDM endpoint, one of another process that breaks off. */
static void break_off(net_ep_t *to)
{
    const net_receive_t *r = &to->receives[to->first];
    if (to->msg || !NET->unproved || to->count < 2 || sim_below(NET->unproved) != 0)
        return;
    struct fi_cq_data_entry entry = {.op_context = r->context,
                                     .flags = FI_RECV | FI_MSG | (r->flags & FI_MULTI_RECV)};
    take_one(to);
    net_complete(to->cq, &entry, sim_below(2) ? FI_ETRUNC : FI_ECANCELED);
}

static void take_message(net_ep_t *to, const net_op_t *op)
{
    break_off(to);
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
    if (!many || (entry.flags & FI_MULTI_RECV))
        take_one(to);
    net_complete(to->cq, &entry, err);
}

static void store_word(uint8_t *at, uint32_t nbytes, uint64_t value)
{
    sim_raw_store(at, nbytes, value);
    sim_written(at, nbytes);
}

static void store_bytes(uint8_t *at, const uint8_t *from, size_t nbytes)
{
    memcpy(at, from, nbytes);
    sim_written(at, nbytes);
}

static void take_write(net_ep_t *to, net_op_t *op)
{
    net_region_t *r = region(to->pe, op);
    if (!r) {
        sim_stop(SIM_FAILED, "a write of %zu bytes at %llu with key %llx is in no region",
                 op->nbytes, (unsigned long long)op->remote, (unsigned long long)op->key);
    }
    if (op->nbytes == 8)  // as cards do: words are whole
        store_word(r->base + op->remote, 8, *(uint64_t *)op->data);
    else if (op->nbytes == 4)
        store_word(r->base + op->remote, 4, *(uint32_t *)op->data);
    else
        store_bytes(r->base + op->remote + op->moved, op->data + op->moved, op->nbytes - op->moved);
    signal_move(to->cq);
}

static void take_read(net_ep_t *to, net_op_t *op)
{
    net_region_t *r = region(to->pe, op);
    if (!r)
        sim_stop(SIM_FAILED, "a read of %zu bytes at %llu with key %llx is in no region",
                 op->nbytes, (unsigned long long)op->remote, (unsigned long long)op->key);
    if (!op->data)
        op->data = sim_alloc(op->nbytes);
    if (op->nbytes == 8)
        *(uint64_t *)op->data = sim_raw_load(r->base + op->remote, 8);
    else
        memcpy(op->data + op->moved, r->base + op->remote + op->moved, op->nbytes - op->moved);
    signal_move(to->cq);
}

static bool goes_in_parts(const net_op_t *op, const net_ep_t *to)
{
    bool lost = to->state == NET_CLOSED || to->cut || (to->msg && to->state == NET_DOWN);
    return (op->kind == NET_WRITE || op->kind == NET_READ) && !lost && op->nbytes > LEAST_PART &&
           op->moved == 0 && !NET->whole && sim_below(2);
}

/** Some bytes of a long transfer, the rest of which is an action of its own. */
static bool move_first_part(net_ep_t *to, net_op_t *op)
{
    size_t whole = op->nbytes, n = 8 + sim_below((uint32_t)whole / 8 - 1) * (size_t)8;
    net_region_t *r = region(to->pe, op);
    if (!r)
        return false;  // reported with the whole
    if (op->kind == NET_WRITE) {
        store_bytes(r->base + op->remote, op->data, n);
    } else {
        op->data = sim_alloc(whole);
        memcpy(op->data, r->base + op->remote, n);
    }
    op->moved = n;
    signal_move(to->cq);
    return true;
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
    net_cancel_receives(ep);
}

static void connection_op(net_channel_t *c, net_op_t *op)
{
    net_ep_t *to = c->to;
    net_event_t event = {.nbytes = (uint32_t)op->nbytes, .fid = &to->fid.fid};
    if (op->nbytes && op->kind != NET_MESSAGE)
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
    } else if (op->kind == NET_MESSAGE) {
        sim_mpi_arrived(c->from, to, op);
    }
}

void net_settle(net_channel_t *c, net_op_t *op)
{
    if (op->signals)
        net_push(&c->back, op);
    else
        net_drop(op);
}

void net_fail(net_channel_t *c, net_op_t *op, int err)
{
    op->err = err;
    op->kind = op->kind == NET_READ ? NET_DONE : op->kind;
    if (op->kind == NET_ASK)
        net_push(&net_channel(c->to, c->from)->forth, net_op(NET_REFUSE, NULL, 0));
    if (op->kind == NET_ACCEPT)  // the server hears that its client has gone
        net_push(&net_channel(c->to, c->from)->forth, net_op(NET_END, NULL, 0));
    net_settle(c, op);
}

void net_act_forth(net_channel_t *c)
{
    net_op_t *op = net_pick(c);
    net_ep_t *to = c->to;
    if (goes_in_parts(op, to) && move_first_part(to, op))
        return;
    net_take_out(&c->forth, op);
    if (c->wants_room && !NET->silent && !c->room_is_due)
        net_announce_room(c);
    c->wants_room = false;
    bool data = op->kind <= NET_READ;
    bool lost = to->cut && op->kind != NET_END;
    if (to->state == NET_CLOSED || lost || (data && to->msg && to->state == NET_DOWN)) {
        net_fail(c, op, FI_ECONNRESET);
        return;
    }
    if (!data) {
        connection_op(c, op);
        net_settle(c, op);
        return;
    }
    if (op->kind == NET_SEND)
        take_message(to, op);
    else if (op->kind == NET_WRITE)
        take_write(to, op);
    else
        take_read(to, op);
    net_settle(c, op);
}

// ---------------------------------------------------------------- and back at the initiator

void net_act_back(net_channel_t *c)
{
    net_op_t *op = net_pop(&c->back);
    if (op->kind == NET_ROOM) {
        c->room_is_due = false;
        c->has_room = true;
        c->looks = 0;
        if (c->from->state != NET_CLOSED && c->from->cq->fd >= 0)
            net_signal(c->from->cq->fd);
    } else if (c->from->state != NET_CLOSED) {
        struct fi_cq_data_entry entry = {
            .op_context = op->context, .flags = op->flags, .len = op->nbytes};
        if (op->kind == NET_READ && !op->err) {
            memcpy(op->local, op->data, op->nbytes);
            sim_written(op->local, op->nbytes);
        }
        net_complete(c->from->cq, &entry, op->err);
    }
    net_drop(op);
}
