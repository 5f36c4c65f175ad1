// SPDX-License-Identifier: BSD-3-Clause
//
// Frames: a small stack per thread. What is done with a frame that ends is the business of stats.c
// and trace.c.
#include "core/observe/watch.h"

#include "base/clock.h"
#include "core/observe/check.h"
#include "core/report/parcel.h"
#include "core/report/report.h"
#include "core/report/stats.h"
#include "core/report/trace.h"
#include "core/world/startup.h"

enum { DEEPEST = 8 };  // routine, transfer inside it, wait inside that: 3 in practice

static _Thread_local struct {
    int depth;
    cw_frame_t frames[DEEPEST];
} stack;

const char *cw_op_name(cw_op_t op)
{
    static const char *const names[] = {
        [CW_OP_PUT] = "put",
        [CW_OP_PUT_NBI] = "put_nbi",
        [CW_OP_P] = "p",
        [CW_OP_PUT_STRIDED] = "put_strided",
        [CW_OP_PUT_SIGNAL] = "put_signal",
        [CW_OP_GET] = "get",
        [CW_OP_GET_NBI] = "get_nbi",
        [CW_OP_G] = "g",
        [CW_OP_GET_STRIDED] = "get_strided",
        [CW_OP_ATOMIC] = "atomic",
        [CW_OP_ATOMIC_FETCH] = "atomic_fetch",
        [CW_OP_ATOMIC_NBI] = "atomic_fetch_nbi",
        [CW_OP_CALL] = "call",
        [CW_OP_WAIT] = "wait",
        [CW_OP_HANDLER] = "handler",
    };
    return names[op];
}

/** NULL when the stack is full: then the frame is not counted, and nothing else happens. */
static cw_frame_t *push(cw_op_t op, const char *name, size_t nbytes, int pe)
{
    if (stack.depth == DEEPEST)
        return NULL;
    cw_frame_t *f = &stack.frames[stack.depth++];
    bool timed = cw_stats_on || cw_trace_on;
    *f = (cw_frame_t){
        .name = name, .start_ns = timed ? cwu_now_ns() : 0, .nbytes = nbytes, .pe = pe, .op = op};
    return f;
}

cw_frame_t *cw_watch_call(const char *name)
{
    return push(CW_OP_CALL, name, 0, -1);
}

cw_frame_t *cw_watch_transfer(cw_op_t op, const void *symmetric, const void *local, size_t nbytes,
                              int pe)
{
    cw_check_not_in_handler(cw_op_name(op));
    // The transfers that routines make for themselves were checked with the routine.
    if (!cw_world.initialized || stack.depth == 0)
        cw_check_transfer(op, symmetric, local, nbytes, pe);
    return push(op, cw_op_name(op), nbytes, pe);
}

cw_frame_t *cw_watch_wait(const char *name)
{
    return cw_world.initialized ? push(CW_OP_WAIT, name, 0, -1) : NULL;
}

cw_frame_t *cw_watch_message(const char *name, size_t nbytes, int pe)
{
    return cw_world.initialized ? push(CW_OP_CALL, name, nbytes, pe) : NULL;
}

void cw_watch_message_sent(bool is_reply, cw_am_kind_t kind, size_t nbytes, int pe)
{
    if (cw_stats_on)
        cw_stats_message_sent(is_reply, kind, nbytes, pe);
}

void cw_watch_message_waits(bool for_room)
{
    if (cw_stats_on)
        cw_stats_message_waits(for_room);
}

cw_frame_t *cw_watch_handler(const cw_am_msg_t *msg)
{
    static const char *const names[2][3] = {
        {"handler of a short request", "handler of a medium request", "handler of a long request"},
        {"handler of a short reply", "handler of a medium reply", "handler of a long reply"},
    };
    if (cw_stats_on)
        cw_stats_message_handled(msg->is_reply, msg->kind, msg->nbytes);
    return push(CW_OP_HANDLER, names[msg->is_reply][msg->kind], msg->nbytes, msg->source);
}

void cw_watch_end(cw_frame_t *frame)
{
    stack.depth = (int)(frame - stack.frames);
    if (!frame->start_ns)
        return;
    uint64_t ns = cwu_now_ns() - frame->start_ns;
    if (frame->op == CW_OP_WAIT && stack.depth > 0)
        stack.frames[stack.depth - 1].waited_ns += ns;
    if (cw_stats_on && stack.depth == 0)
        cw_stats_count(frame, ns);
    if (cw_trace_on)
        cw_trace_add(frame, ns);
}

void cw_watch_bytes(size_t nbytes)
{
    if (stack.depth > 0)
        stack.frames[0].nbytes += nbytes;
}

const char *cw_watch_running(void)
{
    return stack.depth > 0 ? stack.frames[0].name : NULL;
}

int cw_watch_open(void)
{
    stack.depth = 0;
    int rc;
    cw_check_open();
    if ((rc = cw_stats_open()) || (rc = cw_trace_open()))
        return rc;
    cw_report_open();
    if (cw_stats_on || cw_trace_on)
        cw_parcel_open();
    cw_world.watched = cw_world.check || cw_stats_on || cw_trace_on;
    cw_world.observed = cw_world.watched || cw_report_on;
    return CW_OK;
}

void cw_watch_started(void)
{
    cw_frame_t init = {
        .name = "shmem_init", .start_ns = cw_startup_begin_ns(), .pe = -1, .op = CW_OP_CALL};
    uint64_t ns = cwu_now_ns() - cw_startup_begin_ns();
    if (cw_stats_on)
        cw_stats_count(&init, ns);
    if (cw_trace_on)
        cw_trace_add(&init, ns);
}

void cw_watch_finish(void)
{
    cw_world.plain = true;  // the gathering of figures is not part of them
    cw_check_finish();
    cw_stats_finish();
    cw_trace_finish();
}

void cw_watch_close(void)
{
    cw_world.check = cw_world.watched = cw_world.observed = false;
    cw_stats_close();
    cw_trace_close();
}
