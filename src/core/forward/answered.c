// SPDX-License-Identifier: BSD-3-Clause
//
// Answers to requests of this node's PEs, checked against what these PEs have sent: a count beyond
// that would let a quiet end too early, a value could overwrite that of another request.
#include <string.h>

#include "core/forward/forwarding.h"
#include "core/rma/routed.h"
#include "core/world/world.h"

static void refused(const char *what, uint32_t slot, const char *reason)
{
    int pe = slot < (uint32_t)cw_world.nslots ? cw_world.pes_of_node[slot] : -1;
    cw_forwarding_refused(what, pe, reason);
}

static bool is_here(uint32_t slot)
{
    return slot < (uint32_t)cw_world.nslots;
}

void cw_answered_freed(void *ctx, uint32_t edge, uint32_t slot, uint32_t units)
{
    (void)ctx;
    if (!is_here(slot)) {
        refused("room", slot, "there is no such PE here");
        return;
    }
    if (!cw_routed_was_freed(cw_routed_window(edge, slot), units))
        refused("room", slot, "more than it has used");
    cw_local_stored(cw_world.pes_of_node[slot]);
}

void cw_answered_done(void *ctx, uint32_t slot, unsigned epoch, uint32_t count)
{
    (void)ctx;
    if (!is_here(slot)) {
        refused("the end of requests", slot, "there is no such PE here");
        return;
    }
    cw_routed_counts_t *counts = cw_routed_counts(slot);
    uint32_t done = atomic_load_explicit(&counts->done[epoch], memory_order_relaxed),
             sent = atomic_load_explicit(&counts->sent[epoch], memory_order_acquire);
    if (count > sent - done) {
        refused("the end of requests", slot, "more than it has sent");
        return;
    }
    // release: pairs with the PE's drain
    atomic_store_explicit(&counts->done[epoch], done + count, memory_order_release);
    cw_local_stored(cw_world.pes_of_node[slot]);
}

void cw_answered_value(void *ctx, uint32_t slot, const cw_answer_value_t *to, const void *value,
                       size_t nbytes)
{
    (void)ctx;
    size_t room = 0;
    if (!is_here(slot) || to->reply_slot >= CW_ROUTED_CELLS) {
        refused("a value", slot, "it has no place");
        return;
    }
    cw_routed_cell_t *cell = cw_routed_cell(slot, to->reply_slot, &room);
    uint32_t name = (uint32_t)to->generation << 2;
    if (atomic_load_explicit(&cell->state, memory_order_acquire) != (name | CW_ROUTED_AWAITED) ||
        nbytes > room) {
        refused("a value", slot, "it awaits another one");
        return;
    }
    memcpy(cell->value, value, nbytes);
    cell->nbytes = (uint32_t)nbytes;
    // pairs with take_value
    atomic_store_explicit(&cell->state, name | CW_ROUTED_ARRIVED, memory_order_release);
    cw_local_notify(cw_world.pes_of_node[slot]);  // it may await this one behind others
}
