// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation between the leaders of a group's nodes, by puts into the steps of the other
// leaders (area.h): log2(nodes) steps each, with sequence numbers that only grow.
//
//   barrier     dissemination: in step k node i notifies node i + 2^k; any number of nodes. It can
//               be left and continued later, and may carry a few bits, which share a word with the
//               sequence number.
//   with value  recursive doubling: partners exchange and combine their values, that of the lower
//               node first, so both get the same bits. Nodes beyond the largest power of two send
//               their value before (step 0) and get the result after (last step).
//
// Threads: one at a time for each cw_leaders_t; a cw_leaders_barrier_t is guarded by its owner.
#ifndef CW_CORE_LEADERS_H
#define CW_CORE_LEADERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/sync/area.h"
#include "core/sync/map.h"

/** acc = acc combined with in. Called in one fixed order, so that all PEs get the same bits. */
typedef struct cw_fused_op {
    void (*combine)(const struct cw_fused_op *self, void *acc, const void *in);
} cw_fused_op_t;

/** Of the bits that a barrier carries. Commutative, associative and idempotent: dissemination
 *  combines some nodes' values several times. */
typedef uint64_t (*cw_leaders_combine_fn)(uint64_t acc, uint64_t in);

/** The leaders of a group's nodes, as one of them sees it. Nodes are numbered as in the map; those
 *  of the world as in the world. */
typedef struct cw_leaders {
    int me, n;          // the node of this leader, and the number of nodes
    uint64_t sequence;  // of the last synchronisation; the same on all leaders, which make the same
                        // calls
    char *steps;        // of this leader: the others put into them
    uint64_t steps_at;  // offset of every leader's steps in its node object; 0: of a team, where
                        // it depends on the leader's slot
    uint32_t capacity;  // bytes of payload in a step
    int id;             // of the team, 0: the world
    const cw_group_t *group;
    unsigned value_bits;            // that a barrier carries; 0: none
    cw_leaders_combine_fn combine;  // of these; NULL: none
} cw_leaders_t;

/** The leaders of a group that spans the nodes of `map`; NULL: the world, all nodes. `sequence` is
 *  at least what any of the group's steps has seen. */
void cw_leaders_init(cw_leaders_t *leaders, const cw_group_t *group, const cw_map_t *map, int id,
                     uint64_t sequence);
/** The leaders of the world a second time, with words of their own, for PEs that end. */
void cw_leaders_init_farewell(cw_leaders_t *leaders, const cw_group_t *group);
/** The same again, for barriers that carry
 *  value_bits (fewer than 64). Any process of a node may act for its leader, one at a time. */
void cw_leaders_init_split(cw_leaders_t *leaders, unsigned value_bits,
                           cw_leaders_combine_fn combine);

/** A barrier (nbytes 0), or the combination of all nodes' values, in place. [waits] */
void cw_leaders_fused(cw_leaders_t *leaders, void *value, size_t nbytes, const cw_fused_op_t *op);

/** Begins barrier number `sequence`, one more than the last. */
void cw_leaders_begin(const cw_leaders_t *leaders, cw_leaders_barrier_t *barrier, uint64_t sequence,
                      uint64_t value);
/** Takes the steps for which the notifications have come. True: all have, and barrier->value is the
 *  combination. Never waits for another leader. */
bool cw_leaders_advance(const cw_leaders_t *leaders, cw_leaders_barrier_t *barrier);
/** The word of the first step, from `step` on, whose notification of that barrier has not come;
 *  NULL: all have. */
const _Atomic uint64_t *cw_leaders_missing(const cw_leaders_t *leaders, uint64_t sequence,
                                           uint32_t step);
/** The node that is notified in a step; -1: there is no such step. */
int cw_leaders_next(const cw_leaders_t *leaders, uint32_t step);

#endif
