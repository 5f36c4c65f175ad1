// SPDX-License-Identifier: BSD-3-Clause
//
// One call of a collective, as its algorithms see it, and the choice among them (algorithms.def),
// which depends only on what all PEs of the group know alike.
#ifndef CW_CORE_COLL_CALL_H
#define CW_CORE_COLL_CALL_H

#include "core/coll/gather/gather.h"
#include "core/sync/map.h"
#include "core/sync/peer.h"

typedef enum cw_coll {
#define CW_COLLECTIVE(name, text) CW_COLL_##name,
#define CW_ALGORITHM(...)
#include "core/coll/algorithms.def"
#undef CW_COLLECTIVE
#undef CW_ALGORITHM
    CW_COLLS
} cw_coll_t;

typedef struct cw_coll_call {
    cw_coll_t kind;
    const cw_group_t *group;
    const cw_map_t *map;
    char *dest;
    const char *src;
    size_t nbytes;      // of one PE (broadcast: the message; alltoall: for one PE; collect: the
                        // mean)
    size_t own_nbytes;  // collect: this PE's block, unknown to the others
    int root;           // broadcast: a rank
    bool root_copies;   // broadcast: writes the root's dest too
    const cw_blocks_t *blocks;   // fcollect; collect, once sizes are known
    bool entered;                // all have entered: their src are ready
    size_t nelems, elem_nbytes;  // reduce, scan, alltoalls
    // alltoalls: bytes between elements; alltoall: the element is the block
    ptrdiff_t dest_stride, src_stride;
    cw_reduce_fn fn;  // reduce, scan
    bool is_private;  // reduce: src and dest are memory that no other PE reaches
    bool exclusive;   // scan
} cw_coll_call_t;

typedef void (*cw_coll_fn)(const cw_coll_call_t *c);

/** Runs the algorithm named by CAUSEWAY_COLL, else by the table. */
void cw_coll_run(cw_coll_call_t *c);
/** As above; a call that moves no data only synchronises. */
void cw_coll_run_or_sync(cw_coll_call_t *c);
/** As cw_coll_run; false: no row applies yet (collect, before the sizes are known). */
bool cw_coll_try(cw_coll_call_t *c);

static inline int cw_call_pe(const cw_coll_call_t *c, int rank)
{
    return cw_group_pe(c->group, rank);
}

/** The leader of node k of the map. */
static inline int cw_call_leader(const cw_coll_call_t *c, int k)
{
    return cw_group_pe(c->group, cw_map_leader(c->map, k));
}

/** A symmetric object of `rank`, a PE of this node, mapped here. */
static inline void *cw_call_at(const cw_coll_call_t *c, int rank, const void *symmetric)
{
    return cw_coll_at(cw_call_pe(c, rank), symmetric);
}

#define CW_COLLECTIVE(name, text)
#define CW_ALGORITHM(collective, name, ...) void cw_##collective##_##name(const cw_coll_call_t *c);
#include "core/coll/algorithms.def"
#undef CW_COLLECTIVE
#undef CW_ALGORITHM

#endif
