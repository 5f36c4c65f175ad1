// SPDX-License-Identifier: BSD-3-Clause
//
// Ends of a program, by argv[1]:
//   thread      a second thread of the last PE ends the job with status 43, while the first sits in
//               a read of its input
//   any PE N    PE N ends it with status 44
//   all         every PE does, with 50 + its number: the status is one of them
//   start_pes   children forked after start_pes, while the library is still starting and later, end
//               first; then the program without finalize
//   forgotten   PE 1 ends with status 0 and no finalize
//   holder      the holder of a lock is killed while the others wait for it
//   unbalanced  two inits, one finalize, and the end
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static long lock, never;

static void *end_it(void *arg)
{
    usleep(100000);
    printf("last words");
    shmem_global_exit(*(int *)arg);
}

static void wait_for_ever(void)
{
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
    printf("FAIL the wait returned\n");
}

static void by_thread(void)
{
    static int status = 43, pipe_ends[2];
    pthread_t thread;
    char c;
    if (me != npes - 1)
        wait_for_ever();
    if (pipe(pipe_ends) || dup2(pipe_ends[0], 0) < 0 ||
        pthread_create(&thread, NULL, end_it, &status))
        exit(2);
    CHECK(scanf("%c", &c) == 0, "something came in");  // with the stream locked
}

static void by_start_pes(void)
{
    static int got;
    start_pes(0);
    check_ring();
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        if (child == 0)
            exit(0);  // must neither finalize in the parent's name, nor wait for a lock that a
                      // thread of the parent holds
        waitpid(child, NULL, 0);
        usleep(1000);
    }
    shmem_int_p(&got, me + 1, next);
    shmem_barrier_all();
    CHECK(got == prev + 1, "got %d", got);
    exit(checks_failed != 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int provided;
    if (!strcmp(how, "start_pes"))
        by_start_pes();
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    check_ring();
    shmem_barrier_all();
    if (!strcmp(how, "thread")) {
        by_thread();
    } else if (!strcmp(how, "any") && argc > 2) {
        if (me == atoi(argv[2]))
            shmem_global_exit(44);
        wait_for_ever();
    } else if (!strcmp(how, "all")) {
        shmem_global_exit(50 + me);
    } else if (!strcmp(how, "forgotten")) {
        if (me == 1)
            exit(0);
        wait_for_ever();
    } else if (!strcmp(how, "holder")) {
        if (me == 1)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (me == 1) {
            usleep(100000);
            raise(SIGKILL);
        }
        shmem_set_lock(&lock);
        printf("FAIL PE %d got the lock of the dead\n", me);
    } else if (!strcmp(how, "unbalanced")) {
        shmem_init();
        shmem_finalize();
        return 0;
    }
    return 1;
}
