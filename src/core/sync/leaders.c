// SPDX-License-Identifier: BSD-3-Clause
//
// Every synchronisation needs every node, so a partner is ahead by one at most: while this leader
// reads sequence number s, it may write s + 1, not s + 2. Hence two barrier words and two payloads
// a step.
#include "core/sync/leaders.h"

#include <string.h>

#include "core/progress/wait.h"
#include "core/sync/area.h"
#include "core/sync/fused.h"
#include "core/sync/marked.h"

void cw_leaders_init(cw_leaders_t *leaders, const cw_group_t *group, const cw_map_t *map, int id,
                     uint64_t sequence)
{
    *leaders = (cw_leaders_t){
        .me = map ? map->node : cw_world.node,
        .n = map ? map->nnodes : cw_world.nnodes,
        .sequence = sequence,
        .steps =
            map ? cw_team_steps(cw_world.slot, id) : (char *)cw_coll_step(cw_coll_local_area(), 0),
        .steps_at = map ? 0 : cw_coll_area_offset() + cw_coll_step_offset(0),
        .capacity = cw_team_capacity(id),
        .id = id,
        .group = group,
    };
}

void cw_leaders_init_apart(cw_leaders_t *leaders, const cw_group_t *group, cw_apart_t which)
{
    cw_leaders_init(leaders, group, NULL, 0, 0);
    leaders->steps = (char *)cw_coll_step(cw_coll_apart_area(which), 0);
    leaders->steps_at = cw_coll_apart_offset(which) + cw_coll_step_offset(0);
}

void cw_leaders_init_split(cw_leaders_t *leaders, unsigned value_bits,
                           cw_leaders_combine_fn combine)
{
    *leaders = (cw_leaders_t){
        .me = cw_world.node,
        .n = cw_world.nnodes,
        .steps = cw_team_steps(0, CW_SPLIT_CELL),
        .steps_at = cw_team_steps_offset(0, CW_SPLIT_CELL),
        .capacity = cw_team_capacity(CW_SPLIT_CELL),
        .value_bits = value_bits,
        .combine = combine,
    };
}

static cw_coll_step_t *my_step(const cw_leaders_t *l, uint32_t step)
{
    return (cw_coll_step_t *)(void *)(l->steps + step * cw_coll_step_nbytes(l->capacity));
}

/** Into a step of leader k: nbytes at payload_at, then the word. */
static void put(const cw_leaders_t *l, int k, uint32_t step, size_t payload_at, const void *src,
                size_t nbytes, size_t word_at, uint64_t word)
{
    int node = k;
    uint64_t steps = l->steps_at;
    if (!steps) {
        const cw_map_t *map = &l->group->sync->map;
        int pe = cw_group_pe(l->group, cw_map_leader(map, k));
        node = map->node_id[k];
        steps = cw_team_steps_offset(cw_world.slot_of_pe[pe], l->id);
    }
    steps += step * cw_coll_step_nbytes(l->capacity);
    cw_marked_put(node, steps + payload_at, src, nbytes, steps + word_at, word);
}

static void await(const cw_leaders_t *l, cw_wait_t *w, const _Atomic uint64_t *word)
{
    cw_wait_on_word(w, (const void *)word, sizeof *word);
    if (l->id == 0)
        w->on = &cw_wait_world;
}

// ---------------------------------------------------------------- the barrier

enum { FIRST_BARRIER_STEP = 1 };  // step 0 belongs to values alone

int cw_leaders_next(const cw_leaders_t *l, uint32_t step)
{
    return INT64_C(1) << step < l->n ? (int)((l->me + (INT64_C(1) << step)) % l->n) : -1;
}

static _Atomic uint64_t *barrier_word(const cw_leaders_t *l, uint64_t sequence, uint32_t step)
{
    return &my_step(l, FIRST_BARRIER_STEP + step)->barrier[sequence & 1];
}

static bool belongs_to(const cw_leaders_t *l, uint64_t word, uint64_t sequence)
{
    return (word ^ sequence << l->value_bits) >> l->value_bits == 0;
}

