// SPDX-License-Identifier: BSD-3-Clause
//
// Loads and asks the driver.
#include "core/device/driver.h"

#include <pthread.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "core/world/world.h"

cw_device_driver_t cw_device_driver = {.device = -1};

int cw_device_load(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    cw_device_driver_t *d = &cw_device_driver;
    int rc = CW_OK;
    if (__atomic_load_n(&d->vendor, __ATOMIC_ACQUIRE))  // pairs with the store below
        return CW_OK;
    pthread_mutex_lock(&lock);
    if (!d->vendor && (rc = cw_device_cuda.open(&d->ndevices)) == CW_OK)
        __atomic_store_n(&d->vendor, &cw_device_cuda, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return rc;
}

int cw_device_choose(int *device_p)
{
    const long wanted = cwu_env.device;
    const int ndevices = cw_device_driver.ndevices;
    if (wanted >= ndevices) {
        cwu_error("CAUSEWAY_DEVICE is %ld, and this process has %d devices, numbered from 0",
                  wanted, ndevices);
        return CW_EINVAL;
    }
    *device_p = wanted >= 0 ? (int)wanted : cw_world.slot % ndevices;
    return CW_OK;
}

void cw_device_adopt(int device)
{
    int none = -1;
    __atomic_compare_exchange_n(&cw_device_driver.device, &none, device, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

int cw_device_with_uuid(const uint8_t *uuid, int *device_p)
{
    const cw_device_driver_t *d = &cw_device_driver;
    cw_device_facts_t f;
    for (int device = 0; device < d->ndevices; device++) {
        int rc = d->vendor->facts(device, &f);
        if (rc)
            return rc;
        if (memcmp(f.uuid, uuid, sizeof f.uuid) == 0) {
            *device_p = device;
            return CW_OK;
        }
    }
    return CW_ENOENT;
}

int cw_device_find(const void *addr)
{
    if (!cw_device_cuda.is_loaded())
        return -1;
    cwu_error_print(false);  // the program may have no device
    int rc = cw_device_load();
    cwu_error_print(true);
    if (rc)
        return -1;
    return cw_device_driver.vendor->owner(cw_device_driver.device, addr);
}

bool cw_device_reaches(int device, int other)
{
    static _Atomic uint64_t asked[CW_DEVICES_MOST], can[CW_DEVICES_MOST];  // bits of the others
    const uint64_t bit = UINT64_C(1) << other;
    bool reaches = false;
    if (!(asked[device] & bit)) {
        if (cw_device_driver.vendor->reaches(device, other, &reaches) == CW_OK && reaches)
            can[device] |= bit;
        asked[device] |= bit;  // after the result; threads that ask at a time store the same
    }
    return can[device] & bit;
}
