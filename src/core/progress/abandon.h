// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are abandoned in the middle, because a PE that they wait for has ended while the
// job goes on. Only waits for a word of memory end so: those for the network go on, whose server
// answers. The group is of no use afterwards: its members have come to different places.
//
// A wait looks before it sleeps, and no sleep lasts longer than 10 ms. Threads: any.
#ifndef CW_CORE_ABANDON_H
#define CW_CORE_ABANDON_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/compiler.h"
#include "core/progress/wait.h"

typedef struct cw_abandon {
    jmp_buf at;
    bool (*is_due)(const void *arg);
    const void *arg;
    struct cw_abandon *outer;
} cw_abandon_t;

/** Of this thread, the innermost one; NULL: waits last until what they wait for has come. */
extern _Thread_local cw_abandon_t *cw_abandoning CW_INITIAL_EXEC;

/** Calls act(act_arg), whose waits ask is_due(due_arg). False: one of them was abandoned, and act
 *  with it, wherever it was. act holds no lock in a wait, and memory that it has allocated is lost
 *  then. [waits] */
bool cw_abandonable(void (*act)(void *act_arg), void *act_arg, bool (*is_due)(const void *due_arg),
                    const void *due_arg);
/** A wait has undone what it announced. */
noreturn void cw_abandon(void);

#endif
