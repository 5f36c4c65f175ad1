// SPDX-License-Identifier: BSD-3-Clause
//
// Activities of programs right after shmem_init, while a thread of the library still loads
// libfabric and opens an endpoint. Each in one PE and in all; then the job continues and ends as
// usual, or ends with a message. argv[1]:
//   environment  has no environment for a while: other threads must not read it
//   setenv       sets thousands of variables; no other thread has read any, by getenv
//   fork         forks from three threads at once; the children exit
//   library      loads a library (argv[2]) whose constructor forks; the loading of libfabric may
//                have to wait for it
//   folder       changes to another folder; CAUSEWAY_LIBFABRIC is relative to the first
//   close        closes every descriptor that it did not open
//   leave        ends its threads, none of which ends the process
// Compiled with a LARGE number, it has more thread-local variables than fit a small stack of a
// thread.
#define _GNU_SOURCE  // gettid
#include <dlfcn.h>
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
#ifndef LARGE
#define LARGE 8
#endif
static __thread char large[LARGE];
static int got;
static atomic_int strange_reads;

static void ring(void)
{
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_int_p(&got, me + 1, (me + 1) % npes);
    shmem_barrier_all();
    if (got != (me + npes - 1) % npes + 1) {
        printf("FAIL: got %d\n", got);
        shmem_global_exit(1);
    }
}

/** Libraries call this one in place of the C library's. No other thread of the process may: this
 *  one could change the environment meanwhile. */
char *getenv(const char *name)
{
    size_t nbytes = strlen(name);
    if (gettid() != getpid())
        atomic_fetch_add(&strange_reads, 1);
    for (char **p = environ; *p; p++)
        if (strncmp(*p, name, nbytes) == 0 && (*p)[nbytes] == '=')
            return *p + nbytes + 1;
    return NULL;
}

char *secure_getenv(const char *name)
{
    return getenv(name);
}

static void take_environment(void)
{
    char **mine = environ;
    environ = (char **)1;
    usleep(30000);
    environ = mine;
}

static void set_variables(void)
{
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "AFTER_INIT_%d", i);
        setenv(name, "a value", 1);
    }
    ring();
    if (atomic_load(&strange_reads) > 0)
        printf("FAIL: %d reads of the environment by other threads\n", strange_reads);
}

static void *fork_often(void *arg)
{
    int status;
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, &status, 0);
    }
    return arg;
}

static void fork_in_threads(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, fork_often, NULL);
    ring();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void load(const char *library)
{
    if (!dlopen(library, RTLD_NOW))
        printf("FAIL: %s\n", dlerror());
}

static void close_all(void)
{
    ring();  // opens connections, so that there is something to close
    shmem_barrier_all();
    for (int fd = 3; fd < 256; fd++)
        close(fd);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int level;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
    if (!strcmp(what, "environment"))
        take_environment();
    else if (!strcmp(what, "setenv"))
        set_variables();
    else if (!strcmp(what, "fork"))
        fork_in_threads();
    else if (!strcmp(what, "library"))
        load(argv[2]);
    else if (!strcmp(what, "folder") && chdir("/") != 0)
        return 1;
    else if (!strcmp(what, "close"))
        close_all();
    else if (!strcmp(what, "leave"))
        pthread_exit(NULL);
    large[1] = 1;
    ring();
    int me = shmem_my_pe();
    shmem_finalize();
    if (me == 0)
        printf("went on\n");
    return large[0];
}
