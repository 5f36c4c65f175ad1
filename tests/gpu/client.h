// SPDX-License-Identifier: BSD-3-Clause
//
// A program's own use of a device, as if it were linked with the driver.
#ifndef TESTS_GPU_CLIENT_H
#define TESTS_GPU_CLIENT_H

#include "gpu/device.h"

static void *cuda;  // the driver

#define CUDA(name, ...) ((int (*)()) /* as its types say */ dlsym(cuda, #name))(__VA_ARGS__)

static void load_driver(void)
{
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(cuda != NULL && CUDA(cuInit, 0u) == 0);
}

static void *context_of[8];

static void enter(int device)
{
    if (!context_of[device])
        REQUIRE(CUDA(cuDevicePrimaryCtxRetain, &context_of[device], device) == 0);
    REQUIRE(CUDA(cuCtxPushCurrent_v2, context_of[device]) == 0);
}

static void leave(void)
{
    void *gone;
    REQUIRE(CUDA(cuCtxPopCurrent_v2, &gone) == 0);
}

__attribute__((unused)) static char *device_alloc(int device, size_t nbytes)
{
    device_ptr at = 0;
    enter(device);
    REQUIRE(CUDA(cuMemAlloc_v2, &at, nbytes) == 0);
    leave();
    return (char *)(uintptr_t)at;
}

__attribute__((unused)) static void device_free(int device, void *at)
{
    enter(device);
    CHECK(CUDA(cuMemFree_v2, (device_ptr)(uintptr_t)at) == 0);
    leave();
}

/** device < 0: memory of the host. */
__attribute__((unused)) static void write_here(int device, void *dest, const void *src,
                                               size_t nbytes)
{
    if (device < 0) {
        memcpy(dest, src, nbytes);
        return;
    }
    enter(device);
    CHECK(CUDA(cuMemcpyHtoDAsync_v2, (device_ptr)(uintptr_t)dest, src, nbytes, NULL) == 0 &&
          CUDA(cuStreamSynchronize, NULL) == 0);
    leave();
}

__attribute__((unused)) static void read_here(int device, void *dest, const void *src,
                                              size_t nbytes)
{
    if (device < 0) {
        memcpy(dest, src, nbytes);
        return;
    }
    enter(device);
    CHECK(CUDA(cuMemcpyDtoHAsync_v2, dest, (device_ptr)(uintptr_t)src, nbytes, NULL) == 0 &&
          CUDA(cuStreamSynchronize, NULL) == 0);
    leave();
}

#endif
