// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of transfers. All of these end the job when something is wrong, with a message that
// names routine, argument and remedy. Threads: any. Blocking: never.
#ifndef CW_CORE_RMA_CHECK_H
#define CW_CORE_RMA_CHECK_H

#include <stdnoreturn.h>

#include "core/observe/watch.h"
#include "core/rma/hot.h"

/** A count of bytes that no memory has. */
noreturn void cw_count_refused(size_t nbytes) CW_COLD;
/** Life cycle, PE, count and symmetric memory. */
void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe);
/** What is particular to a context: whether it is alive, its team, its thread. */
void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank);
/** Opens the frame of a transfer through a context (core/observe/watch.h): checks life cycle and
 *  context, in checking mode count, addresses, alignment and overlap too. `local` is the buffer
 *  here, NULL when the value travels in registers (P, G, atomics). */
cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank) CW_COLD;

/** Do [a, a+a_nbytes) here and the symmetric [b, b+b_nbytes) of `pe` share memory? False off the
 *  node. */
bool cw_check_overlaps(const void *a, size_t a_nbytes, const void *b, size_t b_nbytes, int pe);

#endif
