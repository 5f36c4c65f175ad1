// SPDX-License-Identifier: BSD-3-Clause
//
// second_thread INTERFACE WHAT: a thread beside the one that has joined the job calls an interface
// (shmem, gasnet, gex, armci, dart). WHAT: "alone" (the job is for one thread), "allowed" (it
// is for several), "queries" (calls that any thread may make), "fork" (in a process
// that fork has made), "signal" (in the handler of a signal, between calls), "signal-wait" (which
// interrupts a barrier), "signal-queries" (calls that are allowed there).
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <gasnet.h>
#include <gasnetex.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *interface, *what;
static long word;
static int me;
static dart_gptr_t place;
static void *blocks[2];
static gex_TM_t all;

static int is(const char *name)
{
    return strcmp(interface, name) == 0;
}

static int is_query(void)
{
    return strstr(what, "queries") != NULL;
}

static int allowed(void)
{
    return strcmp(what, "alone") != 0 && !is_query();
}

static void call(void)
{
    static long value = 1;
    if (is("shmem") && is_query())
        value = shmem_my_pe() + shmem_n_pes();
    else if (is("shmem") && strcmp(what, "signal") == 0)
        shmem_long_put(&word, &value, 1, 1 - me);
    else if (is("shmem"))
        shmem_long_p(&word, 1, 1 - me);
    else if (is("armci"))
        ARMCI_Put(&value, blocks[1 - me], sizeof value, 1 - me);
    else if (is("dart"))
        dart_put_blocking(place, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    else if (is("gasnet"))
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    else
        gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}

static void *second(void *unused)
{
    (void)unused;
    call();
    return NULL;
}

static void join(void)
{
    dart_thread_support_level_t level;
    int provided;
    if (is("shmem"))
        shmem_init_thread(allowed() ? SHMEM_THREAD_SERIALIZED : SHMEM_THREAD_FUNNELED, &provided);
    else if (is("armci"))
        ARMCI_Init_thread(allowed() ? 3 : 0);
    else if (is("dart") && allowed())
        dart_init_thread(NULL, NULL, &level);
    else if (is("dart"))
        dart_init(NULL, NULL);
    if (is("armci")) {
        me = armci_msg_me();
        ARMCI_Malloc(blocks, 64);
    } else if (is("dart")) {
        dart_team_unit_t unit;
        dart_team_myid(DART_TEAM_ALL, &unit);
        me = unit.id;
        dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &place);
        place.unitid = 1 - me;
    } else if (is("shmem")) {
        me = shmem_my_pe();
    } else if (is("gasnet")) {
        gasnet_init(NULL, NULL);
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
        me = (int)gasnet_mynode();
    } else {
        gex_Client_t client;
        gex_EP_t ep;
        gex_Client_Init(&client, &ep, &all, "second thread", NULL, NULL, 0);
        me = (int)gex_TM_QueryRank(all);
    }
}

static void leave(void)
{
    if (is("shmem"))
        shmem_finalize();
    else if (is("armci"))
        ARMCI_Finalize();
    else if (is("dart"))
        dart_exit();
}

/** A process that fork has made, and the job's stays to see its end. */
static void call_in_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        call();
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (status)
        _exit(1);
}

static void on_signal(int number)
{
    (void)number;
    call();
}

/** Waits in a barrier for the other process, which never comes, until a signal does. */
static void call_in_barrier(void)
{
    const struct itimerval soon = {.it_value.tv_usec = 50000};
    signal(SIGALRM, on_signal);
    if (me == 1)
        sleep(50);
    setitimer(ITIMER_REAL, &soon, NULL);
    if (is("shmem"))
        shmem_barrier_all();
    else
        ARMCI_Barrier();
}

static void call_in_handler(void)
{
    signal(SIGUSR1, on_signal);
    if (!is("gex") && !is("gasnet"))
        call();  // checks remember what was right
    raise(SIGUSR1);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    interface = argc > 1 ? argv[1] : "shmem";
    what = argc > 2 ? argv[2] : "alone";
    join();
    if (strcmp(what, "fork") == 0) {
        call_in_child();
    } else if (strcmp(what, "signal-wait") == 0) {
        call_in_barrier();
    } else if (strncmp(what, "signal", 6) == 0) {
        call_in_handler();
    } else if (me == 0 || is("gex") || is("gasnet")) {
        pthread_create(&thread, NULL, second, NULL);
        pthread_join(thread, NULL);
    }
    if (me == 0)  // the other one may be first
        printf("%s went through\n", interface);
    fflush(stdout);
    leave();
    if (is("gex") || is("gasnet"))
        gasnet_exit(0);
    return 0;
}
