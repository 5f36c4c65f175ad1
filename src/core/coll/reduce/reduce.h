// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of reduce share. Each element of the result is computed in one place and in
// one order, so that all PEs get the same bits.
//
// dest may be src: between two synchronisations, part i of any PE's buffer is read and written by
// member i (or leader k) alone.
#ifndef CW_CORE_COLL_REDUCE_H
#define CW_CORE_COLL_REDUCE_H

#include "core/coll/call.h"

/** Can two nodes swap parts (reduce/swap.c)? */
bool cw_reduce_can_swap(const cw_coll_call_t *c);

/** Bytes of scratch in which two nodes exchange halves (reduce/halves.c). */
uint64_t cw_reduce_halves_room(const cw_coll_call_t *c);

/** The first part of all algorithms over several nodes: each member combines its part of the node's
 *  operands into the leader's dest. Synchronises before, on the node, and after. */
void cw_reduce_to_leaders(const cw_coll_call_t *c);
/** The same without the synchronisation after it. */
void cw_reduce_to_leader(const cw_coll_call_t *c);
/** The last part: the result is in the dest of each leader that comes, and the other members load
 *  it. Synchronises the node before and after. */
void cw_reduce_from_leaders(const cw_coll_call_t *c);

/** Memory for operands of other leaders; fatal when there is none. The caller frees it. */
char *cw_reduce_buffer(size_t nbytes);
/** Elements that are combined at a time where nbytes are wanted: one, if it is larger. */
size_t cw_reduce_strip(const cw_coll_call_t *c, size_t nbytes);
/** dest = lower op upper, of nbytes; dest may be either. */
void cw_reduce_two(const cw_coll_call_t *c, char *dest, const char *lower, const char *upper,
                   size_t nbytes);
/** dest[first, last) = dest[first, last) op the same elements of `pe`, a PE of another node. */
void cw_reduce_pull(const cw_coll_call_t *c, int pe, size_t first, size_t last, char *buffer);
/** The buffer for that, which the caller frees. */
char *cw_reduce_pull_buffer(const cw_coll_call_t *c);
/** Puts dest[first, last) to the same place on `pe`. A note to it follows. */
void cw_reduce_push(const cw_coll_call_t *c, int pe, size_t first, size_t last);

#endif
