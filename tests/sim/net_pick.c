// SPDX-License-Identifier: BSD-3-Clause
//
// Which operation of a channel may take place next. A provider promises an order of sends, writes
// and reads (SIM_ORDER, by default all that the library asks for), and each other pair may change
// places; some operations are late.
#include "net.h"

#include <stdlib.h>
#include <string.h>

enum { LATE_ONE_IN = 16 };

uint64_t net_promised(void)
{
    static const struct {
        const char *name;
        uint64_t order;
    } all[] = {
        {"sas", FI_ORDER_SAS}, {"saw", FI_ORDER_SAW}, {"raw", FI_ORDER_RAW}, {"waw", FI_ORDER_WAW}};
    const char *text = getenv("SIM_ORDER");
    uint64_t order = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!text || strstr(text, all[i].name))
            order |= all[i].order;
    return order;
}

/** What a run's network does with its freedom. A scene in which nothing may wait for time has no
 *  late operations, and an event for each room. */
void net_draw_order(uint64_t draw)
{
    static const uint64_t late[] = {0, 0, 20000, 500000, 5000000};
    bool plain = sim->wanted_strategy == SIM_EXHAUSTIVE;
    NET->in_order = plain || ((draw & 1) && !NET->firsts);
    NET->whole = plain;
    NET->late_ns = plain || NET->card || sim->scene->timeless ? 0 : late[(draw >> 1) % 5];
    if (NET->card)
        NET->refusals = 0;  // what is late then is the target's
    NET->silent = !sim->scene->timeless && (draw >> 8 & 1);
}

void net_make_late(net_op_t *op)
{
    if (NET->late_ns && sim_below(LATE_ONE_IN) == 0)
        op->not_before = sim->now_ns + sim_below((uint32_t)NET->late_ns);
}

static bool stays_behind(const net_op_t *op, const net_op_t *before)
{
    if (NET->in_order || op->kind > NET_READ || before->kind > NET_READ || before->moved)
        return true;
    uint64_t order = op->kind == NET_SEND && before->kind == NET_SEND     ? FI_ORDER_SAS
                     : op->kind == NET_SEND && before->kind == NET_WRITE  ? FI_ORDER_SAW
                     : op->kind == NET_READ && before->kind == NET_WRITE  ? FI_ORDER_RAW
                     : op->kind == NET_WRITE && before->kind == NET_WRITE ? FI_ORDER_WAW
                                                                          : 0;
    return NET->order & order;
}

/** May it be chosen now? A message waits for a receive. */
static bool may_go(const net_channel_t *c, const net_op_t *op)
{
    bool down = c->to->state == NET_CLOSED || c->to->state == NET_DOWN || c->to->cut;
    if (op->not_before > sim->now_ns || (op->kind == NET_SEND && c->to->count == 0 && !down))
        return false;
    for (const net_op_t *before = c->forth.first; before != op; before = before->next)
        if (stays_behind(op, before))
            return false;
    return true;
}

bool net_may_act(const net_channel_t *c)
{
    for (const net_op_t *op = c->forth.first; op; op = op->next)
        if (may_go(c, op))
            return true;
    return false;
}

/** One of those that may go now, drawn. */
net_op_t *net_pick(const net_channel_t *c)
{
    net_op_t *picked = NULL;
    uint32_t n = 0;
    for (net_op_t *op = c->forth.first; op; op = op->next)
        if (may_go(c, op) && (n++ == 0 || sim_below(n) == 0))
            picked = op;
    return picked;
}

void net_take_out(net_queue_t *queue, net_op_t *op)
{
    net_op_t **at = &queue->first;
    while (*at != op)
        at = &(*at)->next;
    *at = op->next;
    if (queue->last == &op->next)
        queue->last = at;
    queue->count--;
}

/** When the first of the late ones may go; 0: none is late. */
uint64_t sim_net_deadline(void)
{
    uint64_t first = 0;
    for (int i = 0; i < NET->nchannels && (NET->late_ns || NET->firsts); i++)
        for (const net_op_t *op = NET->channels[i]->forth.first; op; op = op->next)
            if (op->not_before > sim->now_ns && (first == 0 || op->not_before < first))
                first = op->not_before;
    return first;
}
