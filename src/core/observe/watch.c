// SPDX-License-Identifier: BSD-3-Clause
//
// Frames, a small stack for each thread, and the active observers.
#include "core/observe/watch.h"

#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/observe/check.h"
#include "core/world/startup.h"

enum { DEEPEST = 8 };  // 3 in practice: routine, transfer, wait
enum { OBSERVERS = 8 };

// Written when the job is joined or left.
static struct {
    const cw_observer_t *active[OBSERVERS + 1];  // ends with NULL
    unsigned wants;
} observers;

/** Calls a function of the active observers that have it. */
#define NOTIFY(member, ...)                                            \
    for (const cw_observer_t *const *o_ = observers.active; *o_; o_++) \
        if ((*o_)->member)                                             \
    (*o_)->member(__VA_ARGS__)

_Thread_local int cw_watch_depth CW_INITIAL_EXEC;
bool cw_watch_untimed;
static _Thread_local cw_frame_t *frames CW_INITIAL_EXEC;  // NULL before the first

/** Inside of a routine it leaves locks taken, those of the network library too. */
static void thread_ends(void *room)
{
    const cw_frame_t *f = room;
    if (cw_watch_depth > 0 && cw_world.initialized)
        cw_check_failed(f->name,
                        "thread %d ends inside of it (pthread_cancel, or pthread_exit in a "
                        "handler), and leaves locks that others need; let it return first "
                        "(pthread_setcancelstate)",
                        (int)gettid());
}

static pthread_key_t frames_key;

static void make_key(void)
{
    if (pthread_key_create(&frames_key, thread_ends))
        cwu_fatal("no key for the data of threads is left (pthread_key_create)");
}

static CW_COLD cw_frame_t *first_frames(void)
{
    static _Thread_local cw_frame_t room[DEEPEST];
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    pthread_setspecific(frames_key, room);
    return frames = room;
}

static CW_NOINLINE void begin(cw_frame_t *f)
{
    f->start_ns = cwu_now_ns();
    f->waited_ns = f->event = 0;
    NOTIFY(began, f);
}

static CW_ALWAYS_INLINE cw_frame_t *fill(cw_frame_t *f, cw_op_t op, const char *name, size_t nbytes,
                                         int pe)
{
    cw_watch_depth++;
    f->name = name;
    f->start_ns = 0;
    f->nbytes = nbytes;
    f->pe = pe;
    f->op = op;
    return f;
}

/** NULL: the stack is full, and the frame is not counted. */
static CW_NOINLINE cw_frame_t *push(cw_op_t op, const char *name, size_t nbytes, int pe)
{
    if (cw_watch_depth == DEEPEST)
        return NULL;
    cw_frame_t *f = fill((frames ? frames : first_frames()) + cw_watch_depth, op, name, nbytes, pe);
    if (observers.wants & CW_OBSERVES_TIMES)
        begin(f);
    return f;
}

/** Checks thread and stack; the thread only for calls of the program. */
static CW_NOINLINE cw_frame_t *enter_first(cw_op_t op, const char *name, size_t nbytes, int pe,
                                           uintptr_t stack)
{
    if (cw_watch_depth == 0)
        cw_check_thread(name);
    if (CW_CHECKING())
        cw_check_stack(name, stack);
    return push(op, name, nbytes, pe);
}

/** Without a call where only checks observe and know this stack; also in routines, which signals
 *  interrupt. */
static CW_ALWAYS_INLINE cw_frame_t *enter(cw_op_t op, const char *name, size_t nbytes, int pe)
{
    const int depth = cw_watch_depth;
    const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (CW_UNLIKELY(!cw_watch_untimed) || CW_UNLIKELY(cw_check_passed != cw_check_round) ||
        CW_UNLIKELY(!frames) || CW_UNLIKELY(depth == DEEPEST) || !cw_known_stack_seen(stack))
        return enter_first(op, name, nbytes, pe, stack);
    return fill(frames + depth, op, name, nbytes, pe);
}

cw_frame_t *cw_watch_query(const char *name)
{
    return push(CW_OP_CALL, name, 0, -1);
}

