// SPDX-License-Identifier: BSD-3-Clause
//
// Ends of a job: the first argument says how, the second with which status.
#include <gasnet.h>
#include <gasnetex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/** SIGTERM of a launcher becomes SIGQUIT by raise, that of another process comes by kill. */
static void on_quit(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    const char *line = info->si_code == SI_USER ? "cleaned up, by kill\n" : "cleaned up\n";
    if (write(STDOUT_FILENO, line, strlen(line)) < 0)
        _exit(1);
    gasnet_exit(99);
}

/** As that which the run-time library of gfortran installs. */
static void on_quit_earlier(int signo)
{
    signal(signo, SIG_DFL);
    raise(signo);
}

static sem_t begun;

/** The write function of a stream, called when gasnet_exit flushes all streams. */
static ssize_t write_stream(void *cookie, const char *bytes, size_t nbytes)
{
    (void)cookie, (void)bytes;
    sem_post(&begun);
    return (ssize_t)nbytes;
}

static void *exiting(void *status)
{
    gasnet_exit((int)(intptr_t)status);
    return NULL;
}

/** When this returns, another thread is in gasnet_exit already. */
static void exit_in_thread(int status)
{
    pthread_t thread;
    sem_init(&begun, 0, 0);
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_stream});
    setvbuf(stream, NULL, _IOFBF, 4096);
    fputs("something to flush", stream);
    pthread_create(&thread, NULL, exiting, (void *)(intptr_t)status);
    sem_wait(&begun);
}

static void compute(void)
{
    for (;;)
        pause();
}

/** Mostly inside of the provider, whose locks are taken when a signal comes. */
static void get_for_ever(void)
{
    gasnet_seginfo_t seg[64];
    gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    long word;
    GASNET_Safe(gasnet_getSegmentInfo(seg, 64));
    for (;;)
        gasnet_get(&word, next, seg[next].addr, sizeof word);
}

/** Waits for room now and then, with transfers counted and locks taken. */
static void put_for_ever(void)
{
    gasnet_seginfo_t seg[64];
    gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    long word = 0;
    GASNET_Safe(gasnet_getSegmentInfo(seg, 64));
    for (;;)
        gasnet_put_nbi(next, seg[next].addr, &word, sizeof word);
}

/** Half of the time inside of malloc and free. */
static void allocate_for_ever(void)
{
    for (volatile unsigned turn = 0;; turn++) {
        char *blocks[64];
        for (int i = 0; i < 64; i++) {
            size_t nbytes = 5000 + 700 * (size_t)i;
            blocks[i] = malloc(nbytes);
            for (volatile size_t k = 0; k < 1000; k++)
                blocks[i][k] = 1;
        }
        for (int i = 0; i < 64; i++)
            free(blocks[i]);
    }
}

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static void lock_and_unlock(gasnet_token_t token)
{
    (void)token;
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
}

static void end_the_job(gasnet_token_t token, gasnet_handlerarg_t status)
{
    (void)token;
    gasnet_exit(status);
}

static gasnet_handlerentry_t handlers[] = {{200, lock_and_unlock}, {201, end_the_job}};

/** Its handler wants the lock that the node holds which ends the job. */
static void ask_for_ever(void)
{
    for (;;)
        gasnet_AMRequestShort0(gasnet_nodes() - 1, 200);
}

/** Of the node that ends the job, too, whose other thread does so. */
static void collect_for_ever(void)
{
    gex_TM_t all;
    gasnet_QueryGexObjects(NULL, NULL, &all, NULL);
    for (uint64_t one = 1, sum;; sum = 0) {
        gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
        gex_Event_Wait(gex_Coll_ReduceToAllNB(all, &sum, &one, GEX_DT_U64, sizeof sum, 1,
                                              GEX_OP_ADD, NULL, NULL, 0));
    }
}

static void *asking(void *unused)
{
    sem_post(&begun);
    ask_for_ever();
    return unused;
}

static void *putting(void *unused)
{
    sem_post(&begun);
    put_for_ever();
    return unused;
}

static void *polling(void *unused)
{
    sem_post(&begun);
    for (;;)
        gasnet_AMPoll();
    return unused;
}

