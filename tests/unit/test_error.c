// SPDX-License-Identifier: BSD-3-Clause
//
// Messages: one line each, with PE, pid and host; and the end of a job.
#include "base/error.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include "base/env.h"
#include "frame/check.h"
#include "frame/child.h"

static void say_error(void)
{
    cwu_error("disk %s is full, free %d bytes", "a", 7);
}

static void say_long(void)
{
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    cwu_error("%s", text);
}

static void say_all_levels(void)
{
    cwu_warn("w1");
    cwu_debug("d1");
    cwu_env.quiet = true;
    cwu_env.debug = true;
    cwu_warn("w2");
    cwu_debug("d2");
}

static void hook_exit_42(int status)
{
    if (status == 1)
        _exit(42);
}

static void hook_fails(int status)
{
    cwu_fatal("hook failed too (%d)", status);
}

static void fatal_plain(void)
{
    cwu_fatal("no way on");
}

static void fatal_with_hook(void)
{
    cwu_error_abort_hook(hook_exit_42);
    cwu_fatal("no way on");
}

static void fatal_in_hook(void)
{
    cwu_error_abort_hook(hook_fails);
    cwu_abort(9);
}

static void hook_slow(int status)
{
    struct timespec ts = {0, 200000000};
    nanosleep(&ts, NULL);
    _exit(status + 10);
}

static void *abort_with_5(void *arg)
{
    (void)arg;
    cwu_abort(5);
}

static void two_threads_abort(void)
{
    cwu_error_abort_hook(hook_slow);
    pthread_t a, b;
    pthread_create(&a, NULL, abort_with_5, NULL);
    pthread_create(&b, NULL, abort_with_5, NULL);
    pthread_join(a, NULL);
}

static void test_messages(void)
{
    char host[200] = "", expected[600];
    gethostname(host, sizeof(host) - 1);
    child_t child = child_run(say_error);
    CHECK(strstr(child.err, "causeway: error: pid ") == child.err);
    CHECK(strstr(child.err, ": disk a is full, free 7 bytes\n") != NULL);

    cwu_error_identity(3, 8);
    child = child_run(say_error);
    CHECK(strstr(child.err, "causeway: error: PE 3 of 8 (pid ") == child.err);
    snprintf(expected, sizeof(expected), ", host %s): disk a is full, free 7 bytes\n", host);
    CHECK(strstr(child.err, expected) != NULL);

    child = child_run(say_long);
    CHECK(strlen(child.err) == 2048);
    CHECK(strcmp(child.err + 2044, "...\n") == 0);

    child = child_run(say_all_levels);
    CHECK(strstr(child.err, "warning: ") && strstr(child.err, "w1"));
    CHECK(!strstr(child.err, "d1") && !strstr(child.err, "w2"));
    CHECK(strstr(child.err, "debug: ") && strstr(child.err, "d2"));
}

static _Atomic int *signals;  // shared with the child

static void count_signal(int signo)
{
    (void)signo;
    atomic_fetch_add(signals, 1);
}

/** Fills its stderr, and says something, while signals come whose handler restarts no call. */
static void say_in_full_pipe(int flags)
{
    const struct sigaction count = {.sa_handler = count_signal};
    const struct itimerval often = {{0, 5000}, {0, 5000}};
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, "y", 1) == 1)
        ;
    fcntl(STDERR_FILENO, F_SETFL, flags);
    sigaction(SIGALRM, &count, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    cwu_error("whole");
    _exit(0);
}

static void test_full_pipe(int flags)
{
    int fds[2];
    char text[8192], *last = text;
    signals =
        mmap(NULL, sizeof *signals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(signals != MAP_FAILED && pipe(fds) == 0 && fcntl(fds[1], F_SETPIPE_SZ, 4096) == 4096);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        say_in_full_pipe(flags);
    }
    close(fds[1]);
    for (int i = 0; i < 5000 && atomic_load(signals) < 3; i++)
        usleep(1000);
    for (ssize_t n; (n = read(fds[0], last, (size_t)(text + sizeof text - 1 - last))) > 0;)
        last += n;
    *last = '\0';
    waitpid(pid, NULL, 0);
    CHECK(last > text && strstr(text, "yycauseway: error: ") && strstr(text, ": whole\n"),
          "flags %d: \"%s\"", flags, last - text > 80 ? last - 80 : text);
    close(fds[0]);
    munmap(signals, sizeof *signals);
}

static void test_ends(void)
{
    child_t child = child_run(fatal_plain);
    CHECK(child.status == 1 && strstr(child.err, "no way on\n"));
    child = child_run(fatal_with_hook);
    CHECK(child.status == 42 && strstr(child.err, "no way on\n"));
    child = child_run(fatal_in_hook);
    CHECK(child.status == 1 && strstr(child.err, "hook failed too (9)"));
    child = child_run(two_threads_abort);
    CHECK(child.status == 15);  // the first thread's hook, not killed by the second thread
}

int main(void)
{
    test_messages();
    test_full_pipe(0);
    test_full_pipe(O_NONBLOCK);
    test_ends();
    CHECK_STR(cwu_error_name(CW_ENOMEM), "CW_ENOMEM");
    CHECK_STR(cwu_error_name(0), "CW_OK");
    CHECK_STR(cwu_error_name(-99), "CW_E?");
    return check_result();
}
