// SPDX-License-Identifier: BSD-3-Clause
//
// A node's PEs count and deposit values (node_sync.h); the leaders' barrier (leaders.h) carries the
// combination. The barrier's state lies in the node object, since different PEs advance it
// (docs/design/synchronisation.md). No PE shall open connections, or load libfabric, for a barrier
// alone (ADR 32).
#include "core/sync/split.h"

#include <string.h>

#include "base/clock.h"
#include "base/wait.h"
#include "core/path/contact.h"
#include "core/port/port.h"
#include "core/rma/context.h"
#include "core/rma/rma.h"

void cw_split_init(cw_split_t *s, cw_leaders_combine_fn combine)
{
    cw_team_cell_t *cell = &cw_coll_scratch()->cell[CW_SPLIT_CELL], *first;
    first = cw_coll_before(cw_world.pes_of_node[0], cell);
    *s = (cw_split_t){.shared = &first->split};
    cw_node_sync_join(&s->node, cell, NULL, cw_world.pes_of_node, cw_world.slot, cw_world.nslots,
                      cw_world.nnodes);
    cw_leaders_init_split(&s->leaders, CW_SPLIT_VALUE_BITS, combine);
}

// ---------------------------------------------------------------- which PE advances the barrier

static bool has_connections(const cw_split_t *s)
{
    int node;
    for (uint32_t step = 0; (node = cw_leaders_next(&s->leaders, step)) >= 0; step++)
        if (!cw_is_connected(cw_world.leader_of_node[node]))
            return false;
    return true;
}

/** Does the first PE, not this one, wait for the end? */
static bool is_attended(const cw_split_t *s)
{
    return cw_world.slot != 0 && atomic_load(&s->shared->attended) == s->phase;
}

/** All PEs of the node have notified. */
static bool may_advance(cw_split_t *s)
{
    if (cw_world.slot == 0 || has_connections(s))
        return true;
    if (is_attended(s))
        return false;
    uint64_t now = cwu_now_ns(), since = atomic_load_explicit(&s->since_ns, memory_order_relaxed);
    if (since == 0)
        atomic_store_explicit(&s->since_ns, since = now, memory_order_relaxed);
    return now - since > CWU_WAIT_NS(HELP);
}

// ---------------------------------------------------------------- advancing it

/** Of the PEs of this node. */
static uint64_t value_of_node(const cw_split_t *s)
{
    const cw_node_sync_t *ns = &s->node;
    uint64_t sum = 0, value;
    for (int i = 0; i < ns->nlocal; i++) {
        const cw_coll_deposit_t *deposit = cw_coll_before(ns->pes[i], ns->deposit[0]);
        memcpy(&value, deposit->value, sizeof value);
        sum = i ? s->leaders.combine(sum, value) : value;
    }
    return sum;
}

static void complete(cw_split_t *s, uint64_t value)
{
    memcpy(s->node.area->result, &value, sizeof value);
    cw_node_release(&s->node);
}

/** shared->busy is held. */
static void advance(cw_split_t *s)
{
    cw_leaders_barrier_t *b = &s->shared->barrier;
    if (b->sequence != s->phase)
        cw_leaders_begin(&s->leaders, b, s->phase, value_of_node(s));
    if (cw_leaders_advance(&s->leaders, b))
        complete(s, b->value);
}

bool cw_split_test(cw_split_t *s)
{
    uint32_t idle = 0;
    if (cw_node_released(&s->node))
        return true;
    if (s->node.nnodes == 1 || !cw_node_all_arrived(&s->node) ||
        !atomic_compare_exchange_strong_explicit(&s->shared->busy, &idle, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    if (!cw_node_released(&s->node) && may_advance(s))
        advance(s);
    atomic_store_explicit(&s->shared->busy, 0, memory_order_release);
    return cw_node_released(&s->node);
}

// ---------------------------------------------------------------- the phases

void cw_split_notify(cw_split_t *s, uint64_t value)
{
    memcpy(s->node.deposit[0]->value, &value, sizeof value);  // released by the count
    s->phase++;
    atomic_store_explicit(&s->since_ns, 0, memory_order_relaxed);
    if (!cw_node_arrive(&s->node))
        return;
    if (s->node.nnodes == 1)
        complete(s, value_of_node(s));
    else
        cw_split_test(s);
}

void cw_split_attend(cw_split_t *s)
{
    if (cw_world.slot == 0 && s->node.nnodes > 1)
        // seq_cst: before the look which PEs have notified; pairs with may_advance()
        atomic_store(&s->shared->attended, s->phase);
}

/** The first PE waits for its node, then for other nodes, as those do that may stand in for it;
 *  others for the end. */
void cw_split_watch(const cw_split_t *s, cw_wait_t *w)
{
    const cw_node_sync_t *ns = &s->node;
    const _Atomic uint64_t *missing;
    if (ns->nnodes > 1 && cw_world.slot == 0 && !cw_node_all_arrived(ns))
        cw_wait_on_word(w, (const void *)cw_node_arrivals(ns), sizeof(uint32_t));
    else if (!is_attended(s) && (missing = cw_leaders_missing(&s->leaders, s->phase, 0)) != NULL)
        cw_wait_on_word(w, (const void *)missing, sizeof *missing);
    else
        cw_wait_on_word(w, (const void *)&ns->area->released, sizeof ns->area->released);
}

uint64_t cw_split_value(const cw_split_t *s)
{
    uint64_t value;
    memcpy(&value, s->node.area->result, sizeof value);
    return value;
}
