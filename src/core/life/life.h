// SPDX-License-Identifier: BSD-3-Clause
//
// The life of the library in this process: joining the job, leaving it, ending it.
//
// Calls marked [waits] may block; all blocking ends in a sleep. Errors: 0 or CW_E..., reported.
// Threads: one thread joins and leaves; any thread may end the job.
#ifndef CW_CORE_LIFE_H
#define CW_CORE_LIFE_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "core/mem/area.h"

/** Before cw_init: another front end that has joined the job may lack what this one needs, its area
 *  or a thread level. False: reported. name: of this one, for messages. */
bool cw_may_join(const char *call, int thread_level, const cw_area_request_t *area,
                 const char *name);
/** Joins the job. Counted: every init needs its finalize. After the last one it may be joined
 *  again. call: the routine of the front end, for messages and reports; lives on. [waits] */
int cw_init(int thread_level, const char *call);
/** Barrier, if cw_finalize_meets has not been called before, then leaves the job when the count
 *  reaches zero: heap and connections go, static data stays. [waits] */
void cw_finalize(const char *call);
/** The part of a front end's finalize before that which needs all PEs: a barrier that matches no
 *  collective of the program. call: as of cw_finalize, which follows. [waits] */
void cw_finalize_meets(const char *call);
/** The front end of the call has another finalize to be missed by now: the launcher knows. */
void cw_finalize_renamed(const char *call);
/** This PE is at its end without its finalize. May it make up for that, by `joins` calls of
 *  cw_finalize behind cw_early_begin (core/report/early.h)? Not while another front end is in the
 *  job, nor in a handler that has interrupted a call, nor when what connects the nodes is gone. */
bool cw_may_end_early(int joins);
/** All PEs are about to leave, and some came out of the middle of a collective: cw_finalize then
 *  waits for no PE, since that wait would never end. Called by every PE or by none; they must have
 *  synchronised by other means. */
void cw_disband(void);
/** What exit gets for that status: of one that is not 0 the low 8 bits, all that a launcher sees,
 *  are not 0 (256 becomes 1). */
static inline int cw_exit_status(int status)
{
    return status != 0 && (status & 0xff) == 0 ? 1 : status;
}
/** Ends this process, after the last cw_finalize, without exit handlers. Launchers count
 *  it as a success. */
noreturn void cw_exit(int status);
/** Ends every PE of the job with this status. */
noreturn void cw_global_exit(int status);
/** The status of an end by an error: where the code's low 8 bits, all that a parent sees, are 0, it
 *  would pass for a success. */
static inline int cw_failure_status(int code)
{
    return code & 0xff ? code : 1;
}

#endif
