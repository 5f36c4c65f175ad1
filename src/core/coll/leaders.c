// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation between node leaders by puts into the other nodes' areas: log2(nodes) steps, each a
// sequence number that only grows.
//
//   barrier     dissemination: in step k node i tells node i + 2^k; any number of nodes
//   with value  recursive doubling: partners exchange what they have and combine it lower node first, so both
//   get
//               the same bits. Nodes beyond the largest power of two hand their value in before (round 0) and
//               get the result after (last round).
//
// Every call needs every node, so a partner can be ahead by one call at most: it may write the payload of the
// next sequence number while I still read this one's (hence two payloads), but not that of the one after.
#include <string.h>

#include "core/coll/fused.h"
#include "core/core.h"
#include "core/node.h"
#include "core/rma.h"
#include "core/wait.h"

static uint64_t sequence;  // of this leader; the same on all, as all make the same calls

void cw_leaders_reset(void)
{
    sequence = 0;
}

static void tell_barrier(int node, int round)
{
    uint64_t at = cw_coll_area_offset() + cw_coll_round_offset(round);
    cw_node_put(node, at + offsetof(cw_coll_round_t, barrier), &sequence,
                sizeof sequence);  // pairs with hear()
}

static void tell_value(int node, int round, const void *value, size_t nbytes)
{
    uint64_t at = cw_coll_area_offset() + cw_coll_round_offset(round);
    cw_node_put(node, at + offsetof(cw_coll_round_t, payload[sequence & 1]), value, nbytes);
    cw_fence_cold(&cw_ctx_default);  // the number behind its payload, also where writes keep no order
    // Pairs with hear().
    cw_node_put(node, at + offsetof(cw_coll_round_t, value), &sequence, sizeof sequence);
}

static void hear(_Atomic uint64_t *heard)
{
    cw_wait_t w = CW_WAIT_INIT("a collective (other nodes)");
    while ((int64_t)(atomic_load_explicit(heard, memory_order_acquire) - sequence) < 0)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static const void *hear_value(int round)
{
    cw_coll_round_t *r = cw_coll_round(cw_coll_node.area, round);
    hear(&r->value);
    return r->payload[sequence & 1];
}

static void disseminate(int node, int n)
{
    for (int k = 0; 1 << k < n; k++) {
        tell_barrier((node + (1 << k)) % n, 1 + k);
        hear(&cw_coll_round(cw_coll_node.area, 1 + k)->barrier);
    }
}

static void exchange(int node, int partner, int round, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    _Alignas(16) char theirs[CW_COLL_MEDIUM];
    tell_value(partner, round, value, nbytes);
    memcpy(theirs, hear_value(round), nbytes);
    if (node < partner) {
        op->combine(op, value, theirs);
    } else {
        op->combine(op, theirs, value);
        memcpy(value, theirs, nbytes);
    }
}

static void double_up(int node, int n, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    int steps = 31 - __builtin_clz((unsigned)n), power = 1 << steps, last = cw_coll_nrounds(n) - 1;
    if (node >= power) {
        tell_value(node - power, 0, value, nbytes);
        memcpy(value, hear_value(last), nbytes);
        return;
    }
    if (node + power < n)
        op->combine(op, value, hear_value(0));
    for (int k = 0; k < steps; k++)
        exchange(node, node ^ (1 << k), 1 + k, value, nbytes, op);
    if (node + power < n)
        tell_value(node + power, last, value, nbytes);
}

void cw_leaders_fused(void *value, size_t nbytes, const cw_fused_op_t *op)
{
    sequence++;
    if (nbytes)
        double_up(cw_world.node, cw_world.nnodes, value, nbytes, op);
    else
        disseminate(cw_world.node, cw_world.nnodes);
}
