// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode (CAUSEWAY_CHECK=1): wrong use of the library ends the job with one line that names
// the routine, the argument and the remedy. Compiled out by -Dchecking=false; life cycle and PE
// numbers that lead nowhere are noticed in every mode, because they cost nothing on the paths that
// work.
#ifndef CW_CORE_CHECK_H
#define CW_CORE_CHECK_H

#include <stdnoreturn.h>

#include "base/compiler.h"
#include "core/observe/known.h"
#include "core/observe/watch.h"

/** Checking mode: a message "<call>: <text>" and the end of the job. */
noreturn void cw_check_failed(const char *call, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** The same as a warning: the job goes on. */
void cw_check_warn(const char *call, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** Is this the first warning about that place of the program, and is there room to remember it? */
bool cw_check_is_news(const void *place) CW_COLD;

/** Reads CAUSEWAY_CHECK into cw_world.check; at the end of the job says what is left in the heap,
 *  and how much of each kind leaked. */
extern const cw_observer_t cw_check_observer;

/** Fatal if the bytes lie in the heap, but not in one block of it, or reach beyond a variable. */
void cw_check_block(const char *call, const void *symmetric, size_t nbytes);

/** Checking mode: a buffer of this process, which the call reads or writes, has an address and
 *  reaches beyond no block that the program was given. what: of the arguments ("source"). */
static inline void cw_check_buffer(const char *call, const char *what, const void *buffer,
                                   size_t nbytes);

/** In checking mode: fatal inside a handler of an active message, which must not communicate. */
void cw_check_not_in_handler(const char *call);

/** In checking mode: fatal in a process that fork has made, and in another thread than the one that
 *  joined, where the thread level is for that one alone. */
static inline void cw_check_thread(const char *call);
/** Only in checking mode: fatal in the handler of a signal, whatever it has interrupted. pointer:
 *  of the stack, in the caller. */
static CW_ALWAYS_INLINE void cw_check_stack(const char *call, uintptr_t pointer);
/** The library's own handler of a signal, which may call: begins, or ends. */
void cw_check_own_handler(bool runs);
/** The process ends: from here on any thread may, and any handler. */
void cw_check_no_threads(void);

/** `report` is called at the end of the job, once however often it is registered: it calls
 *  cw_check_leak for what is left. */
void cw_check_at_end(void (*report)(void));

/** An object was not released before the end: counted; the first few of each kind are reported.
 *  kind: "context". */
void cw_check_leak(const char *kind, const char *fmt, ...) CW_PRINTF(2, 3) CW_COLD;

/** Only in checking mode: a call gave the program an object (a space of core/observe/known.h) that
 *  it has to give back; the place of the call is found. Those that are left are named at the end of
 *  the job. cw_known_free gives it back. */
void cw_check_give(int64_t space, uintptr_t object, const char *call);

/** Only in checking mode, at the end of a front end: names the blocks that its routines gave this
 *  process, and that were not freed. */
void cw_check_blocks_left(bool (*is_routine)(const char *name));

/** Of a copy within this process: do source and destination overlap? The same place is no harm. */
static inline bool cw_check_overlap(const void *a, const void *b, size_t nbytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return nbytes > 0 && x != y && x - y + nbytes - 1 < 2 * nbytes - 1;
}
/** Only in checking mode: fatal if they do. */
void cw_check_apart(const char *call, const void *dest, const void *source, size_t nbytes);

// ---- for cw_check_thread
extern unsigned cw_check_round CW_HIDDEN;  // how often a job was joined
/** That number when the calling thread was found to be a right one. */
extern _Thread_local unsigned cw_check_passed CW_HIDDEN CW_INITIAL_EXEC;
void cw_check_new_thread(const char *call) CW_COLD;
/** cw_check_stack for a pointer that this thread does not remember. */
void cw_check_new_stack(const char *call, uintptr_t pointer) CW_COLD;

/** cw_check_buffer for one that this thread does not remember. */
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
