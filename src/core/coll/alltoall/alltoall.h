// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of alltoall and alltoalls share. An alltoall is an alltoalls of one element
// for each PE, the block. Element i for rank r stands at (r * nelems + i) * stride, in src and dest
// alike.
#ifndef CW_CORE_COLL_ALLTOALL_H
#define CW_CORE_COLL_ALLTOALL_H

#include "core/coll/call.h"

/** Copies this PE's elements for `rank` to `to`, without gaps. */
void cw_alltoall_pack(const cw_coll_call_t *c, int rank, char *to);
/** Copies the elements that `rank` has packed for this PE into dest. */
void cw_alltoall_unpack(const cw_coll_call_t *c, int rank, const char *from);
/** Loads what the members of this node have for this PE from their src. */
void cw_alltoall_load_local(const cw_coll_call_t *c);
/** Stores what this PE has for the members of this node into their dest. */
void cw_alltoall_store_local(const cw_coll_call_t *c);
/** Bytes of scratch that the exchange of the leaders takes. */
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
