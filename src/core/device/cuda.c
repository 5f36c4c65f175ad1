// SPDX-License-Identifier: BSD-3-Clause
//
// NVIDIA's devices by CUDA's driver interface. A device's primary context is retained from its
// first use until the process ends: the program may use it, too. Copies go through a stream of this
// library's own, which waits for no kernel of the program's.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/install.h"
#include "core/device/cuda_driver.h"
#include "core/device/cuda_kernel.h"
#include "core/device/vendor.h"

#define DECLARE(name, ...) cuda_result_t (*name)(__VA_ARGS__);
static struct {
    CUDA_CALLS(DECLARE)
} cuda;

typedef struct call {
    const char *name;
    void *at;  // the pointer above
} call_t;

#define ROW(name, ...) {#name, &cuda.name},
static const call_t calls[] = {CUDA_CALLS(ROW)};

typedef struct device {
    cuda_device_t number;
    cuda_context_t context;  // the primary one
    cuda_stream_t stream;
    cuda_function_t atomic;  // the kernel; NULL: not loaded
} device_t;

static struct {
    pthread_mutex_t lock;  // guards all of this; a context is there before its stream
    bool loaded;
    int n;
    device_t device[CW_DEVICES_MOST];
} state CW_LARGE = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---------------------------------------------------------------- errors
static const char *remedy_of(cuda_result_t error)
{
    switch (error) {
    case CUDA_OUT_OF_MEMORY:
        return "ask for a smaller device heap, or end what else uses the device's memory "
               "(nvidia-smi lists it)";
    case CUDA_NO_DEVICE:
    case CUDA_INVALID_DEVICE:
        return "nvidia-smi lists the devices, and CUDA_VISIBLE_DEVICES those that a process may "
               "use";
    case CUDA_ILLEGAL_ADDRESS:
        return "a kernel or a copy of this process has used memory that is not there: "
               "compute-sanitizer finds where";
    case CUDA_NOT_PERMITTED:
    case CUDA_NOT_SUPPORTED:
        return "device or driver cannot do this; limits.md lists what is needed";
    case CUDA_DRIVER_MISMATCH:
        return "the driver in the kernel is of another version than " CUDA_LIBRARY
               ": restart the machine after an update";
    default:
        return "the system's log (dmesg) may say more";
    }
}

static CW_COLD int failed(const char *call, int device, cuda_result_t error)
{
    const char *name = NULL, *text = NULL;
    if (cuda.cuGetErrorName(error, &name) != CUDA_OK || !name)
        name = "an error without a name";
    if (cuda.cuGetErrorString(error, &text) != CUDA_OK || !text)
        text = "no text";
    cwu_error("%s for device %d: %s (%d, %s); %s", call, device, name, error, text,
              remedy_of(error));
    return error == CUDA_OUT_OF_MEMORY ? CW_ENOMEM : CW_ENOTSUP;
}

static CW_ALWAYS_INLINE int result(const char *call, int device, cuda_result_t error)
{
    return CW_LIKELY(error == CUDA_OK) ? CW_OK : failed(call, device, error);
}

#define CALL(name, device, ...) result(#name, device, cuda.name(__VA_ARGS__))

// ---------------------------------------------------------------- library and contexts
static int load(void)
{
    void *library = cwu_load(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        cwu_error("no device memory: %s; the NVIDIA driver brings it (a container needs it from "
                  "its host)",
                  cwu_load_error());
        return CW_ENOENT;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *function = dlsym(library, calls[i].name);
        if (!function) {
            cwu_error("no device memory: %s has no %s; a driver of CUDA 11.4 or later is needed",
                      CUDA_LIBRARY, calls[i].name);
            dlclose(library);
            return CW_ENOTSUP;
        }
        memcpy(calls[i].at, &function, sizeof function);
    }
    return CW_OK;
}

