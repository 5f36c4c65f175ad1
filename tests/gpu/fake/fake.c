// SPDX-License-Identifier: BSD-3-Clause
// The fake driver: start, devices, contexts, names of errors, and what is left behind at the end.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct context {
    int device, retained;
};

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static struct context contexts[MAX_DEVICES];
static pid_t initialised;  // the process that called cuInit; its children have no driver
static struct {
    char call[64];
    long at, code, seen;
} failing;
static _Thread_local struct {
    CUcontext stack[16];
    int depth;
} current;

long fake_number(const char *variable, long otherwise)
{
    const char *value = getenv(variable);
    return value != NULL && *value != '\0' ? atol(value) : otherwise;
}

int fake_devices(void)
{
    long n = fake_number("FAKE_CUDA_DEVICES", 1);
    return n > MAX_DEVICES ? MAX_DEVICES : (int)n;
}

bool fake_peers(int one, int other)
{
    return one == other || fake_number("FAKE_CUDA_PEER", 1) != 0;
}

CUcontext fake_current(void)
{
    return current.depth > 0 ? current.stack[current.depth - 1] : NULL;
}

int fake_device_of(CUcontext context)
{
    return context->device;
}

// FAKE_CUDA_FAIL=call:N[:code]: the N-th such call fails, with that code or CUDA_ERROR_UNKNOWN.
static bool fails(const char *call)
{
    pthread_mutex_lock(&fake_lock);
    if (failing.at == 0) {
        const char *said = getenv("FAKE_CUDA_FAIL");
        failing.at = -1;
        failing.code = CUDA_ERROR_UNKNOWN;
        if (said != NULL)
            sscanf(said, "%63[^:]:%ld:%ld", failing.call, &failing.at, &failing.code);
    }
    bool now = failing.at > 0 && strcmp(call, failing.call) == 0 && ++failing.seen == failing.at;
    pthread_mutex_unlock(&fake_lock);
    return now;
}

CUresult fake_enter(const char *call)
{
    if (fails(call))
        return (CUresult)failing.code;
    return initialised == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static void report(void)
{
    long mappings, handles, registrations, ranges, streams, events, retained = 0;
    if (initialised != getpid())
        return;
    fake_memory_left(&mappings, &handles, &registrations, &ranges);
    fake_streams_left(&streams, &events);
    for (int i = 0; i < MAX_DEVICES; i++)
        retained += contexts[i].retained;
    fprintf(stderr,
            "fake: left behind: %ld mappings, %ld handles, %ld registrations, %ld ranges, "
            "%ld streams, %ld events, %ld contexts\n",
            mappings, handles, registrations, ranges, streams, events, retained);
}

API CUresult cuInit(unsigned flags)
{
    if (fails(__func__))
        return (CUresult)failing.code;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_devices() <= 0)
        return CUDA_ERROR_NO_DEVICE;
    pthread_mutex_lock(&fake_lock);
    if (initialised == 0 && fake_number("FAKE_CUDA_REPORT", 0) != 0)
        atexit(report);
    if (initialised == 0)
        initialised = getpid();
    pthread_mutex_unlock(&fake_lock);
    return initialised == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

API CUresult cuDriverGetVersion(int *version)
{
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 12040;
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGetCount(int *count)
{
    ENTER();
    *count = fake_devices();
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER();
    if (ordinal < 0 || ordinal >= fake_devices())
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static bool exists(CUdevice device)
{
    return device >= 0 && device < fake_devices();
}

API CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER();
    if (!exists(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)size, "fake device");
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    ENTER();
    if (!exists(device))
        return CUDA_ERROR_INVALID_DEVICE;
    memset(uuid, 0, sizeof *uuid);
    snprintf(uuid->bytes, sizeof uuid->bytes, "fake %d", device);
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    ENTER();
    if (!exists(device))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (attribute) {
    case ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        break;
    case ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 4;
        break;
    case ATTRIBUTE_PCI_BUS_ID:
        *value = 1 + device;
        break;
    case ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
    case ATTRIBUTE_UNIFIED_ADDRESSING:
    case ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
        *value = 1;
        break;
    case ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        *value = fake_number("FAKE_CUDA_VMM", 1) != 0;
        break;
    case ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        *value = fake_number("FAKE_CUDA_EXPORT", 1) != 0;
        break;
    case ATTRIBUTE_PCI_DEVICE_ID:
    case ATTRIBUTE_PCI_DOMAIN_ID:
    case ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    case ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED:
    case ATTRIBUTE_DMA_BUF_SUPPORTED:
        *value = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER();
    if (!exists(device) || !exists(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer && fake_peers(device, peer);
    return CUDA_SUCCESS;
}

// FAKE_CUDA_PEER_ATOMICS=0: those of a device on another's memory are not exact.
API CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer)
{
    ENTER();
    if (!exists(device) || !exists(peer) || device == peer)
        return CUDA_ERROR_INVALID_DEVICE;
    if (attribute != P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    *value = fake_peers(device, peer) && fake_number("FAKE_CUDA_PEER_ATOMICS", 1) != 0;
    return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER();
    if (!exists(device))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&fake_lock);
    if (contexts[device].retained++ == 0)
        contexts[device].device = device;
    pthread_mutex_unlock(&fake_lock);
    *context = &contexts[device];
    return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    ENTER();
    if (!exists(device))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&fake_lock);
    bool had = contexts[device].retained > 0;
    contexts[device].retained -= had;
    pthread_mutex_unlock(&fake_lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static bool lives(CUcontext context)
{
    return context >= contexts && context < contexts + MAX_DEVICES && context->retained > 0;
}

API CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    ENTER();
    if (!lives(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current.depth == (int)(sizeof current.stack / sizeof *current.stack))
        return CUDA_ERROR_OUT_OF_MEMORY;
    current.stack[current.depth++] = context;
    return CUDA_SUCCESS;
}

API CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    ENTER();
    if (current.depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    current.depth--;
    if (context != NULL)
        *context = current.stack[current.depth];
    return CUDA_SUCCESS;
}

API CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER();
    if (context != NULL && !lives(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current.depth > 0)
        current.depth--;
    if (context != NULL)
        current.stack[current.depth++] = context;
    return CUDA_SUCCESS;
}

API CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER();
    *context = fake_current();
    return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER_WITH_CONTEXT();
    *device = fake_current()->device;
    return CUDA_SUCCESS;
}

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no device"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "invalid kernel image"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_ALREADY_MAPPED, "CUDA_ERROR_ALREADY_MAPPED", "resource already mapped"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "memory already registered"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "memory not registered"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

API CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error)
            *name = errors[i].name;
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error)
            *text = errors[i].text;
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
