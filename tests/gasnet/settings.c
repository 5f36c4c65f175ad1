// SPDX-License-Identifier: BSD-3-Clause
//
// What settings of GASNet's environment do (settings.py). The first argument says what to try.
#include <gasnet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ASKS
#include <gasnet_tools.h>
#endif

#ifdef DEFAULT_SIZE
uint64_t gasnet_max_segsize = (uint64_t)DEFAULT_SIZE;
#endif
#ifdef DEFAULT_TEXT
const char *gasnet_max_segsize_str = DEFAULT_TEXT;
#endif

static void on_quit(int signo)
{
    (void)signo;
    static const char line[] = "cleaned up\n";
    if (write(STDOUT_FILENO, line, sizeof line - 1) < 0)
        _exit(1);
    _exit(9);
}

/** The last process ends at once; the others need its memory. */
static int part(void)
{
    static gasnet_seginfo_t info[16];
    unsigned me = gasnet_mynode(), last = gasnet_nodes() - 1;
    GASNET_Safe(gasnet_getSegmentInfo(info, (int)gasnet_nodes()));
    *(int *)info[me].addr = 7;
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    int sum = 0;
    for (int i = 0; me != last && i < 300; i++) {
        sum += (int)gasnet_get_val(last, info[last].addr, sizeof(int));
        usleep(1000);
    }
    printf("process %u of %u: %d\n", me, last + 1, sum);
    return 0;
}

static void tell(void)
{
    static gasnet_nodeinfo_t info[16];
    gex_RankInfo_t *near_us;
    gex_Rank_t count, mine, hoods, hood;
    GASNET_Safe(gasnet_getNodeInfo(info, (int)gasnet_nodes()));
    gex_System_QueryNbrhdInfo(&near_us, &count, &mine);
    gex_System_QueryMyPosition(&hoods, &hood, NULL, NULL);
    printf("process %u: %lu bytes, %d threads, supernode %u, rank %u of %u from %u, %u of %u\n",
           gasnet_mynode(), (unsigned long)gasnet_getMaxLocalSegmentSize(),
           (int)gex_System_QueryMaxThreads(), info[gasnet_mynode()].supernode, mine, count,
           near_us[0].gex_jobrank, hood, hoods);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "term") == 0)
        signal(SIGQUIT, on_quit);
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0));
    tell();
#ifdef ASKS
    (void)gasnett_getenv_int_withdefault("SETTINGS_ROOM", 4096, 1024);
#endif
    if (strcmp(what, "part") == 0)
        return part();
    if (strcmp(what, "one") == 0 && gasnet_mynode() != 0)
        for (;;)
            pause();
    if (strcmp(what, "term") == 0)
        raise(SIGTERM);
    if (strcmp(what, "usr1") == 0)
        raise(SIGUSR1);
    if (strcmp(what, "raise") == 0)
        raise(SIGSEGV);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "fatal") == 0)
        gasnet_AMRequestShort0(99, 200);
    if (strcmp(what, "crash") == 0)
        *(volatile int *)0 = 1;
    gasnet_exit(0);
}
