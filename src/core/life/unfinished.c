// SPDX-License-Identifier: BSD-3-Clause
//
// A process number of another namespace (cw_slot_t) says nothing.
#include "core/life/unfinished.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/wait.h"
#include "core/life/life.h"
#include "core/life/lifeline.h"
#include "core/life/neighbour.h"
#include "core/mem/segment.h"
#include "core/progress/hooks.h"
#include "core/world/front_end.h"
#include "core/world/job.h"

#define LOOK_NS (250 * CWU_MS)   // between two looks at the neighbours
#define WATCH_NS (500 * CWU_MS)  // age at which a process watches another node

static struct {
    pid_t self;  // the process that joined, not a child of it; 0: orderly
    int status;  // given to exit
    _Atomic uint64_t look_ns;
    int gone_slot;      // found without its process; written by the thread that moved look_ns
    uint64_t gone_ns;   // 0: none is gone
    uint64_t lost_ns;   // when the launcher was found gone; as gone_ns
    uint64_t watch_ns;  // when to watch another node; UINT64_MAX: never
} me;

// ---------------------------------------------------------------- this process
static void note_status(int status, void *arg)
{
    (void)arg;
    me.status = status;
}

/** After all exit handlers of the program, one of which may have finalized. */
static CW_DESTRUCTOR void end_unfinished_job(void)
{
    if (me.self == 0 || me.self != getpid())
        return;
    cwu_error("exited with status %d without calling %s; ending the job", me.status,
              cw_missing_finalize());
    int status = cw_failure_status(me.status);
    cw_unfinished_abort(status);
    cw_boot.ops->abort(&cw_boot, status, true);
}

// ---------------------------------------------------------------- its neighbours
/** The first that has ended the job; else the first that has ended without leaving, and that no PE
 *  has reported; -1: none. */
static int find_gone(void)
{
    cw_slot_t *mine = &cw_segment.slots[cw_world.slot];
    int unreported = -1;
    for (int slot = 0; slot < cw_world.nslots && mine->pid_namespace; slot++) {
        cw_slot_t *s = &cw_segment.slots[slot];
        // pairs with cw_segment_init
        pid_t pid = atomic_load_explicit(&s->pid, memory_order_acquire);
        bool ends_job = pid != 0 && atomic_load(&s->verdict) != 0;
        bool looked_at = ends_job || (pid > 0 && unreported < 0);
        if (!looked_at || s == mine || s->pid_namespace != mine->pid_namespace ||
            !cw_neighbour_has_ended(abs(pid)) ||
            atomic_load_explicit(&s->pid, memory_order_acquire) != pid)
            continue;
        if (ends_job)
            return slot;
        unreported = slot;
    }
    return unreported;
}

// ---------------------------------------------------------------- its launcher
/** The launcher that is gone can end neither this node's PEs nor the job. The line first: others do
 *  the same. Nodes that watch this one see its end. */
static noreturn void end_node(const char *what)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);  // the launcher held the other end of stderr
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    cwu_error("%s has ended before the job (killed, or out of memory?); ending the PEs of this "
              "node",
              what);
    const cw_slot_t *mine = &cw_segment.slots[cw_world.slot];
    for (int slot = 0; slot < cw_world.nslots && mine->pid_namespace; slot++) {
        cw_slot_t *s = &cw_segment.slots[slot];
        pid_t pid = atomic_load_explicit(&s->pid, memory_order_acquire);  // as in find_gone
        if (pid > 0 && s != mine && s->pid_namespace == mine->pid_namespace)
            kill(pid, SIGKILL);
    }
    _exit(1);
}

static void look_at_launcher(uint64_t now)
{
    const char *what = cw_boot.ops->lost(&cw_boot);
    if (!what)
        me.lost_ns = 0;
    else if (me.lost_ns == 0)
        me.lost_ns = now;
    else if (now - me.lost_ns >= CWU_WAIT_NS(GRACE) && me.self != 0)
        end_node(what);
}

static uint64_t look(void)
{
    uint64_t now = cwu_now_ns(), due = atomic_load_explicit(&me.look_ns, memory_order_relaxed);
    // acquire and release: gone_slot and gone_ns pass from one looking thread to the next
    if (now < due || me.self == 0 || !atomic_compare_exchange_strong(&me.look_ns, &due, UINT64_MAX))
        return LOOK_NS;
    int slot = find_gone();
    if (slot < 0) {
        me.gone_ns = 0;
    } else if (me.gone_ns == 0 || me.gone_slot != slot) {
        me.gone_slot = slot;
        me.gone_ns = now;
    } else if (now - me.gone_ns >= CWU_WAIT_NS(GRACE)) {
        if (cw_neighbour_report(slot))
            cwu_abort(1);
        cw_neighbour_follow(slot);
    }
    look_at_launcher(now);
    if (now >= me.watch_ns)
        cw_lifeline_start();
    atomic_store(&me.look_ns, now + LOOK_NS);
    return LOOK_NS;
}

void cw_unfinished_open(void)
{
    static bool notes;
    if (cw_boot.ops->sees_ends || cw_world.npes == 1)
        return;
    if (!notes)
        notes = on_exit(note_status, NULL) == 0;
    me.gone_ns = me.lost_ns = 0;
    me.self = getpid();
    bool watches = cw_world.nnodes > 1 && cw_world.slot == 0;  // it hosts the node's server
    uint64_t now = cwu_now_ns();
    me.watch_ns = watches ? now + WATCH_NS : UINT64_MAX;
    cw_lifeline_open();
    cw_neighbour_watch();
    atomic_store(&me.look_ns, now + LOOK_NS);
    cw_progress_hooks.mind_neighbours = look;
}

static void hush(void)
{
    me.self = 0;
    cw_lifeline_hush();
    cw_neighbour_hush();
}

void cw_unfinished_close(void)
{
    hush();
    cw_segment_depart();
}

void cw_unfinished_abort(int status)
{
    hush();
    cw_neighbour_claim(status);
}