static void notify_barrier(const cw_leaders_t *l, const cw_leaders_barrier_t *b)
{
    uint64_t word = b->sequence << l->value_bits | b->value;
    // pairs with cw_leaders_advance()
    put(l, cw_leaders_next(l, b->step), FIRST_BARRIER_STEP + b->step, 0, NULL, 0,
        offsetof(cw_coll_step_t, barrier) + (b->sequence & 1) * sizeof word, word);
}

void cw_leaders_begin(const cw_leaders_t *l, cw_leaders_barrier_t *b, uint64_t sequence,
                      uint64_t value)
{
    *b = (cw_leaders_barrier_t){.sequence = sequence, .value = value};
    if (l->n > 1)
        notify_barrier(l, b);
}

bool cw_leaders_advance(const cw_leaders_t *l, cw_leaders_barrier_t *b)
{
    while (cw_leaders_next(l, b->step) >= 0) {
        // pairs with notify_barrier()
        uint64_t word =
            atomic_load_explicit(barrier_word(l, b->sequence, b->step), memory_order_acquire);
        if (!belongs_to(l, word, b->sequence))
            return false;
        if (l->combine)
            b->value = l->combine(b->value, word & ((UINT64_C(1) << l->value_bits) - 1));
        b->step++;
        if (cw_leaders_next(l, b->step) >= 0)
            notify_barrier(l, b);
    }
    return true;
}

const _Atomic uint64_t *cw_leaders_missing(const cw_leaders_t *l, uint64_t sequence, uint32_t step)
{
    for (; cw_leaders_next(l, step) >= 0; step++) {
        const _Atomic uint64_t *word = barrier_word(l, sequence, step);
        if (!belongs_to(l, atomic_load_explicit(word, memory_order_relaxed), sequence))
            return word;
    }
    return NULL;
}

static void disseminate(const cw_leaders_t *l)
{
    cw_leaders_barrier_t b;
    cw_leaders_begin(l, &b, l->sequence, 0);
    while (!cw_leaders_advance(l, &b)) {
        uint32_t step = b.step;
        cw_wait_t w = CW_WAIT_INIT("a collective (other nodes)");
        await(l, &w, barrier_word(l, b.sequence, step));
        do
            cw_wait_round(&w);
        while (!cw_leaders_advance(l, &b) && b.step == step);
        cw_wait_done(&w);
    }
}

// ---------------------------------------------------------------- with a value

static size_t payload_at(const cw_leaders_t *l)
{
    return (l->sequence & 1) * l->capacity;
}

static void send_value(const cw_leaders_t *l, int k, int step, const void *value, size_t nbytes)
{
    // pairs with receive_value()
    put(l, k, (uint32_t)step, offsetof(cw_coll_step_t, payload) + payload_at(l), value, nbytes,
        offsetof(cw_coll_step_t, value), l->sequence);
}

/** May be combined in place: this leader's alone until the synchronisation after the next. */
static void *receive_value(const cw_leaders_t *l, int step)
{
    cw_coll_step_t *s = my_step(l, (uint32_t)step);
    cw_wait_t w = CW_WAIT_INIT("a collective (other nodes)");
    await(l, &w, &s->value);
    while ((int64_t)(atomic_load_explicit(&s->value, memory_order_acquire) - l->sequence) < 0)
        cw_wait_round(&w);
    cw_wait_done(&w);
    return s->payload + payload_at(l);
}

static void exchange(const cw_leaders_t *l, int partner, int step, void *value, size_t nbytes,
                     const cw_fused_op_t *op)
{
    send_value(l, partner, step, value, nbytes);
    void *theirs = receive_value(l, step);
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
    int steps = 31 - __builtin_clz((unsigned)n), power = 1 << steps, last = cw_coll_nsteps(n) - 1;
    if (me >= power) {
        send_value(l, me - power, 0, value, nbytes);
        memcpy(value, receive_value(l, last), nbytes);
        return;
    }
    if (me + power < n)
        op->combine(op, value, receive_value(l, 0));
    for (int k = 0; k < steps; k++)
        exchange(l, me ^ (1 << k), 1 + k, value, nbytes, op);
    if (me + power < n)
        send_value(l, me + power, last, value, nbytes);
}

void cw_leaders_fused(cw_leaders_t *leaders, void *value, size_t nbytes, const cw_fused_op_t *op)
{
    leaders->sequence++;
    if (nbytes)
        double_up(leaders, value, nbytes, op);
    else
        disseminate(leaders);
}
