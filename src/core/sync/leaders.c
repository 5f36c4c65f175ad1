// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation between node leaders by puts into the other nodes' areas: log2(nodes) steps, each
// a sequence number that only grows.
//
//   barrier     dissemination: in step k node i tells node i + 2^k; any number of nodes
//   with value  recursive doubling: partners exchange what they have and combine it lower node first, so both
//   get
//               the same bits. Nodes beyond the largest power of two hand their value in before (round 0) and
//               get the result after (last round).
//
// Every call needs every node of the group, so a partner can be ahead by one call at most: it may
// write the payload of the next sequence number while I still read this one's (hence two payloads),
// but not that of the one after.
#include <string.h>

#include "core/progress/wait.h"
#include "core/rma/context.h"
#include "core/rma/node.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"

void cw_leaders_init(cw_leaders_t *leaders, const cw_group_t *group, const cw_map_t *map, int id,
                     uint64_t sequence)
{
    *leaders = (cw_leaders_t){
        .me = map ? map->node : cw_world.node,
        .n = map ? map->nnodes : cw_world.nnodes,
        .sequence = sequence,
        .rounds = map ? cw_team_rounds(cw_world.slot, id)
                      : (char *)cw_coll_round(cw_coll_local_area(), 0),
        .capacity = cw_team_capacity(id),
        .id = id,
        .group = group,
    };
}

static cw_coll_round_t *my_round(const cw_leaders_t *l, int round)
{
    return (cw_coll_round_t *)(void *)(l->rounds +
                                       (uint64_t)round * cw_coll_round_nbytes(l->capacity));
}

/** Puts into a round of leader k. */
static void put(const cw_leaders_t *l, int k, int round, size_t at, const void *src, size_t nbytes)
{
    int node = k;
    uint64_t rounds = cw_coll_area_offset() + cw_coll_round_offset(0);
    if (l->id != 0) {
        const cw_map_t *map = &l->group->sync->map;
        int pe = cw_group_pe(l->group, cw_map_leader(map, k));
        node = map->node_id[k];
        rounds = cw_team_rounds_offset(cw_world.slot_of_pe[pe], l->id);
    }
    cw_node_put(node, rounds + (uint64_t)round * cw_coll_round_nbytes(l->capacity) + at, src,
                nbytes);
}

static void tell_barrier(const cw_leaders_t *l, int k, int round)
{
    // pairs with hear()
    put(l, k, round, offsetof(cw_coll_round_t, barrier), &l->sequence, sizeof l->sequence);
}

static size_t payload_at(const cw_leaders_t *l)
{
    return (l->sequence & 1) * l->capacity;
}

static void tell_value(const cw_leaders_t *l, int k, int round, const void *value, size_t nbytes)
{
    put(l, k, round, offsetof(cw_coll_round_t, payload) + payload_at(l), value, nbytes);
    cw_fence_cold(&cw_ctx_default);  // the number behind its payload, also where writes keep no
                                     // order
    // pairs with hear()
    put(l, k, round, offsetof(cw_coll_round_t, value), &l->sequence, sizeof l->sequence);
}

static void hear(const cw_leaders_t *l, _Atomic uint64_t *heard)
{
    cw_wait_t w = CW_WAIT_FOR("a collective (other nodes)", heard, sizeof *heard);
    if (l->id == 0)
        w.on = &cw_wait_world;
    while ((int64_t)(atomic_load_explicit(heard, memory_order_acquire) - l->sequence) < 0)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static const void *hear_value(const cw_leaders_t *l, int round)
{
    cw_coll_round_t *r = my_round(l, round);
    hear(l, &r->value);
    return r->payload + payload_at(l);
}

static void disseminate(const cw_leaders_t *l)
{
    for (int k = 0; 1 << k < l->n; k++) {
        tell_barrier(l, (l->me + (1 << k)) % l->n, 1 + k);
        hear(l, &my_round(l, 1 + k)->barrier);
    }
}

static void exchange(const cw_leaders_t *l, int partner, int round, void *value, size_t nbytes,
                     const cw_fused_op_t *op)
{
    _Alignas(16) char theirs[CW_COLL_MEDIUM];
    tell_value(l, partner, round, value, nbytes);
    memcpy(theirs, hear_value(l, round), nbytes);
    if (l->me < partner) {
        op->combine(op, value, theirs);
    } else {
        op->combine(op, theirs, value);
        memcpy(value, theirs, nbytes);
    }
}

static void double_up(const cw_leaders_t *l, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    int me = l->me, n = l->n;
    int steps = 31 - __builtin_clz((unsigned)n), power = 1 << steps, last = cw_coll_nrounds(n) - 1;
    if (me >= power) {
        tell_value(l, me - power, 0, value, nbytes);
        memcpy(value, hear_value(l, last), nbytes);
        return;
    }
    if (me + power < n)
        op->combine(op, value, hear_value(l, 0));
    for (int k = 0; k < steps; k++)
        exchange(l, me ^ (1 << k), 1 + k, value, nbytes, op);
    if (me + power < n)
        tell_value(l, me + power, last, value, nbytes);
}

void cw_leaders_fused(cw_leaders_t *leaders, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    leaders->sequence++;
    if (nbytes)
        double_up(leaders, value, nbytes, op);
    else
        disseminate(leaders);
}
