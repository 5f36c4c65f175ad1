// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of a run (fork.c).
#ifndef SIM_FORK_H
#define SIM_FORK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

/** Where a thread's descriptor has its number: the same place in each. NULL: not found. */
pid_t *sim_number_of(pthread_t thread);
/** A fork with these flags of clone3(). CLONE_PARENT: a child of the caller's parent. */
pid_t sim_fork(uint64_t flags);
/** Before the driver allocates anything that depends on a run; `be_pe` does not return. */
void sim_fork_begin(void (*be_pe)(int pe));
/** By the driver, whose child it is. -1: an error, in errno. */
pid_t sim_fork_pe(int pe);

#endif
