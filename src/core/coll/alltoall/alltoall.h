// SPDX-License-Identifier: BSD-3-Clause
//
// What alltoall and alltoalls share: an alltoall is an alltoalls of one element, the block, for
// each PE. Element i for rank r stands at (r * nelems + i) * stride, in src and dest alike.
#ifndef CW_CORE_COLL_ALLTOALL_H
#define CW_CORE_COLL_ALLTOALL_H

#include "core/coll/call.h"

/** Copies this PE's elements for `rank` to `to`, without gaps. */
void cw_alltoall_pack(const cw_coll_call_t *c, int rank, char *to);
/** Copies elements packed by `rank` for this PE into dest. */
void cw_alltoall_unpack(const cw_coll_call_t *c, int rank, const char *from);
/** Loads this PE's elements from the src of the node's members. */
void cw_alltoall_load_local(const cw_coll_call_t *c);
/** Stores this PE's elements into the dest of the node's members. */
void cw_alltoall_store_local(const cw_coll_call_t *c);
/** Bytes of scratch that the leaders' exchange takes. */
uint64_t cw_alltoall_bruck_room(const cw_coll_call_t *c);
uint64_t cw_alltoall_exchange_room(const cw_coll_call_t *c);
uint64_t cw_alltoall_rounds_room(const cw_coll_call_t *c);

#define cw_alltoalls_stores cw_alltoall_stores
#define cw_alltoalls_loads cw_alltoall_loads
#define cw_alltoalls_bruck cw_alltoall_bruck
#define cw_alltoalls_exchange cw_alltoall_exchange
#define cw_alltoalls_pairwise cw_alltoall_pairwise
#define cw_alltoalls_rounds cw_alltoall_rounds

#endif
