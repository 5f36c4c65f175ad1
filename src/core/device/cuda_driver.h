// SPDX-License-Identifier: BSD-3-Clause
//
// The part of CUDA's driver interface (11.2 and later) that core/device calls, by names in
// libcuda.so.1: neither a header of the toolkit nor a library to link is needed.
#ifndef CW_CORE_DEVICE_CUDA_DRIVER_H
#define CW_CORE_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_LIBRARY "libcuda.so.1"

typedef int cuda_result_t;
enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_NOT_PERMITTED = 800,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_DRIVER_MISMATCH = 803
};

typedef int cuda_device_t;
typedef struct cuda_context *cuda_context_t;
typedef struct cuda_stream *cuda_stream_t;
typedef struct cuda_module *cuda_module_t;
typedef struct cuda_function *cuda_function_t;
typedef unsigned long long cuda_ptr_t;
typedef unsigned long long cuda_memory_t;

// attributes of a device
enum { CUDA_HOST_ATOMICS = 86, CUDA_MAPS = 102, CUDA_EXPORTS = 103, CUDA_DMA_BUF = 124 };

// attributes of a pointer
enum {
    CUDA_POINTER_MEMORY_TYPE = 2,
    CUDA_POINTER_DEVICE = 9,
    CUDA_POINTER_RANGE_BEGIN = 11,
    CUDA_POINTER_RANGE_NBYTES = 12
};
enum { CUDA_HOST = 1, CUDA_DEVICE = 2 };  // memory types
enum { CUDA_PINNED = 1, CUDA_AT_DEVICE = 1, CUDA_POSIX_FD = 1, CUDA_READ_WRITE = 3 };
enum { CUDA_GRANULE_MINIMUM = 0, CUDA_GRANULE_RECOMMENDED = 1 };
enum { CUDA_STREAM_NON_BLOCKING = 1 };
enum { CUDA_LAZY_PEER_ACCESS = 1 };  // of memory of another process
enum { CUDA_HOST_PORTABLE = 1, CUDA_HOST_MAPPED = 2 };
enum { CUDA_PEER_ATOMICS = 3 };  // attribute of two devices

typedef struct cuda_location {
    int type, id;
} cuda_location_t;

typedef struct cuda_memory_kind {
    int type, handle_types;
    cuda_location_t location;
    void *unused;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} cuda_memory_kind_t;
_Static_assert(sizeof(cuda_memory_kind_t) == 32, "CUmemAllocationProp");

typedef struct cuda_access {
    cuda_location_t location;
    int flags;
} cuda_access_t;
_Static_assert(sizeof(cuda_access_t) == 12, "CUmemAccessDesc");

typedef struct cuda_handle {
    uint8_t bytes[64];
} cuda_handle_t;

typedef struct cuda_rows {
    size_t src_x, src_y;
    int src_type;
    const void *src_host;
    cuda_ptr_t src_device;
    void *src_array;
    size_t src_pitch;
    size_t dest_x, dest_y;
    int dest_type;
    void *dest_host;
    cuda_ptr_t dest_device;
    void *dest_array;
    size_t dest_pitch;
    size_t width, height;
} cuda_rows_t;
_Static_assert(sizeof(cuda_rows_t) == 128, "CUDA_MEMCPY2D");

