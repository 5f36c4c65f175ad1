// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a function in a forked child and captures its stderr and exit status: for code that ends the
// process.
#ifndef TESTS_FRAME_CHILD_H
#define TESTS_FRAME_CHILD_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    int status;  // exit status, or 128 + signal
    char err[4096];
} child_t;

static inline child_t child_run(void (*fn)(void))
{
    child_t result = {.status = -1};
    int fds[2];
    if (pipe(fds) != 0)
        return result;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        close(fds[1]);
        fn();
        _exit(0);
    }
    close(fds[1]);
    size_t used = 0;
    ssize_t n;
    while (used < sizeof(result.err) - 1 &&
           (n = read(fds[0], result.err + used, sizeof(result.err) - 1 - used)) > 0)
        used += (size_t)n;
    close(fds[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

#endif