static bool is_loaded(void)
{
    void *library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

static int find_devices(void)
{
    int n = 0, rc = CALL(cuInit, 0, 0);
    if (rc == CW_OK)
        rc = CALL(cuDeviceGetCount, 0, &n);
    if (rc == CW_OK && n <= 0)
        rc = failed("cuDeviceGetCount", 0, CUDA_NO_DEVICE);
    n = n < CW_DEVICES_MOST ? n : CW_DEVICES_MOST;
    for (int i = 0; rc == CW_OK && i < n; i++)
        rc = CALL(cuDeviceGet, i, &state.device[i].number, i);
    state.n = rc == CW_OK ? n : 0;
    return rc;
}

static int open_driver(int *ndevices_p)
{
    int rc = CW_OK;
    pthread_mutex_lock(&state.lock);
    if (!state.loaded)
        rc = load();
    state.loaded |= rc == CW_OK;
    if (rc == CW_OK && state.n == 0)
        rc = find_devices();
    pthread_mutex_unlock(&state.lock);
    if (rc == CW_OK)
        *ndevices_p = state.n;
    return rc;
}

static int retain(int device)
{
    device_t *d = &state.device[device];
    cuda_context_t context;
    int rc = CALL(cuDevicePrimaryCtxRetain, device, &context, d->number);
    if (rc)
        return rc;
    if ((rc = CALL(cuCtxPushCurrent_v2, device, context)) == CW_OK) {
        rc = CALL(cuStreamCreate, device, &d->stream, CUDA_STREAM_NON_BLOCKING);
        (void)cuda.cuCtxPopCurrent_v2(&context);
    }
    if (rc)
        (void)cuda.cuDevicePrimaryCtxRelease_v2(d->number);
    else  // pairs with enter
        __atomic_store_n(&d->context, context, __ATOMIC_RELEASE);
    return rc;
}

/** Makes the device's context current; if this gives CW_OK, leave() follows. */
static int enter(int device)
{
    device_t *d = &state.device[device];
    cuda_context_t context = __atomic_load_n(&d->context, __ATOMIC_ACQUIRE);
    if (CW_UNLIKELY(!context)) {
        pthread_mutex_lock(&state.lock);
        int rc = d->context ? CW_OK : retain(device);
        context = d->context;
        pthread_mutex_unlock(&state.lock);
        if (rc)
            return rc;
    }
    return CALL(cuCtxPushCurrent_v2, device, context);
}

/** To give something back: without a message, as the driver may have ended with the process. */
static bool enter_at_end(int device)
{
    cuda_context_t context = __atomic_load_n(&state.device[device].context, __ATOMIC_ACQUIRE);
    return context && cuda.cuCtxPushCurrent_v2(context) == CUDA_OK;
}

static void leave(void)
{
    cuda_context_t ours;
    (void)cuda.cuCtxPopCurrent_v2(&ours);
}

#define IN_CONTEXT(device, name, ...)                      \
    __extension__({                                        \
        int in_context_ = enter(device);                   \
        if (in_context_ == CW_OK) {                        \
            in_context_ = CALL(name, device, __VA_ARGS__); \
            leave();                                       \
        }                                                  \
        in_context_;                                       \
    })

// ---------------------------------------------------------------- facts
static int attribute(int device, int which, bool *value_p)
{
    int value = 0;
    int rc = CALL(cuDeviceGetAttribute, device, &value, which, state.device[device].number);
    *value_p = value != 0;
    return rc;
}

static int facts(int device, cw_device_facts_t *facts_p)
{
    cw_device_facts_t f = {0};
    const cuda_device_t number = state.device[device].number;
    int rc;
    if ((rc = CALL(cuDeviceGetName, device, f.name, (int)sizeof f.name, number)) ||
        (rc = CALL(cuDeviceGetUuid_v2, device, f.uuid, number)) ||
        (rc = attribute(device, CUDA_MAPS, &f.maps)) ||
        (rc = attribute(device, CUDA_EXPORTS, &f.exports)) ||
        (rc = attribute(device, CUDA_HOST_ATOMICS, &f.host_atomics)))
        return rc;
    int dma_buf = 0;  // older drivers do not know it
    if (cuda.cuDeviceGetAttribute(&dma_buf, CUDA_DMA_BUF, number) == CUDA_OK)
        f.dma_buf = dma_buf != 0;
    *facts_p = f;
    return CW_OK;
}

static int reaches(int device, int other, bool *reaches_p)
{
    int can = device == other, rc = CW_OK;
    if (!can)
        rc = CALL(cuDeviceCanAccessPeer, device, &can, state.device[device].number,
                  state.device[other].number);
    *reaches_p = can != 0;
    return rc;
}

// ---------------------------------------------------------------- memory
static cuda_memory_kind_t kind_of(int device)
{
    return (cuda_memory_kind_t){.type = CUDA_PINNED,
                                .handle_types = CUDA_POSIX_FD,
                                .location = {CUDA_AT_DEVICE, state.device[device].number}};
}

static int granule(int device, size_t *nbytes_p)
{
    const cuda_memory_kind_t kind = kind_of(device);
    return IN_CONTEXT(device, cuMemGetAllocationGranularity, nbytes_p, &kind,
                      CUDA_GRANULE_RECOMMENDED);
}

static int reserve(int device, uintptr_t at, size_t nbytes, uintptr_t *at_p)
{
    cuda_ptr_t got = 0;
    int rc = IN_CONTEXT(device, cuMemAddressReserve, &got, nbytes, 0, at, 0);
    *at_p = (uintptr_t)got;
    return rc;
}

static void unreserve(int device, uintptr_t at, size_t nbytes)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuMemAddressFree(at, nbytes);
    leave();
}

