// SPDX-License-Identifier: BSD-3-Clause
//
// The alternate stack of signals that some runtimes give a thread (Rust's): 8 KiB, below which
// nothing may be written.
#ifndef TESTS_FRAME_SMALL_STACK_H
#define TESTS_FRAME_SMALL_STACK_H

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static inline void small_stack(void)
{
    enum { NBYTES = 8 << 10, GUARD_NBYTES = 64 << 10 };
    char *room = mmap(NULL, GUARD_NBYTES + NBYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + GUARD_NBYTES, NBYTES, PROT_READ | PROT_WRITE))
        exit(1);
    // Where a signal's frame alone needs more, the kernel refuses, and there is no such stack.
    sigaltstack(&(const stack_t){.ss_sp = room + GUARD_NBYTES, .ss_size = NBYTES}, NULL);
}

#endif
