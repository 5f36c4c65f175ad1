// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of reduce share. Each element is computed in one place and one order.
//
// dest may be src: between two synchronisations, part i of any PE's buffer belongs to member i (or
// leader k) alone.
#ifndef CW_CORE_COLL_REDUCE_H
#define CW_CORE_COLL_REDUCE_H

#include "core/coll/call.h"

/** Can two nodes swap parts (reduce/swap.c)? */
bool cw_reduce_can_swap(const cw_coll_call_t *c);

/** Bytes of scratch that reduce/halves.c takes. */
uint64_t cw_reduce_halves_room(const cw_coll_call_t *c);

/** First over several nodes: each member combines its part of the node's operands into the leader's
 *  dest. Synchronises before, on the node, and after. */
void cw_reduce_to_leaders(const cw_coll_call_t *c);
/** As above, but does not synchronise after. */
void cw_reduce_to_leader(const cw_coll_call_t *c);
/** Last: the members load the result from their leader's dest. Synchronises the node before and
 *  after. */
void cw_reduce_from_leaders(const cw_coll_call_t *c);

/** For other leaders' operands, or fatal. The caller frees it. */
char *cw_reduce_buffer(size_t nbytes);
/** Elements to combine at a time for about nbytes, at least one. */
size_t cw_reduce_strip(const cw_coll_call_t *c, size_t nbytes);
/** dest = lower op upper, of nbytes; dest may be either. */
void cw_reduce_two(const cw_coll_call_t *c, char *dest, const char *lower, const char *upper,
                   size_t nbytes);
/** dest[first, last) = dest[first, last) op that of `pe` on another node. */
void cw_reduce_pull(const cw_coll_call_t *c, int pe, size_t first, size_t last, char *buffer);
/** The buffer for that; the caller frees it. */
char *cw_reduce_pull_buffer(const cw_coll_call_t *c);
/** Puts dest[first, last) to the same place on `pe`. A note follows. */
void cw_reduce_push(const cw_coll_call_t *c, int pe, size_t first, size_t last);

#endif