/** Each function: its name in the library, its arguments. */
#define CUDA_CALLS(X)                                                                              \
    X(cuInit, unsigned flags)                                                                      \
    X(cuDeviceGetCount, int *count)                                                                \
    X(cuDeviceGet, cuda_device_t *device, int ordinal)                                             \
    X(cuDeviceGetName, char *name, int nbytes, cuda_device_t device)                               \
    X(cuDeviceGetUuid_v2, uint8_t *uuid, cuda_device_t device)                                     \
    X(cuDeviceGetAttribute, int *value, int attribute, cuda_device_t device)                       \
    X(cuDeviceCanAccessPeer, int *can, cuda_device_t device, cuda_device_t peer)                   \
    X(cuDevicePrimaryCtxRetain, cuda_context_t *context, cuda_device_t device)                     \
    X(cuDevicePrimaryCtxRelease_v2, cuda_device_t device)                                          \
    X(cuCtxPushCurrent_v2, cuda_context_t context)                                                 \
    X(cuCtxPopCurrent_v2, cuda_context_t *context)                                                 \
    X(cuMemGetAllocationGranularity, size_t *nbytes, const cuda_memory_kind_t *kind, int which)    \
    X(cuMemAddressReserve, cuda_ptr_t *at, size_t nbytes, size_t align, cuda_ptr_t wish,           \
      unsigned long long flags)                                                                    \
    X(cuMemAddressFree, cuda_ptr_t at, size_t nbytes)                                              \
    X(cuMemCreate, cuda_memory_t *memory, size_t nbytes, const cuda_memory_kind_t *kind,           \
      unsigned long long flags)                                                                    \
    X(cuMemRelease, cuda_memory_t memory)                                                          \
    X(cuMemMap, cuda_ptr_t at, size_t nbytes, size_t offset, cuda_memory_t memory,                 \
      unsigned long long flags)                                                                    \
    X(cuMemUnmap, cuda_ptr_t at, size_t nbytes)                                                    \
    X(cuMemSetAccess, cuda_ptr_t at, size_t nbytes, const cuda_access_t *access, size_t n)         \
    X(cuMemExportToShareableHandle, void *handle, cuda_memory_t memory, int type,                  \
      unsigned long long flags)                                                                    \
    X(cuMemImportFromShareableHandle, cuda_memory_t *memory, void *handle, int type)               \
    X(cuMemAlloc_v2, cuda_ptr_t *at, size_t nbytes)                                                \
    X(cuMemFree_v2, cuda_ptr_t at)                                                                 \
    X(cuIpcGetMemHandle, cuda_handle_t *handle, cuda_ptr_t at)                                     \
    X(cuIpcOpenMemHandle_v2, cuda_ptr_t *at, cuda_handle_t handle, unsigned flags)                 \
    X(cuIpcCloseMemHandle, cuda_ptr_t at)                                                          \
    X(cuPointerGetAttribute, void *value, int attribute, cuda_ptr_t pointer)                       \
    X(cuMemcpyAsync, cuda_ptr_t dest, cuda_ptr_t src, size_t nbytes, cuda_stream_t stream)         \
    X(cuMemcpy2DAsync_v2, const cuda_rows_t *rows, cuda_stream_t stream)                           \
    X(cuMemsetD8Async, cuda_ptr_t dest, unsigned char value, size_t nbytes, cuda_stream_t stream)  \
    X(cuDeviceGetP2PAttribute, int *value, int attribute, cuda_device_t device,                    \
      cuda_device_t peer)                                                                          \
    X(cuMemHostRegister_v2, void *at, size_t nbytes, unsigned flags)                               \
    X(cuMemHostUnregister, void *at)                                                               \
    X(cuMemHostGetDevicePointer_v2, cuda_ptr_t *device_at, void *at, unsigned flags)               \
    X(cuModuleLoadData, cuda_module_t *module, const void *image)                                  \
    X(cuModuleGetFunction, cuda_function_t *function, cuda_module_t module, const char *name)      \
    X(cuLaunchKernel, cuda_function_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, cuda_stream_t stream, \
      void **parameters, void **extra)                                                             \
    X(cuStreamCreate, cuda_stream_t *stream, unsigned flags)                                       \
    X(cuStreamDestroy_v2, cuda_stream_t stream)                                                    \
    X(cuStreamSynchronize, cuda_stream_t stream)                                                   \
    X(cuGetErrorName, cuda_result_t error, const char **name)                                      \
    X(cuGetErrorString, cuda_result_t error, const char **text)

#endif
