// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels as C functions, for the driver of fake/: how causeway/device.h finds a thread's place,
// and how the programs of this room launch. Device atomics that go to memory of the host are
// counted: the processors' own beside them would not be exact.
#ifndef TESTS_GPU_KERNELS_H
#define TESTS_GPU_KERNELS_H

#include "gpu/device.h"
#include "gpu/fake/kernel.h"

static _Thread_local const struct fake_thread *place;
static _Atomic unsigned atomics_astray;
static void see_atomic(const void *at);

#define CWD_THREAD()                                                                     \
    (place ? place->index[0] +                                                           \
                 place->block[0] * (place->index[1] + place->block[1] * place->index[2]) \
           : 0u)
#define CWD_THREADS() (place ? place->block[0] * place->block[1] * place->block[2] : 1u)
#define CWD_BLOCK_SYNC() (place ? place->sync(place) : (void)0)
#define CWD_WARP 4u  // threads, so that blocks of a few have several, and one that is not full
#define CWD_WARP_SYNC() ((void)0)
#define CWD_PAUSE() sched_yield()
#define CWD_ATOMIC_AT(p) see_atomic(p)

#include <causeway/device.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static cwd_world_t world;

static void see_atomic(const void *at)
{
    uint64_t slices = world.device_nbytes * (world.nslots + 1);
    if ((uintptr_t)at - world.device_at >= slices)
        atomics_astray++;
}

typedef struct kernels {
    int (*cuModuleLoadData)(void **module, const void *image);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuLaunchKernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **parameters, void **extra);
    int (*cuCtxSynchronize)(void);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxPushCurrent_v2)(void *context);
    void *module, *context;
} kernels;
static kernels k;

/** A kernel of this room: KERNEL(name) { ... w, arg ... } */
#define KERNEL(name)                                                                       \
    static void name##_body(const cwd_world_t *w, void *arg);                              \
    __attribute__((visibility("default"))) void name(const struct fake_thread *, void **); \
    void name(const struct fake_thread *thread, void **parameters)                         \
    {                                                                                      \
        place = thread;                                                                    \
        name##_body(parameters[0], *(void **)parameters[1]);                               \
        place = NULL;                                                                      \
    }                                                                                      \
    static void name##_body(__attribute__((unused)) const cwd_world_t *w,                  \
                            __attribute__((unused)) void *arg)

/** Behind shmemx_device_world. names: of all kernels, ending with NULL. */
__attribute__((unused)) static void kernels_load(const char *const *names)
{
    static char text[8192];
    size_t at = (size_t)snprintf(text, sizeof text, ".version 6.0\n.target sm_70\n");
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library != NULL);
    FIND(&k, library, cuModuleLoadData);
    FIND(&k, library, cuModuleGetFunction);
    FIND(&k, library, cuLaunchKernel);
    FIND(&k, library, cuCtxSynchronize);
    FIND(&k, library, cuDevicePrimaryCtxRetain);
    FIND(&k, library, cuCtxPushCurrent_v2);
    for (; *names; names++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               ".visible .entry %s(.param .align 8 .b8 w[%zu], .param .u64 arg)\n"
                               "{ ret; }\n",
                               *names, sizeof(cwd_world_t));
    REQUIRE(at < sizeof text);
    REQUIRE(k.cuDevicePrimaryCtxRetain(&k.context, 0) == 0);
    REQUIRE(k.cuCtxPushCurrent_v2(k.context) == 0);
    REQUIRE(k.cuModuleLoadData(&k.module, text) == 0);
}

__attribute__((unused)) static void start(const char *name, unsigned grid, unsigned block,
                                          void *arg)
{
    void *function, *parameters[] = {&world, &arg};
    REQUIRE(k.cuModuleGetFunction(&function, k.module, name) == 0, "%s", name);
    REQUIRE(k.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL) == 0);
}

__attribute__((unused)) static void launch(const char *name, unsigned grid, unsigned block,
                                           void *arg)
{
    start(name, grid, block, arg);
    CHECK(k.cuCtxSynchronize() == 0, "%s", name);
}

#endif
