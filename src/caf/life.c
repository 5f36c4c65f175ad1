// SPDX-License-Identifier: BSD-3-Clause
//
// Joining and leaving the job; STOP and ERROR STOP.
#include "core/life/life.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "caf/gone.h"
#include "caf/section.h"
#include "caf/transfer.h"
#include "core/mem/area.h"
#include "core/owner/private.h"
#include "core/report/early.h"
#include "core/sync/fused.h"
#include "core/world/front_end.h"

caf_state_t caf;

static cw_front_end_t front_end;
static const char leaving_call[] = "stop";
static pid_t starter;  // a child that the program forks must not leave at its exit
static bool registered;

static void leave_anywhere(caf_code_t code);

/** A program that ends with status 0 and not by STOP or its last statement (the routine exit, or
 *  exit of C) has no more to do: it leaves here. Any other status is left to core and the launcher,
 *  which end the job. */
static void at_exit(int status, void *arg)
{
    (void)arg;
    if (status != 0 || !caf.group || getpid() != starter || !cw_may_end_early(1))
        return;
    if (!caf_survives)
        cw_early_begin("exited with status 0 before the end of the program");
    leave_anywhere(CAF_STOPPED);
}

void caf_join(caf_door_t *door, const char *call)
{
    if (caf.group)
        return;
    caf.door = door;
    front_end.init = door->init;
    front_end.finalize = door->finalize;
    front_end.is_routine = door->is_routine;
    front_end.peer = "image";
    cw_front_end_register(&front_end);
    if (!cw_may_join(call, CW_THREAD_SINGLE, &caf_area_request, "coarrays"))
        exit(EXIT_FAILURE);  // reported
    if (!cw_area_beside_symmetric())
        cw_area_leave_data();
    cw_private_expect_all();
    if (cw_init(CW_THREAD_SINGLE, call))
        exit(EXIT_FAILURE);
    caf.group = caf.initial.group = cw_group_world;
    caf.initial.number = -1;
    caf_memory_open();
    caf_gone_open();
    caf.plain = cw_world.plain && !caf_survives;
    caf_enter_team(&caf.initial);
    starter = getpid();
    if (!registered)
        registered = on_exit(at_exit, NULL) == 0;
}

/** What the images tell each other at the start. */
typedef struct greeting {
    uint64_t statics, differ, seed;
} greeting_t;

static void combine_greetings(const cw_fused_op_t *op, void *acc_p, const void *in_p)
{
    greeting_t *acc = acc_p;
    const greeting_t *in = in_p;
    (void)op;
    acc->differ |= in->differ | (acc->statics != in->statics);
    acc->seed = in->seed > acc->seed ? in->seed : acc->seed;
}

static void greet(void *greeting)
{
    static const cw_fused_op_t op = {combine_greetings};
    cw_fused(caf.group, greeting, sizeof(greeting_t), &op);
}

void caf_start(caf_door_t *door, const char *call)
{
    caf_join(door, call);
    greeting_t greeting = {caf.statics, 0, cwu_now_ns()};
    if (!caf_survives)
        greet(&greeting);
    else if (!caf_do(caf.team, greet, &greeting))
        caf_fatal("start", "an image was killed before all had started");
    caf_gone_started();
    if (greeting.differ)
        caf_fatal("start", "the images run programs with different static coarrays");
    caf.seed = greeting.seed;
}

bool caf_flush(void)
{
    return !caf.door || cwu_flush_output(caf.door->flush) || !caf.group || caf_survives;
}

/** What is left of the program is its end: the others may still use this image's memory. */
static void leave(const char *call, caf_code_t code)
{
    if (caf_survives)
        caf_go(code);
    caf_complete();
    if (!caf_survives)
        caf_tell_stop();
    const bool whole = !caf_survives || caf_gate_of_end();
    if (whole)
        cw_finalize_meets(call);  // the area goes with the last finalize
    else
        cw_disband();
    caf_gone_close();
    caf_teams_close(whole);
    caf.initial.again = 0;
    caf_release_all(&caf.initial);
    caf.group = NULL;
    caf.plain = false;
    caf.images = 0;
    caf_sync_close();
    caf_order_close();
    caf_target_close();
    caf_memory_close();
    cw_finalize(call);
}

void caf_leave(const char *call)
{
    if (!caf.group)
        return;
    caf.door->flush();
    fflush(NULL);
    leave(call, CAF_STOPPED);
}

/** By a statement that may be in a function which one of output has called. */
static void leave_anywhere(caf_code_t code)
{
    if (!caf.group)
        return;
    caf_flush();
    leave(leaving_call, code);
}

void caf_stop(int code)
{
    leave_anywhere(CAF_STOPPED);
    exit(cw_exit_status(code));
}

void caf_fail_image(void)
{
    caf_release_locks();
    leave_anywhere(CAF_FAILED);
    exit(EXIT_SUCCESS);
}

void caf_error_stop(int code)
{
    const bool flushed = caf_flush();
    if (code)  // ERROR STOP 0 asks for a success
        code = cw_failure_status(code);
    if (!caf.group || (!flushed && code))
        exit(cw_exit_status(code));
    cw_global_exit(code);
}

void caf_say_stop(const char *word, const char *text, size_t text_nbytes)
{
    if (text_nbytes)
        fprintf(stderr, "%s %.*s\n", word, (int)text_nbytes, text);
}

void caf_say_stop_code(const char *word, int code)
{
    fprintf(stderr, "%s %d\n", word, code);
}
