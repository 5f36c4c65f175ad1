// SPDX-License-Identifier: BSD-3-Clause
//
// A synchronisation of the world that carries a small value: every PE gives one, every PE gets the
// combination of all. With nbytes 0 it is the barrier itself.
#ifndef CW_CORE_COLL_FUSED_H
#define CW_CORE_COLL_FUSED_H

#include "core/coll/node_sync.h"

/** acc = acc combined with in. Called in one fixed order, so that all PEs get the same bits. */
typedef struct cw_fused_op {
    void (*combine)(const struct cw_fused_op *self, void *acc, const void *in);
} cw_fused_op_t;

/** The world's state in this process. */
extern cw_node_sync_t cw_coll_node;

/** Most bytes that can travel. */
size_t cw_fused_most(void);

/** value: mine, then everybody's; nbytes <= cw_fused_most(). op may be NULL when nbytes is 0. */
void cw_world_fused(void *value, size_t nbytes, const cw_fused_op_t *op);

/** Between the leaders of all nodes, each with its node's value. */
void cw_leaders_fused(void *value, size_t nbytes, const cw_fused_op_t *op);

#endif
