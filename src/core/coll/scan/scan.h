// SPDX-License-Identifier: BSD-3-Clause
//
// What the algorithms of scan share. The result on rank i is the sum over ranks 0 .. i, or 0 .. i-1
// if exclusive: zeros on rank 0 (zero bytes are 0 in every type).
#ifndef CW_CORE_COLL_SCAN_H
#define CW_CORE_COLL_SCAN_H

#include "core/coll/call.h"

enum { CW_SCAN_STRIP_NBYTES = 16 * 1024 };  // added up at a time

/** One rank's result from acc, the sum of the ranks before (first: none), and its operand `in`,
 *  which acc then includes. in and result may be equal; nelems fit in a strip. */
void cw_scan_step(const cw_coll_call_t *c, bool first, void *acc, const void *in, void *result,
                  size_t nelems);

typedef const void *(*cw_scan_operand_fn)(const cw_coll_call_t *c, const char *base, int rank);
/** This PE's result from all operands, none of which lies in dest. */
void cw_scan_sum_up(const cw_coll_call_t *c, cw_scan_operand_fn operand, const char *base);

/** The least scratch that `leaders` takes, in bytes. */
uint64_t cw_scan_leaders_room(const cw_coll_call_t *c);

#endif
