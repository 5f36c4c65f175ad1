// SPDX-License-Identifier: BSD-3-Clause
// The fake driver itself: that it demands what README.md says, so that tests over it can fail.
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "kernel.h"

#define MIB ((size_t)1 << 20)

static void *library;

#define CALL(name, ...) ((CUresult(*)()) /* as its types say */ dlsym(library, #name))(__VA_ARGS__)

static int wrong;

static void expect(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "selftest.c:%d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(holds) expect(holds, #holds, __LINE__)

static sigjmp_buf back;

static void caught(int number)
{
    siglongjmp(back, number);
}

static int touch_faults(CUdeviceptr at)
{
    struct sigaction now = {.sa_handler = caught, .sa_flags = SA_NODEFER}, before;
    sigaction(SIGSEGV, &now, &before);
    int faulted = sigsetjmp(back, 1);
    if (faulted == 0)
        *(volatile char *)(uintptr_t)at = 1;
    sigaction(SIGSEGV, &before, NULL);
    return faulted == SIGSEGV;
}

API void add_one(const struct fake_thread *thread, void **parameters);
void add_one(const struct fake_thread *t, void **parameters)
{
    int *array;
    unsigned count, i = t->block_index[0] * t->block[0] + t->index[0];
    memcpy(&array, parameters[0], sizeof array);
    memcpy(&count, parameters[1], sizeof count);
    if (i < count)
        array[i]++;
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add_one(\n  .param .u64 array,\n  .param .u32 count\n)\n"
                          "{\n  ret;\n}\n";

static CUmemAllocationProp shared = {
    .type = ALLOCATION_TYPE_PINNED,
    .requestedHandleTypes = HANDLE_TYPE_POSIX_FD,
    .location = {LOCATION_TYPE_DEVICE, 0},
};

static CUdeviceptr mapped(CUmemGenericAllocationHandle handle, size_t size)
{
    CUdeviceptr at = 0;
    CUmemAccessDesc access = {{LOCATION_TYPE_DEVICE, 0}, ACCESS_READWRITE};
    CHECK(CALL(cuMemAddressReserve, &at, size, (size_t)0, (CUdeviceptr)0, 0ull) == CUDA_SUCCESS);
    CHECK(CALL(cuMemMap, at, size, (size_t)0, handle, 0ull) == CUDA_SUCCESS);
    CHECK(CALL(cuMemSetAccess, at, size, &access, (size_t)1) == CUDA_SUCCESS);
    return at;
}

static void unmapped(CUdeviceptr at, size_t size, CUmemGenericAllocationHandle handle)
{
    CHECK(CALL(cuMemUnmap, at, size) == CUDA_SUCCESS);
    CHECK(CALL(cuMemRelease, handle) == CUDA_SUCCESS);
    CHECK(CALL(cuMemAddressFree, at, size) == CUDA_SUCCESS);
}

static void send_descriptor(int to, int fd)
{
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(to, &m, 0) == 1);
}

static int receive_descriptor(int from)
{
    int fd = -1;
    char byte, room[CMSG_SPACE(sizeof fd)];
    struct iovec data = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m) != NULL)
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static CUcontext start(void)
{
    CUcontext context = NULL;
    CHECK(CALL(cuInit, 0u) == CUDA_SUCCESS);
    CHECK(CALL(cuDevicePrimaryCtxRetain, &context, 0) == CUDA_SUCCESS);
    CHECK(CALL(cuCtxPushCurrent_v2, context) == CUDA_SUCCESS);
    return context;
}

// A handle of the parent's: opened once, closed once.
static void handle_between_processes(int peer)
{
    CUipcMemHandle handle;
    CUdeviceptr at = 0, again = 0;
    char text[16] = "";
    CHECK(read(peer, &handle, sizeof handle) == sizeof handle);
    CHECK(CALL(cuIpcOpenMemHandle_v2, &at, handle, 0u) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuIpcOpenMemHandle_v2, &at, handle, 1u) == CUDA_SUCCESS);
    CHECK(CALL(cuIpcOpenMemHandle_v2, &again, handle, 1u) == CUDA_ERROR_ALREADY_MAPPED);
    CHECK(touch_faults(at));
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)text, at, sizeof text, (CUstream)NULL) ==
          CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(strcmp(text, "by a handle") == 0);
    CHECK(CALL(cuMemFree_v2, at) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuIpcCloseMemHandle, at) == CUDA_SUCCESS);
    CHECK(CALL(cuIpcCloseMemHandle, at) == CUDA_ERROR_INVALID_VALUE);
    memset(&handle, 1, sizeof handle);
    CHECK(CALL(cuIpcOpenMemHandle_v2, &at, handle, 1u) == CUDA_ERROR_INVALID_HANDLE);
}

