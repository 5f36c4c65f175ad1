// SPDX-License-Identifier: BSD-3-Clause
//
// Abandoning: a jump out of the wait.
#include "core/progress/abandon.h"

_Thread_local cw_abandon_t *cw_abandoning;

bool cw_abandonable(void (*act)(void *act_arg), void *act_arg, bool (*is_due)(const void *due_arg),
                    const void *due_arg)
{
    cw_abandon_t here = {.is_due = is_due, .arg = due_arg, .outer = cw_abandoning};
    volatile bool done = false;
    if (setjmp(here.at) == 0) {
        cw_abandoning = &here;
        act(act_arg);
        done = true;
    }
    cw_abandoning = here.outer;
    return done;
}

void cw_abandon(void)
{
    longjmp(cw_abandoning->at, 1);
}
