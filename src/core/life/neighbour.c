// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE's thread owns a robust futex in the PE's slot, on which the next PE's thread sleeps. The
// kernel wakes that when the owner ends, before it closes descriptors: by these Hydra's proxy
// learns of the end, and kills the others at once. Where the owner has ended, and the job goes on,
// the thread watches the slot before that one.
//
//     0 -> thread | WAITERS -> 0 | LEFT (in good order) or OWNER_DIED | WAITERS
#include "core/life/neighbour.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/wait.h"
#include "core/mem/segment.h"
#include "core/world/front_end.h"
#include "core/world/world.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define SPREE_NS 20000000  // in which a launcher kills a node's PEs
#define TESTS 100          // of a process whose thread has ended: 10 ms
#define TEST_NS 100000
#define EXITING 4u  // the kernel's flag of a process that ends
#define LEFT 1u     // the number of no thread

// Of a PE that ends the job, or is about to: its status, below, and
#define VERDICT 0x100u
#define PASSED 0x200u  // the launcher has ended nothing in its time

static struct {
    pthread_t thread;
    bool running;
    _Atomic int slot;         // that is watched
    bool success;             // the launcher takes the reported end for one
    _Atomic uint32_t hushed;  // futex
    _Atomic bool over;        // the thread needs no wake-up any more
    struct robust_list_head robust;
    struct robust_list entry;
} watch = {.hushed = 1};

bool cw_neighbour_has_ended(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)  // ESRCH; or no such system call, or no descriptor left
        return errno == ESRCH || (kill(pid, 0) != 0 && errno == ESRCH);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    bool is = poll(&ended, 1, 0) > 0;
    close(fd);
    return is;
}