// The other process: takes the descriptor, finds the text there and answers behind it.
static int other_process(int peer)
{
    CUcontext context = start();
    char text[16] = "";
    int fd = receive_descriptor(peer);
    CUmemGenericAllocationHandle handle = 0;
    CHECK(CALL(cuMemImportFromShareableHandle, &handle, (void *)(intptr_t)peer, 1) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuMemImportFromShareableHandle, &handle, (void *)(intptr_t)fd, 1) == CUDA_SUCCESS);
    close(fd);
    CUdeviceptr at = mapped(handle, 2 * MIB);
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)text, at, sizeof text, (CUstream)NULL) ==
          CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(strcmp(text, "from the parent") == 0);
    CHECK(CALL(cuMemcpyHtoDAsync_v2, at + 64, (const void *)"the child", (size_t)10,
               (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    unmapped(at, 2 * MIB, handle);
    handle_between_processes(peer);
    CHECK(CALL(cuDevicePrimaryCtxRelease_v2, 0) == CUDA_SUCCESS);
    (void)context;
    return wrong != 0;
}

static void memory_between_processes(int peer, pid_t child)
{
    CUmemGenericAllocationHandle handle = 0;
    int fd = -1, status = -1;
    char text[16] = "from the parent";
    CHECK(CALL(cuMemCreate, &handle, 2 * MIB + 1, &shared, 0ull) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuMemCreate, &handle, 2 * MIB, &shared, 0ull) == CUDA_SUCCESS);
    CUdeviceptr at = mapped(handle, 2 * MIB);
    CHECK(CALL(cuMemMap, at, 2 * MIB, (size_t)0, handle, 0ull) == CUDA_ERROR_ALREADY_MAPPED);
    CHECK(touch_faults(at));
    CHECK(CALL(cuMemcpyHtoDAsync_v2, at, (const void *)text, sizeof text, (CUstream)NULL) ==
          CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(CALL(cuMemExportToShareableHandle, &fd, handle, 1, 0ull) == CUDA_SUCCESS);
    send_descriptor(peer, fd);
    close(fd);
    CUipcMemHandle ipc;
    CUdeviceptr own = 0;
    CHECK(CALL(cuIpcGetMemHandle, &ipc, at) == CUDA_ERROR_INVALID_VALUE);  // it is mapped memory
    CHECK(CALL(cuMemAlloc_v2, &own, (size_t)64) == CUDA_SUCCESS);
    CHECK(CALL(cuMemcpyHtoDAsync_v2, own, (const void *)"by a handle", (size_t)12,
               (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(CALL(cuIpcGetMemHandle, &ipc, own) == CUDA_SUCCESS);
    CHECK(CALL(cuIpcOpenMemHandle_v2, &own, ipc, 1u) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(write(peer, &ipc, sizeof ipc) == sizeof ipc);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(CALL(cuMemFree_v2, own) == CUDA_SUCCESS);
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)text, at + 64, (size_t)10, (CUstream)NULL) ==
          CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, (CUstream)NULL) == CUDA_SUCCESS);
    CHECK(strcmp(text, "the child") == 0);
    unmapped(at, 2 * MIB, handle);
    CHECK(CALL(cuMemRelease, handle) == CUDA_ERROR_INVALID_VALUE);
}

static void copies_and_kernels(void)
{
    int host[100] = {0}, old = 7;
    void *parameters[2];
    unsigned count = 99;
    CUdeviceptr at = 0;
    CUstream stream = NULL;
    CUevent event = NULL;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CHECK(CALL(cuMemAlloc_v2, &at, sizeof host) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamCreate, &stream, 1u) == CUDA_SUCCESS);
    CHECK(CALL(cuEventCreate, &event, 2u) == CUDA_SUCCESS);
    CHECK(CALL(cuMemsetD8Async, at, 0, sizeof host, stream) == CUDA_SUCCESS);
    CHECK(CALL(cuModuleLoadData, &module, (const void *)"no module") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(CALL(cuModuleLoadData, &module, (const void *)ptx) == CUDA_SUCCESS);
    CHECK(CALL(cuModuleGetFunction, &function, module, "add") == CUDA_ERROR_NOT_FOUND);
    CHECK(CALL(cuModuleGetFunction, &function, module, "add_one") == CUDA_SUCCESS);
    parameters[0] = &at;
    parameters[1] = &count;
    CHECK(CALL(cuLaunchKernel, function, 4u, 1u, 1u, 32u, 1u, 1u, 0u, stream, parameters,
               (void **)NULL) == CUDA_SUCCESS);
    count = 1;  // the launch has its own copy
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)&old, at, sizeof old, stream) == CUDA_SUCCESS);
    CHECK(old == 7);  // late
    CHECK(CALL(cuEventRecord, event, stream) == CUDA_SUCCESS);
    CHECK(CALL(cuEventSynchronize, event) == CUDA_SUCCESS);
    CHECK(old == 1);
    CUDA_MEMCPY2D rows = {.srcMemoryType = MEMORYTYPE_DEVICE,
                          .srcDevice = at,
                          .srcPitch = 40,
                          .dstMemoryType = MEMORYTYPE_HOST,
                          .dstHost = host,
                          .dstPitch = 40,
                          .WidthInBytes = 4,
                          .Height = 10};
    CHECK(CALL(cuMemcpy2DAsync_v2, &rows, stream) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, stream) == CUDA_SUCCESS);
    CHECK(host[0] == 1 && host[10] == 1 && host[1] == 0 && host[90] == 1);
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)host, at, sizeof host, stream) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamSynchronize, stream) == CUDA_SUCCESS);
    CHECK(host[98] == 1 && host[99] == 0);
    CHECK(touch_faults(at));
    CHECK(CALL(cuEventDestroy_v2, event) == CUDA_SUCCESS);
    CHECK(CALL(cuModuleUnload, module) == CUDA_SUCCESS);
    CHECK(CALL(cuMemFree_v2, at) == CUDA_SUCCESS);
    CHECK(CALL(cuMemcpyDtoHAsync_v2, (void *)host, at, sizeof host, stream) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuStreamDestroy_v2, stream) == CUDA_SUCCESS);
    CHECK(CALL(cuStreamDestroy_v2, stream) == CUDA_ERROR_INVALID_HANDLE);
}