static int create(int device, size_t nbytes, uint64_t *memory_p)
{
    const cuda_memory_kind_t kind = kind_of(device);
    cuda_memory_t memory = 0;
    int rc = IN_CONTEXT(device, cuMemCreate, &memory, nbytes, &kind, 0);
    *memory_p = memory;
    return rc;
}

_Static_assert(sizeof(cuda_handle_t) == CW_DEVICE_HANDLE, "vendor.h");

static int give(int device, uint64_t memory, int *fd_p)
{
    return IN_CONTEXT(device, cuMemExportToShareableHandle, fd_p, memory, CUDA_POSIX_FD, 0);
}

static int take(int device, int fd, uint64_t *memory_p)
{
    cuda_memory_t memory = 0;
    int rc = IN_CONTEXT(device, cuMemImportFromShareableHandle, &memory, (void *)(intptr_t)fd,
                        CUDA_POSIX_FD);
    *memory_p = memory;
    return rc;
}

static int map(int device, uintptr_t at, size_t nbytes, uint64_t memory)
{
    const cuda_access_t access = {{CUDA_AT_DEVICE, state.device[device].number}, CUDA_READ_WRITE};
    int rc = IN_CONTEXT(device, cuMemMap, at, nbytes, 0, memory, 0);
    if (rc)
        return rc;
    rc = IN_CONTEXT(device, cuMemSetAccess, at, nbytes, &access, 1);
    if (rc)
        (void)cuda.cuMemUnmap(at, nbytes);
    return rc;
}

static void unmap(int device, uintptr_t at, size_t nbytes)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuMemUnmap(at, nbytes);
    leave();
}

static void release(int device, uint64_t memory)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuMemRelease(memory);
    leave();
}

// ---------------------------------------------------------------- the device's own allocator
static int allocate(int device, size_t nbytes, void **at_p)
{
    cuda_ptr_t at = 0;
    int rc = IN_CONTEXT(device, cuMemAlloc_v2, &at, nbytes);
    *at_p = (void *)(uintptr_t)at;
    return rc;
}

static void deallocate(int device, void *at)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuMemFree_v2((uintptr_t)at);
    leave();
}

static bool extent(int device, const void *addr, void **at_p, size_t *nbytes_p)
{
    cuda_ptr_t at = 0;
    if (enter(device))
        return false;
    bool known =
        cuda.cuPointerGetAttribute(&at, CUDA_POINTER_RANGE_BEGIN, (uintptr_t)addr) == CUDA_OK &&
        cuda.cuPointerGetAttribute(nbytes_p, CUDA_POINTER_RANGE_NBYTES, (uintptr_t)addr) == CUDA_OK;
    leave();
    *at_p = (void *)(uintptr_t)at;
    return known;
}

static bool lend(int device, void *at, uint8_t *handle)
{
    cuda_handle_t h;
    if (enter(device))
        return false;
    cuda_result_t error = cuda.cuIpcGetMemHandle(&h, (uintptr_t)at);
    leave();
    if (error != CUDA_OK)
        cwu_debug("cuIpcGetMemHandle for device %d: error %d", device, error);
    else
        memcpy(handle, h.bytes, sizeof h.bytes);
    return error == CUDA_OK;
}

static bool borrow(int device, const uint8_t *handle, void **at_p)
{
    cuda_handle_t h;
    cuda_ptr_t at = 0;
    memcpy(h.bytes, handle, sizeof h.bytes);
    if (enter(device))
        return false;
    cuda_result_t error = cuda.cuIpcOpenMemHandle_v2(&at, h, CUDA_LAZY_PEER_ACCESS);
    leave();
    if (error != CUDA_OK)
        cwu_debug("cuIpcOpenMemHandle for device %d: error %d", device, error);
    *at_p = (void *)(uintptr_t)at;
    return error == CUDA_OK;
}

static void give_back(int device, void *at)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuIpcCloseMemHandle((uintptr_t)at);
    leave();
}

// ---------------------------------------------------------------- copies
/** Ends what was begun in the device's stream. Its context is current. */
static int finish(int device, int begun)
{
    int rc = CALL(cuStreamSynchronize, device, state.device[device].stream);
    leave();
    return begun ? begun : rc;
}

static int copy(int device, void *dest, const void *src, size_t nbytes)
{
    int rc = enter(device);
    if (rc)
        return rc;
    return finish(device, CALL(cuMemcpyAsync, device, (uintptr_t)dest, (uintptr_t)src, nbytes,
                               state.device[device].stream));
}

