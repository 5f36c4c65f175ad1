// SPDX-License-Identifier: BSD-3-Clause
//
// When messages of collected operations begin, leave, and are proved.
#include "core/collect/collect.h"

#define FIRST 2u         // operations looked at that are sent to a node at once
#define PAYS 8u          // records in a message that is no slower than they are; nor is a full one
#define GROUP_MOST 1280  // most operations that are no flood, where messages do not pay

/** Release: pairs with the loads, in threads whose operations were sent by this one or an earlier
 *  holder of the lock. */
static void store_due(cw_collect_t *c, unsigned due)
{
    atomic_store_explicit(c->due, (uint8_t)due, memory_order_release);
}

static void note(cw_collect_t *c, unsigned due)
{
    store_due(c, cw_collect_due(c) | due);
}

static void clear(cw_collect_t *c, unsigned due)
{
    store_due(c, cw_collect_due(c) & ~due);
}

void cw_collect_begin(cw_collect_t *c, bool all)
{
    c->group = c->least = c->at_once = all ? 0 : CW_COLLECT_GROUP;
    cw_collect_rest(c);
}

void cw_collect_proved(cw_collect_t *c)
{
    clear(c, CW_BUNDLES_UNPROVED);
}

// ---------------------------------------------------------------- messages
static cw_bundle_t *begin(cw_collect_t *c, cw_queue_t *q)
{
    cw_bundle_t *b = c->ops->take(q);
    if (!b)
        return NULL;
    q->open = b;
    q->next = c->filled;
    c->filled = q;
    q->puts = q->proved = false;
    q->opened_ns = c->ops->now_ns();
    b->nbytes = CW_BUNDLE_HEADER;
    b->answers = 0;
    atomic_store_explicit(&b->state, CW_BUNDLE_BUSY, memory_order_relaxed);
    return b;
}

static void end(cw_collect_t *c, cw_queue_t *q, cw_bundle_reason_t reason)
{
    cw_queue_t **at = &c->filled;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    c->messages++;
    c->stats.sent[reason]++;
    c->stats.nbytes += q->open->nbytes;
    c->ops->give(q, q->open);
    q->open = NULL;
}

/** The flusher took it: what follows is in order behind it. */
static void await(cw_collect_t *c, cw_queue_t *q)
{
    c->sending = true;
    c->ops->await(q);
    c->sending = false;
    c->prompt = 0;
    end(c, q, CW_BUNDLE_BY_SERVER);
}

/** One interruption does not end self-flushing. */
static void count_prompt(cw_collect_t *c, bool prompt)
{
    if (!prompt)
        c->prompt /= 2;
    else if (c->prompt < 2 * CW_COLLECT_GROUP)
        c->prompt++;
}

void cw_collect_send_own(cw_collect_t *c, cw_queue_t *q, cw_bundle_reason_t reason)
{
    cw_bundle_t *b = q->open;
    count_prompt(c, c->ops->now_ns() - q->opened_ns < CW_COLLECT_AGE_NS);
    if (c->due)
        note(c, q->puts ? CW_BUNDLES_SENT | CW_BUNDLES_PUTS : CW_BUNDLES_SENT);
    c->sending = true;
    c->ops->send(q, reason == CW_BUNDLE_QUIET || reason == CW_BUNDLE_FENCE);
    c->sending = false;
    atomic_store_explicit(&b->state, CW_BUNDLE_FREE, memory_order_relaxed);
    end(c, q, reason);
    q->sent_ns = c->ops->now_ns();
}

void cw_collect_send(cw_collect_t *c, cw_queue_t *q, cw_bundle_reason_t reason)
{
    bool aged;
    if (cw_bundle_claim(q->open, &aged))
        cw_collect_send_own(c, q, reason);
    else
        await(c, q);
}

void cw_collect_flush(cw_collect_t *c, cw_bundle_reason_t reason)
{
    while (c->filled)
        cw_collect_send(c, c->filled, reason);
}

static void prove(cw_collect_t *c)
{
    c->ops->prove();
    cw_collect_proved(c);
}

/** Is the operation one of many? Its node has no message. */
static bool is_flooded(cw_collect_t *c, cw_queue_t *q, bool fenced)
{
    if (q->pauses != c->pauses) {
        q->pauses = c->pauses;
        q->ops = 0;
    }
    if (q->ops < (fenced ? CW_COLLECT_GROUP : FIRST)) {
        q->ops++;
        return false;
    }
    if (fenced)
        prove(c);
    uint64_t now = c->ops->now_ns(), since = now - q->sent_ns;
    q->sent_ns = now;
    return since <= CW_COLLECT_AGE_NS;  // else it goes by itself, as a single one
}

/** Proves first, so that what the flusher sends overtakes nothing. After what was sent otherwise,
 *  messages for other nodes are proved, too. */
static cw_bundle_t *begin_ordered(cw_collect_t *c, cw_queue_t *q, cw_bundle_order_t *order)
{
    if (order->behind)
        cw_collect_flush(c, CW_BUNDLE_ORDER);
    prove(c);
    order->proved = order->behind;
    cw_bundle_t *b = begin(c, q);
    q->proved = b != NULL;
    return b;
}

