// SPDX-License-Identifier: BSD-3-Clause
//
// Ends without shmem_finalize, by argv[1]; the early PE is argv[2] (default: the lowest).
//   all         every PE returns from main
//   first       one PE returns; the others work on, and one waits for another that computes; they
//               use the early PE's memory, which it serves; then some finalize, others return
//   twice       a finalize more than inits
//   unbalanced  two inits, one finalize, and a return
//   threads     every PE returns from main beside threads that are in calls until it is gone
// and those that never end by themselves: the early PE exits while others wait
//   barrier, team, set, until, lock   in such a call
//   uneven      in a barrier, while yet another one computes
//   handler     and is itself in the middle of a wait: a signal's handler calls exit
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static long value, count, flag, never, lock, psync[SHMEM_BARRIER_SYNC_SIZE];
static int early;

static void work_on(void)
{
    int busy = early == 0 ? npes - 1 : 0;
    if (npes < 2)
        return;
    if (me == busy) {
        usleep(1000000);  // longer than the early PE looks before it speaks
        for (int pe = 0; pe < npes; pe++)
            if (pe != early)
                shmem_long_p(&flag, 1, pe);
    }
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    CHECK(shmem_long_g(&value, early) == 100 + early, "the early PE's memory");
    shmem_long_atomic_add(&count, 1, early);
    shmem_quiet();
    CHECK(shmem_long_atomic_fetch(&count, early) > 0, "its atomics");
}

static void *transfer_on(void *begun)
{
    long got = 0;
    for (int i = 0;; i++) {
        shmem_long_p(&flag, i, next);
        shmem_long_get(&got, &value, 1, next);
        shmem_long_atomic_fetch_add(&count, 1, next);
        if (i == 0)
            atomic_fetch_add((atomic_int *)begun, 1);
    }
    return NULL;
}

static void *wait_on(void *begun)
{
    atomic_fetch_add((atomic_int *)begun, 1);
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
    return NULL;
}

static void start_threads(void)
{
    static atomic_int begun;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, transfer_on, &begun) == 0);
    CHECK(pthread_create(&thread, NULL, wait_on, &begun) == 0);
    while (atomic_load(&begun) < 2)
        sched_yield();
}

static void on_signal(int signo)
{
    (void)signo;
    exit(0);
}

static void wait_for_early(const char *where)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    if (!strcmp(where, "team"))
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    if (!strcmp(where, "lock") && me == early)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me == early && !strcmp(where, "handler")) {
        signal(SIGALRM, on_signal);
        ualarm(200000, 0);
        shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
    }
    if (me == early)
        exit(0);
    if (!strcmp(where, "uneven") && me == npes - 1)
        sleep(50);
    if (!strcmp(where, "until"))
        shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
    if (!strcmp(where, "team"))
        shmem_team_sync(team);
    if (!strcmp(where, "set"))
        shmem_barrier(0, 0, npes, psync);
    if (!strcmp(where, "lock"))
        shmem_set_lock(&lock);
    shmem_barrier_all();
    printf("FAIL PE %d came through\n", me);
}

static void speak(void)
{
    printf("PE %d in its exit handler\n", me);
    shmem_barrier_all();  // done
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "all";
    int provided;
    early = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(how, "threads"))
        atexit(speak);
    shmem_init_thread(!strcmp(how, "threads") ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE,
                      &provided);
    check_ring();
    value = 100 + me;
    printf("PE %d is there\n", me);
    if (!strcmp(how, "unbalanced"))
        shmem_init();
    if (!strcmp(how, "threads"))
        start_threads();
    shmem_barrier_all();
    if (!strcmp(how, "first")) {
        if (me == early)
            return 0;
        work_on();
        if (me % 2)
            shmem_finalize();
    } else if (!strcmp(how, "twice")) {
        shmem_finalize();
        shmem_finalize();
        printf("PE %d after\n", me);
    } else if (!strcmp(how, "unbalanced")) {
        shmem_finalize();
    } else if (strcmp(how, "all") && strcmp(how, "threads")) {
        wait_for_early(how);
    }
    return checks_failed != 0;
}
