// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of a run. PEs are forked from a *fork server*, which does nothing else: the memory of
// the driver depends on the runs before, and a PE's heap would lie in the holes of the driver's.
// Addresses are part of a run: tables are sorted by them.
#include "fork.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "snap.h"

enum {
    TID_AREA = 4096,     // of a thread's descriptor, in which its number is
    PATIENCE_MS = 5000,  // beside other load
};

static size_t tid_place;  // in words; 0: not found

/** Other words may have the value of a number, too: 32767 is the upper half of many pointers. The
 *  right one has this process's number here, and a child's in the child. */
static void find_tid_place(void)
{
    static pid_t here[TID_AREA / sizeof(pid_t)];
    size_t *found = sim_share(sizeof *found);
    const pid_t *words = (const pid_t *)pthread_self(), me = (pid_t)syscall(SYS_gettid);
    memcpy(here, words, sizeof here);
    pid_t child = fork();
    if (child == 0) {
        pid_t mine = (pid_t)syscall(SYS_gettid);
        for (size_t i = 1; i < TID_AREA / sizeof *words && *found == 0; i++)
            if (here[i] == me && words[i] == mine)
                *found = i;
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    tid_place = *found;
}

pid_t *sim_number_of(pthread_t thread)
{
    return tid_place ? (pid_t *)thread + tid_place : NULL;
}

/** clone(), and not clone3(), which some containers forbid. */
pid_t sim_fork(uint64_t flags)
{
    pid_t *number = sim_number_of(pthread_self());
    flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
    if (!number) {
        errno = ENOSYS;
        return -1;
    }
#ifdef __x86_64__
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, number, NULL);
#else
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, number);
#endif
}

// ---------------------------------------------------------------- the fork server

static struct {
    _Atomic uint32_t go;  // futex: fork `pe`
    int pe;
    pid_t pid;  // of the PE
    int error;
} * order;
static pid_t server;

static void serve(void (*be_pe)(int pe))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        sim_await(&order->go);
        int pe = order->pe;
        pid_t pid = sim_fork(CLONE_PARENT);
        if (pid == 0)
            be_pe(pe);
        order->pid = pid;
        order->error = errno;
        sim_give(&sim->driver);
    }
}

void sim_fork_begin(void (*be_pe)(int pe))
{
    find_tid_place();
    order = sim_share(sizeof *order);
    server = sim_fork(CLONE_FILES);  // the descriptors that the driver is going to open, too
    if (server == 0)
        serve(be_pe);
    if (server < 0) {
        perror("sim: the fork server");
        exit(2);
    }
}

pid_t sim_fork_pe(int pe)
{
    siginfo_t info = {.si_pid = 0};
    order->pe = pe;
    sim_give(&order->go);
    while (!sim_await_driver(PATIENCE_MS))
        if (waitid(P_PID, (id_t)server, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid) {
            fprintf(stderr, "sim: the fork server has ended (%d, code %d)\n", info.si_status,
                    info.si_code);
            errno = ECHILD;
            return -1;
        }
    errno = order->error;
    return order->pid;
}
