// SPDX-License-Identifier: BSD-3-Clause
//
// What the programs of this room share: the driver that the library has loaded, for memory and
// contexts of the program's own.
#ifndef TESTS_GPU_DEVICE_H
#define TESTS_GPU_DEVICE_H

#include <dlfcn.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <string.h>

#include "frame/check.h"

typedef unsigned long long device_ptr;

typedef struct driver {
    int (*cuMemAlloc_v2)(device_ptr *at, size_t nbytes);
    int (*cuMemFree_v2)(device_ptr at);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxPushCurrent_v2)(void *context);
    int (*cuCtxPopCurrent_v2)(void **context);
    int (*cuCtxGetCurrent)(void **context);
} driver;

#define FIND(d, library, name)                      \
    do {                                            \
        void *found_ = dlsym(library, #name);       \
        REQUIRE(found_ != NULL, #name);             \
        memcpy(&(d)->name, &found_, sizeof found_); \
    } while (0)

/** Behind shmemx_device_heap. */
__attribute__((unused)) static void driver_find(driver *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library != NULL, "the library has not loaded it");
    FIND(d, library, cuMemAlloc_v2);
    FIND(d, library, cuMemFree_v2);
    FIND(d, library, cuDevicePrimaryCtxRetain);
    FIND(d, library, cuCtxPushCurrent_v2);
    FIND(d, library, cuCtxPopCurrent_v2);
    FIND(d, library, cuCtxGetCurrent);
}

/** Device memory of the program's own. */
__attribute__((unused)) static void *driver_alloc(driver *d, size_t nbytes)
{
    void *context;
    device_ptr at = 0;
    REQUIRE(d->cuDevicePrimaryCtxRetain(&context, 0) == 0);
    REQUIRE(d->cuCtxPushCurrent_v2(context) == 0);
    REQUIRE(d->cuMemAlloc_v2(&at, nbytes) == 0);
    REQUIRE(d->cuCtxPopCurrent_v2(&context) == 0);
    return (void *)(uintptr_t)at;
}

__attribute__((unused)) static void driver_free(driver *d, void *at)
{
    void *context;
    REQUIRE(d->cuDevicePrimaryCtxRetain(&context, 0) == 0);
    REQUIRE(d->cuCtxPushCurrent_v2(context) == 0);
    CHECK(d->cuMemFree_v2((uintptr_t)at) == 0);
    REQUIRE(d->cuCtxPopCurrent_v2(&context) == 0);
}

static inline unsigned char pattern(size_t i, int seed)
{
    return (unsigned char)(i * 131 + (i >> 8) * 7 + (unsigned)seed * 29 + 1);
}

__attribute__((unused)) static void fill_pattern(void *p, size_t nbytes, int seed)
{
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)p)[i] = pattern(i, seed);
}

/** Where the bytes differ; nbytes: nowhere. */
__attribute__((unused)) static size_t first_wrong(const void *p, size_t nbytes, int seed)
{
    size_t i = 0;
    while (i < nbytes && ((const unsigned char *)p)[i] == pattern(i, seed))
        i++;
    return i;
}

#endif
