// SPDX-License-Identifier: BSD-3-Clause
//
// What the clients of GASNet-EX in this room share: objects of a job, the driver, and memory of an
// endpoint that a rank reads and writes itself.
#ifndef TESTS_GPU_KINDS_H
#define TESTS_GPU_KINDS_H

#include <gasnet_mk.h>
#include <gasnetex.h>
#include <stdlib.h>

#include "gpu/device.h"

static gex_Client_t client;
static gex_EP_t first;
static gex_TM_t all;
static gex_Segment_t attached;
static uint32_t me, n;
static void *cuda;  // the driver

#define CUDA(name, ...) ((int (*)()) /* as its types say */ dlsym(cuda, #name))(__VA_ARGS__)

static void barrier(void)
{
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}

__attribute__((unused)) static void begin(int *argc, char ***argv, uintptr_t nbytes)
{
    REQUIRE(gex_Client_Init(&client, &first, &all, "kinds", argc, argv, 0) == GASNET_OK);
    me = gex_TM_QueryRank(all);
    n = gex_TM_QuerySize(all);
    check_as("rank", (int)me, (int)n);
    REQUIRE(gex_Segment_Attach(&attached, all, nbytes) == GASNET_OK);
    cuda = dlopen("libcuda.so.1", RTLD_NOW);  // as a client that is linked with it
    REQUIRE(cuda != NULL && CUDA(cuInit, 0u) == 0);
}

__attribute__((unused)) static gex_MK_t make_kind(int device)
{
    gex_MK_t kind = GEX_MK_INVALID;
    gex_MK_Create_args_t args;
    memset(&args, 0, sizeof args);
    args.gex_class = GEX_MK_CLASS_CUDA_UVA;
    args.gex_args.gex_class_cuda_uva.gex_CUdevice = device;
    REQUIRE(gex_MK_Create(&kind, client, &args, 0) == GASNET_OK && kind != GEX_MK_INVALID);
    return kind;
}

// ---------------------------------------------------------------- the client's own use of a device
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

/** Every rank ends with the number of failures of all. */
__attribute__((unused)) static void end(void)
{
    int32_t mine = checks_failed, sum = -1;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(all, &sum, &mine, GEX_DT_I32, sizeof sum, 1, GEX_OP_ADD,
                                          NULL, NULL, 0));
    if (me == 0)
        printf("%u ranks, %d failed\n", n, sum);
    fflush(stdout);
    exit(sum != 0);
}

#endif