cw_bundle_t *cw_collect_renew(cw_collect_t *c, cw_queue_t *q, cw_collect_policy_t policy,
                              cw_bundle_order_t *order)
{
    cw_bundle_t *b = q->open;
    // full, and claimed by the caller; or taken
    if (b && atomic_load_explicit(&b->state, memory_order_relaxed) == CW_BUNDLE_BUSY) {
        cw_collect_send_own(c, q, CW_BUNDLE_FULL);
    } else if (b) {
        await(c, q);
    } else if (policy != CW_COLLECT_ALWAYS) {
        note(c, CW_BUNDLES_BUSY);
        // begin_ordered proves anyway
        bool fenced = (cw_collect_due(c) & CW_BUNDLES_FENCED) && !order;
        if (policy == CW_COLLECT_MESSAGE && fenced)
            prove(c);  // operations in order may join its message
        else if (policy == CW_COLLECT_FLOOD && !is_flooded(c, q, fenced))
            return NULL;
    }
    return order ? begin_ordered(c, q, order) : begin(c, q);
}

/** A flusher that rests comes by itself, too late to find messages of a self-flushing PE. */
static bool must_wake(const cw_collect_t *c)
{
    if (!c->flusher)
        return false;
    uint32_t flusher = atomic_load(c->flusher);
    return flusher == CW_FLUSHER_ASLEEP ||
           (flusher == CW_FLUSHER_RESTS && c->prompt < CW_COLLECT_GROUP);
}

void cw_collect_publish_new(cw_collect_t *c, cw_bundle_t *b)
{
    uint32_t serial = atomic_load_explicit(&b->serial, memory_order_relaxed);
    atomic_store_explicit(&b->serial, serial + 1, memory_order_relaxed);
    // seq_cst: before the load of the flusher, which announces its sleep before it looks
    atomic_store(&b->state, CW_BUNDLE_OPEN);
    if (must_wake(c))
        c->ops->wake();
}

// ---------------------------------------------------------------- pauses
/** Is what follows looked at from its first operation on? After messages that paid, and after more
 *  operations than a group. One interval without messages leaves it so. */
static void judge(cw_collect_t *c)
{
    uint64_t records = c->stats.operations - c->counted;
    uint64_t full = c->stats.sent[CW_BUNDLE_FULL] - c->counted_full;
    bool looked = atomic_exchange_explicit(c->looked, false, memory_order_relaxed);
    bool paid = c->messages > 0 && records + PAYS * full >= PAYS * c->messages;
    c->calm = c->messages == 0 && c->at_once == 0 ? c->calm + 1 : 0;
    if (paid)
        c->group = c->least;
    if (paid || (c->at_once > 0 && looked)) {
        c->at_once = 0;
    } else if (c->at_once == 0 && (c->messages > 0 || c->calm >= CW_COLLECT_CALM)) {
        c->at_once = c->group;
        if (c->messages > 0 && c->group < GROUP_MOST)
            c->group *= 2;
        c->calm = 0;
    }
    c->messages = 0;
    c->counted = c->stats.operations;
    c->counted_full = c->stats.sent[CW_BUNDLE_FULL];
}

void cw_collect_pause(cw_collect_t *c, cw_bundle_reason_t reason)
{
    c->pauses++;
    cw_collect_flush(c, reason);
    judge(c);
    cw_collect_rest(c);
    // last: sending may wait, and another thread that reads it takes its own operations for sent
    clear(c, CW_BUNDLES_BUSY);
}

bool cw_collect_fence(cw_collect_t *c, bool ordered)
{
    if (ordered)
        cw_collect_flush(c, CW_BUNDLE_ORDER);
    else if (cw_collect_due(c) & CW_BUNDLES_BUSY)
        cw_collect_pause(c, CW_BUNDLE_FENCE);
    else
        cw_collect_rest(c);
    if (cw_collect_due(c) & CW_BUNDLES_SENT)
        return true;
    note(c, CW_BUNDLES_FENCED);
    return false;
}

void cw_collect_fenced_puts(cw_collect_t *c)
{
    clear(c, CW_BUNDLES_PUTS);
}

bool cw_collect_stream(cw_collect_t *c, uint32_t *pauses)
{
    bool flood = (cw_collect_due(c) & CW_BUNDLES_BUSY) && *pauses == c->pauses;
    *pauses = c->pauses;
    if (flood)
        atomic_store_explicit(c->looked, true, memory_order_relaxed);
    note(c, CW_BUNDLES_BUSY);
    return flood;
}

// ---------------------------------------------------------------- the flusher's side
unsigned cw_bundle_tick(cw_bundle_t *b, cw_bundle_seen_t *seen)
{
    uint32_t state = atomic_load(&b->state);  // pairs with cw_collect_publish_new
    uint32_t serial = atomic_load_explicit(&b->serial, memory_order_relaxed);
    unsigned found = serial != seen->serial ? CW_TICK_USED : 0;
    if (found)
        *seen = (cw_bundle_seen_t){.serial = serial};
    else if (state != CW_BUNDLE_FREE)
        seen->ticks++;
    if (state == CW_BUNDLE_FREE)
        return found;
    if (state == CW_BUNDLE_OPEN) {
        found |= CW_TICK_OPEN;
        if (seen->ticks > 0)
            atomic_compare_exchange_strong(&b->state, &state, CW_BUNDLE_AGED);
    } else if (state == CW_BUNDLE_AGED &&
               atomic_compare_exchange_strong(&b->state, &state, CW_BUNDLE_TAKEN)) {
        found |= CW_TICK_TAKEN;
    }
    return found | CW_TICK_IN_USE;
}

void cw_bundle_executed(cw_bundle_t *b, uint32_t answers)
{
    b->answers = answers;
    // pairs with the load in the PE that waits
    atomic_store_explicit(&b->state, CW_BUNDLE_FREE, memory_order_release);
}