static int copy_rows(int device, const cw_device_rows_t *r)
{
    const cuda_rows_t rows = {.src_type = r->src_is_host ? CUDA_HOST : CUDA_DEVICE,
                              .src_host = r->src_is_host ? r->src : NULL,
                              .src_device = r->src_is_host ? 0 : (uintptr_t)r->src,
                              .src_pitch = r->src_stride,
                              .dest_type = r->dest_is_host ? CUDA_HOST : CUDA_DEVICE,
                              .dest_host = r->dest_is_host ? r->dest : NULL,
                              .dest_device = r->dest_is_host ? 0 : (uintptr_t)r->dest,
                              .dest_pitch = r->dest_stride,
                              .width = r->nbytes,
                              .height = r->n};
    int rc = enter(device);
    if (rc)
        return rc;
    return finish(device, CALL(cuMemcpy2DAsync_v2, device, &rows, state.device[device].stream));
}

static int fill(int device, void *dest, uint8_t value, size_t nbytes)
{
    int rc = enter(device);
    if (rc)
        return rc;
    return finish(device, CALL(cuMemsetD8Async, device, (uintptr_t)dest, value, nbytes,
                               state.device[device].stream));
}

// ---------------------------------------------------------------- kernels
static int atomics(int device, int other, bool *exact_p)
{
    int can = device == other, rc = CW_OK;
    if (!can)
        rc = CALL(cuDeviceGetP2PAttribute, device, &can, CUDA_PEER_ATOMICS,
                  state.device[device].number, state.device[other].number);
    *exact_p = can != 0;
    return rc;
}

static int enlist(int device, void *at, size_t nbytes)
{
    cuda_ptr_t seen = 0;
    int rc =
        IN_CONTEXT(device, cuMemHostRegister_v2, at, nbytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    if (rc)
        return rc;
    rc = IN_CONTEXT(device, cuMemHostGetDevicePointer_v2, &seen, at, 0);
    if (rc == CW_OK && seen != (uintptr_t)at) {
        cwu_error("device %d finds memory of the host at other addresses than processors do; "
                  "kernels have no symmetric memory of the host there",
                  device);
        rc = CW_ENOTSUP;
    }
    if (rc)
        (void)IN_CONTEXT(device, cuMemHostUnregister, at);
    return rc;
}

static void delist(int device, void *at)
{
    if (!enter_at_end(device))
        return;
    (void)cuda.cuMemHostUnregister(at);
    leave();
}

static int prepare(int device)
{
    cuda_module_t module;  // stays loaded, as the context is retained
    cuda_function_t atomic = NULL;
    int rc = CW_OK;
    if (state.device[device].atomic)
        return CW_OK;
    if ((rc = IN_CONTEXT(device, cuModuleLoadData, &module, cuda_atomic_ptx)) == CW_OK)
        rc = IN_CONTEXT(device, cuModuleGetFunction, &atomic, module, CUDA_ATOMIC_NAME);
    if (rc == CW_OK)
        state.device[device].atomic = atomic;
    return rc;
}

static int atomic(int device, const cw_device_atomic_t *a, uint64_t *cell)
{
    cuda_ptr_t at = (uintptr_t)a->at, to = (uintptr_t)cell;
    uint64_t operand = a->operand, compare = a->compare;
    unsigned kind = 2 * a->op + (a->nbytes == 8);
    void *parameters[] = {&at, &to, &kind, &operand, &compare};
    int rc = enter(device);
    if (rc)
        return rc;
    return finish(device, CALL(cuLaunchKernel, device, state.device[device].atomic, 1, 1, 1, 1, 1,
                               1, 0, state.device[device].stream, parameters, NULL));
}

static int owner(int device, const void *addr)
{
    unsigned type = 0;
    int which = -1;
    if (device >= 0 && enter(device))
        return -1;
    // memory that the driver does not know is an error to it
    bool known =
        cuda.cuPointerGetAttribute(&type, CUDA_POINTER_MEMORY_TYPE, (uintptr_t)addr) == CUDA_OK &&
        type == CUDA_DEVICE &&
        cuda.cuPointerGetAttribute(&which, CUDA_POINTER_DEVICE, (uintptr_t)addr) == CUDA_OK &&
        which >= 0 && which < state.n;
    if (device >= 0)
        leave();
    return known ? which : -1;
}

const cw_device_vendor_t cw_device_cuda = {
    .name = "cuda",
    .open = open_driver,
    .is_loaded = is_loaded,
    .facts = facts,
    .reaches = reaches,
    .granule = granule,
    .reserve = reserve,
    .unreserve = unreserve,
    .create = create,
    .give = give,
    .take = take,
    .map = map,
    .unmap = unmap,
    .release = release,
    .allocate = allocate,
    .deallocate = deallocate,
    .extent = extent,
    .lend = lend,
    .borrow = borrow,
    .give_back = give_back,
    .copy = copy,
    .copy_rows = copy_rows,
    .fill = fill,
    .atomics = atomics,
    .enlist = enlist,
    .delist = delist,
    .prepare = prepare,
    .atomic = atomic,
    .owner = owner,
};
