// SPDX-License-Identifier: BSD-3-Clause
//
// A handler of a signal may end the job, which needs the network. While a PE loads it, at its first
// contact, signals wait: the dynamic linker ends a process that enters it twice.
#define _GNU_SOURCE  // RTLD_NEXT
#include <dlfcn.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <string.h>

#include "frame/check.h"

static int loads, word;

void *dlopen(const char *file, int mode)
{
    void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    sigset_t blocked;
    if (file && strstr(file, "libfabric") && pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0) {
        loads++;
        CHECK(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGALRM), "loading %s", file);
    }
    return real(file, mode);
}

int main(void)
{
    sigset_t blocked;
    shmem_init();
    int me = shmem_my_pe(), last = shmem_n_pes() - 1;
    check_as("PE", me, last + 1);
    shmem_barrier_all();
    shmem_int_p(&word, 1, me == last ? 0 : last);
    shmem_barrier_all();
    CHECK(loads > 0);
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGTERM));
    shmem_finalize();
    return check_result();
}
