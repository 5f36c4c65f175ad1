// SPDX-License-Identifier: BSD-3-Clause
//
// What a C program needs to run kernels without a toolkit: CUDA's driver, which shmemx_device_heap
// has loaded, and a module of PTX that lies beside the program (PROGRAM.ptx; clang makes it).
//
// The kernels of these examples are also C functions, for a driver that calls such ones, as the one
// of Causeway's tests does.
#ifndef GPU_H
#define GPU_H

#include <causeway/device.h>
#include <stdbool.h>

#include "../number.h"

typedef struct gpu {
    void *module, *stream;
} gpu_t;

/** False: there is no such file, or no device takes it; `why` says which. */
bool gpu_open(gpu_t *gpu, const char *program, const char **why);
/** One block of so many threads. args: the kernel's second argument, nbytes of them at most 64. */
void gpu_start(gpu_t *gpu, const char *kernel, unsigned threads, cwd_world_t *world, void *args);
/** The kernels so far have ended. */
void gpu_wait(gpu_t *gpu);

#endif
