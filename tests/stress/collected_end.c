// SPDX-License-Identifier: BSD-3-Clause
//
// A job that ends while the thread that sends what PEs have collected is about to connect. This
// program's sched_getaffinity stands in for the C library's: in that thread it takes half a second,
// in which the PEs finalize. They wait for the thread, and the nodes that it connects to are there.
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame/check.h"

static atomic_bool connects;
static uint64_t sum, expected;

int sched_getaffinity(pid_t pid, size_t nbytes, cpu_set_t *set)
{
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    if (strcmp(name, "causeway-flush") == 0) {
        atomic_store(&connects, true);
        usleep(500000);
    }
    return syscall(SYS_sched_getaffinity, pid, nbytes, set) < 0 ? -1 : 0;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), last = shmem_n_pes() - 1;
    check_as("PE", me, last + 1);
    if (me == last) {  // of its node it is the one that has the thread
        uint64_t added = 0;
        for (; !atomic_load(&connects); added++)
            shmem_uint64_atomic_inc(&sum, 0);
        shmem_uint64_p(&expected, added, 0);
    }
    shmem_finalize();
    CHECK(me != 0 || (sum == expected && sum > 0), "%llu of %llu", (unsigned long long)sum,
          (unsigned long long)expected);
    return check_result();
}