/** They go on until the process is gone. */
static void start_threads(void)
{
    pthread_t thread;
    sem_init(&begun, 0, 0);
    pthread_create(&thread, NULL, asking, NULL);
    pthread_create(&thread, NULL, putting, NULL);
    pthread_create(&thread, NULL, polling, NULL);
    for (int i = 0; i < 3; i++)
        sem_wait(&begun);
}

static int status;

static void end_by_alarm(int signo)
{
    (void)signo;
    gasnet_exit(status);
}

/** Of the last node: the handler of a signal ends the job. */
static void end_soon(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 200000}};
    signal(SIGALRM, end_by_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void speak(void)
{
    printf("an exit handler runs\n");
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    status = atoi(argv[2]);
    atexit(speak);
    if (strncmp(how, "earlier", 7) == 0)
        signal(SIGQUIT, on_quit_earlier);
    GASNET_Safe(gasnet_init(&argc, &argv));
    if (strcmp(how, "early") == 0)
        gasnet_exit(status);
    struct sigaction caught = {.sa_sigaction = on_quit, .sa_flags = SA_SIGINFO};
    if (strncmp(how, "caught", 6) == 0)
        sigaction(SIGQUIT, &caught, NULL);
    if (strcmp(how, "attaching") == 0 && gasnet_mynode() == gasnet_nodes() - 1)
        gasnet_exit(status);  // the others are inside the barrier of gasnet_attach
    GASNET_Safe(gasnet_attach(handlers, 2, GASNET_PAGESIZE, 0));
    unsigned me = gasnet_mynode(), last = gasnet_nodes() - 1;
    printf("node %u is here\n", me);
    if (strstr(how, "beside-threads"))
        start_threads();
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    if (strcmp(how, "all") == 0 || strcmp(how, "beside-threads") == 0)
        gasnet_exit(status);
    if (strcmp(how, "return") == 0 || strcmp(how, "return-beside-threads") == 0)
        return status;
    if (strncmp(how, "last-fails", 10) == 0) {  // behind the others, which came to the end with 0
        usleep(me == last ? 300000 : 0);
        if (strcmp(how, "last-fails-returning") == 0)
            return me == last ? status : 0;
        gasnet_exit(me == last ? status : 0);
    }
    if (strcmp(how, "crash") == 0 && me == last)
        raise(SIGKILL);
    if (me == last && strcmp(how, "one-returns") == 0)
        return status;
    if (me == last && strcmp(how, "thread") == 0) {
        exit_in_thread(status);
        return 0;  // the status of the thread counts
    }
    if (strcmp(how, "handling") == 0) {
        if (me == 0)
            gasnet_AMRequestShort1(last, 201, status);
        GASNET_BLOCKUNTIL(me > last);
    }
    if (strncmp(how, "interrupted", 11) == 0) {
        fflush(stdout);  // the others may be killed
        if (me == last)
            end_soon();
        if (strcmp(how, "interrupted-getting") == 0)
            get_for_ever();
        if (strcmp(how, "interrupted-allocating") == 0)
            allocate_for_ever();
        compute();
    }
    if (me == last && strcmp(how, "collecting") == 0)
        exit_in_thread(status);
    if (strcmp(how, "collecting") == 0)
        collect_for_ever();
    if (me == last && strcmp(how, "holding") == 0)
        gasnet_hsl_lock(&lock);
    if (me == last)
        gasnet_exit(status);
    if (strcmp(how, "holding") == 0)
        ask_for_ever();
    if (strstr(how, "computing"))
        compute();
    if (strstr(how, "getting"))
        get_for_ever();
    if (strcmp(how, "putting") == 0)
        put_for_ever();
    if (strcmp(how, "allocating") == 0)
        allocate_for_ever();
    if (strcmp(how, "one-gex") == 0) {
        gex_TM_t all;
        gasnet_QueryGexObjects(NULL, NULL, &all, NULL);
        gex_Event_Wait(gex_Coll_BarrierNB(all, 0));  // in vain
    }
    gasnet_barrier_notify(1, 0);
    gasnet_barrier_wait(1, 0);  // in vain
    printf("FAIL: the last node came to a second barrier\n");
    return 0;
}
