// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of reduce share. In each of them every element of the result is computed in
// one place and one order, so that all PEs get the same bits.
//
// In place is safe: part i of any PE's buffer is read and written by member i (or leader k) alone
// between two synchronisations.
#ifndef CW_CORE_COLL_REDUCE_H
#define CW_CORE_COLL_REDUCE_H

#include "core/coll/call.h"

/** The first half of all algorithms over several nodes: each member combines its part of its node's
 *  operands in the leader's dest. Synchronises before and after. */
void cw_reduce_to_leaders(const cw_coll_call_t *c);
/** And the last: the result is in the leaders' dest, the others load it. Synchronises before and
 *  after. */
void cw_reduce_from_leaders(const cw_coll_call_t *c);

/** Room for what leaders get from one another; fatal when there is none. free() it. */
char *cw_reduce_buffer(size_t nbytes);
/** dest[first, last) = dest[first, last) op what `pe`, of another node, has there. */
void cw_reduce_pull(const cw_coll_call_t *c, int pe, size_t first, size_t last, char *buffer);
enum { CW_REDUCE_PULL_NBYTES = 256 * 1024 };  // of that buffer
/** Puts dest[first, last) to the same place on `pe`. Complete at quiet. */
void cw_reduce_push(const cw_coll_call_t *c, int pe, size_t first, size_t last);

#endif
