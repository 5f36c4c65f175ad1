// SPDX-License-Identifier: BSD-3-Clause
//
// Ends of a job: the first argument says how, the second with which status.
#include <gasnet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_quit(int signo)
{
    (void)signo;
    if (write(STDOUT_FILENO, "cleaned up\n", 11) < 0)
        _exit(1);
    gasnet_exit(99);
}

static void compute(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int status = atoi(argv[2]);
    GASNET_Safe(gasnet_init(&argc, &argv));
    if (strcmp(how, "early") == 0)
        gasnet_exit(status);
    if (strcmp(how, "caught") == 0)
        signal(SIGQUIT, on_quit);
    GASNET_Safe(gasnet_attach(NULL, 0, 0, 0));
    unsigned me = gasnet_mynode(), last = gasnet_nodes() - 1;
    printf("node %u is here\n", me);
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    if (strcmp(how, "all") == 0)
        gasnet_exit(status);
    if (strcmp(how, "return") == 0)
        return status;
    if (strcmp(how, "crash") == 0 && me == last)
        raise(SIGKILL);
    if (me == last && strcmp(how, "one-returns") == 0)
        return status;
    if (me == last)
        gasnet_exit(status);
    if (strcmp(how, "computing") == 0)
        compute();
    gasnet_barrier_notify(1, 0);
    gasnet_barrier_wait(1, 0);  // in vain
    printf("FAIL: the last node came to a second barrier\n");
    return 0;
}
