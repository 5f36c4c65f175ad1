// SPDX-License-Identifier: BSD-3-Clause
//
// A vendor's driver as one table of operations, loaded at the first device heap, never linked. What
// a device can do, the driver states.
//
// Errors: functions that return int give 0 or CW_E…, reported with the driver's call, its name of
// the error, and a remedy; outputs are set on success. Threads: any. Contexts: each call makes the
// device's primary context current, then restores the program's. Blocking: copies and fills wait
// for the device and are complete on return.
#ifndef CW_CORE_DEVICE_VENDOR_H
#define CW_CORE_DEVICE_VENDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cw_device_facts {
    char name[64];      // for messages
    uint8_t uuid[16];   // the same in every process
    bool maps;          // its memory can be mapped at chosen addresses,
    bool exports;       // given to other processes by a file descriptor,
    bool dma_buf;       // and to network cards
    bool host_atomics;  // its atomics and the processors' on one word are exact
} cw_device_facts_t;

enum { CW_DEVICE_HANDLE = 64 };  // bytes by which another process finds an allocation

/** n rows of nbytes. Strides are at least nbytes. */
typedef struct cw_device_rows {
    void *dest;
    const void *src;
    size_t dest_stride, src_stride, nbytes, n;
    bool dest_is_host, src_is_host;
} cw_device_rows_t;

typedef struct cw_device_atomic {
    void *at;
    unsigned op, nbytes;
    uint64_t operand, compare;
} cw_device_atomic_t;

typedef struct cw_device_vendor {
    const char *name;
    /** Loads the driver once. CW_ENOENT: there is none. */
    int (*open)(int *ndevices_p);
    /** Has the program, or its library, loaded it? */
    bool (*is_loaded)(void);
    int (*facts)(int device, cw_device_facts_t *facts_p);
    /** Can `device` load and store memory of `other`? */
    int (*reaches)(int device, int other, bool *reaches_p);
    /** Sizes of memory and address ranges are multiples of it. */
    int (*granule)(int device, size_t *nbytes_p);

    /** Addresses without memory; `at` is a wish. */
    int (*reserve)(int device, uintptr_t at, size_t nbytes, uintptr_t *at_p);
    void (*unreserve)(int device, uintptr_t at, size_t nbytes);
    int (*create)(int device, size_t nbytes, uint64_t *memory_p);
    /** A descriptor of the memory; the caller closes it. */
    int (*give)(int device, uint64_t memory, int *fd_p);
    /** Another process's memory; fd stays the caller's. */
    int (*take)(int device, int fd, uint64_t *memory_p);
    /** At reserved addresses, for loads and stores of that device. */
    int (*map)(int device, uintptr_t at, size_t nbytes, uint64_t memory);
    void (*unmap)(int device, uintptr_t at, size_t nbytes);
    /** This process is done with it. */
    void (*release)(int device, uint64_t memory);

    /** At an address that the device's allocator chooses. */
    int (*allocate)(int device, size_t nbytes, void **at_p);
    void (*deallocate)(int device, void *at);
    /** The allocation around addr. False: none. */
    bool (*extent)(int device, const void *addr, void **at_p, size_t *nbytes_p);
    // Allocations that other processes of the machine map whole, each once at a time. False,
    // without a message: this memory cannot be.
    bool (*lend)(int device, void *at, uint8_t *handle);
    bool (*borrow)(int device, const uint8_t *handle, void **at_p);
    void (*give_back)(int device, void *at);

    /** By that device: its own memory, what it reaches, and host memory. */
    int (*copy)(int device, void *dest, const void *src, size_t nbytes);
    int (*copy_rows)(int device, const cw_device_rows_t *rows);
    int (*fill)(int device, void *dest, uint8_t value, size_t nbytes);
    /** Are atomics of `device` exact on memory of `other`, which it reaches? */
    int (*atomics)(int device, int other, bool *exact_p);
    /** Host memory, whole pages, that all devices' kernels load and store at the same addresses
     *  from here on. It gets memory, and stays in place. */
    int (*enlist)(int device, void *at, size_t nbytes);
    void (*delist)(int device, void *at);
    /** Before a device's first `atomic`: what takes time while kernels run. */
    int (*prepare)(int device);
    /** By a kernel of that device, exact beside all others there: cw_amo_op_t SET to CSWAP, 4 or 8
     *  bytes, aligned. The old value goes to *cell, which is enlisted. */
    int (*atomic)(int device, const cw_device_atomic_t *atomic, uint64_t *cell);

    /** The device that holds addr, by the driver; -1: none. device: in whose context to ask; -1:
     *  none. */
    int (*owner)(int device, const void *addr);
} cw_device_vendor_t;

extern const cw_device_vendor_t cw_device_cuda;

enum { CW_DEVICES_MOST = 64 };  // of one process

#endif
