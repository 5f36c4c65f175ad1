// SPDX-License-Identifier: BSD-3-Clause
//
// Behind the first PE, shmem_init takes no lock of the node's file: it neither writes to it nor
// seals it. Each would wait for a PE that is interrupted there.
#define _GNU_SOURCE  // F_GET_SEALS
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <shmem.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 3000 };

// static data of several pages, with zeros between
static int first[WORDS] = {[7] = 1, [WORDS - 1] = 2}, zeros[WORDS];

/** Is the object that oshrun handed over sealed by another PE? */
static int is_sealed(void)
{
    int seals = 0;
    for (int fd = 3; fd < 32 && !(seals > 0 && seals & F_SEAL_SEAL); fd++)
        seals = fcntl(fd, F_GET_SEALS);
    return seals > 0 && seals & F_SEAL_SEAL;
}

static int forbid(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_ADD_SEALS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
    const char *pe = getenv("OSHRUN_PE");
    if (pe && *pe != '0') {
        while (!is_sealed())
            sched_yield();
        if (forbid())
            return 77;
    }
    shmem_init();
    int sum = 0, me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    for (int i = 0; i < WORDS; i++)
        sum += first[i] + zeros[i];
    shmem_barrier_all();
    shmem_int_p(&zeros[WORDS / 2], sum, next);
    shmem_barrier_all();
    printf("%d and %d at PE %d\n", sum, zeros[WORDS / 2], me);
    shmem_finalize();
    return 0;
}