cw_frame_t *cw_watch_call(const char *name)
{
    return enter(CW_OP_CALL, name, 0, -1);
}

cw_frame_t *cw_watch_transfer(cw_op_t op, size_t nbytes, int pe)
{
    return enter(op, cw_op_name(op), nbytes, pe);
}

cw_frame_t *cw_watch_wait(const char *name)
{
    return cw_world.initialized ? push(CW_OP_WAIT, name, 0, -1) : NULL;
}

cw_frame_t *cw_watch_message(const char *name, size_t nbytes, int pe)
{
    if (!cw_world.initialized)
        return NULL;
    return enter(CW_OP_CALL, name, nbytes, pe);
}

cw_frame_t *cw_watch_handler(const cw_message_t *msg)
{
    static const char *const names[2][CW_MESSAGE_KINDS] = {
        {"handler of a short request", "handler of a medium request", "handler of a long request"},
        {"handler of a short reply", "handler of a medium reply", "handler of a long reply"},
    };
    NOTIFY(message_handled, msg);
    return push(CW_OP_HANDLER, names[msg->is_reply][msg->kind], msg->nbytes, msg->pe);
}

static CW_NOINLINE void ended(cw_frame_t *frame)
{
    uint64_t ns = cwu_now_ns() - frame->start_ns;
    if (frame->op == CW_OP_WAIT && cw_watch_depth > 0)
        frames[cw_watch_depth - 1].waited_ns += ns;
    NOTIFY(ended, frame, ns, cw_watch_depth == 0);
}

void cw_watch_end(cw_frame_t *frame)
{
    cw_watch_depth = (int)(frame - frames);
    if (frame->start_ns)
        ended(frame);
}

void cw_watch_bytes(size_t nbytes)
{
    if (cw_watch_depth > 0)
        frames[0].nbytes += nbytes;
}

const char *cw_watch_running(void)
{
    return cw_watch_depth > 0 ? frames[0].name : NULL;
}

int cw_watch_handling(void)
{
    for (int i = 0; i < cw_watch_depth; i++)
        if (frames[i].op == CW_OP_HANDLER)
            return frames[i].pe;
    return -1;
}

// ---------------------------------------------------------------- observers

void cw_watch_message_sent(const cw_message_t *msg)
{
    NOTIFY(message_sent, msg);
}

void cw_watch_message_waits(bool for_room)
{
    NOTIFY(message_waits, for_room);
}

void cw_watch_sleeps(struct cw_wait *wait)
{
    NOTIFY(sleeps, wait);
}

int cw_watch_open(const cw_observer_t *const table[])
{
    int n = 0;
    cw_watch_depth = 0;
    observers.active[0] = NULL;
    observers.wants = 0;
    for (; *table; table++) {
        unsigned wants = 0;
        int rc = (*table)->open(&wants);
        if (rc)
            return rc;
        if (wants && n == OBSERVERS)
            cwu_fatal("more than %d observers", OBSERVERS);
        if (wants)
            observers.active[n++] = *table;
        observers.wants |= wants;
    }
    observers.active[n] = NULL;
    cw_world.watched = observers.wants & CW_OBSERVES_TRANSFERS;
    cw_world.observed = observers.wants != 0;
    cw_watch_untimed = cw_world.check && !(observers.wants & CW_OBSERVES_TIMES);
    return CW_OK;
}

void cw_watch_started(const char *name)
{
    cw_frame_t init = {.name = name, .start_ns = cw_startup_begin_ns(), .pe = -1, .op = CW_OP_CALL};
    uint64_t ns = cwu_now_ns() - init.start_ns;
    NOTIFY(ended, &init, ns, true);
}

void cw_watch_finish(void)
{
    cw_world.plain = true;  // what observers do now is not observed
    cw_watch_untimed = false;
    NOTIFY(finish);
}

void cw_watch_close(void)
{
    cw_world.watched = cw_world.observed = cw_watch_untimed = false;
    NOTIFY(close);
    observers.active[0] = NULL;
    observers.wants = 0;
}
