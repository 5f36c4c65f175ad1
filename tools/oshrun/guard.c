// SPDX-License-Identifier: BSD-3-Clause
//
// The guard is a child of oshrun that sleeps until oshrun is gone; an orderly end stops it first.
// After a kill -9 of oshrun the kernel kills the PEs themselves (PR_SET_PDEATHSIG); the guard then
// kills their descendants: the program under a wrapper script, or helpers that a PE has started.
// The library arranges its own end for when the pipe closes (bootstrap/launch.c), so a PE under a
// wrapper ends without the guard, too.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oshrun.h"

static void close_all_but_first(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 1, ~0u, 0) == 0)
        return;
#endif
    for (int fd = 1; fd < 4096; fd++)  // kernels without close_range
        close(fd);
}

static noreturn void guard(cwb_job_t *job, int lifeline_fd)
{
    setsid();  // out of reach of the terminal's signals
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "oshrun-guard");
    // The guard must not keep a pipe or terminal open.
    dup2(lifeline_fd, 0);
    close_all_but_first();
    char byte;
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        ;
    for (uint32_t pe = 0; pe < job->npes; pe++) {
        int32_t pid = atomic_load(&cwb_job_pe(job, pe)->pid);
        if (pid > 1)
            kill(-pid, SIGKILL);
    }
    _exit(0);
}

static pid_t guard_pid;

int guard_start(cwb_job_t *job)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        die(1, "cannot create a pipe: %s", strerror(errno));
    guard_pid = fork();
    if (guard_pid < 0)
        die(1, "cannot start the guard process: %s", strerror(errno));
    if (guard_pid == 0) {
        close(fds[1]);
        guard(job, fds[0]);
    }
    return fds[0];  // fds[1] stays open as long as oshrun lives
}

void guard_stop(void)
{
    kill(guard_pid, SIGKILL);
    waitpid(guard_pid, NULL, 0);
}
