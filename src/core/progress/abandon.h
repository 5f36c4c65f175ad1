// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are abandoned, since a PE that they wait for has ended while the job goes on.
// Only waits for a word of memory end so, before they sleep. The group is of no use afterwards.
// Threads: any.
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

/** This thread's innermost one; NULL: waits last until their condition holds. */
extern _Thread_local cw_abandon_t *cw_abandoning CW_INITIAL_EXEC;

/** Calls act(act_arg), whose waits ask is_due(due_arg). False: a wait abandoned act, which holds no
 *  lock in waits; memory that it has allocated is lost. [waits] */
bool cw_abandonable(void (*act)(void *act_arg), void *act_arg, bool (*is_due)(const void *due_arg),
                    const void *due_arg);
/** By a wait that has undone what it announced. */
noreturn void cw_abandon(void);

#endif