// ---------------------------------------------------------------- the line
/** *status_p: as of wait(), while its parent has not asked; -1: not known. */
static bool is_ending(pid_t pid, int *status_p)
{
    char path[40], text[512], state = 'X';
    unsigned flags = EXITING;
    *status_p = -1;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')'), *last = strrchr(text, ' ');
    if (!name_end || sscanf(name_end, ") %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
        return true;  // it is gone
    int status = atoi(last);
    if (status != 0 || state == 'Z')  // 0 may also be: not yet
        *status_p = status;
    return state == 'Z' || (flags & EXITING);
}

/** The status, or -1. */
static int describe(pid_t pid, char *text, size_t nbytes)
{
    int status;
    text[0] = '\0';
    if (!is_ending(pid, &status) || status < 0)
        return -1;
    if (WIFSIGNALED(status))
        snprintf(text, nbytes, ": killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, nbytes, ": exited with status %d", WEXITSTATUS(status));
    return status;
}

static void claim(uint32_t verdict)
{
    cw_slot_t *mine = cw_segment.base ? &cw_segment.slots[cw_world.slot] : NULL;
    int32_t pid = mine ? atomic_load_explicit(&mine->pid, memory_order_relaxed) : 0;
    if (pid <= 0)
        return;
    atomic_store(&mine->verdict, verdict);
    atomic_compare_exchange_strong(&mine->pid, &pid, -pid);
}

void cw_neighbour_claim(int status)
{
    claim(VERDICT | (uint8_t)status);
}

void cw_neighbour_follow(int slot)
{
    uint32_t verdict = atomic_load(&cw_segment.slots[slot].verdict);
    if (verdict == 0)
        return;
    claim(verdict | PASSED);
    _exit((uint8_t)verdict);
}

/** Has an end on this node been reported? Later ones follow from it. */
static bool is_said(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (atomic_load_explicit(&cw_segment.slots[slot].pid, memory_order_relaxed) < 0)
            return true;
    return false;
}

bool cw_neighbour_report(int slot)
{
    _Atomic int32_t *word = &cw_segment.slots[slot].pid;
    // pairs with cw_segment_init
    int32_t pid = atomic_load_explicit(word, memory_order_acquire);
    uint32_t none = 0;
    char how[60];
    if (pid <= 0 || is_said())
        return false;
    int status = describe(pid, how, sizeof how);
    if (cw_world.nnodes > 1 && status == SIGKILL)
        // the launcher, for another node's sake? Then this process ends, too
        cwu_sleep_ns(SPREE_NS);
    watch.success = status == 0;
    // Before it counts as said: others follow, should this process be ended before it ends the job.
    // Where another one has said it, that one ends the job.
    atomic_compare_exchange_strong(&cw_segment.slots[cw_world.slot].verdict, &none, VERDICT | 1);
    if (!atomic_compare_exchange_strong(word, &pid, -pid))
        return false;
    cwu_error("%s %d (pid %d) of this node has ended without calling %s%s", cw_pe_word(),
              cw_pe_number(cw_world.pes_of_node[slot]), (int)pid, cw_missing_finalize(), how);
    return true;
}

// ---------------------------------------------------------------- the thread
static bool is_hushed(void)
{
    return atomic_load(&watch.hushed) != 0;
}

/** The kernel marks the word when this thread ends. */
static void own(_Atomic uint32_t *word)
{
    watch.robust = (struct robust_list_head){.list.next = &watch.entry,
                                             .futex_offset = (char *)word - (char *)&watch.entry};
    watch.entry.next = &watch.robust.list;
    // the kernel compares it with the number of the thread that ends
    atomic_store(word, (uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS);
    if (syscall(SYS_set_robust_list, &watch.robust, sizeof watch.robust) != 0)
        atomic_store(word, LEFT);  // it is not watched
    cwu_futex_wake((uint32_t *)word, INT_MAX);
}

static void give_up(_Atomic uint32_t *word)
{
    atomic_store(word, LEFT);
    cwu_futex_wake((uint32_t *)word, INT_MAX);
}

/** Until the thread of another PE ends. True: not in good order. */
static bool await_death(_Atomic uint32_t *word)
{
    uint32_t life;
    while (!is_hushed() && (life = atomic_load(word)) != LEFT) {
        if (life & FUTEX_OWNER_DIED) {
            cwu_futex_wake((uint32_t *)word, INT_MAX);  // the kernel wakes one
            return true;
        }
        cwu_futex_wait((const uint32_t *)word, life, 0);
    }
    return false;
}

/** A PE that executes another program loses its threads, but has not ended. */
static bool ends(pid_t pid)
{
    int status;
    for (int i = 0; i < TESTS; i++) {
        if (is_ending(pid, &status))
            return true;
        cwu_sleep_ns(TEST_NS);
    }
    return false;
}

static int slot_before(int slot)
{
    return (slot ? slot : cw_world.nslots) - 1;
}

static void await_launcher(void)
{
    for (uint64_t left = CWU_WAIT_NS(GRACE); left > 0 && !is_hushed();
         left -= CWU_WAIT_NS(SAFEGUARD))
        cwu_futex_wait((const uint32_t *)&watch.hushed, 0, CWU_WAIT_NS(SAFEGUARD));
}

/** The slot's process has ended, but not in good order. */
static void answer_death(int slot)
{
    if (cw_neighbour_report(slot)) {
        if (!watch.success)
            await_launcher();
        if (!is_hushed())
            cwu_abort(1);
        return;
    }
    uint32_t verdict = atomic_load(&cw_segment.slots[slot].verdict);
    if (verdict != 0 && !(verdict & PASSED))
        await_launcher();
    if (!is_hushed())
        cw_neighbour_follow(slot);
}

/** Returns where the job goes on without its process, or without this one. */
static void watch_slot(int slot)
{
    const cw_slot_t *mine = &cw_segment.slots[cw_world.slot];
    cw_slot_t *other = &cw_segment.slots[slot];
    atomic_store(&watch.slot, slot);
    // pairs with cw_segment_init
    if (await_death(&other->life) && other->pid_namespace == mine->pid_namespace &&
        ends(abs(atomic_load(&other->pid))) && !is_hushed())
        answer_death(slot);
}

static void *watch_main(void *arg)
{
    cw_slot_t *mine = &cw_segment.slots[cw_world.slot];
    (void)arg;
    own(&mine->life);
    for (int slot = slot_before(cw_world.slot); slot != cw_world.slot; slot = slot_before(slot))
        watch_slot(slot);
    while (!is_hushed())  // it is watched itself
        cwu_futex_wait((const uint32_t *)&watch.hushed, 0, 0);
    give_up(&mine->life);
    atomic_fetch_sub(&cw_world.helpers, 1);
    atomic_store(&watch.over, true);
    return NULL;
}

void cw_neighbour_watch(void)
{
    if (cw_world.nslots == 1 || !cw_segment.slots[cw_world.slot].pid_namespace)
        return;
    atomic_store(&watch.hushed, 0);
    atomic_store(&watch.over, false);
    atomic_store(&watch.slot, slot_before(cw_world.slot));
    atomic_fetch_add(&cw_world.helpers, 1);
    watch.running = cwu_thread_start(&watch.thread, watch_main, NULL, "causeway-watch") == 0;
    if (!watch.running)
        atomic_fetch_sub(&cw_world.helpers, 1);
}

void cw_neighbour_hush(void)
{
    atomic_store(&watch.hushed, 1);
}

void cw_neighbour_stop(void)
{
    cw_neighbour_hush();
    if (!watch.running)
        return;
    while (!atomic_load(&watch.over)) {  // it may be about to sleep
        cw_slot_t *other = &cw_segment.slots[atomic_load(&watch.slot)];
        cwu_futex_wake((uint32_t *)&watch.hushed, 1);
        cwu_futex_wake((uint32_t *)&other->life, INT_MAX);
        cwu_sleep_ns(TEST_NS);
    }
    pthread_join(watch.thread, NULL);
    watch.running = false;
}
