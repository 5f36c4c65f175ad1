// SPDX-License-Identifier: BSD-3-Clause
//
// Joining, leaving and ending the job. Blocking: [waits]. Errors: 0 or CW_E…, reported. Threads:
// one joins and leaves; any may end the job.
#ifndef CW_CORE_LIFE_H
#define CW_CORE_LIFE_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "core/mem/area.h"

/** Before cw_init. False, reported: the job was joined without what this front end needs, its area
 *  or a thread level. name: of this one, for messages. */
bool cw_may_join(const char *call, int thread_level, const cw_area_request_t *area,
                 const char *name);
/** Counted: every init needs its finalize; after the last one the job may be joined again. call:
 *  for messages; lives on. [waits] */
int cw_init(int thread_level, const char *call);
/** cw_finalize_meets, unless that was called; at count zero leaves the job: heap and connections
 *  go, static data stays. [waits] */
void cw_finalize(const char *call);
/** The part that needs all PEs: a barrier that matches no collective of the program. cw_finalize
 *  follows. [waits] */
void cw_finalize_meets(const char *call);
/** The front end now has another finalize to be missed: says so to the launcher. */
void cw_finalize_renamed(const char *call);
/** May this PE, at its end, make up for `joins` calls of cw_finalize after cw_early_begin
 *  (core/report/early.h)? Not beside another front end, in a handler that has interrupted a call,
 *  or when what connects the nodes is gone. */
bool cw_may_end_early(int joins);
/** All PEs leave, some out of the middle of a collective: cw_finalize waits for no PE. By every PE
 *  or none, after a synchronisation by other means. */
void cw_disband(void);
/** What exit gets: 1 where the low 8 bits, all that a parent sees, would hide that it is not 0. */
static inline int cw_exit_status(int status)
{
    return status != 0 && (status & 0xff) == 0 ? 1 : status;
}
/** Ends this process, perhaps from within any call that a signal has interrupted: touches no
 *  connection, waits for all PEs, and is no failure. The others call the same, or cw_disband and
 *  cw_finalize. */
noreturn void cw_drop_out(int status);
/** May other threads of the program be in calls? Not over an MPI, which must be left. */
bool cw_has_threads(void);
/** At the end of a program that has them: cw_finalize as often as it is due, but frees nothing that
 *  they use. Other PEs may call cw_finalize. [waits] */
void cw_leave_threads(const char *call);
/** Ends this process, after the last cw_finalize, without exit handlers. Launchers count it as a
 *  success. */
noreturn void cw_exit(int status);
/** Ends every PE of the job. */
noreturn void cw_global_exit(int status);
/** As above, of an error: never a success. */
static inline int cw_failure_status(int code)
{
    return code & 0xff ? code : 1;
}

#endif
