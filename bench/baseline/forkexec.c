// SPDX-License-Identifier: BSD-3-Clause
/*
 * The floor of a launch: fork and exec --nprocs copies of --program and wait for all of them.
 * --mode 0: hello, timed from outside; --mode 1: prints the memory of a process while all live.
 */
#define _GNU_SOURCE
#include "../common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY, GO, RESULT, LEAVE, NPIPES };

static int pipes[NPIPES][2];  // numbered high, so that dup2 to 3..6 in the child overwrites none of
                              // them

static void make_pipes(void)
{
    for (int i = 0; i < NPIPES; i++) {
        int fd[2];
        if (pipe(fd) < 0) {
            perror("forkexec: pipe");
            exit(1);
        }
        for (int end = 0; end < 2; end++) {
            pipes[i][end] = 100 + 2 * i + end;
            if (dup3(fd[end], pipes[i][end], O_CLOEXEC) < 0) {
                perror("forkexec: dup3");
                exit(1);
            }
            close(fd[end]);
        }
    }
}

static void child(const struct bench_opts *opts)
{
    char n[16], mode[16];
    snprintf(n, sizeof n, "%d", opts->nprocs);
    snprintf(mode, sizeof mode, "%d", opts->mode);
    if (opts->mode) {
        dup2(pipes[READY][1], 3);
        dup2(pipes[GO][0], 4);
        dup2(pipes[RESULT][1], 5);
        dup2(pipes[LEAVE][0], 6);
    }
    execl(opts->program, opts->program, "--nprocs", n, "--mode", mode, (char *)NULL);
    perror(opts->program);
    _exit(127);
}

static void await_ready(int n)
{
    char buf[256];
    while (n > 0) {
        ssize_t got = read(pipes[READY][0], buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf);
        if (got <= 0)
            exit(1);
        n -= (int)got;
    }
}

static void collect(const struct bench_opts *opts)
{
    struct bench_series series = {0};
    double kib;
    await_ready(opts->nprocs);
    close(pipes[GO][1]);
    await_ready(opts->nprocs);
    close(pipes[LEAVE][1]);
    close(pipes[RESULT][1]);
    FILE *f = fdopen(pipes[RESULT][0], "r");
    while (f && fscanf(f, "%lf", &kib) == 1)
        bench_series_add(&series, kib);
    bench_emit(opts, "startup", "pss", 0, "KiB", &series);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    int failed = 0, status;
    bench_parse(argc, argv, &opts);
    if (!opts.program) {
        fprintf(stderr, "forkexec: --program is missing\n");
        return 2;
    }
    if (opts.mode)
        make_pipes();
    for (int i = 0; i < opts.nprocs; i++) {
        pid_t pid = fork();
        if (pid < 0) {
            perror("forkexec: fork");
            return 1;
        }
        if (pid == 0)
            child(&opts);
    }
    if (opts.mode)
        collect(&opts);
    while (wait(&status) > 0)
        failed |= status;
    return failed != 0;
}
