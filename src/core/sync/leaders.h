// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation between the leaders of a group's nodes, by puts into other leaders' steps
// (area.h).
//
//   barrier     dissemination: in step k node i notifies node i + 2^k. May be continued later, and
//               carry a few bits.
//   with value  recursive doubling: partners combine, the lower node's value first. Nodes beyond a
//               power of two send in step 0, receive in the last.
//
// Threads: one at a time for each cw_leaders_t; the owner guards a cw_leaders_barrier_t.
#ifndef CW_CORE_LEADERS_H
#define CW_CORE_LEADERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/sync/area.h"
#include "core/sync/map.h"

/** acc = acc combined with in, in one fixed order: all PEs get the same bits. */
typedef struct cw_fused_op {
    void (*combine)(const struct cw_fused_op *self, void *acc, const void *in);
} cw_fused_op_t;

/** Commutative, associative, idempotent: some nodes' values are combined several times. */
typedef uint64_t (*cw_leaders_combine_fn)(uint64_t acc, uint64_t in);

/** Nodes are numbered as in the map. */
typedef struct cw_leaders {
    int me, n;          // this node, and how many there are
    uint64_t sequence;  // of the last synchronisation, the same on all leaders
    char *steps;        // of this leader: others put into them
    uint64_t steps_at;  // offset of all leaders' steps; 0: a team's, by slot
    uint32_t capacity;  // bytes of payload in a step
    int id;             // of the team; 0: the world
    const cw_group_t *group;
    unsigned value_bits;            // carried by a barrier; 0: none
    cw_leaders_combine_fn combine;  // NULL: without bits
} cw_leaders_t;

/** map: NULL: the world. sequence: at least what any step of the group has seen. */
void cw_leaders_init(cw_leaders_t *leaders, const cw_group_t *group, const cw_map_t *map, int id,
                     uint64_t sequence);
/** Of the world, on words apart. */
void cw_leaders_init_apart(cw_leaders_t *leaders, const cw_group_t *group, cw_apart_t which);
/** Of the world, for barriers that carry value_bits (< 64). Any process of a node may act for its
 *  leader, one at a time. */
void cw_leaders_init_split(cw_leaders_t *leaders, unsigned value_bits,
                           cw_leaders_combine_fn combine);

/** A barrier (nbytes 0), or the combination of all nodes' values, in place. [waits] */
void cw_leaders_fused(cw_leaders_t *leaders, void *value, size_t nbytes, const cw_fused_op_t *op);

/** sequence: one more than the last. */
void cw_leaders_begin(const cw_leaders_t *leaders, cw_leaders_barrier_t *barrier, uint64_t sequence,
                      uint64_t value);
/** Takes the steps whose notifications have come. True: all; barrier->value is complete. Never
 *  waits. */
bool cw_leaders_advance(const cw_leaders_t *leaders, cw_leaders_barrier_t *barrier);
/** The first word, from `step` on, without its notification; NULL: none. */
const _Atomic uint64_t *cw_leaders_missing(const cw_leaders_t *leaders, uint64_t sequence,
                                           uint32_t step);
/** The node notified in a step; -1: no such step. */
int cw_leaders_next(const cw_leaders_t *leaders, uint32_t step);

#endif
