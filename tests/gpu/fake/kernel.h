/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel of the fake: a C function of the program, called once for each thread of the grid, the
 * blocks one after another, the threads of a block at the same time, each by a thread of its own.
 * PARAMETERS are addresses of the launch's values, as cuLaunchKernel takes them. */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

struct fake_thread {
    unsigned grid[3], block[3], block_index[3], index[3];
    int device;
    void (*sync)(const struct fake_thread *thread); /* the barrier of its block */
    void *barrier;
};

typedef void fake_kernel_t(const struct fake_thread *thread, void **parameters);

#endif