static void pointers(void)
{
    static int host[4];
    unsigned type = 0;
    CUdeviceptr at = 0, same = 0;
    CHECK(CALL(cuMemAlloc_v2, &at, (size_t)64) == CUDA_SUCCESS);
    CHECK(CALL(cuPointerGetAttribute, (void *)&type, POINTER_MEMORY_TYPE, at + 8) == CUDA_SUCCESS);
    CHECK(type == MEMORYTYPE_DEVICE);
    CHECK(CALL(cuPointerGetAttribute, (void *)&type, POINTER_MEMORY_TYPE,
               (CUdeviceptr)(uintptr_t)host) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CALL(cuMemHostRegister_v2, (void *)host, sizeof host, 2u) == CUDA_SUCCESS);
    CHECK(CALL(cuMemHostRegister_v2, (void *)(host + 1), (size_t)4, 2u) ==
          CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK(CALL(cuMemHostGetDevicePointer_v2, &same, (void *)host, 0u) == CUDA_SUCCESS);
    CHECK(same == (CUdeviceptr)(uintptr_t)host);
    CHECK(CALL(cuMemHostUnregister, (void *)host) == CUDA_SUCCESS);
    CHECK(CALL(cuMemFree_v2, at) == CUDA_SUCCESS);
}

int main(int argc, char **argv)
{
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (argc > 1)
        return other_process(atoi(argv[1]));
    int pair[2], count = 0;
    CUdeviceptr at = 0;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", pair[1]);
        execl(argv[0], argv[0], number, (char *)NULL);
        _exit(127);
    }
    CHECK(CALL(cuDeviceGetCount, &count) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(CALL(cuInit, 0u) == CUDA_SUCCESS);
    CHECK(CALL(cuMemAlloc_v2, &at, (size_t)64) == CUDA_ERROR_INVALID_CONTEXT);
    start();
    memory_between_processes(pair[0], child);
    copies_and_kernels();
    pointers();
    CHECK(CALL(cuDevicePrimaryCtxRelease_v2, 0) == CUDA_SUCCESS);
    if (wrong == 0)
        printf("the fake demands what it says\n");
    return wrong != 0;
}
