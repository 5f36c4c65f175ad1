// SPDX-License-Identifier: BSD-3-Clause
//
// The driver of this process, and what its devices are to each other. Threads: any. Blocking: the
// first call loads the driver.
#ifndef CW_CORE_DEVICE_DRIVER_H
#define CW_CORE_DEVICE_DRIVER_H

#include "base/compiler.h"
#include "core/device/vendor.h"

typedef struct cw_device_driver {
    const cw_device_vendor_t *vendor;  // NULL: none is loaded
    int ndevices;
    int device;  // whose context asks about addresses; -1: none
} cw_device_driver_t;
extern cw_device_driver_t cw_device_driver CW_HIDDEN;

/** CW_OK, or the error of vendor->open. */
int cw_device_load(void);
/** This PE's device: CAUSEWAY_DEVICE, else its place in the node in turn. A driver is loaded.
 *  CW_OK, CW_EINVAL (reported). */
int cw_device_choose(int *device_p);
/** Memory of the device will be used: the first one is asked about addresses. */
void cw_device_adopt(int device);
/** CW_ENOENT: no device has that UUID; other errors: reported. */
int cw_device_with_uuid(const uint8_t *uuid, int *device_p);
/** The device that holds addr; -1: none. Asks only a driver that the program has loaded. */
int cw_device_find(const void *addr);
/** Can `device` load and store memory of `other`? Asked once a pair. */
bool cw_device_reaches(int device, int other);

#endif
