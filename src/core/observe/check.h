// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode (CAUSEWAY_CHECK=1): wrong use ends the job with a line that names routine, argument
// and remedy. -Dchecking=false compiles it out. Life cycle and PE numbers are checked in every
// mode.
#ifndef CW_CORE_CHECK_H
#define CW_CORE_CHECK_H

#include <stdnoreturn.h>

#include "base/compiler.h"
#include "core/observe/known.h"
#include "core/observe/watch.h"

/** Ends the job with "<call>: <text>". */
noreturn void cw_check_failed(const char *call, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** As a warning. */
void cw_check_warn(const char *call, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** Is this the first warning about a place, and room to note it? */
bool cw_check_is_news(const void *place) CW_COLD;

/** Reads CAUSEWAY_CHECK into cw_world.check; reports leaks. */
extern const cw_observer_t cw_check_observer;

/** Fatal if bytes of the heap are in no block, or reach beyond a variable. */
void cw_check_block(const char *call, const void *symmetric, size_t nbytes);

// ---- in checking mode only
/** Fatal if a buffer has no address or reaches beyond a known block. what: as "source". */
static inline void cw_check_buffer(const char *call, const char *what, const void *buffer,
                                   size_t nbytes);

/** Fatal in a handler of a signal. pointer: the caller's stack. */
static CW_ALWAYS_INLINE void cw_check_stack(const char *call, uintptr_t pointer);

/** Fatal on overlap. */
void cw_check_apart(const char *call, const void *dest, const void *source, size_t nbytes);

/** A call gave an object of a space, to be given back by cw_known_free. What is left at the end is
 *  named, with the call's place. */
void cw_check_give(int64_t space, uintptr_t object, const char *call);

/** At a front end's end: names unfreed blocks of its routines. */
void cw_check_blocks_left(bool (*is_routine)(const char *name));

// ---- without effect in other modes
/** Fatal in a handler of an active message. */
void cw_check_not_in_handler(const char *call);

/** Fatal in a fork's child, and in threads beyond the thread level. */
static inline void cw_check_thread(const char *call);
/** The library's own handler, which may call, begins or ends. */
void cw_check_own_handler(bool runs);
/** The process ends: any thread and handler may call. */
void cw_check_no_threads(void);

/** `report` runs at the end of the job, once, to call cw_check_leak. */
void cw_check_at_end(void (*report)(void));

/** Counts an unreleased object; reports the first few of a kind ("context"). */
void cw_check_leak(const char *kind, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** For a copy within this process; copying in place is no overlap. */
static inline bool cw_check_overlap(const void *a, const void *b, size_t nbytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return nbytes > 0 && x != y && x - y + nbytes - 1 < 2 * nbytes - 1;
}

// ---- for cw_check_thread
extern unsigned cw_check_round CW_HIDDEN;  // how often a job was joined
/** cw_check_round when this thread was found right. */
extern _Thread_local unsigned cw_check_passed CW_HIDDEN CW_INITIAL_EXEC;
void cw_check_new_thread(const char *call) CW_COLD;
/** For what this thread does not remember. */
void cw_check_new_stack(const char *call, uintptr_t pointer) CW_COLD;
void cw_check_new_buffer(const char *call, const char *what, const void *buffer, size_t nbytes);

static inline void cw_check_buffer(const char *call, const char *what, const void *buffer,
                                   size_t nbytes)
{
    if (!cw_known_seen(CW_KNOWN_LOCAL, cw_world.pe, buffer, nbytes))
        cw_check_new_buffer(call, what, buffer, nbytes);
}

static CW_ALWAYS_INLINE void cw_check_stack(const char *call, uintptr_t pointer)
{
    if (CW_UNLIKELY(!cw_known_stack_seen(pointer)))
        cw_check_new_stack(call, pointer);
}

static inline void cw_check_thread(const char *call)
{
    if (CW_CHECKING() && cw_check_passed != cw_check_round)
        cw_check_new_thread(call);
}

#endif
