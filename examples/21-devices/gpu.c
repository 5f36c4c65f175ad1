// SPDX-License-Identifier: BSD-3-Clause
//
// The few calls of CUDA's driver that a launch takes.
#define _GNU_SOURCE
#include "gpu.h"

#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int (*cuDeviceGetCount)(int *n);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxPushCurrent_v2)(void *context);
    int (*cuModuleLoadData)(void **module, const void *image);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuLaunchKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          void *stream, void **parameters, void **extra);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuStreamSynchronize)(void *stream);
} cu;

static bool find(void *library, const char *name, void *at)
{
    void *function = dlsym(library, name);
    memcpy(at, &function, sizeof function);
    return function != NULL;
}

#define FIND(name) find(library, #name, &cu.name)

static char *read_beside(const char *program)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.ptx", program);
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, 1 << 20) : NULL;
    if (text && fread(text, 1, (1 << 20) - 1, file) == 0)
        text[0] = 0;
    if (file)
        fclose(file);
    return text;
}

bool gpu_open(gpu_t *gpu, const char *program, const char **why)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *context = NULL;
    char *text = read_beside(program);
    int n = 0;
    *why = "the kernels (PTX beside the program) are missing";
    if (!text)
        return false;
    *why = "the driver does not take the kernels";
    bool opened =
        library && FIND(cuDeviceGetCount) && FIND(cuDevicePrimaryCtxRetain) &&
        FIND(cuCtxPushCurrent_v2) && FIND(cuModuleLoadData) && FIND(cuModuleGetFunction) &&
        FIND(cuLaunchKernel) && FIND(cuStreamCreate) && FIND(cuStreamSynchronize) &&
        cu.cuDeviceGetCount(&n) == 0 && n > 0 &&
        // the device that shmemx_device_heap has chosen
        cu.cuDevicePrimaryCtxRetain(&context, shmem_team_my_pe(SHMEM_TEAM_SHARED) % n) == 0 &&
        cu.cuCtxPushCurrent_v2(context) == 0 && cu.cuModuleLoadData(&gpu->module, text) == 0 &&
        cu.cuStreamCreate(&gpu->stream, 1) == 0;
    free(text);
    return opened;
}

static void must(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s: error %d of the driver\n", what, error);
        shmem_global_exit(1);
    }
}

void gpu_start(gpu_t *gpu, const char *kernel, unsigned threads, cwd_world_t *world, void *args)
{
    void *function = NULL, *parameters[] = {world, args};
    must(cu.cuModuleGetFunction(&function, gpu->module, kernel), kernel);
    must(cu.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, gpu->stream, parameters, NULL),
         kernel);
}

void gpu_wait(gpu_t *gpu)
{
    must(cu.cuStreamSynchronize(gpu->stream), "a kernel");
}
