// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of alltoall and alltoalls share: an alltoall is one of one element, the
// block, for each PE. Element i for rank r stands at (r * nelems + i) * stride on both sides.
#ifndef CW_CORE_COLL_ALLTOALL_H
#define CW_CORE_COLL_ALLTOALL_H

#include "core/coll/call.h"

/** My elements for `rank`, one behind the other, to `to`; and from there into the dest of the PE
 *  that they were for. */
void cw_alltoall_pack(const cw_coll_call_t *c, int rank, char *to);
void cw_alltoall_unpack(const cw_coll_call_t *c, int rank, const char *from);
/** What the members of my node have for me, from their src. */
void cw_alltoall_load_local(const cw_coll_call_t *c);
/** Bytes of scratch that the leaders' exchange takes. */
uint64_t cw_alltoall_bruck_room(const cw_coll_call_t *c);

#define cw_alltoalls_deposit cw_alltoall_deposit
#define cw_alltoalls_loads cw_alltoall_loads
#define cw_alltoalls_bruck cw_alltoall_bruck
#define cw_alltoalls_pairwise cw_alltoall_pairwise

#endif
