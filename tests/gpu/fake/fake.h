/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake's rooms: who calls whom (README.md says what it demands). */
#ifndef FAKE_H
#define FAKE_H

#include <pthread.h>
#include <stdbool.h>

#include "driver.h"

#define MAX_DEVICES 8
#define GRANULE ((size_t)2 << 20)  // bytes, as on the cards that were measured

// fake.c: the first lines of every entry: counts the call, and returns from it where the driver is
// not initialised, or where FAKE_CUDA_FAIL names this call.
#define ENTER()                                   \
    do {                                          \
        CUresult entered_ = fake_enter(__func__); \
        if (entered_ != CUDA_SUCCESS)             \
            return entered_;                      \
    } while (0)
#define ENTER_WITH_CONTEXT()                   \
    do {                                       \
        ENTER();                               \
        if (fake_current() == NULL)            \
            return CUDA_ERROR_INVALID_CONTEXT; \
    } while (0)

CUresult fake_enter(const char *call);
CUcontext fake_current(void);
int fake_device_of(CUcontext context);
int fake_devices(void);
bool fake_peers(int one, int other);
long fake_number(const char *variable, long otherwise);
extern pthread_mutex_t fake_lock;  // of all tables below

// memory.c: bytes from ADDRESS that the DEVICE reaches, up to *SIZE of them: where this process may
// touch them, or NULL; *SIZE becomes what is contiguous there.
void *fake_reach(int device, CUdeviceptr address, size_t *size, bool writes);
bool fake_is_device(CUdeviceptr address);
bool fake_is_registered(const void *at, size_t size);
void fake_expose(bool on);  // device memory answers to loads and stores while kernels run
void fake_memory_left(long *mappings, long *handles, long *registrations, long *ranges);

// stream.c: WORK(what) runs in the stream's order, on its own thread; what is freed behind it.
CUresult fake_queue(CUstream stream, CUresult (*work)(CUcontext, void *), void *what);
void fake_streams_left(long *streams, long *events);

#endif
